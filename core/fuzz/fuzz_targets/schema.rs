//! See `samewire_fuzz::schema`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::schema(data));
