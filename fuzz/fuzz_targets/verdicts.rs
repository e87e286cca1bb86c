//! Program for libFuzzer that runs `boildown_fuzz::verdicts`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| boildown_fuzz::verdicts(data));
