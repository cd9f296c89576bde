//! Exports the stack pointer: after a trap (no memory left) JavaScript puts it back to where it was, and the
//! instance, with the options and schemas that it holds, goes on.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--export=__stack_pointer");
    }
}
