//! See `samewire_fuzz::msgpack_read`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::msgpack_read(data));
