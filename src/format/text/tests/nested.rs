//! Records of JSON and logfmt inside other logs.

use super::*;

/// `!` is the service, `%` the text.
const FORMS: [&str; 4] = [
    "!-1  | {\"level\": \"error\", \"ts\": 3.5, \"msg\": \"%\"}",
    "[pod/!-7f/app] {\"level\": \"error\", \"msg\": \"%\"}",
    "Nov 28 10:00:01 web-0 ![4711]: {\"level\": \"error\", \"msg\": \"%\"}",
    "!-1  | level=error svc=shop msg=\"%\"",
];

fn line(form: &str, service: &str, text: &str) -> String {
    form.replace('!', service).replace('%', &text.replace('\t', "\\t")) + "\n"
}

/// Goroutines of one service, with these lines behind the first call.
fn log(form: &str, middle: &[String]) -> String {
    let own = |text: &&str| line(form, "app", text);
    let first = ["ready", "goroutine 7 [select]:", "main.run(0x1)"];
    let last = ["\t/src/a.go:3 +0x1d", "main.main()", "\t/src/a.go:9 +0x1d", ""];
    let before = [line(form, "db", "ready")].into_iter().chain(first.iter().map(own));
    before.chain(middle.iter().cloned()).chain(last.iter().map(own)).collect()
}

/// A hole begins in the prefix of one line and ends in that of another, or in the record behind it.
#[test]
fn a_hole_that_takes_a_part_of_the_prefix_is_told() {
    for form in FORMS {
        let other = line(form, "db", "checkpoint complete");
        assert!(!is_told(log(form, std::slice::from_ref(&other))), "{form}");
        let (call, damaged) = (line(form, "app", "main.g(0x2)"), line(form, "app", "main.h(0x3)"));
        let width = form.find(['{', 'l']).unwrap() + 2;
        for cut in 3..width - 2 {
            // Of a record that has lost its first fields nothing says that one is there, but for its message.
            for until in [cut / 2 + 1, width + 1, width + 4, width + 9] {
                let joined = format!("{}{}", &call[..cut], &damaged[until..]);
                for middle in [vec![joined.clone()], vec![other.clone(), joined.clone()]] {
                    let text = log(form, &middle);
                    assert!(is_told(&text), "{text}");
                }
            }
        }
    }
}

#[test]
fn the_rest_of_a_header_in_another_field_is_told() {
    for form in FORMS {
        let (damaged, _) = form.split_at(form.find("error").unwrap());
        let end = if form.contains('{') { "}" } else { "" };
        for rest in ["\"outine 19 [IO wait]:\"", "\"9 [IO wait]:\"", "\"main.g(0x2)\""] {
            let quoted = if damaged.ends_with('"') { &rest[1..] } else { rest };
            let damaged = line(&format!("{damaged}{quoted}{end}"), "app", "");
            let other = line(form, "db", "ready");
            for middle in [vec![damaged.clone()], vec![other.clone(), damaged.clone()]] {
                let text = log(form, &middle);
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

#[test]
fn records_of_other_services_are_no_loss() {
    for form in FORMS {
        for of in FORMS {
            for text in ["created by admin", "main.main()", "free(0x7f12)"] {
                let ready = line(of, "db", "ready");
                let text = ready + &log(form, &[line(of, "db", text)]);
                assert!(!is_told(&text), "{text}");
            }
        }
    }
}

/// What `ansible-playbook -v` prints has the output of a command twice, as a text and as a list of its lines.
#[test]
fn the_result_of_a_task_of_ansible_is_read_once() {
    let dump = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/a.go:12 +0x1d\n\n\
                goroutine 7 [chan receive]:\nmain.worker(0xc000010000)\n\t/src/a.go:22 +0x2a\nexit status 2";
    let lines: Vec<String> = dump.lines().map(|line| format!("        {line:?}")).collect();
    let result = |start: &str| {
        let lines = lines.join(",\n");
        format!(
            "{start} => {{\n    \"changed\": true,\n    \"module_args\": {{\n        \"argv\": null\n    }},\n    \
             \"stderr\": {dump:?},\n    \"stderr_lines\": [\n{lines}\n    ],\n    \"stdout_lines\": []\n}}\n\n"
        )
    };
    let task = "TASK [run it] *****************\ntask path: /src/play.yml:7\n";
    for (first, second) in [
        ("fatal: [web1]: FAILED!", "fatal: [web2]: FAILED!"),
        ("changed: [web1]", "ok: [web1] => (item={'a': 1})"),
        ("web1 | FAILED!", "web2 | FAILED!"),
    ] {
        let text = [task, &result(first), task, &result(second), "PLAY RECAP ****\n"].concat();
        assert!(!is_told(&text), "{text}");
        assert_eq!(parse(&text).goroutines.len(), 4, "{text}");
        // A result that is cut is told.
        let cut = text.find("0xc000010000").unwrap();
        assert!(is_told(&text[..cut]), "{}", &text[..cut]);
    }
}

/// `panic(string(debug.Stack()))`, or with a text in front: Go indents all lines of the value but the first one.
#[test]
fn the_value_of_a_panic_can_begin_with_a_stack() {
    let text = "\
panic: VALUEgoroutine 1 [running]:
\tmain.main()
\t\t/src/main.go:11 +0xe7
\t
\tgoroutine 7 [select]:
\tmain.run(0x1)
\t\t/src/main.go:7 +0x1d
\tcreated by main.main in goroutine 1
\t\t/src/main.go:9 +0x45
\t

goroutine 1 [running]:
main.main()
\t/src/main.go:27 +0x425
exit status 2
";
    for value in ["", "boom: ", "boom "] {
        let text = text.replacen("VALUE", value, 1);
        assert!(!is_told(&text), "{text}");
        let profile = parse(&text);
        assert_eq!(profile.goroutines.len(), 3);
        assert!(profile.samples().all(|(_, sample)| !profile.stack(sample.key.stack).is_empty()));
        let cut = text.replacen("\t\t/src/main.go:11 +0xe7\n", "", 1);
        assert!(is_told(&cut), "{cut}");
    }
}

/// A handler that panics with what `debug.Stack` returns: net/http prints the value as it is, and its own stack.
#[test]
fn the_value_of_a_panic_of_a_handler_can_begin_with_a_stack() {
    for value in ["", "boom: "] {
        let text = format!(
            "2026/01/02 15:04:05 http: panic serving 10.0.0.1:5: {value}goroutine 25 [running]:\n\
             main.handler(0x1)\n\t/src/main.go:11 +0xe7\n\
             created by net/http.(*Server).Serve in goroutine 1\n\t/go/server.go:3285 +0x4b4\n\n\
             goroutine 25 [running]:\nnet/http.(*conn).serve.func1()\n\t/go/server.go:1868 +0xb9\n\
             panic({{0x6c4b60?, 0xc000210080?}})\n\t/go/panic.go:920 +0x270\nmain.handler(0x1)\n\
             \t/src/main.go:12 +0xe7\n\
             created by net/http.(*Server).Serve in goroutine 1\n\t/go/server.go:3285 +0x4b4\n"
        );
        assert!(!is_told(&text), "{text}");
        let profile = parse(&text);
        assert_eq!(profile.goroutines.len(), 2);
        let crash = profile.inputs[0].crash.as_ref().expect("a handler panicked");
        assert!(crash.text.starts_with("http: panic serving 10.0.0.1:5:"), "{}", crash.text);
        assert!(is_told(text.replacen("\t/src/main.go:11 +0xe7\n", "", 1)));
    }
}
