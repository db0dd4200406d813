//! Logs from elsewhere.

use super::*;

/// A file of the corpus, in the folder that `STACKGAZER_CORPUS` names, if there is one.
fn corpus(path: &str) -> Option<String> {
    let folder = std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS");
    let folder = std::path::PathBuf::from(folder);
    std::fs::read(folder.join("corpus").join(path))
        .ok()
        .map(|text| String::from_utf8_lossy(&text).into_owned())
}

fn headers(text: &str) -> usize {
    text.lines().filter(|line| is_header(line.as_bytes())).count()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn the_headers_of_wrapped_cases_are_all_found() {
    for case in [
        "24_k8s_ts_prefix",
        "25_journald_prefix",
        "26_cri",
        "27_docker_json",
        "28_escaped_oneline",
        "29_indented_test",
        "23_crlf",
        "31_interleaved_logs",
        "33_no_blank_sep",
        "34_panic_recovered_multi",
    ] {
        let text = corpus(&format!("cases/{case}.txt")).expect("a file");
        assert_eq!(headers(&whole(&text)), 3, "{case}: {}", whole(&text));
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_case_is_found_in_every_container() {
    let names = corpus("cases/EXPECT.tsv").expect("a file");
    let mut wrong = Vec::new();
    for case in names.lines().skip(1).filter_map(|line| line.split('\t').next()) {
        let Some(text) = corpus(&format!("cases/{case}.txt")) else { continue };
        let wanted = headers(&whole(&text));
        for (name, log) in containers_of(&text) {
            let left_out = match name {
                // These only have a prefix on the very first line.
                "t.Logf" | "klog" => true,
                // JSON without quotes around it, but with them in it.
                "bare escapes" | "rsyslog" => case == "27_docker_json",
                // Wrapped twice, in ways that hide each other.
                "grep -n" => ["24_k8s_ts_prefix", "26_cri"].contains(&case),
                "logfmt without quotes" => {
                    ["24_k8s_ts_prefix", "25_journald_prefix", "26_cri"].contains(&case)
                }
                "tab" => case == "28_escaped_oneline",
                "reversed" | "journalctl -r" | "JSON with the last line first" => {
                    case == "29_indented_test"
                }
                _ => false,
            };
            let found = headers(&whole(&log));
            if !left_out && found != wanted {
                wrong.push(format!("{case} in {name}: {found} instead of {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn a_test_run_says_the_same_as_text_and_as_json() {
    for version in ["go1.19.8", "go1.22.10", "go1.25.5", "go1.27.3"] {
        let text = corpus(&format!("{version}/test-timeout.txt")).expect("a file");
        let json = corpus(&format!("{version}/test-timeout-json.txt")).expect("a file");
        let (text, json) = (whole(&text), whole(&json));
        let raw = text.matches("goroutine ").count();
        assert!(raw > 6 && headers(&text) >= 9, "{version}: {text}");
        assert_eq!(headers(&text), headers(&json), "{version}\n{text}\n{json}");
        assert!(json.contains("\npanic: test timed out after 2s\n"), "{version}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn plain_texts_of_the_corpus_stay_as_they_are() {
    for file in
        ["panic.txt", "nested.txt", "throw.txt", "deadlock.txt", "race.txt", "test-bubble.txt"]
    {
        let text = corpus(&format!("go1.27.3/{file}")).expect("a file");
        assert_eq!(whole(&text), text, "{file}");
    }
}
