//! Fields of JSON logs: those with text, and those that identify its stream.
//!
//! Fields are known by the last part of their path, so `message` also stands for
//! `jsonPayload.message`, and `error.stack_trace` is the same nested or with a dot in its name.

use crate::format::traceback::recovered::VALUES;

/// Where a line of text ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// At the end of its record, unless the record says that its text continues in the next one.
    WithRecord,
    /// Where the text has a line end.
    Written,
    /// As for Docker: its own lines have line ends in the text, those of log shippers don't.
    Docker,
}

/// Fields with a line of a process' output, or all of its output, in order of preference; of
/// several with one name, the least nested one is used.
const LINES: [(&str, Ends); 29] = [
    // Docker's json-file, fluentd, fluent-bit.
    ("log", Ends::Docker),
    // go test -json
    ("Output", Ends::Written),
    // journalctl -o json
    ("MESSAGE", Ends::WithRecord),
    // Google Cloud; `jsonPayload.message` is below.
    ("textPayload", Ends::WithRecord),
    ("message", Ends::WithRecord),
    ("msg", Ends::WithRecord),
    // AWS CloudWatch Logs Insights
    ("@message", Ends::WithRecord),
    // GELF
    ("full_message", Ends::WithRecord),
    ("short_message", Ends::WithRecord),
    // logcli -o jsonl
    ("line", Ends::WithRecord),
    ("values", Ends::WithRecord),
    // Serilog's compact form
    ("@m", Ends::WithRecord),
    // OpenTelemetry
    ("stringValue", Ends::WithRecord),
    ("body", Ends::WithRecord),
    ("Body", Ends::WithRecord),
    // Splunk
    ("_raw", Ends::WithRecord),
    ("text", Ends::WithRecord),
    ("content", Ends::WithRecord),
    ("Content", Ends::WithRecord),
    // VictoriaLogs
    ("_msg", Ends::WithRecord),
    ("Message", Ends::WithRecord),
    ("Msg", Ends::WithRecord),
    // Tables of Grafana and of Azure
    ("Line", Ends::WithRecord),
    ("Log_s", Ends::WithRecord),
    ("LogEntry", Ends::WithRecord),
    ("LogMessage", Ends::WithRecord),
    ("SyslogMessage", Ends::WithRecord),
    ("ResultDescription", Ends::WithRecord),
    // Splunk's collector, structlog
    ("event", Ends::WithRecord),
];

/// Fields that identify processes and streams, sorted, each with the fields of which one must
/// contain it, if that matters: `pod.name` does, a `name` alone says nothing.
const STREAMS: [(&str, &[&str]); 62] = [
    ("@log", &[]),
    ("@logStream", &[]),
    ("@pod_name", &[]),
    ("CONTAINER_ID", &[]),
    ("CONTAINER_NAME", &[]),
    ("Computer", &[]),
    ("Container Name", &[]),
    ("ContainerAppName", &[]),
    ("ContainerAppName_s", &[]),
    ("ContainerGroupName_s", &[]),
    ("ContainerID", &[]),
    ("ContainerName", &[]),
    ("Host", &[]),
    ("ImportPath", &[]),
    ("Package", &[]),
    ("Pod Name", &[]),
    ("PodName", &[]),
    ("SYSLOG_IDENTIFIER", &[]),
    ("Service", &[]),
    ("Test", &[]),
    ("_HOSTNAME", &[]),
    ("_PID", &[]),
    ("_STREAM_ID", &[]),
    ("_SYSTEMD_UNIT", &[]),
    ("_container_id", &[]),
    ("_container_name", &[]),
    ("_sourcehost", &[]),
    ("_stream", &[]),
    ("app", &[]),
    ("appName", &[]),
    ("application", &[]),
    ("appname", &[]),
    ("container", &[]),
    ("containerName", &[]),
    ("container_id", &[]),
    ("container_name", &[]),
    ("dyno", &[]),
    ("host", &[]),
    ("hostname", &[]),
    ("id", &["container", "process"]),
    ("instance", &[]),
    ("instanceId", &[]),
    ("instance_id", &[]),
    ("kubernetes_pod_name", &[]),
    ("logGroup", &[]),
    ("logName", &[]),
    ("logStream", &[]),
    ("logStreamName", &[]),
    ("name", &["container", "host", "instance", "pod", "service"]),
    ("pid", &[]),
    ("pod", &[]),
    ("podName", &[]),
    ("pod_name", &[]),
    ("procid", &[]),
    ("program", &[]),
    ("programname", &[]),
    ("revision_name", &[]),
    ("service", &[]),
    ("serviceName", &[]),
    ("service_name", &[]),
    ("stream", &[]),
    ("tag", &["attrs"]),
];

