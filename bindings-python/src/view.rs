//! `View`: a message that is checked once and read where it is touched. The navigation is core's.

use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use samewire::view as core_view;
use samewire::visit::Text;
use samewire::{Error, Format};
use std::sync::Arc;

use crate::build::Builder;
use crate::classes::{exception, finish, format, frozen_bytes, settings};
use crate::codec;
use crate::errors::Side;
use crate::owned::Owned;
use crate::settings::Settings;
use crate::strings::new_str;

/// A place in a message that was checked; what is asked for is built, nothing else.
///
/// `view["user"]["name"]` goes by keys and indexes, `view.get("/items/0/id")` by a JSON Pointer. Arrays and maps
/// are views again; anything else is the value itself.
#[pyclass(frozen, module = "samewire", name = "View")]
pub struct View {
    message: Py<PyBytes>,
    format: Format,
    at: usize,
    settings: Arc<Settings>,
}

/// Checks a message and gives a `View` of it.
///
/// Takes the keyword arguments of `unpackb`, which hold for what is read from it.
#[pyfunction]
#[pyo3(signature = (data, /, format="msgpack", **options))]
pub fn view<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    format: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let format = self::format(py, format)?;
    let settings = Arc::new(settings(py, Side::Decode, options)?);
    let message = frozen_bytes(py, format, data, &settings)?;
    let checked = core_view::View::new(message.as_bytes(), format, &settings.options);
    let at = checked.map_err(|error| exception(py, Side::Decode, &error))?.offset();
    Ok(Bound::new(py, View { message: message.unbind(), format, at, settings })?.into_any())
}

impl View {
    fn place<'v>(&'v self, py: Python<'v>) -> core_view::View<'v> {
        core_view::View::checked(self.message.as_bytes(py), self.format, self.at, &self.settings.options)
    }

    /// A view of an array or a map, or the value of anything else.
    fn hand_over<'py>(&self, py: Python<'py>, place: &core_view::View<'_>) -> PyResult<Bound<'py, PyAny>> {
        if place.kind() == core_view::Kind::Scalar {
            return self.build(py, place);
        }
        let view = View {
            message: self.message.clone_ref(py),
            format: self.format,
            at: place.offset(),
            settings: Arc::clone(&self.settings),
        };
        Ok(Bound::new(py, view)?.into_any())
    }

    fn build<'py>(&self, py: Python<'py>, place: &core_view::View<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (message, at) = (self.message.as_bytes(py), place.offset());
        let result = codec::decode(self.format, message, at, codec::End::First, &self.settings);
        finish(py, Side::Decode, result.map(|(value, _)| value))
    }

    fn fail(py: Python<'_>) -> impl Fn(Error) -> PyErr + '_ {
        move |error| exception(py, Side::Decode, &error)
    }
}

#[pymethods]
impl View {
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let place = self.place(py);
        let found = match (place.kind(), key.cast::<PyString>()) {
            (core_view::Kind::Map, Ok(name)) => {
                let found = place.get(&name.to_cow()?).map_err(Self::fail(py))?;
                found.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))?
            }
            (core_view::Kind::Map, Err(_)) => {
                // A key of another kind (map_keys="any"): compared as Python compares.
                for (name, value) in self.pairs(py)? {
                    if name.eq(key)? {
                        return Ok(value);
                    }
                }
                return Err(PyKeyError::new_err(key.clone().unbind()));
            }
            (core_view::Kind::Array, Err(_)) => {
                let index: isize = key.extract()?;
                let len = place.len().map_err(Self::fail(py))?.unwrap_or(0);
                let index = if index < 0 { index + len as isize } else { index };
                let found = match usize::try_from(index) {
                    Ok(index) => place.index(index).map_err(Self::fail(py))?,
                    Err(_) => None,
                };
                found.ok_or_else(|| PyIndexError::new_err("index out of range"))?
            }
            _ => return Err(PyTypeError::new_err("an array goes by integers, a map by its keys")),
        };
        self.hand_over(py, &found)
    }

    /// What is at a JSON Pointer (RFC 6901), or `default`.
    #[pyo3(signature = (pointer, /, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        pointer: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.place(py).pointer(pointer).map_err(Self::fail(py))? {
            Some(found) => self.hand_over(py, &found),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    /// The whole value, built.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.build(py, &self.place(py))
    }

    /// The bytes of the value, as they are in the message.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.place(py).raw())
    }

    /// Offset of the value in the message.
    #[getter]
    fn offset(&self) -> usize {
        self.at
    }

    /// "array", "map", or "scalar".
    #[getter]
    fn kind(&self, py: Python<'_>) -> &'static str {
        match self.place(py).kind() {
            core_view::Kind::Array => "array",
            core_view::Kind::Map => "map",
            core_view::Kind::Scalar => "scalar",
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let len = self.place(py).len().map_err(Self::fail(py))?;
        len.ok_or_else(|| PyTypeError::new_err("neither an array nor a map has a length"))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.place(py).len().map_err(Self::fail(py))? != Some(0))
    }

    fn __contains__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<bool> {
        let place = self.place(py);
        if place.kind() == core_view::Kind::Map {
            if let Ok(name) = key.cast::<PyString>() {
                return Ok(place.get(&name.to_cow()?).map_err(Self::fail(py))?.is_some());
            }
            for name in self.keys(py)? {
                if name.eq(key)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        for element in place.elements().map_err(Self::fail(py))? {
            if self.build(py, &element)?.eq(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The elements of an array, or the keys of a map.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let items = match self.place(py).kind() {
            core_view::Kind::Map => self.keys(py)?,
            core_view::Kind::Array => self.elements(py)?,
            core_view::Kind::Scalar => return Err(PyTypeError::new_err("neither an array nor a map: not iterable")),
        };
        PyList::new(py, items)?.call_method0("__iter__")
    }

    /// The elements of an array: views, and values that are neither arrays nor maps.
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let elements = self.place(py).elements().map_err(Self::fail(py))?;
        elements.iter().map(|element| self.hand_over(py, element)).collect()
    }

    /// The keys of a map.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let entries = self.place(py).entries().map_err(Self::fail(py))?;
        entries.iter().map(|entry| self.key(py, &entry.key)).collect()
    }

    /// The values of a map.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let entries = self.place(py).entries().map_err(Self::fail(py))?;
        entries.iter().map(|entry| self.hand_over(py, &entry.value)).collect()
    }

    /// The keys and values of a map.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        self.pairs(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let place = self.place(py);
        format!("<samewire.View of {} {} at byte {}>", self.format.as_str(), self.kind(py), place.offset())
    }
}

impl View {
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let entries = self.place(py).entries().map_err(Self::fail(py))?;
        entries.iter().map(|entry| Ok((self.key(py, &entry.key)?, self.hand_over(py, &entry.value)?))).collect()
    }

    /// A key as unpacking the map would make it.
    fn key<'py>(&self, py: Python<'py>, key: &samewire::Value) -> PyResult<Bound<'py, PyAny>> {
        if let samewire::Value::Str(text) = key {
            // SAFETY: the interpreter is attached.
            return finish(py, Side::Decode, unsafe { new_str(Text::new(text)) });
        }
        let hooks = self.settings.decode_hooks();
        let mut builder = Builder::<false>::new(&self.settings.options, &hooks);
        let made: Result<Owned, Error> = key.visit(&mut builder);
        // SAFETY: the interpreter is attached.
        finish(py, Side::Decode, made.and_then(|made| unsafe { crate::build::as_key(made) }))
    }
}
