//! See `samewire_fuzz::json_read`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::json_read(data));
