//! Lines that say that text was left out where they stand.
//!
//! journald, rsyslog, BuildKit, GitLab, Travis, Heroku and others write one for the lines that they drop;
//! people write `[...]` for what they leave out of a paste.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// A longer line says more than that.
pub(crate) const LONGEST_NOTICE: usize = 300;

/// The text in front of a mark with which a program or a person cut a line: `goroutine 1…`, `main.sta...`, `go[...]`,
/// `created by…(truncated)`.
pub(crate) fn before_mark(line: &[u8]) -> Option<&[u8]> {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words = "truncated|snip(?:ped)?|omitted|clipped|message too long";
        let word = format!(r"(?:[\[(<. ]|…)+(?:{words})(?:[\])>. ]|…)*");
        let counted = r"(?:\.\.\.|…) ?[\[(<]?\+?\d[\d,.]* (?:more )?(?:bytes|char(?:acter)?s|lines|[km]i?b)(?: \w+)?[\])>]?";
        Regex::new(&format!(r"(?i-u) ?(?:{word}|{counted}|\[?(?:\.\.\.|…)\]?)$")).ok()
    });
    let line = line.trim_ascii_end();
    // Nearly no line ends so.
    let may_be =
        line.last().is_some_and(|&byte| b".]>)\xa6dgtp".contains(&byte.to_ascii_lowercase()));
    let start = MARK.as_ref().filter(|_| may_be)?.find(line)?.start();
    let before = line.get(..start)?;
    // `main.Map[...]` is the name of a generic function.
    let is_generic = line.ends_with(b"[...]") && memchr::memchr(b'.', before).is_some();
    (!before.is_empty() && !is_generic).then_some(before)
}

/// Whether a line says that text was left out. Lines of a program's own log can say so of something else, so
/// only those directly beside a dump are asked about.
pub(crate) fn is_notice(line: &[u8]) -> bool {
    line.len() <= LONGEST_NOTICE && NOTICE.as_ref().is_some_and(|notice| notice.is_match(line))
}

