//! Values out of chunks: core's `Splitter`, and the same decode as everywhere. The sources (files, async
//! streams) are the Python half's business.

use core::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use samewire::stream::{Framing, Splitter};
use samewire::{Code, Error, Format};

use crate::classes::{exception, finish, settings};
use crate::codec::{self, End};
use crate::errors::Side;
use crate::input::Input;
use crate::settings::Settings;

/// A splitter that one call uses at a time.
struct Locked(RefCell<Splitter>);

// SAFETY: the count of borrows is read and written only with the interpreter's lock held. A call that lets another
// thread run in the middle (a hook) keeps its borrow, and the other thread's call is refused.
unsafe impl Sync for Locked {}

/// Takes chunks and gives values; the base of `Unpacker` and `JSONLines`.
#[pyclass(frozen, subclass, module = "samewire._samewire", name = "StreamReader")]
pub struct StreamReader {
    splitter: Locked,
    format: Format,
    settings: Settings,
}

impl StreamReader {
    /// The splitter, unless this call comes out of a hook that it runs.
    fn idle<'s>(&'s self, py: Python<'_>) -> PyResult<core::cell::RefMut<'s, Splitter>> {
        self.splitter.0.try_borrow_mut().map_err(|_| {
            let error = Error::new(Code::InvalidState, "the stream is used from inside one of its own hooks");
            exception(py, Side::Decode, &error)
        })
    }
}

#[pymethods]
impl StreamReader {
    #[new]
    #[pyo3(signature = (framing, /, **options))]
    fn new(py: Python<'_>, framing: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (framing, format) = match framing {
            "msgpack" => (Framing::MessagePack, Format::MessagePack),
            "json" => (Framing::Json, Format::Json),
            "jsonl" => (Framing::JsonLines, Format::Json),
            other => {
                let text = format!("a stream is \"msgpack\", \"json\" or \"jsonl\", not {other:?}");
                return Err(exception(py, Side::Decode, &Error::new(Code::InvalidOption, text)));
            }
        };
        let settings = settings(py, Side::Decode, options)?;
        Ok(StreamReader { splitter: Locked(RefCell::new(Splitter::new(framing, &settings.options))), format, settings })
    }

    /// Takes the next bytes of the stream, cut anywhere.
    #[pyo3(signature = (chunk, /))]
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut splitter = self.idle(py)?;
        // SAFETY: the interpreter is attached.
        let input = unsafe {
            match self.format {
                Format::MessagePack => Input::new(chunk.as_ptr()),
                Format::Json => Input::text(chunk.as_ptr(), self.settings.options.lone_surrogates),
            }
        };
        splitter.feed(input.map_err(|error| exception(py, Side::Decode, &error))?.bytes());
        Ok(())
    }

    /// Says that the stream has ended: `truncated` if it did so inside a value.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.idle(py)?.finish().map_err(|error| exception(py, Side::Decode, &error))
    }

    /// Offset in the stream of the first byte that is in no value yet.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.idle(py)?.position())
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next value that is complete.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut splitter = self.idle(py)?;
        let fail = |error: Error| exception(py, Side::Decode, &error);
        let Some(bytes) = splitter.next_value().map_err(fail)?.map(|bytes| (bytes.as_ptr(), bytes.len())) else {
            return Ok(None);
        };
        let offset = usize::try_from(splitter.value_offset()).unwrap_or(usize::MAX);
        // SAFETY: the bytes stay where they are while the splitter is borrowed, which it is until the end.
        let bytes = unsafe { core::slice::from_raw_parts(bytes.0, bytes.1) };
        let result = codec::decode(self.format, bytes, 0, End::Whole, &self.settings).map_err(|error| {
            let place = error.offset().map(|at| at.saturating_add(offset));
            error.with_offset(place)
        });
        finish(py, Side::Decode, result.map(|(value, _)| value)).map(Some)
    }
}