/// A container that is recognised by its fields, whatever the text of the record: the field with
/// the text, and others of which the record must have at least one.
pub(super) struct KnownContainer {
    pub(super) line: &'static str,
    pub(super) with_one_of: &'static [&'static str],
}

pub(super) const KNOWN_CONTAINERS: [KnownContainer; 3] = [
    KnownContainer { line: "log", with_one_of: &["stream", "time"] },
    KnownContainer { line: "Action", with_one_of: &["Package", "Test", "Output", "ImportPath"] },
    KnownContainer {
        line: "MESSAGE",
        with_one_of: &["__CURSOR", "__REALTIME_TIMESTAMP", "_BOOT_ID", "_PID", "SYSLOG_IDENTIFIER"],
    },
];

/// The last part of a path, and the part before it.
fn last(path: &str) -> (&str, &str) {
    path.rsplit_once('.').map_or((path, ""), |(parents, name)| (name, parents))
}

/// How suitable a field is for a line of text (position in the list and depth; less is better), and
/// where the line ends.
pub(super) fn line(path: &str) -> Option<(usize, usize, Ends)> {
    let (name, parents) = last(path);
    // Attributes of OpenTelemetry have such values, too.
    if name == "stringValue" && !last(parents).0.eq_ignore_ascii_case("body") {
        return None;
    }
    let at = LINES.iter().position(|(known, _)| *known == name)?;
    let depth = if parents.is_empty() { 0 } else { parents.split('.').count() };
    LINES.get(at).map(|(_, ends)| (at, depth, *ends))
}

/// Whether the field holds the value of a panic that the message mentions.
pub(super) fn is_panic_value(path: &str) -> bool {
    VALUES.contains(&last(path).0)
}

/// Whether the field identifies the stream.
pub(super) fn is_stream(path: &str) -> bool {
    let (name, parents) = last(path);
    let Ok(at) = STREAMS.binary_search_by(|(known, _)| (*known).cmp(name)) else { return false };
    let within = STREAMS.get(at).map_or(&[][..], |(_, within)| within);
    within.is_empty() || within.contains(&last(parents).0)
}

/// Whether a value of the field says that the record's text continues in the next one: the
/// journal's for lines of more than 48 KiB, and the containers' tag.
pub(super) fn is_partial(path: &str, value: &[u8]) -> bool {
    matches!(
        (last(path).0, value),
        ("_LINE_BREAK", b"line-max") | ("logtag" | "_p", b"P") | ("partial_message", b"true")
    )
}

/// Whether a value of the field says that the record's text was cut: `"log":{"flags":["multiline","truncated"]}` of
/// Filebeat, which drops what is behind 500 lines, `"multiline_truncated":true` of Fluent Bit, tags of Logstash and
/// Datadog.
pub(super) fn says_cut(path: &str, value: &[u8]) -> bool {
    const CUT: [&str; 8] = [
        "truncated",
        "_truncated",
        "is_truncated",
        "isTruncated",
        "log_truncated",
        "logTruncated",
        "message_truncated",
        "multiline_truncated",
    ];
    let words = || value.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    let (name, parents) = last(path);
    // Elsewhere it is said of another text: `http.request.body.truncated`.
    if !["", "log", "_source"].contains(&last(parents).0) {
        return false;
    }
    match name {
        "flags" | "tags" | "ddtags" => words().any(|word| {
            word == b"truncated"
                || [&b"truncated:multiline"[..], b"truncated:single_line"].contains(&word)
                || word.starts_with(b"multiline_codec_max_")
        }),
        name => CUT.contains(&name) && matches!(value, b"true" | b"True" | b"1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_by_search() {
        assert!(STREAMS.is_sorted_by_key(|(name, _)| *name));
        for path in
            ["stream", "kubernetes.pod_name", "kubernetes.pod.name", "process.pid", "attrs.tag"]
        {
            assert!(is_stream(path), "{path}");
        }
        for path in ["name", "logger.name", "level", "", "msg", "user.id", "tag", "log.file.path"] {
            assert!(!is_stream(path), "{path}");
        }
    }

    #[test]
    fn the_line_is_the_first_of_the_table_and_nested_least() {
        let rank = |path| line(path).map(|(at, depth, _)| (at, depth)).expect(path);
        assert!(rank("log") < rank("message"));
        assert!(rank("jsonPayload.message") < rank("jsonPayload.error.message"));
        assert!(line("stack").is_none());
    }
}