/// One pattern of bytes: a set of patterns of characters took 30 million instructions to build.
static NOTICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let signs = r#"\s\[\](){}<>"'`*_~=/#:\-"#;
    let around = format!("(?:[{signs}.]|…)");
    let words = "8<|>8|✂|trunc(?:ated)?|snip(?:ped)?|omitted|clipped|elided";
    // Without signs around them, tools print them of what they did.
    let marked = "skipped|stripped|trimmed|cut";
    let gone = "suppressed|dropped|lost|omitted|skipped|truncated|clipped|elided|discarded|not shown|hidden";
    let some = r"(?:[1-9][\d,.]*|0\.\d+)";
    let before = "(?:and|plus|then|there are|with|snip|snipped|skipped|skipping|left out|same stack|show more|(?:click to )?(?:show|load|view|see))";
    let units =
        "(?:messages?|lines?|bytes|char(?:acter)?s|goroutines?|entries|events|logs|[km]i?b)";
    let patterns = [
        // Nothing but dots, or a word for a gap, whatever is around them: `...`, `[…]`, `<snip>`, `-- truncated --`.
        // More dots without brackets are those of progress.
        format!(r"^[{signs}]*(?:(?:\.\s?){{2,4}}\.|[\[(<]\.{{3,}}[\])>]|…|⋮)[{signs}]*$"),
        format!("^{around}*(?:{words}){around}*$|^{around}+(?:{marked}){around}*$"),
        r"^\s*[.:]\s*$".to_owned(),
        // journald, rsyslog, Heroku, Cloud Foundry: "Suppressed 12 messages from app.service"
        format!(r"\b(?:{gone})\b[^\d]{{0,24}}{some}\s?(?:\w+ ){{0,2}}{units}\b"),
        format!(r"\b{some}\s?(?:\w+ ){{0,2}}{units}\b(?:[^,]{{0,24}}|, )\b(?:{gone}|trimmed)\b"),
        format!(r"\bmessages (?:dropped|lost|suppressed): {some}"),
        // A program starts more goroutines, too.
        format!(r"^[^a-z]*(?:{before}\W{{1,3}})?\d[\d,.]* (?:more|other) (?:goroutines|lines|stacks)\b"),
        r"^\W*other goroutines (?:are |were )?(?:omitted|elided|skipped|not shown|hidden)\b".to_owned(),
        // journald, the kernel
        r"\bmissed \d+ (?:kernel )?messages\b|\b\d+ callbacks suppressed$".to_owned(),
        // GitLab, CircleCI: "Only the last 400000 characters are displayed."
        r"\bshowing last \d+ [km]i?b of log\b|\bonly the last \d+ characters are\b".to_owned(),
        // Jenkins, GitHub
        r"^skipping [\d,.]+ [km]b\.\.|^this file has been truncated\b|^\W*output trimmed\W*$".to_owned(),
        r"^\W*(?:output )?trimmed:? \d[\d,.]* (?:lines|[km]i?b)\b".to_owned(),
        // BuildKit: "[output clipped, log limit 2MiB reached]"
        r"\b(?:output|logs?|text|trace|dump|content|message|step|rest)\b.{0,16}\b(?:clipped|truncated|cut off|omitted)\b"
            .to_owned(),
        // VS Code
        r"\boutput (?:exceeds the size limit|is too large to display)\b".to_owned(),
        // GitLab, Travis: "Job's log exceeded limit of 4194304 bytes"
        r"\blog\b.{0,24}\bexceed(?:ed|s) (?:the )?(?:limit of \d|maximum|size limit|\d+ ?[km]b limit)".to_owned(),
        r"\bexceeded the maximum log length\b".to_owned(),
        // rsyslog, Cloud Foundry, Render
        r"\b(?:messages|lines|logs|entries)\b.{0,48}\bdue to (?:log )?rate.?limit".to_owned(),
        r"\brate.?limit, dropping (?:messages|lines|logs)\b".to_owned(),
        r"\bexceeded (?:the )?log rate limit\b|\blog rate limit exceeded\b".to_owned(),
        // less
        r"^\.\.\.skipping\.\.\.$".to_owned(),
        // syslog, for equal lines
        r"\bmessage repeated \d+ times\b".to_owned(),
    ];
    Regex::new(&format!("(?i-u){}", patterns.join("|"))).ok()
});

/// Whether a line directly below a dump says that the text or its stream broke off there. Above a dump it can be about
/// the one before.
pub(crate) fn is_end(line: &[u8]) -> bool {
    line.len() <= LONGEST_NOTICE && END.as_ref().is_some_and(|end| end.is_match(line))
}

