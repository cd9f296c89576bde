//! The native engine: the core's sessions behind Node-API, for the same TypeScript that drives the WebAssembly
//! engine (`bindings-wasm/js/engine-native.ts`).
//!
//! No object is built here: that costs 50 to 100 ns a property through Node-API. A call reads the caller's bytes
//! where they are and leaves a tape in memory that JavaScript owns (`areas.rs`).
//!
//! Functions take numbers that [`channel`](calls) made. They are addresses, and `engine-native.ts` is the only
//! caller.

mod areas;
mod calls;
mod command;
mod files;
mod kept;
mod node;
mod stack;
mod streams;
mod work;

use napi_sys as sys;

/// Node calls this once for each thread that loads the addon.
///
/// # Safety
/// As Node-API has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(env: sys::napi_env, exports: sys::napi_value) -> sys::napi_value {
    // SAFETY: env and exports are Node's, and this is their thread.
    unsafe {
        calls::register(env, exports);
        streams::register(env, exports);
        command::register(env, exports);
        work::register(env, exports);
    }
    exports
}

/// The version of Node-API that is used.
#[unsafe(no_mangle)]
pub extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    6
}
