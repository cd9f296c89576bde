//! What the module keeps between calls: caches, prepared objects, stacks that grow once. One for the
//! interpreter that imported the module (which has one: it refuses isolated subinterpreters), used only with
//! the global lock held (the module asks for it on free-threaded builds).

use core::ptr::null_mut;
use std::cell::UnsafeCell;

use pyo3::ffi::*;

use crate::dicts::Shape;
use crate::keys::{KeyRef, KeySlot};
use crate::layout::{self, Object};

/// Slots of the key cache; a power of two, in sets of two.
pub const KEY_SLOTS: usize = 4096;
/// Remembered shapes; a power of two.
pub const SHAPES: usize = 256;
/// Bytes of scratch that small results are written into before their one exact copy.
pub const SCRATCH: usize = 64 << 10;
/// Integers with an object ready: from -256 on.
pub const SMALL_INTS: usize = 1280;

/// See the module. Always behind a raw pointer: calls into the interpreter may come back here.
pub struct State {
    /// The private layouts are the ones expected.
    pub layouts: bool,
    /// So is that of dicts.
    pub dict_layout: bool,
    /// null, false, true: by the constant's number.
    pub constants: [Object; 3],
    pub one_char: [Object; 128],
    pub small_ints: [Object; SMALL_INTS],
    pub empty_str: Object,
    /// The header of a fresh ASCII string and of a fresh float, to copy.
    pub ascii_header: [u8; layout::ASCII_DATA],
    pub float_header: [usize; 2],
    pub keys: Vec<KeySlot>,
    pub last_key: u32,
    pub shapes: Vec<Shape>,
    /// Above zero: shapes pay; far below: they are tried only now and then.
    pub shape_score: i32,
    pub shape_tick: u32,
    /// Keys that fell out of the cache while a decode may still use them; released when `decodes` is zero.
    pub grave: Vec<Object>,
    pub decodes: usize,
    pub values_stack: Vec<Object>,
    pub keys_stack: Vec<KeyRef>,
    pub scratch: Vec<u8>,
    pub scratch_busy: bool,
    pub utf8: Vec<u8>,
    pub datetime_type: *mut PyTypeObject,
    pub utc: Object,
    pub none: Object,
    /// Type to what it is written as: see `types`.
    pub converters: Object,
    /// Objects of the Python half of the package, handed over when it is imported.
    pub python: Python,
}

/// What the Python half provides. Owned for ever.
#[derive(Clone, Copy)]
pub struct Python {
    pub base_error: Object,
    pub decode_error: Object,
    pub encode_error: Object,
    pub timestamp: Object,
    pub ext: Object,
    pub resolve: Object,
    pub int_from_digits: Object,
    pub digits_of_int: Object,
    pub decimal: Object,
    pub refused: Object,
}

struct Cell(UnsafeCell<*mut State>);
// SAFETY: read and written only with the interpreter's lock held.
unsafe impl Sync for Cell {}
static STATE: Cell = Cell(UnsafeCell::new(null_mut()));

/// The state.
#[inline(always)]
pub fn state() -> *mut State {
    // SAFETY: made at import, before anything calls this; the lock is held.
    unsafe { *STATE.0.get() }
}

/// True once [`init`] was called.
pub fn ready() -> bool {
    !state().is_null()
}

/// Makes the state. `false` if an object could not be made (an exception is set).
///
/// # Safety
/// The interpreter is attached; called once.
pub unsafe fn init(python: Python, force_fallback: bool) -> bool {
    // SAFETY: the interpreter is attached.
    unsafe {
        PyDateTime_IMPORT();
        if PyDateTimeAPI().is_null() {
            return false;
        }
        let layouts = !force_fallback && layout::self_test();
        let mut state = Box::new(State {
            layouts,
            dict_layout: layouts && layout::DICT_LAYOUT_KNOWN,
            constants: [Py_None(), Py_False(), Py_True()],
            one_char: [null_mut(); 128],
            small_ints: [null_mut(); SMALL_INTS],
            empty_str: PyUnicode_New(0, 0),
            ascii_header: [0; layout::ASCII_DATA],
            float_header: [0; 2],
            keys: (0..KEY_SLOTS).map(|_| KeySlot::EMPTY).collect(),
            last_key: 0,
            shapes: (0..SHAPES).map(|_| Shape::default()).collect(),
            shape_score: 0,
            shape_tick: 0,
            grave: Vec::new(),
            decodes: 0,
            values_stack: Vec::new(),
            keys_stack: Vec::new(),
            scratch: Vec::with_capacity(SCRATCH),
            scratch_busy: false,
            utf8: Vec::new(),
            datetime_type: (*PyDateTimeAPI()).DateTimeType,
            utc: PyDateTime_TimeZone_UTC(),
            none: Py_None(),
            converters: PyDict_New(),
            python,
        });
        for (i, slot) in state.one_char.iter_mut().enumerate() {
            let byte = i as u8;
            *slot = PyUnicode_FromStringAndSize((&raw const byte).cast(), 1);
        }
        for (i, slot) in state.small_ints.iter_mut().enumerate() {
            *slot = PyLong_FromLong(i as core::ffi::c_long - 256);
        }
        if PyErr_Occurred().is_null() && layouts {
            // The first bytes of a fresh object, as they are: count 1, no hash yet.
            let string = PyUnicode_New(20, 127);
            let float = PyFloat_FromDouble(1.5);
            if !string.is_null() && !float.is_null() {
                core::ptr::copy_nonoverlapping(
                    string.cast::<u8>(),
                    state.ascii_header.as_mut_ptr(),
                    layout::ASCII_DATA,
                );
                core::ptr::copy_nonoverlapping(float.cast::<usize>(), state.float_header.as_mut_ptr(), 2);
            }
            Py_XDECREF(float);
            Py_XDECREF(string);
        }
        if !PyErr_Occurred().is_null() {
            return false;
        }
        *STATE.0.get() = Box::into_raw(state);
        true
    }
}

/// Forgets all keys, shapes and converters: for tests that count references, and for programs that want the
/// memory back.
///
/// # Safety
/// The lock is held.
pub unsafe fn clear_caches() {
    // SAFETY: what is taken out is released after the state is consistent again.
    unsafe {
        let state = state();
        let mut gone = Vec::new();
        for slot in &mut (*state).keys {
            gone.extend(slot.take());
        }
        (*state).last_key = 0;
        for shape in &mut (*state).shapes {
            shape.take(&mut gone);
        }
        if (*state).decodes > 0 {
            (*state).grave.append(&mut gone);
        }
        PyDict_Clear((*state).converters);
        for object in gone {
            Py_DECREF(object);
        }
    }
}
