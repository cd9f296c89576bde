//! The `samewire` command. See the library for what it does.

fn main() -> std::process::ExitCode {
    let status = samewire_cli::run(std::env::args_os());
    std::process::ExitCode::from(u8::try_from(status).unwrap_or(1))
}
