//! Dumps in records that aren't JSON: rows of CSV, entries of the journal.

use super::*;

/// What exports have for each line, below their row of names: `%` is the line, `"%"` always in quotes, `#` the second.
const TABLES: [&str; 9] = [
    "Time,Line,tsNs,labels\n2026-11-28 10:00:#,%,17900000000#,\"{\"\"app\"\":\"\"shop\"\",\"\"pod\"\":\"\"web-1\"\"}\"\n",
    "timestamp,message\n17900000000#,%\n",
    "\"Date\",\"Host\",\"Service\",\"Message\"\n\"10:00:#Z\",\"n7\",\"shop\",\"%\"\n",
    "\"_raw\",\"_time\",\"host\",\"linecount\"\n\"%\",\"10:00:#\",\"n7\",\"1\"\n",
    "insertId,jsonPayload.message,severity,textPayload,timestamp\na#,,ERROR,%,10:00:#Z\n",
    "\"@timestamp\",\"message\",\"kubernetes.pod.name\"\n\"Nov 28, 2026 @ 10:00:#\",\"%\",\"web-1\"\n",
    "\"TimeGenerated [UTC]\";\"ContainerAppName_s\";\"Log_s\"\n\"11/28/2026, 10:00:#\";\"shop\";\"%\"\n",
    "TimeGenerated [Local Time],PodName,ContainerName,LogMessage,LogSource\n10:00:#,web-1,app,%,stderr\n",
    "time\tpod\tmsg\n10:00:#\tweb-1\t\"%\"\n",
];

/// What `journalctl` writes for each line.
const ENTRIES: [&str; 3] = [
    "\n__CURSOR=s=9a;i=#\n_PID=882\nMESSAGE=%\n_HOSTNAME=n7\n\n",
    "\n__CURSOR=s=9a;i=#\nMESSAGE=%\n_PID=882\n\n",
    "\nSat 2026-11-28 10:00:# UTC [s=9a;i=#;b=3f]\n    _PID=882\n    MESSAGE=%\n    _COMM=shop\n",
];

fn row(form: &str, line: &str, second: usize) -> String {
    let cell = format!("\"{}\"", line.replace('"', "\"\""));
    let needs_quotes = line.contains([',', '"', '\n']);
    let bare = if form.contains("MESSAGE=") || !needs_quotes { line } else { &cell };
    form.replace('#', &second.to_string()).replace("\"%\"", &cell).replace('%', bare)
}

/// A log with lines, of whose form the first line is the row of names.
pub(super) fn log<'l>(form: &str, lines: impl IntoIterator<Item = &'l str>) -> String {
    let (names, form) = form.split_once('\n').unwrap();
    let rows = lines.into_iter().zip(10..).map(|(line, second)| row(form, line, second));
    let names = if names.is_empty() { String::new() } else { format!("{names}\n") };
    names + &rows.collect::<String>()
}

pub(super) fn forms() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().chain(ENTRIES)
}

#[test]
fn rows_and_entries_hold_a_line_each() {
    for form in forms() {
        let text = log(form, GOROUTINES.lines());
        let crlf = text.replace('\n', "\r\n");
        let with_more =
            log(form, ["ready", ""].into_iter().chain(GOROUTINES.lines()).chain(["bye"]));
        for text in [text, crlf, with_more] {
            assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
        }
    }
}

#[test]
fn a_cell_can_hold_a_whole_dump() {
    let form = TABLES[2];
    let text = log(form, ["ready", GOROUTINES.trim_end(), "bye"]);
    assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
    assert!(!is_told(&text), "{text}");
    let [start, end] = ["goroutine", "\"\n\"10:00:12"].map(|part| text.find(part).unwrap());
    for cut in (start + "goroutine".len()..=end).map(|end| &text[..end]) {
        assert!(is_told(cut), "{cut}");
    }
    let crash = format!("panic: boom\n\n{GOROUTINES}");
    let text = log(form, [crash.as_str()]);
    for (end, message) in [(" [running", "boom\n\ngoroutine 1"), ("m\n\ngoroutine", "boo")] {
        let profile = parse(text.split_once(end).unwrap().0);
        assert_eq!(profile.inputs[0].crash.as_ref().unwrap().text, message);
        assert!(!profile.inputs[0].complete(), "{message}");
    }
}

