//! See `samewire_fuzz::incremental_equals_whole`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samewire_fuzz::incremental_equals_whole(data));