static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns = [
        // What web pages put where they fold lines: "+ 33 lines", "◀ 12 hidden lines ▶", "... and 12 more".
        r"^(?:[+<]|◀|…|\.\.\.|\[\+\])\W{0,8}(?:and )?\d[\d,.]* (?:(?:more|hidden|unchanged)(?: lines)?|lines)\W{0,8}$",
        r"^--More--",
        // less, which shows a part.
        r"^lines \d+-\d+(?:/\d+)?(?: \(?\d+%\)?)?$",
        // kubectl, docker, ssh, curl and tee, whose streams broke off.
        r"^error: (?:lost connection to pod|unexpected EOF)$",
        // Programs say so of connections of their own, too, mostly with a capital.
        r"^(?-i:error): (?:http2: client connection lost|stream error: .* INTERNAL_ERROR; received from peer)$",
        r"^(?:error from daemon in stream: )?Error grabbing logs\b",
        r"^error: .*\bsent GOAWAY and closed the connection\b|^Connection to \S+ closed by remote host\b",
        r"^(?:client_loop|packet_write_wait): .*\bBroken pipe$|^curl: \((?:18|23|28|56|92)\) ",
        r"^(?:tee|cat|cp|dd|rsync|grep|docker): .*: (?-i:No) space left on device$",
        r"^Read from remote host \S+: Connection |^failed to create fsnotify watcher\b",
        // grep and ripgrep, which stop at a NUL, and what reads a compressed file that was cut.
        r"^grep: .*: binary file matches$|^Binary file .* matches$|^(?:\S.*: )?binary file matches \(found \S",
        r"^(?:\S.*: )?WARNING: stopped searching binary file ",
        r"^(?:gzip|zcat|xz|xzcat|bzip2|zstd|tar): .*\b(?:unexpected (?:end of (?:file|input)|EOF)|crc error|data is corrupt)\b",
    ];
    Regex::new(&format!("(?i-u){}", patterns.join("|"))).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_that_text_is_missing_are_known() {
        for line in [
            "Jan 02 10:31:41 db1 systemd-journald[312]: Suppressed 1204 messages from shop.service",
            "rsyslogd: imjournal: 143847 messages lost due to rate-limiting (20000 allowed within 600 seconds)",
            "rsyslogd-2177: imuxsock lost 345 messages from pid 123 due to rate-limiting",
            "imjournal: begin to drop messages due to rate-limiting",
            "rsyslogd-2177: imuxsock begins to drop messages from pid 123 due to rate-limiting",
            "systemd-journald[312]: Missed 123 kernel messages",
            "Forwarding to syslog missed 15 messages.",
            "net_ratelimit: 12 callbacks suppressed",
            "rate limit of 500 logs/sec reached for replica. Messages dropped: 1234",
            "log rate limit exceeded; dropping messages",
            "The log file exceeded the maximum size of 100MB",
            "The job exceeded the maximum log length, and has been terminated.",
            "Only the last 400000 characters are displayed.",
            "Your output is too large to display in the browser.",
            "Showing last 500 KiB of log.",
            "...skipping...",
            "Skipping 1,234 KB.. Full Log",
            "This file has been truncated, but you can view the full file.",
            "(output trimmed)",
            "[... 120 lines trimmed ...]",
            "[trimmed 12 lines]",
            "...[trimmed 36 KB]...",
            "Output trimmed: 120 lines",
            "Show 36 more lines",
            "Click to show 36 more lines",
            "Show more (36 more lines)",
            "See 36 more goroutines",
            "[snipped 36 more goroutines]",
            "12,345 bytes, truncated",
            "Log exceeded the 10 MB limit",
            "Build log exceeded 4MB limit.",
            "This log exceeds the size limit",
            "exceeded rate limit, dropping logs",
            "entries dropped due to log rate limit",
            "messages from /usr/bin/app discarded due to rate-limiting",
            "<snip: 3 more goroutines>",
            "The job's log exceeded the size limit",
            "and 1,204 more goroutines",
            "[skipping 3 more goroutines]",
            "1204 messages from shop-2.service suppressed",
            "120 lines (10-129) omitted",
            "[...truncated 0.91 MB...]",
            "messages were suppressed due to rate limiting",
            "app instance exceeded the log rate limit",
            "... plus 20 more goroutines",
            "other goroutines omitted for brevity",
            ".....",
            "[......]",
            ". . . . .",
            "[output clipped, log limit 2MiB reached]",
            "#12 2.417 [output clipped, log limit 200KiB/s reached]",
            "Job's log exceeded limit of 4194304 bytes.",
            "The log length has exceeded the limit of 4 MB (this usually means ...)",
            "Error L10 (output buffer overflow): 491 messages dropped since 2026-08-10T02:35:15",
            "Log message output is too high. 1234 messages dropped (Total 1234 messages dropped)",
            "app instance exceeded log rate limit (16384 bytes/sec)",
            "last message repeated 7 times",
            "...[12345 bytes omitted]...",
            "... 36 more goroutines",
            "[... 120 lines omitted ...]",
            "<snip>",
            "-- 8< --",
            "------------ >8 ------------",
            "-- ✂ --",
            "[truncated]",
            "(truncated)",
            "--- snip ---",
            "...",
            "[...]",
            "…",
            ". . .",
            ".",
            "⋮",
            "// ...",
            "1,204 lines skipped",
            "... [message truncated]",
            "...output omitted...",
            "... (rest omitted)",
            "This step has been truncated due to its large size. Download the full logs",
            "Output exceeds the size limit. Open the full output data in a text editor",
            "Output truncated",
        ] {
            assert!(is_notice(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn the_mark_of_a_line_that_was_cut_is_told_from_what_go_writes() {
        for (line, before) in [
            ("goroutine 1…", "goroutine 1"),
            ("goroutine ...", "goroutine"),
            ("go[...]", "go"),
            ("main.sta...", "main.sta"),
            ("main.sta[truncated]\n", "main.sta"),
            ("goroutine 9 ...", "goroutine 9"),
            ("goroutine...TRUNCATED...", "goroutine"),
            ("goroutine 9...(truncated)", "goroutine 9"),
            ("goroutine [Truncated...]", "goroutine"),
            ("gorouti<truncated>", "gorouti"),
            ("created by…", "created by"),
            ("created b... <snip>", "created b"),
            ("goroutine... (1234 more bytes)", "goroutine"),
            ("goroutine 57 …[+1,234 bytes omitted]", "goroutine 57"),
        ] {
            assert_eq!(before_mark(line.as_bytes()), Some(before.as_bytes()), "{line}");
        }
        for line in
            ["", "...", "main.Map[...]", "main.f(...)", "...23 frames elided", "goroutine 1"]
        {
            assert_eq!(before_mark(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn lines_that_say_that_a_text_or_its_stream_broke_off_are_known() {
        for line in [
            "+ 33 lines",
            "[+] 33 more",
            "... and 12 more",
            "◀ 12 hidden lines ▶",
            "<<< 400 lines >>>",
            "--More--(12%)",
            "error: http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR",
            "Connection to web-1 closed by remote host.",
            "error: lost connection to pod",
            "lines 1-50/120 41%",
            "client_loop: send disconnect: Broken pipe",
            "packet_write_wait: Connection to 10.0.0.1 port 22: Broken pipe",
            "tee: out.log: No space left on device",
            "error: http2: client connection lost",
            "error: stream error: stream ID 1; INTERNAL_ERROR; received from peer",
            "error from daemon in stream: Error grabbing logs: invalid character '\\x00' in string literal",
            "Read from remote host web-1: Connection reset by peer",
            "failed to create fsnotify watcher: too many open files",
            "grep: app.log: binary file matches",
            "Binary file app.log matches",
            "binary file matches (found \"\\0\" byte around offset 512)",
            "app.log: WARNING: stopped searching binary file after match (found \"\\0\" byte around offset 512)",
            "gzip: stdin: invalid compressed data--crc error",
            "tar: Unexpected EOF in archive",
            "gzip: stdin: unexpected end of file",
            "xz: app.log.xz: Unexpected end of input",
            "curl: (18) transfer closed with outstanding read data remaining",
        ] {
            assert!(is_end(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn lines_of_logs_and_dumps_are_no_notices() {
        for line in [
            "",
            "exit status 2",
            "FAIL\tshop\t0.100s",
            "main.main()",
            "...23 frames elided...",
            "created by main.start in goroutine 7",
            "2026/01/02 10:31:41 http: panic serving 127.0.0.1:1: lost",
            "rax    0x0",
            "goroutine 7 [select]:",
            "3 goroutines are running",
            "connection lost",
            "0 messages dropped",
            "500 messages sent, 0 lost",
            "0 lines skipped",
            "retrying due to rate limiting",
            "http: request body exceeds the size limit",
            "log file exceeded max size, rotating",
            "started 2 more goroutines",
            "waiting for 3 other goroutines",
            "heap trimmed by 2 MB",
            "......",
            "SKIPPED",
            "watcher missed 3 events",
            "goroutines are hidden by default",
            "skipping 3 events already seen",
            "3 callbacks suppressed by config",
            "file has been truncated and reopened",
            "output trimmed to 80 columns",
            "showing last 5 lines",
            "2026/01/02 10:31:41 write: broken pipe",
            "open a: no space left on device",
            "Connection to web-1 closed.",
            "Error: context canceled",
            "Error: http2: client connection lost",
            "error: stream error: stream ID 5; CANCEL; received from peer",
            "Failed to watch *v1.Pod: http2: server sent GOAWAY and closed the connection; LastStreamID=1",
            "sqlite: commit: No space left on device",
            "(33 lines)",
            "12 more",
            "12 ms",
            "2 goroutines",
            "==================",
            "-----",
            "```",
            "}",
        ] {
            assert!(!is_notice(line.as_bytes()) && !is_end(line.as_bytes()), "{line}");
        }
    }
}
