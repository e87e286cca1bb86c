//! Program for libFuzzer that runs `boildown_fuzz::round_trip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| boildown_fuzz::round_trip(data));
