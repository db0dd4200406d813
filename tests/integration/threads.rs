//! The same bytes out for any number of threads.

use crate::sandbox::{stackgazer, testdata};

#[test]
fn one_two_and_eight_threads_write_the_same_bytes() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for command in [
        ["summarize", "-o", "json"],
        ["summarize", "-o", "table"],
        ["filter", "-o", "text"],
        ["name", "-o", "table"],
        ["diff", "--series", "-ojson"],
        ["export", "-o", "json"],
        ["export", "-o", "ndjson"],
        ["export", "-o", "csv"],
        ["export", "-o", "text"],
        ["export", "-o", "debug2"],
        ["export", "-o", "folded"],
        ["export", "-o", "pprof"],
    ] {
        let with = |threads| {
            let arguments = [&command[..], &["--threads", threads, bundle]].concat();
            stackgazer(arguments).quiet().stdout
        };
        let one = with("1");
        assert!(!one.is_empty(), "{command:?} writes nothing");
        assert!(with("2") == one, "{command:?} differs with 2 threads");
        assert!(with("8") == one, "{command:?} differs with 8 threads");
    }
}

#[test]
fn time_zone_and_locale_change_nothing() {
    let bundle = testdata("bundle.zip");
    let sandbox = crate::sandbox::Sandbox::new();
    let arguments = || ["summarize".as_ref(), bundle.as_os_str()];
    let plain = sandbox.run(arguments()).quiet().stdout;
    let elsewhere = [("TZ", "Asia/Kathmandu"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")];
    assert!(sandbox.run_with(arguments(), b"", &elsewhere).quiet().stdout == plain);
}
