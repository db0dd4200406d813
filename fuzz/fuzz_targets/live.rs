#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| stackgazer_fuzz::live(data));
