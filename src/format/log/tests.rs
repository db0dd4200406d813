//! A real text wrapped in every container comes back byte for byte, however it is read.

mod containers;
mod corpus;
mod ends;

use self::containers::{DUMP, containers, containers_of, each, json};
use super::*;
use crate::format::start::{follows_header, is_header, starts_dump};
use proptest::prelude::*;

/// A small model of the driver: reads streams separately, and detects containers wherever a stream
/// is outside a dump.
#[derive(Default)]
struct Stream {
    /// The text for the reader of this stream.
    text: Vec<u8>,
    /// Whether the last line was part of a dump.
    open: bool,
    /// Whether it was a call, after which its place comes.
    call: bool,
    pending: Vec<u8>,
    inner: Option<(Decoder, Vec<Stream>)>,
    /// The use of the rest of a line that comes in parts: refused, so it is read as plain text.
    refused: bool,
    /// Whether the current line was given to the container that seems to wrap it.
    refuses: bool,
}

impl Stream {
    /// Whether the reader knows what to do with the line.
    fn fits(&self, line: &[u8]) -> bool {
        starts_dump(line)
            || self.open
                && (line.is_empty() || follows_header(line) || self.call && line.starts_with(b"\t"))
    }

    fn read(&mut self, line: &[u8]) {
        self.open = self.fits(line);
        self.call = self.open && follows_header(line);
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }

    /// Takes whole lines decoded from `text`, and keeps the rest.
    fn push(&mut self, text: &[u8], layers: usize) {
        self.pending.extend_from_slice(text);
        let pending = std::mem::take(&mut self.pending);
        let mut lines = pending.split(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            match lines.peek() {
                Some(_) => self.line(line, true, layers),
                None => self.pending = line.to_vec(),
            }
        }
    }

    fn line(&mut self, part: &[u8], ends: bool, layers: usize) {
        if self.refused {
            self.text.pop();
            self.text.extend_from_slice(part);
            self.text.push(b'\n');
            self.refused = !ends;
            return;
        }
        let mut line = part.to_vec();
        let mut out = Vec::new();
        let mut foreign = false;
        if let Some((decoder, streams)) = &mut self.inner {
            let unwrapped = decoder.decode(part, ends, &mut out);
            let mut push = |StreamKey(key): StreamKey, text: &[u8]| {
                if streams.len() <= key as usize {
                    streams.resize_with(key as usize + 1, Stream::default);
                }
                streams[key as usize].push(text, layers - 1);
            };
            if let Unwrapped::Text(key) = unwrapped {
                push(key, &out);
            }
            let mut other = Vec::new();
            while let Some(key) = decoder.more(&mut other) {
                push(key, &other);
                other.clear();
            }
            match unwrapped {
                Unwrapped::Text(_) => return,
                Unwrapped::Held => return,
                Unwrapped::Foreign => foreign = true,
                Unwrapped::Over => {}
            }
            let refused = decoder.take_refused();
            if !refused.is_empty() {
                line = refused;
            }
            if !foreign {
                self.leave();
                out.split_inclusive(|&byte| byte == b'\n')
                    .for_each(|line| self.read(&line[..line.len() - 1]));
            }
        }
        if !self.fits(&line)
            && !self.refuses
            && let Some(decoder) = detect(&line).filter(|_| layers > 0)
        {
            self.leave();
            self.inner = Some((decoder, Vec::new()));
            // A line that is refused by what seemed to be its container is text.
            self.refuses = true;
            self.line(&line, ends, layers);
            self.refuses = false;
            return;
        }
        self.read(&line);
        self.refused = !ends;
    }

    /// Ends the container; its streams are appended one after another.
    fn leave(&mut self) {
        let Some((mut decoder, mut streams)) = self.inner.take() else { return };
        let mut out = Vec::new();
        decoder.end_lines();
        while let Some(StreamKey(key)) = decoder.more(&mut out) {
            if streams.len() <= key as usize {
                streams.resize_with(key as usize + 1, Stream::default);
            }
            streams[key as usize].push(&out, LAYERS - 1);
            out.clear();
        }
        decoder.finish(&mut out);
        for mut stream in streams {
            stream.leave();
            self.text.append(&mut stream.text);
            self.text.append(&mut stream.pending);
        }
        self.text.append(&mut out);
    }
}

