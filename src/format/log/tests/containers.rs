//! One dump in every container.

pub(super) const DUMP: &str = "goroutine 1 [running]:
main.work(0xc000012345, 0x0)
\t/src/app/main.go:40 +0x1d
created by main.main in goroutine 1
\t/src/app/main.go:12 +0x45

goroutine 7 gp=0xc0 m=nil [chan receive, 12 minutes] {k: \"a\\\"b, c: }]\", straße: \"\\u00df\"}:
main.(*Box[...]).Recv({0x1, \"x\"}, ...)
\tC:/Program Files/Go/src/main.go:41 +0x1d
...23 frames elided...
created by main.main in goroutine 1
\t/src/app/main.go:12 +0x45

goroutine 99 [select (no cases)]:
main.wörk(...)
\t/src/app/main.go:42 +0x1d
";

/// Puts a line around every line.
pub(super) fn each(text: &str, wrap: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(number, line)| wrap(number, line) + "\n").collect()
}

pub(super) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Every container around [`DUMP`], with its name.
pub(super) fn containers() -> Vec<(&'static str, String)> {
    containers_of(DUMP)
}

/// Every container around a text, with its name.
pub(super) fn containers_of(text: &str) -> Vec<(&'static str, String)> {
    let each = |wrap: &dyn Fn(usize, &str) -> String| each(text, wrap);
    let escaped = json(text);
    vec![
        ("kubectl", each(&|n, line| format!("2026-01-02T10:31:41.{n}Z {line}"))),
        ("kubectl offset", each(&|_, line| format!("2026-01-02T10:31:41+02:00 {line}"))),
        (
            "kubectl trimmed",
            each(&|_, line| format!("2026-01-02T10:31:41Z {line}").trim_end().to_owned()),
        ),
        ("kubectl prefix", each(&|_, line| format!("[pod/web-7f/app] {line}"))),
        (
            "kubectl both",
            each(&|_, line| format!("[pod/web-7f/app] 2026-01-02T10:31:41.5Z {line}")),
        ),
        ("cri", each(&|n, line| format!("2026-01-02T10:31:41.{n}Z stderr F {line}"))),
        (
            "cri partial",
            each(&|_, line| {
                let half =
                    (0..=line.len() / 2).rev().find(|at| line.is_char_boundary(*at)).unwrap();
                let (first, second) = line.split_at(half);
                format!(
                    "2026-01-02T10:31:41Z stderr P {first}\n2026-01-02T10:31:41Z stderr F {second}"
                )
            }),
        ),
        (
            "docker",
            each(&|_, line| {
                format!(
                    "{{\"log\":{},\"stream\":\"stderr\",\"time\":\"t\"}}",
                    json(&format!("{line}\n"))
                )
            }),
        ),
        (
            "docker spaced",
            each(&|_, line| {
                format!(
                    "{{\"time\": \"t\", \"stream\": \"stderr\", \"log\": {}}}",
                    json(&format!("{line}\n"))
                )
            }),
        ),
        ("shipper", each(&|_, line| format!("{{\"log\":{},\"stream\":\"stderr\"}}", json(line)))),
        ("journal", each(&|_, line| format!("Jan 02 10:31:41 host kubelet[22966]: {line}"))),
        (
            "journal iso",
            each(&|_, line| format!("2026-01-02T10:31:41+0000 host kubelet[22966]: {line}")),
        ),
        (
            "journal export",
            each(&|n, line| format!("__CURSOR=s=9a;i={n}\nMESSAGE={line}\n_PID=882\n")),
        ),
        (
            "journal verbose",
            each(&|n, line| {
                format!(
                    "Fri 2026-01-02 10:31:41.{n} UTC [s=9a;i={n};b=3f]\n    _PID=882\n    MESSAGE={line}"
                )
            }),
        ),
        (
            "table",
            "time,message,labels\n".to_owned()
                + &each(&|n, line| {
                    let cell = line.replace('"', "\"\"");
                    format!("10:31:{n},\"{cell}\",\"{{\"\"pod\"\":\"\"web-1\"\"}}\"")
                }),
        ),
        ("table with a dump", format!("_time,_raw\n10:31:41,\"{}\"\n", text.replace('"', "\"\""))),
        (
            "journal aligned",
            each(&|n, line| match n {
                0 => format!("Jan 02 10:31:41 host kubelet[22966]: {line}"),
                _ => format!("                                     {line}"),
            }),
        ),
        (
            "journal json",
            each(&|_, line| {
                format!("{{\"_PID\":\"7\",\"MESSAGE\":{:?},\"__CURSOR\":\"c\"}}", line.as_bytes())
            }),
        ),
        (
            "journal json text",
            format!("{{\"_PID\":\"7\",\"MESSAGE\":{escaped},\"__CURSOR\":\"c\"}}\n"),
        ),
        (
            "go test",
            each(&|_, line| {
                let line = json(&format!("{line}\n"));
                format!(
                    "{{\"Time\":\"t\",\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"T\",\"Output\":{line}}}"
                )
            }),
        ),
        (
            "go test cut",
            each(&|_, line| {
                let output = |text: &str| {
                    format!("{{\"Action\":\"output\",\"Package\":\"p\",\"Output\":{}}}", json(text))
                };
                let half =
                    (0..=line.len() / 3).rev().find(|at| line.is_char_boundary(*at)).unwrap();
                let (first, second) = line.split_at(half);
                format!("{}\n{}", output(first), output(&format!("{second}\n")))
            }),
        ),
        ("compose", each(&|_, line| format!("web-1     | {line}"))),
        ("swarm", each(&|_, line| format!("web.1.x2k9@node-1    | {line}"))),
        ("foreman", each(&|n, line| format!("10:31:{n:02} web.1  | {line}"))),
        (
            "gh run view",
            each(&|_, line| format!("build\tRun go test\t2026-01-02T10:31:41.1234567Z {line}")),
        ),
        ("GitLab", each(&|_, line| format!("2026-01-02T10:31:41.123456Z 01O {line}"))),
        (
            "GitLab in parts",
            each(&|_, line| {
                let half =
                    (0..=line.len() / 2).rev().find(|at| line.is_char_boundary(*at)).unwrap();
                let (first, second) = line.split_at(half);
                let at = "2026-01-02T10:31:41.123456Z 01O";
                format!("{at} {first}\n{at}+{second}")
            }),
        ),
        (
            "Jenkins",
            each(&|_, line| format!("[2026-01-02T10:31:41.123Z] {line}").trim_end().into()),
        ),
        (
            "Jenkins branch",
            each(&|_, line| format!("[2026-01-02T10:31:41.123Z] [unit tests] {line}")),
        ),
        ("heroku", each(&|_, line| format!("2026-01-02T10:31:41.123456+00:00 app[web.1]: {line}"))),
        (
            "terraform",
            each(&|_, line| format!("2026-01-02T10:31:41.123Z [DEBUG] provider.x_v1.2_x5: {line}")),
        ),
        (
            "terraform old",
            each(&|_, line| {
                format!("2026/01/02 10:31:41 [DEBUG] plugin: terraform-provider-x: {line}")
            }),
        ),
        (
            "logcat threadtime",
            each(&|_, line| format!("01-02 10:31:41.123  1234  1250 E Go      : {line}")),
        ),
        ("logcat time", each(&|_, line| format!("01-02 10:31:41.123 E/Go      ( 1234): {line}"))),
        ("logcat brief", each(&|_, line| format!("E/Go      ( 1234): {line}"))),
        (
            "logcli",
            each(&|_, line| format!("2026-01-02T10:31:41Z {{app=\"x\", pod=\"y\"}} {line}")),
        ),
        ("stern", each(&|_, line| format!("web-7d9f8b-x2 app {line}"))),
        (
            "syslog 5424",
            each(&|_, line| format!("<34>1 2026-01-02T10:31:41.003Z host app 812 - - {line}")),
        ),
        ("cat -n", each(&|n, line| format!("{:6}\t{line}", n + 1))),
        ("grep -n", each(&|n, line| format!("{}{}{line}", n + 1, if n == 0 { ":" } else { "-" }))),
        (
            "grep -Hn",
            each(&|n, line| {
                format!("logs/a.log{0}{1}{0}{line}", if n == 0 { ":" } else { "-" }, n + 1)
            }),
        ),
        ("diff", each(&|_, line| format!("+{line}"))),
        (
            "console",
            each(&|_, line| {
                let line = if line.is_empty() { "<empty string>" } else { line };
                format!("{line} wasm_exec.js:41:14")
            }),
        ),
        (
            "json field",
            each(&|_, line| format!("{{\"severity\":\"ERROR\",\"textPayload\":{}}}", json(line))),
        ),
        (
            "GCP",
            each(&|_, line| {
                let line = json(line);
                format!(
                    "{{\"jsonPayload\":{{\"message\":{line},\"pid\":7}},\"resource\":{{\"labels\":{{\"pod_name\":\"x\"}}}}}}"
                )
            }),
        ),
        (
            "gcloud",
            format!(
                "[\n{}\n]\n",
                text.lines()
                    .map(|line| format!(
                        "  {{\n    \"insertId\": \"x\",\n    \"textPayload\": {}\n  }}",
                        json(line)
                    ))
                    .collect::<Vec<_>>()
                    .join(",\n")
            ),
        ),
        (
            "aws logs",
            format!(
                "{{\n  \"events\": [\n{}\n  ]\n}}\n",
                text.lines()
                    .map(|line| format!(
                        "    {{\n      \"timestamp\": 1,\n      \"message\": {}\n    }}",
                        json(line)
                    ))
                    .collect::<Vec<_>>()
                    .join(",\n")
            ),
        ),
        (
            "CloudWatch",
            format!(
                "{{\"logStream\":\"s\",\"logEvents\":[{}]}}\n",
                text.lines()
                    .map(|line| format!("{{\"id\":\"1\",\"message\":{}}}", json(line)))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
        ),
        (
            "Loki",
            format!(
                "{{\"data\":{{\"result\":[{{\"stream\":{{\"app\":\"x\"}},\"values\":[{}]}}]}}}}\n",
                text.lines()
                    .map(|line| format!("[\"1767349901000000000\",{}]", json(line)))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
        ),
        ("jq", format!("{{\n  \"level\": \"error\",\n  \"stack\": {escaped}\n}}\n")),
        (
            "list of lines",
            format!(
                "{{\"stack\":{}}}\n",
                serde_json::to_string(&text.lines().collect::<Vec<_>>()).unwrap()
            ),
        ),
        (
            "fluentd",
            format!(
                "2026-01-02T10:31:41+00:00\tapp.web\t{{\"level\":\"x\",\"error\":{{\"stack\":{escaped}}}}}\n"
            ),
        ),
        (
            "fluentd lines",
            each(&|_, line| {
                format!("2026-01-02 10:31:41 +0000 app.web: {{\"log\":{}}}", json(line))
            }),
        ),
        ("twice in one record", format!("{{\"msg\":{escaped},\"error.stack_trace\":{escaped}}}\n")),
        ("escaped twice", format!("msg={}\n", json(&escaped))),
        (
            "logfmt without quotes",
            format!(
                "level=error msg={}\n",
                text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
            ),
        ),
        ("reversed", text.lines().rev().map(|line| format!("{line}\n")).collect()),
        (
            "journalctl -r",
            text.lines()
                .rev()
                .map(|line| format!("Jan 02 10:31:41 host app[7]: {line}\n"))
                .collect(),
        ),
        (
            "JSON with the last line first",
            text.lines()
                .rev()
                .map(|line| format!("{{\"time\":1,\"message\":{}}}\n", json(line)))
                .collect(),
        ),
        ("logfmt", format!("time=\"t\" level=info msg={escaped} n=1\n")),
        ("quoted lines", each(&|_, line| json(line))),
        (
            "logfmt of lines",
            each(&|n, line| {
                format!("time=\"2026-01-02T10:31:{n:02}Z\" level=info msg={}", json(line))
            }),
        ),
        (
            "prefix of quoted lines",
            each(&|n, line| {
                format!("2026-01-02 10:31:{n:02} +0000 [warn]: no match: {}\r", json(line))
            }),
        ),
        (
            "zap",
            format!("{{\"level\":\"error\",\"ts\":1.5,\"stacktrace\":{escaped},\"x\":\"y\"}}\n"),
        ),
        ("go %q", format!("{text:?}\n")),
        (
            "bare escapes",
            format!("{}\n", text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")),
        ),
        ("rsyslog", format!("{}\n", text.replace('\n', "#012").replace('\t', "#011"))),
        ("t.Log", each(&|_, line| format!("        {line}"))),
        ("tab", each(&|_, line| format!("\t{line}"))),
        ("yaml", each(&|_, line| format!("  {line}").trim_end().to_owned())),
        (
            "t.Logf",
            each(&|n, line| {
                format!("{}{line}", if n == 0 { "    x_test.go:5: " } else { "        " })
            }),
        ),
        (
            "klog",
            each(&|n, line| {
                format!("{}{line}", if n == 0 { "E0102 10:31:41.1 9 log.go:5] " } else { "" })
            }),
        ),
        ("klog each", each(&|n, line| format!("E0102 10:31:4{n}.1{n} {n:7} log.go:{n}] {line}"))),
        ("journal + t.Log", each(&|_, line| format!("Jan 02 10:31:41 host go[7]:         {line}"))),
        (
            "go test + t.Log",
            each(&|_, line| {
                let line = json(&format!("        {line}\n"));
                format!(
                    "{{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"T\",\"Output\":{line}}}"
                )
            }),
        ),
        ("cri + zap", format!("2026-01-02T10:31:41Z stderr F {{\"stack\":{escaped},\"n\":1}}\n")),
        (
            "cri + docker + t.Log",
            each(&|_, line| {
                let line = json(&format!("    {line}\n"));
                format!("2026-01-02T10:31:41Z stdout F {{\"log\":{line},\"stream\":\"stderr\"}}")
            }),
        ),
        ("kubectl + logfmt", format!("2026-01-02T10:31:41Z level=info msg={escaped}\n")),
        ("json in json", format!("{{\"m\":{}}}\n", json(&format!("{{\"stack\":{escaped}}}")))),
    ]
}
