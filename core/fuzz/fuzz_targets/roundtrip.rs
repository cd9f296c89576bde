//! See `samewire_fuzz::roundtrip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::roundtrip(data));