/// The text of all streams, one after another. Lines come in parts of `part` bytes.
fn unwrapped(log: &[u8], mut part: impl FnMut() -> usize) -> String {
    let mut stream = Stream::default();
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut rest = line;
        loop {
            // `detect` needs enough in the first part.
            let undetected = stream.inner.is_none() && !stream.refused;
            let length = if undetected { rest.len() } else { part().min(rest.len()) };
            let (now, later) = rest.split_at(length);
            stream.line(now, later.is_empty(), LAYERS);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
    }
    stream.leave();
    String::from_utf8(stream.text).unwrap()
}

fn whole(log: &str) -> String {
    unwrapped(log.as_bytes(), || usize::MAX)
}

#[test]
fn every_container_gives_the_exact_text_back() {
    for (name, log) in containers() {
        // The end of an escaped text ends its block.
        assert_eq!(whole(&log).trim_end(), DUMP.trim_end(), "{name}\n{log}");
    }
}

#[test]
fn carriage_returns_of_the_container_stay_at_line_ends() {
    for (name, log) in containers() {
        let log = log.replace('\n', "\r\n");
        assert_eq!(whole(&log).replace("\r\n", "\n").trim_end(), DUMP.trim_end(), "{name}");
    }
}

#[test]
fn text_around_a_dump_stays_outside() {
    for (name, log) in containers() {
        let text = whole(&format!("hello\n{log}good bye\n"));
        assert!(text.starts_with("hello\n"), "{name}: {text}");
        assert!(text.contains("good bye\n"), "{name}: {text}");
        let headers = text.lines().filter(|line| is_header(line.as_bytes())).count();
        assert_eq!(headers, 3, "{name}: {text}");
    }
}

#[test]
fn a_container_after_another_is_found() {
    let all = containers();
    for (name, log) in &all {
        for (other, more) in &all {
            if name.starts_with("docker") && *other == "shipper" {
                // Short lines without line ends are pieces where line ends were written before.
                continue;
            }
            if *other == "GitLab in parts" && log.starts_with("2026-") {
                // Lines that start with the same kind of time stamp stay in the first container.
                continue;
            }
            let text = whole(&format!("{log}{more}"));
            let headers = text.lines().filter(|line| is_header(line.as_bytes())).count();
            assert_eq!(headers, 6, "{name}, then {other}: {text}");
        }
    }
}

#[test]
fn interleaved_streams_are_read_apart() {
    let wraps: [fn(bool, &str) -> String; 6] = [
        |one, line| {
            format!("2026-01-02T10:31:41Z {} F {line}", if one { "stdout" } else { "stderr" })
        },
        |one, line| format!("[pod/web/{}] {line}", if one { "a" } else { "b" }),
        |one, line| format!("Jan 02 10:31:41 host app[{}]: {line}", if one { 1 } else { 2 }),
        |one, line| format!("{} | {line}", if one { "web-1" } else { "web-2" }),
        |one, line| {
            let line = json(&format!("{line}\n"));
            format!("{{\"log\":{line},\"stream\":\"std{}\"}}", if one { "out" } else { "err" })
        },
        |one, line| {
            let (test, line) = (if one { "A" } else { "B" }, json(&format!("{line}\n")));
            format!(
                "{{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":{line}}}"
            )
        },
    ];
    for wrap in wraps {
        let log = each(DUMP, |_, line| format!("{}\n{}", wrap(true, line), wrap(false, line)));
        assert_eq!(whole(&log), DUMP.repeat(2), "{log}");
    }
    // Several records in one line.
    let log = each(DUMP, |_, line| {
        let line = json(line);
        format!("[{{\"pod\":\"a\",\"msg\":{line}}},{{\"pod\":\"b\",\"msg\":{line}}}]")
    });
    assert_eq!(whole(&log), DUMP.repeat(2), "{log}");
}

