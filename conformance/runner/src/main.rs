//! `samewire-conformance`: see the library.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(samewire_conformance::run_with(std::env::args().skip(1)))
}
