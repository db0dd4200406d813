//! Which fields of JSON logs hold text, and which tell whose text it is.
//!
//! Fields are named by the last part of their path, so that `message` is also `jsonPayload.message`
//! and `error.stack_trace` is the same nested and with a dot in its name.

/// When a line of text ends with its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// Always, unless the record says that its text goes on in the next one.
    WithRecord,
    /// Where the text says so.
    Written,
    /// Docker's own lines say so, those of log shippers don't.
    Docker,
}

/// Fields that hold a line of what a process printed, or all of it; the first one counts, and of
/// several with one name the one that is nested least.
const LINES: [(&str, Ends); 20] = [
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
    ("Message", Ends::WithRecord),
    ("Msg", Ends::WithRecord),
];

/// Fields that tell processes and streams apart, sorted, each with the fields that it must be in, if
/// that matters: `pod.name` does, a `name` alone says nothing.
const STREAMS: [(&str, &[&str]); 33] = [
    ("@log", &[]),
    ("@logStream", &[]),
    ("ImportPath", &[]),
    ("Package", &[]),
    ("Test", &[]),
    ("_HOSTNAME", &[]),
    ("_PID", &[]),
    ("_STREAM_ID", &[]),
    ("_SYSTEMD_UNIT", &[]),
    ("app", &[]),
    ("container", &[]),
    ("containerName", &[]),
    ("container_id", &[]),
    ("container_name", &[]),
    ("host", &[]),
    ("hostname", &[]),
    ("id", &["container", "process"]),
    ("instance", &[]),
    ("instanceId", &[]),
    ("instance_id", &[]),
    ("logGroup", &[]),
    ("logName", &[]),
    ("logStream", &[]),
    ("logStreamName", &[]),
    ("name", &["container", "host", "instance", "pod", "service"]),
    ("pid", &[]),
    ("pod", &[]),
    ("podName", &[]),
    ("pod_name", &[]),
    ("revision_name", &[]),
    ("service", &[]),
    ("service_name", &[]),
    ("stream", &[]),
];

/// A container that a record is surely of, whatever its text says: a field of text and others of
/// which one must be beside it.
pub(super) struct Sure {
    pub(super) line: &'static str,
    pub(super) beside: &'static [&'static str],
}

pub(super) const SURE: [Sure; 3] = [
    Sure { line: "log", beside: &["stream", "time"] },
    Sure { line: "Action", beside: &["Package", "Test", "Output", "ImportPath"] },
    Sure {
        line: "MESSAGE",
        beside: &["__CURSOR", "__REALTIME_TIMESTAMP", "_BOOT_ID", "_PID", "SYSLOG_IDENTIFIER"],
    },
];

/// The last part of a path, and what it is in.
fn last(path: &str) -> (&str, &str) {
    path.rsplit_once('.').map_or((path, ""), |(parents, name)| (name, parents))
}

/// How good a field is for a line of text (less is better), and when the line ends.
pub(super) fn line(path: &str) -> Option<(usize, usize, Ends)> {
    let (name, parents) = last(path);
    let at = LINES.iter().position(|(known, _)| *known == name)?;
    let depth = if parents.is_empty() { 0 } else { parents.split('.').count() };
    LINES.get(at).map(|(_, ends)| (at, depth, *ends))
}

/// Whether the field holds the value of a panic that the message tells of.
pub(super) fn is_raised(path: &str) -> bool {
    matches!(last(path).0, "panic" | "error" | "err" | "recovered" | "reason" | "value")
}

/// Whether the field says whose text it is.
pub(super) fn is_stream(path: &str) -> bool {
    let (name, parents) = last(path);
    let Ok(at) = STREAMS.binary_search_by(|(known, _)| (*known).cmp(name)) else { return false };
    let within = STREAMS.get(at).map_or(&[][..], |(_, within)| within);
    within.is_empty() || within.contains(&last(parents).0)
}

/// Whether a value of the field says that the record's text goes on in the next one: the journal's
/// for lines of more than 48 KiB, and the containers' tag.
pub(super) fn is_partial(path: &str, value: &[u8]) -> bool {
    matches!(
        (last(path).0, value),
        ("_LINE_BREAK", b"line-max") | ("logtag" | "_p", b"P") | ("partial_message", b"true")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_by_search() {
        assert!(STREAMS.is_sorted_by_key(|(name, _)| *name));
        for path in ["stream", "kubernetes.pod_name", "kubernetes.pod.name", "process.pid"] {
            assert!(is_stream(path), "{path}");
        }
        for path in ["name", "logger.name", "level", "", "msg", "user.id"] {
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