#[test]
fn a_line_wraps_a_header_or_a_crash_if_more_than_its_words_shows_that() {
    let cri = "2026-01-02T10:31:41Z stderr F";
    for (line, header, crash) in [
        (format!("{cri} goroutine 7 [select]:"), true, true),
        (format!("{cri} goroutine 7 gp=0xc0 m=nil [select]:"), true, true),
        (format!("{cri} created by main.f in goroutine 7"), false, true),
        (format!("{cri} goroutine  [select]:"), false, true),
        (format!("{cri} panic: boom"), false, true),
        ("x about goroutine 7 [select]".into(), false, false),
        ("goroutine 7 [select]: wasm_exec.js:41:14".into(), false, false),
    ] {
        assert_eq!(wraps_dump(line.as_bytes()), header, "{line}");
        assert_eq!(wraps_crash(line.as_bytes()), crash, "{line}");
    }
}

#[test]
fn an_escaped_line_that_a_terminal_broke_is_put_together() {
    let (_, zap) = containers().into_iter().find(|(name, _)| *name == "zap").unwrap();
    for width in [120, 160, 200] {
        let pieces = zap.trim_end().as_bytes().chunks(width);
        let broken: Vec<_> = pieces.map(String::from_utf8_lossy).collect();
        for after in ["", "{\"level\":\"info\"}\n", "done\n"] {
            let text = whole(&format!("{}\n{after}", broken.join("\n")));
            let rest = text.strip_prefix(DUMP).unwrap_or_else(|| panic!("{width}: {text}"));
            assert_eq!(rest.trim(), after.trim(), "{width} columns");
        }
    }
}

