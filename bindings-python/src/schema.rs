//! `Schema`: a JSON Schema that messages are read and written by. The reading and writing are core's adapter;
//! here it stands between the walker and a writer, or between a reader and the builder.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use samewire::options::Floats;
use samewire::visit::Reader;
use samewire::{Error, Format, Options, json, msgpack, schema, value};

use crate::build::Builder;
use crate::classes::{exception, finish, format, settings};
use crate::codec;
use crate::errors::Side;
use crate::hooks::EncodeHooks;
use crate::layout::Object;
use crate::output;
use crate::owned::Owned;
use crate::settings::Settings;
use crate::walk::ObjectReader;

/// A JSON Schema document, compiled: what messages look like.
///
/// `Schema(document)` takes the document as a dict, or as JSON text.
#[pyclass(frozen, module = "samewire", name = "Schema")]
pub struct Schema {
    schema: schema::Schema,
}

impl Schema {
    /// The compiled schema.
    pub fn compiled(&self) -> &schema::Schema {
        &self.schema
    }

    /// The bytes of an object.
    ///
    /// # Safety
    /// The lock is held.
    pub unsafe fn write(&self, format: Format, object: Object, settings: &Settings) -> Result<Owned, Error> {
        let hooks = settings.encode_hooks();
        let mut reader = ObjectReader { object, format, options: &settings.options, hooks: &hooks };
        output::to_bytes(|buffer| {
            let own = self.schema.writer_options(&settings.options);
            match format {
                Format::MessagePack => {
                    let mut writer = msgpack::Writer::new(buffer, &own);
                    reader.read(&mut self.schema.writing(format, &settings.options, &mut writer))?;
                    Ok(writer.into_buffer())
                }
                Format::Json => {
                    let mut writer = json::Writer::new(buffer, &own);
                    reader.read(&mut self.schema.writing(format, &settings.options, &mut writer))?;
                    writer.finish();
                    Ok(writer.into_buffer())
                }
            }
        })
    }

    /// The object of a message.
    pub fn read(&self, format: Format, input: &[u8], settings: &Settings) -> Result<Owned, Error> {
        let hooks = settings.decode_hooks();
        let _pause = codec::pause_for(input, settings);
        let options = &settings.options;
        if options.floats == Floats::Decimal {
            return self.schema.read(format, input, options, &mut Builder::<true>::new(options, &hooks));
        }
        self.schema.read(format, input, options, &mut Builder::<false>::new(options, &hooks))
    }
}

#[pymethods]
impl Schema {
    #[new]
    #[pyo3(signature = (document, /))]
    fn new(py: Python<'_>, document: &Bound<'_, PyAny>) -> PyResult<Self> {
        let compiled = if let Ok(text) = document.cast::<PyString>() {
            schema::Schema::from_json(text.to_cow()?.as_bytes())
        } else if let Ok(text) = document.cast::<PyBytes>() {
            schema::Schema::from_json(text.as_bytes())
        } else {
            let options = Options::default();
            let hooks = EncodeHooks::NONE;
            let mut reader =
                ObjectReader { object: document.as_ptr(), format: Format::Json, options: &options, hooks: &hooks };
            reader.read(&mut value::Builder).and_then(|document| schema::Schema::from_value(&document))
        };
        Ok(Schema { schema: compiled.map_err(|error| exception(py, Side::Decode, &error))? })
    }

    /// The document.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = Settings::default();
        let hooks = settings.decode_hooks();
        let result = self.schema.document().visit(&mut Builder::<false>::new(&settings.options, &hooks));
        finish(py, Side::Decode, result)
    }

    /// The document's `version`, or None.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.schema.version()
    }

    /// The bytes of `data`, read by the schema in the format `source` and written by it in the format `target`.
    #[pyo3(signature = (data, /, source, target, **options))]
    fn transcode<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        source: &str,
        target: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (source, target) = (format(py, source)?, format(py, target)?);
        let settings = settings(py, Side::Decode, options)?;
        // SAFETY: the interpreter is attached.
        let input = unsafe { codec::input_of(source, data.as_ptr(), &settings) };
        let (schema, options) = (self.schema.clone(), settings.options.clone());
        let bytes = input
            .and_then(|input| codec::without_lock(input, move |b| schema.transcode(b, source, target, &options)))
            .map_err(|error| exception(py, Side::Decode, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> String {
        format!("samewire.{:?}", self.schema)
    }
}

/// Compares schemas: the findings as tuples in the order of `Finding`'s fields.
#[pyfunction]
#[pyo3(signature = (history, new, mode, /))]
pub fn check_schemas<'py>(
    py: Python<'py>,
    history: Vec<PyRef<'py, Schema>>,
    new: PyRef<'py, Schema>,
    mode: &str,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let mode = schema::Mode::parse(mode).map_err(|error| exception(py, Side::Decode, &error))?;
    let history: Vec<schema::Schema> = history.iter().map(|old| old.schema.clone()).collect();
    let settings = Settings::default();
    let hooks = settings.decode_hooks();
    let found = schema::check_history(&history, &new.schema, mode);
    let tuple = |finding: schema::Finding| {
        // A witness that Python has no object for is left out.
        let witness =
            finding.witness.and_then(|value| value.visit(&mut Builder::<false>::new(&settings.options, &hooks)).ok());
        let witness = match witness {
            Some(witness) => finish(py, Side::Decode, Ok(witness))?,
            None => py.None().into_bound(py),
        };
        PyTuple::new(
            py,
            [
                finding.rule.into_bound_py_any(py)?,
                finding.path.into_bound_py_any(py)?,
                finding.severity.as_str().into_bound_py_any(py)?,
                finding.mode.into_bound_py_any(py)?,
                finding.format.into_bound_py_any(py)?,
                finding.advice.into_bound_py_any(py)?,
                witness,
                finding.code.map(|code| code.as_str()).into_bound_py_any(py)?,
                finding.against.into_bound_py_any(py)?,
            ],
        )
    };
    found.into_iter().map(tuple).collect()
}
