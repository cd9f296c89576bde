//! Makes the version of CPython known to `cfg`, for the modules that read its private layouts.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
