//! Leaves debugging information out of the addon, which people download: it is five times the code.

fn main() {
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        println!("cargo::rustc-link-arg-cdylib=-Wl,-S");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
