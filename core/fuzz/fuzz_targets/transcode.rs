//! See `samewire_fuzz::transcode`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::transcode(data));
