//! samewire for CPython: the extension module `samewire._samewire`.
//!
//! No rule of the data model lives here: `build` makes Python objects for core's readers, `walk` reads them for
//! core's writers, everything else converts arguments and errors. Private layouts of CPython are read in
//! `layout` alone, and only if its self-test at import finds them as expected; `SAMEWIRE_FORCE_FALLBACK=1` in
//! the environment makes everything go by the public API.
//!
//! # Threads
//! The module keeps its caches without locks of their own, so it asks free-threaded builds for the global lock
//! and is not loaded into isolated subinterpreters. `transcode` and `validate` let other threads run on large
//! input.

// The API is the Python package's; what is public here is so for the other modules.
#![allow(missing_docs)]

mod bigint;
mod build;
mod calls;
mod classes;
mod codec;
mod dicts;
mod errors;
mod hooks;
mod input;
mod keys;
mod layout;
mod narrow;
mod output;
mod owned;
mod schema;
mod schema_calls;
mod settings;
mod state;
mod stream;
mod strings;
mod time;
mod types;
mod view;
mod walk;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The module; made when `samewire` is imported.
#[pymodule(gil_used = true)]
fn _samewire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    if !state::ready() {
        let host = py.import("samewire._host")?;
        let part = |name: &str| host.getattr(name).map(|object| object.into_ptr());
        let python = state::Python {
            base_error: part("SamewireError")?,
            decode_error: part("DecodeError")?,
            encode_error: part("EncodeError")?,
            timestamp: part("Timestamp")?,
            ext: part("Ext")?,
            resolve: part("resolve")?,
            int_from_digits: part("int_from_digits")?,
            digits_of_int: part("digits_of_int")?,
            decimal: part("Decimal")?,
            refused: part("Refused")?,
        };
        let fallback = std::env::var_os("SAMEWIRE_FORCE_FALLBACK").is_some_and(|value| value == "1");
        // SAFETY: the interpreter is attached; once.
        if !unsafe { state::init(python, fallback) } {
            return Err(PyErr::fetch(py));
        }
    }
    // SAFETY: the interpreter is attached.
    if unsafe { calls::add_to(module.as_ptr()) }.is_err() {
        return Err(PyErr::fetch(py));
    }
    module.add_class::<classes::Encoder>()?;
    module.add_class::<classes::Decoder>()?;
    module.add_class::<view::View>()?;
    module.add_class::<stream::StreamReader>()?;
    module.add_class::<schema::Schema>()?;
    let class = module.py().get_type::<schema::Schema>();
    // SAFETY: the interpreter is attached.
    if unsafe { schema_calls::add_to(class.as_ptr()) }.is_err() {
        return Err(PyErr::fetch(module.py()));
    }
    module.add_function(wrap_pyfunction!(view::view, module)?)?;
    module.add_function(wrap_pyfunction!(schema::check_schemas, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(clear_caches, module)?)?;
    module.add_function(wrap_pyfunction!(cli_main, module)?)?;
    // SAFETY: made above.
    module.add("private_layouts", unsafe { (*state::state()).layouts })?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

/// Forgets remembered keys, shapes and types.
#[pyfunction]
fn clear_caches(_py: Python<'_>) {
    // SAFETY: the interpreter is attached.
    unsafe { state::clear_caches() }
}

/// An annotated dump of bytes: offset, bytes, meaning, nesting and path, and for broken input everything up to the
/// fault, with the fault marked.
///
/// `style` is "plain", "ansi" (a terminal's colours) or "html" (a page); with `many`, any number of values may
/// follow each other.
#[pyfunction]
#[pyo3(signature = (data, /, format="msgpack", *, style="plain", many=false, **options))]
fn inspect(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    format: &str,
    style: &str,
    many: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let format = classes::format(py, format)?;
    let style = match style {
        "plain" => samewire::inspect::Style::Plain,
        "ansi" => samewire::inspect::Style::Ansi,
        "html" => samewire::inspect::Style::Html,
        other => {
            let text = format!("a style is \"plain\", \"ansi\" or \"html\", not {other:?}");
            let error = samewire::Error::new(samewire::Code::InvalidOption, text);
            return Err(classes::exception(py, errors::Side::Decode, &error));
        }
    };
    let settings = classes::settings(py, errors::Side::Decode, options)?;
    let data = classes::frozen_bytes(py, format, data, &settings)?;
    let mut out = String::new();
    // Writing to a String does not fail; what is wrong with the input is in the text.
    let _ = samewire::inspect::write(data.as_bytes(), format, &settings.options, many, style, &mut out);
    Ok(out)
}

/// Runs the `samewire` command with these arguments, the program's name first, and returns its exit code.
#[pyfunction]
fn cli_main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> i32 {
    py.detach(|| samewire_cli::run(arguments))
}