#[test]
fn what_is_held_back_is_given_at_the_end() {
    let finished = |lines: &[&[u8]]| {
        let (mut decoder, mut out) = (detect(lines[0]).unwrap(), Vec::new());
        lines
            .iter()
            .for_each(|line| assert_eq!(decoder.decode(line, true, &mut out), Unwrapped::Held));
        decoder.finish(&mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(finished(&[b"x: goroutine 1 [running]:"]), "x: goroutine 1 [running]:\n");
    assert_eq!(finished(&[b"{", b"  \"a\": 1,"]), "{\n  \"a\": 1,\n");
    assert_eq!(
        finished(&[b"  panic: boom", b"  \tpanic: again", b""]),
        "  panic: boom\n  \tpanic: again\n\n"
    );
    let mut decoder = detect(b"2026-01-02T10:31:41Z goroutine 1 [running]:").unwrap();
    let mut out = Vec::new();
    assert_eq!(decoder.decode(b"2026-01", false, &mut out), Unwrapped::Held);
    decoder.finish(&mut out);
    assert_eq!(out, b"2026-01\n");
}

#[test]
fn unremarkable_lines_are_no_container_unless_they_surely_are() {
    for line in [
        "",
        "hello",
        "    hello",
        "2026-01-02T10:31:41Z hello",
        "Jan 02 10:31:41 host app[1]: hello",
        "web-1  | hello",
        "[pod/web/app] hello",
        "{\"msg\":\"hello\"}",
        "msg=\"a\\nb\"",
        "level=info msg=\"goroutine 5 did x\"",
        "2026-01-02T10:31:41Z goroutine 5 did x",
        "web-1  | {",
        "{\"log\":\"hello\"}",
        "{\"msg\":\"goroutine 5 did x\"}",
    ] {
        assert!(detect(line.as_bytes()).is_none(), "{line}");
    }
    for line in [
        "2026-01-02T10:31:41Z stdout F hello",
        "{\"log\":\"hello\\n\",\"stream\":\"stdout\",\"time\":\"t\"}",
        "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}",
        "{\"MESSAGE\":\"hello\",\"_PID\":\"1\"}",
        "{\"MESSAGE\":[112,97,110,105,99,58,32,120]}",
    ] {
        assert!(detect(line.as_bytes()).is_some(), "{line}");
    }
}

#[test]
fn dumps_in_changing_fields_of_json_lines_are_found() {
    let log = format!(
        "{{\"msg\":\"recovered panic: x\"}}\n{{\"msg\":\"fine\"}}\n{{\"msg\":\"crash\",\"stack\":{}}}\n",
        json(DUMP)
    );
    assert!(whole(&log).contains(DUMP), "{}", whole(&log));
}

#[test]
fn leak_detectors_texts_inside_t_log_are_found() {
    let log = "    t_test.go:35: found unexpected goroutines:
        [ [Goroutine 8 in state chan receive, with main.work on top of the stack:
        main.work(...)
        \t/src/t_test.go:11
        ]
         [Goroutine 9 in state chan receive, with main.work on top of the stack:
        main.work(...)
        \t/src/t_test.go:11
        ]
        ]
    t_test.go:36: second detector's form:
        leaked goroutine: goroutine 8 [chan receive]:
        main.work(...)
        \t/src/t_test.go:11
        leaked goroutine: goroutine 9 [chan receive]:
        main.work(...)
        \t/src/t_test.go:11
--- FAIL: TestLeakLike (0.01s)
";
    let text = whole(log);
    let headers: Vec<&str> = text.lines().filter(|line| is_header(line.as_bytes())).collect();
    assert_eq!(
        headers,
        [
            "[ [Goroutine 8 in state chan receive, with main.work on top of the stack:",
            " [Goroutine 9 in state chan receive, with main.work on top of the stack:",
            "goroutine 8 [chan receive]:",
            "goroutine 9 [chan receive]:",
        ],
        "{text}"
    );
    assert_eq!(text.matches("\nmain.work(...)\n\t/src/t_test.go:11\n").count(), 4, "{text}");
    assert!(text.contains("--- FAIL"));
}

#[test]
fn containers_inside_each_other_are_bounded() {
    let mut line = "goroutine 1 [running]:".to_owned();
    for depth in 0..20 {
        // A prefix of no known kind can be 256 bytes long, with timestamps in it or not.
        let found = detect(line.as_bytes()).is_some();
        assert_eq!(found, (1..=2 + 256 / 21).contains(&depth), "{depth}");
        line.insert_str(0, "2026-01-02T10:31:41Z ");
    }
    let mut line = "goroutine 1 [running]:\nmain.main()\n".to_owned();
    for depth in 1..=LAYERS + 2 {
        line = json(&line);
        assert_eq!(detect(line.as_bytes()).is_some(), depth <= LAYERS, "{depth}");
    }
    // Nesting costs no more than a pass for each layer.
    let line = "[pod/a/b] ".repeat(100_000);
    assert!(detect(line.as_bytes()).is_none());
    let line = format!("\\\"{}", "goroutine 1 [\\n\\\"".repeat(60_000));
    assert!(detect(line.as_bytes()).is_none());
}

#[test]
fn a_record_that_never_ends_streams() {
    let mut decoder = detect(br#"{"log":"a\n","stream":"stdout"}"#).unwrap();
    let (mut out, mut most) = (Vec::new(), 0);
    decoder.decode(br#"{"log":"goroutine 1 [running]:\n"#, false, &mut out);
    for _ in 0..100_000 {
        decoder.decode(br"main.f(0x1)\n\t/src/a.go:3 +0x1d\n", false, &mut out);
        most = most.max(out.len());
        out.clear();
    }
    assert_eq!(
        decoder.decode(br#"","stream":"stdout"}"#, true, &mut out),
        Unwrapped::Text(StreamKey::ENCLOSING)
    );
    assert!(most <= 2 * RECORD);
    assert_eq!(
        decoder.decode(br#"{"log":"b\n"}"#, true, &mut out),
        Unwrapped::Text(StreamKey::ENCLOSING)
    );
    assert!(out.ends_with(b"b\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_parts_give_the_same_text(seed: u64, longest in 1usize..200) {
        let mut state = seed;
        for (name, log) in containers() {
            // Any cheap sequence will do.
            let text = unwrapped(log.as_bytes(), || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % longest + 1
            });
            prop_assert_eq!(text.trim_end(), DUMP.trim_end(), "{}", name);
        }
    }

    #[test]
    fn any_line_is_looked_at_without_a_panic(line in proptest::collection::vec(any::<u8>(), 0..200)) {
        detect(&line);
        starts_dump(&line);
    }

    #[test]
    fn any_damage_to_a_log_is_survived(which: usize, at: usize, byte: u8, cut: usize) {
        let all = containers();
        let (_, log) = &all[which % all.len()];
        let mut log = log.clone().into_bytes();
        let length = log.len();
        log[at % length] = byte;
        log.truncate(length - cut % length);
        let mut stream = Stream::default();
        for line in log.split(|&byte| byte == b'\n') {
            stream.line(line, true, LAYERS);
        }
        stream.leave();
    }
}