#[test]
fn a_message_stands_in_front_of_what_is_below_its_entry() {
    let text = format!("__CURSOR=s=9a;i=1\nMESSAGE={GOROUTINES}");
    assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
}

/// Programs that write a table crash, too.
#[test]
fn a_dump_below_a_table_is_none_of_its_rows() {
    let plain = GOROUTINES.replace(" {page: \"/cart items\", tenant: acme}", "");
    for table in
        ["id,text\n1,a\n2,b\n", "text,id\na,1\n", "a\tmsg\n1\tx\n", "message;x\n\"a;b\";2\n"]
    {
        for start in [
            "",
            "panic: boom, twice\n\n",
            "fatal error: all goroutines are asleep - deadlock!\n\n",
            "SIGQUIT: quit\nPC=0x1 m=0\n\n",
        ] {
            let text = format!("{table}{start}{plain}");
            assert_eq!(described(&parse(&text))[1..], described(&parse(&plain))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
        }
        let waiting = plain.replace("running", "chan receive, 2 minutes");
        let text = format!("{table}{waiting}");
        assert_eq!(described(&parse(&text))[1..], described(&parse(&waiting))[1..], "{text}");
    }
}

#[test]
fn the_row_of_names_can_stand_above_each_page() {
    for form in TABLES {
        let (names, _) = form.split_once('\n').unwrap();
        let text = log(form, GOROUTINES.lines());
        let rows: Vec<&str> = text.lines().collect();
        for mark in ["", "\u{feff}"] {
            let page = format!("{mark}{names}");
            let text = [&rows[..8], &[&page], &rows[8..]].concat().join("\n") + "\n";
            assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
        }
    }
}

#[test]
fn what_people_and_tools_write_below_is_no_damage() {
    for form in forms() {
        for line in ["```", "(1,234 rows)", "# end", "Thanks, Bob", "\"ok\"", "$ ", "-- Boot 4f --"]
        {
            let text = log(form, GOROUTINES.lines()) + line + "\n";
            assert_eq!(described(&parse(&text))[1..], described(&parse(GOROUTINES))[1..], "{text}");
            assert!(!is_told(&text), "{text}");
        }
    }
}

/// An entry whose value has its length in front, as `journalctl -o export` writes those with line ends or colours.
fn sized(text: &str) -> Vec<u8> {
    let length = (text.len() as u64).to_le_bytes();
    let start = &b"__CURSOR=s=9a;i=99\nMESSAGE\n"[..];
    [start, &length, text.as_bytes(), b"\n_PID=882\n_HOSTNAME=n7\n\n"].concat()
}

#[test]
fn values_of_the_journal_can_have_their_length_in_front() {
    let entry = |line: &str| row(&ENTRIES[0][1..], line, 10).into_bytes();
    let entries: Vec<Vec<u8>> = GOROUTINES.lines().map(entry).collect();
    let expected = described(&parse(GOROUTINES));
    let is_whole = |text: &[u8]| {
        let (_, profile) = parse_as(text, usize::MAX);
        described(&profile).get(1..) == expected.get(1..) && profile.inputs[0].complete()
    };
    for other in ["\x1b[31mred\x1b[0m", "a\nb\n", "\n"] {
        let other: Vec<u8> = String::from_utf8(sized(other)).unwrap().replace("882", "7").into();
        for at in [0, 2, 9] {
            let all =
                [&entries[..at], std::slice::from_ref(&other), &entries[at..]].concat().concat();
            assert!(is_whole(&all), "{}", String::from_utf8_lossy(&all));
        }
    }
    // Their lengths have any bytes, a line end too.
    for more in 0..20 {
        let dump = sized(&format!("{GOROUTINES}{}", "\n".repeat(more)));
        assert!(is_whole(&[entry("ready"), dump.clone(), entry("bye")].concat()), "{more}");
        let cut = &dump[..dump.len() - 60 - more];
        assert!(!is_whole(cut), "{}", String::from_utf8_lossy(cut));
    }
    let coloured = |line: &str| match line {
        "" => entry(""),
        _ => sized(&format!("\x1b[31m{line}\x1b[0m")),
    };
    let all: Vec<u8> = GOROUTINES.lines().flat_map(coloured).collect();
    assert!(
        is_whole(&all),
        "{:?} {}",
        parse_as(&all, usize::MAX).1.inputs[0].warnings,
        String::from_utf8_lossy(&all)
    );
}

#[test]
fn a_log_below_a_table_is_none_of_its_rows() {
    let plain = GOROUTINES.replace(" {page: \"/cart items\", tenant: acme}", "");
    for prefix in [
        "2026/11/28 10:00:00 ",
        "E1128 10:00:00.123456   88 main.go:9] ",
        "[shop] ",
        "2026-11-28T10:00:00.1Z ",
    ] {
        let crash = format!("panic: boom, twice\n\n{plain}");
        let lines: String = crash.lines().map(|line| format!("{prefix}{line}\n")).collect();
        for table in ["id,message\n1,a\n", "id,message\n", "message;x\na;1\n"] {
            let profile = parse(&format!("{table}{lines}"));
            let crash = profile.inputs[0].crash.as_ref().expect("a crash");
            assert_eq!(crash.text, "boom, twice", "{table}{lines}");
            assert_eq!(profile.goroutines.len(), 3, "{table}{lines}");
            assert!(profile.inputs[0].complete(), "{table}{lines}");
        }
    }
}

#[test]
fn a_quote_or_length_that_is_damaged_takes_no_dump_into_its_value() {
    let rows = |lines: &str| log("time,message\n\"#\",\"%\"\n", lines.lines());
    let crash = format!("panic: boom\n\n{GOROUTINES}");
    let text = rows(&crash).replacen("\"11\",\"\"\n", "\"11\",\"\n", 1);
    assert_eq!(parse(&text).goroutines.len(), 3, "{text}");
    let whole = rows(GOROUTINES);
    // That of the first row isn't looked for: the table isn't certain there.
    for (end, _) in whole.match_indices("\"\n").skip(1) {
        let text = format!("{}{}", &whole[..end], &whole[end + 1..]);
        assert_eq!(parse(&text).goroutines.len(), 3, "{text}");
        assert!(is_told(&text), "{text}");
    }
    // Of two cells with a dump each the second has lost its quote.
    let form = "time,message\n\"10:00:#\",\"%\"\n";
    let text = log(form, [GOROUTINES, GOROUTINES, "bye", "bye"]);
    let text = text.replace("\"\n\"10:00:12", "\n\"10:00:12");
    assert_eq!(parse(&text).goroutines.len(), 6, "{text}");
    assert!(is_told(&text), "{text}");
    // Quotes behind the text are damaged, too; a row above is empty.
    let one = GOROUTINES.trim_end().replace('"', "\"\"");
    for (text, found) in [
        (format!("time,log,host\n1,ready,a\n2,\"{one},\"n7\"\n3,x,a\n4,\"{one}\",n7\n"), 6),
        (format!("time,log,host\n1,ready,a\n2,\"{one}\n\ngoroutine 9 [sel\"n7\"\n3,x,a\n"), 4),
        (
            log(TABLES[3], GOROUTINES.lines())
                .replace("1\"\n\"shop/orders.(*Store).loop", "1\n\"shop/orders.(*Store).loop"),
            3,
        ),
    ] {
        assert_eq!(parse(&text).inputs[0].seen.headers, found, "{text}");
        assert!(is_told(&text), "{text}");
    }
    // The row with the header is cut, and the whole table follows.
    let whole = log(TABLES[3], GOROUTINES.lines());
    let text = format!("{}{whole}", &whole[..whole.find("]:\",\"10").unwrap() + 6]);
    assert!(is_told(&text), "{text}");
    // A line that is too long for a row.
    let text = format!("id,text\n1,a\n2,\"b\n{crash}{}\n", "x".repeat(2 << 20));
    assert_eq!(parse(&text).goroutines.len(), 3);
    // A program that is killed between two parts of a row.
    for table in ["id,text\n1,a\n2,\"b", "id,text\n1,a\n1,panic: x\n2,\""] {
        let text = format!("{table}{crash}");
        assert_eq!(parse(&text).goroutines.len(), 3, "{text}");
    }
    // The quote of the first row, the start of the second.
    let cell = format!("panic: boom\n\n{}", GOROUTINES.split_once("\n\n").unwrap().0);
    for end in ["\ngoroutine 19\"GET /a, 200\",9\n", "\",7\nmain.wait()\n\t/a.go:3 +0x1\n\",8\n"] {
        let text = format!("time,message,id\n1,\"{cell}{end}");
        for text in [text.replace('\n', "\r\n"), text] {
            assert!(is_told(&text), "{text}");
        }
    }
    let entries = log(ENTRIES[0], crash.lines());
    let sized = "__CURSOR=s=1\nMESSAGE\n\u{7f}\u{1}\0\0\0\0\0\0ready\n_PID=7\n\n";
    for text in [format!("{sized}{entries}"), format!("{entries}{sized}{entries}")] {
        assert!(is_told(&text), "{text}");
    }
    // What a length takes in that is too long is read at the end.
    let endless = sized.replace("\u{7f}\u{1}\0", "\u{7f}\u{1}\u{1}");
    let text = format!("{entries}{endless}{entries}");
    assert_eq!(parse(&text).goroutines.len(), 6, "{text}");
}

#[test]
fn a_hole_that_joins_a_value_with_the_next_entry_is_told() {
    let head = "Sat 2026-11-28 10:00:03 UTC [s=9a;i=2;b=3f]\n    MESSAGE=ready\n    _PID=882\n";
    let whole = log(&ENTRIES[2].replace("    _COMM=shop\n", ""), [GOROUTINES]);
    let whole = whole.replace('\n', "\n            ").replace("            Sat", "Sat");
    for end in ["[sel", "created by main.m"] {
        let at = whole.rfind(if end == "[sel" { "[select" } else { "created by main" }).unwrap();
        let text = format!("{}{end}{head}", &whole[..at]);
        assert!(is_told(&text), "{text}");
    }
}

/// What other logs mean by a line end in `log` isn't meant in a row.
#[test]
fn cells_of_two_pods_can_hold_a_dump_each() {
    let dump = GOROUTINES.replace('"', "\"\"");
    let rows = format!("1,web-1,\"{dump}\"\n2,web-2,x\n3,web-2,\"{dump}\"\n");
    for name in ["log", "message", "Content", "\"labels.\"\"k8s-pod/app\"\"\",message"] {
        let more = if name.starts_with('"') { ",shop," } else { "," };
        let text = format!("time,pod,{name}\n{}", rows.replace(",\"", &format!("{more}\"")));
        let text = text.replace("web-2,x", &format!("web-2{more}x"));
        assert_eq!(parse(&text).goroutines.len(), 6, "{text}");
        assert!(!is_told(&text), "{text}");
    }
}

#[test]
fn a_damaged_record_with_the_message_of_a_crash_is_told() {
    let table = log(TABLES[1], ["ready", "panic: boom", ""].into_iter().chain(GOROUTINES.lines()));
    assert!(is_told(table.replace(",panic: boom\n1790000000012", ",panic: boom1790000000012")));
    let ready = table.replace("panic: boom", "steady");
    assert!(!is_told(ready.replace(",steady\n1790000000012", ",steady1790000000012")));
}

#[test]
fn a_value_with_its_length_is_told_where_that_does_not_fit() {
    let value = sized(GOROUTINES);
    let entries = log(ENTRIES[0], GOROUTINES.lines()).into_bytes();
    let start = value.windows(10).position(|bytes| bytes == b"goroutine ").unwrap();
    let end = start + GOROUTINES.len();
    let crash = sized(&format!("panic: boom\n\n{GOROUTINES}"));
    for end in start + "panic: b".len()..start + 20 {
        assert!(is_told(&crash[..end]), "{}", String::from_utf8_lossy(&crash[..end]));
    }
    for cut in (start + 10..end).map(|end| &value[..end]) {
        for text in [cut.to_vec(), [&entries, cut].concat(), [cut, b"\n", &entries].concat()] {
            assert!(is_told(&text), "{}", String::from_utf8_lossy(&text));
        }
    }
    // A whole goroutine is missing.
    let (first, _) = GOROUTINES.split_once("\n\n").unwrap();
    let hole = [&value[..start], &value[start + first.len() + 2..], &entries].concat();
    assert!(is_told(&hole), "{}", String::from_utf8_lossy(&hole));
}

#[test]
fn rows_of_two_pods_are_read_apart() {
    for form in forms() {
        let other = form.replace("n7", "n8").replace("882", "883").replace("web-1", "web-2");
        if form == other {
            continue;
        }
        let (names, form) = form.split_once('\n').unwrap();
        let other = other.split_once('\n').unwrap().1;
        let rows = GOROUTINES
            .lines()
            .zip(10..)
            .map(|(line, second)| row(form, line, second) + &row(other, line, second));
        let text = format!("{names}\n{}", rows.collect::<String>());
        assert_eq!(parse(&text).inputs[0].seen.headers, 6, "{text}");
        assert!(!is_told(&text), "{text}");
    }
}

#[test]
fn what_ends_inside_a_dump_is_told_where_its_text_alone_is() {
    for form in forms() {
        let all: Vec<&str> = GOROUTINES.lines().collect();
        let text = log(form, all.clone());
        for end in 0..text.len() {
            let cut = &text[..end];
            let whole = (0..=all.len()).rfind(|&rows| log(form, all[..rows].to_vec()).len() <= end);
            let whole = whole.unwrap_or(0);
            // The text of the row that is cut may be whole.
            let texts =
                [whole, (whole + 1).min(all.len())].map(|rows| all[..rows].join("\n") + "\n");
            assert!(whole == 0 || !texts.iter().all(is_told) || is_told(cut), "{cut}");
            // Behind its message an entry may be whole.
            let row = cut.get(log(form, all[..whole].to_vec()).len()..).unwrap_or_default();
            let last = if form.contains("    ") {
                "    _COMM"
            } else if form.contains("_HOST") {
                "_HOST"
            } else {
                "_PID"
            };
            let last = if row.contains("MESSAGE=") { last } else { "MESSAGE=" };
            let is_open = form.starts_with('\n') && !row.trim().is_empty() && !row.contains(last);
            assert!(whole == 0 || !is_open || is_told(cut), "{cut}");
        }
    }
}

#[test]
fn a_line_of_a_goroutine_that_was_cut_is_told_in_any_entry() {
    for form in forms() {
        for cut in ["crea", "main.main", "net/http.(*conn).se", "main.g(0x2, {0x1", "created by ma"]
        {
            let lines = GOROUTINES.lines().take(7).chain([cut]);
            let alone = log(form, lines.clone());
            let with_more = log(
                form,
                lines.chain(["", "goroutine 9 [running]:"]).chain(GOROUTINES.lines().skip(11)),
            );
            for text in [alone, with_more] {
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

#[test]
fn a_row_with_other_fields_is_told_beside_a_goroutine() {
    for form in TABLES {
        let (names, rows) = form.split_once('\n').unwrap();
        let rows: Vec<String> =
            GOROUTINES.lines().zip(10..).map(|(line, second)| row(rows, line, second)).collect();
        for at in 5..9 {
            let mut rows = rows.clone();
            let separator = if form.contains(';') {
                ';'
            } else if form.contains('\t') {
                '\t'
            } else {
                ','
            };
            let last = rows[at].rfind(separator).unwrap();
            rows[at].truncate(last);
            rows[at].push('\n');
            let text = format!("{names}\n{}", rows.concat());
            for text in [text.replace('\n', "\r\n"), text] {
                assert!(is_told(&text), "{text}");
            }
        }
    }
}

#[test]
fn a_list_of_records_that_breaks_off_is_told_wherever_it_does() {
    let dump = |id: usize| {
        format!("{:?}", GOROUTINES.replace("goroutine 7 ", &format!("goroutine {id} ")))
    };
    let logs = [
        format!("[{{\"id\":1,\"stack\":{}}},{{\"id\":2,\"stack\":{}}}]", dump(7), dump(8)),
        format!("{{\"a\": {}, \"b\": {}}}", dump(7), dump(8)),
        format!("id,stack\n1,{}\n2,{}\n", dump(7), dump(8)),
        log("time,message,stack\n#,boom,\"%\"\n", [GOROUTINES, GOROUTINES]),
    ];
    for log in logs {
        assert!(!is_told(&log), "{log}");
        // Behind an item, a list can go on in the next line; and a row is whole where all of its fields are there.
        let is_cut = |end: usize| {
            let text = log[..end].trim_end();
            let last = text.lines().last().and_then(|row| row.rsplit_once('"'));
            let is_in_row = last.is_some_and(|(_, start)| start.len() > 3);
            !text.ends_with(['}', ',', ']', '"']) && is_in_row
        };
        let start = log.find("goroutine 7").unwrap_or(log.len()) + 20;
        for end in (start..log.len()).filter(|&end| is_cut(end)) {
            assert!(is_told(&log[..end]), "{}", &log[..end]);
        }
    }
}
