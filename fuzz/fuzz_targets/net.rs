#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kifuwarabe_uec14_fuzz::targets::net::run(data));
