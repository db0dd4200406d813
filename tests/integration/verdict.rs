//! What `summarize` says first: crashes, what is stuck and where, and nothing of either where there
//! is nothing.

use crate::leaks::dump;
use crate::sandbox::{Sandbox, stackgazer, testdata};
use serde_json::Value;

/// The versions of Go that made `testdata/leaks/stories.zip`.
const VERSIONS: [&str; 3] = ["go1.21.13", "go1.24.11", "go1.27.3"];

/// The dump of a story in a sandbox, as `dump.txt`.
fn story(version: &str, name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump("stories", &format!("{version}/{name}.txt")));
    sandbox
}

/// The lines of the verdict, without those of the table.
fn verdict(sandbox: &Sandbox) -> Vec<String> {
    let ran = sandbox.run(["summarize", "dump.txt"]).quiet();
    let lines = ran.text().lines().skip(2).take_while(|line| !line.is_empty());
    lines.map(|line| line.trim().to_owned()).collect()
}

fn stuck(sandbox: &Sandbox) -> Vec<Value> {
    let json = sandbox.run(["summarize", "-o", "json", "dump.txt"]).quiet().json();
    json["verdict"]["stuck"].as_array().expect("a list").clone()
}

/// Runs a command as it is printed, and says how many goroutines it shows.
fn shown_by(sandbox: &Sandbox, command: &str) -> i64 {
    let words: Vec<String> = words(command);
    assert_eq!(words[0], "stackgazer", "{command}");
    let json = sandbox.run(words[1..].iter().chain(&["-o".to_owned(), "json".to_owned()]));
    json.quiet().json()["total"].as_i64().expect("a total")
}

/// The words of a command as a shell takes them apart, as far as these have quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        let word = words.last_mut().expect("a word");
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => word.push(c),
        }
    }
    words
}

#[test]
fn senders_that_a_handler_left_behind_are_named_with_their_place() {
    for version in VERSIONS {
        let sandbox = story(version, "stranded");
        let lines = verdict(&sandbox);
        let sentence = "stuck    60 wait to send to a channel in main.quote.func1, jams.go:40";
        assert!(lines[0].starts_with(sentence), "{version}: {lines:#?}");
        let fact = &stuck(&sandbox)[0];
        assert_eq!(fact["goroutines"], 60, "{version}");
        assert_eq!((&fact["kind"], &fact["line"]), (&"chan-send".into(), &40.into()));
        assert_eq!(fact["command"].as_str().expect("a command"), lines[1], "{version}");
    }
}

#[test]
fn a_pile_behind_a_lock_is_named_with_how_long_it_lasts() {
    for version in VERSIONS {
        for (name, lasts) in [("pile", ""), ("lasting/pile", ", for 3 min")] {
            let lines = verdict(&story(version, name));
            let sentence = "stuck    40 wait for a mutex in main.(*cache).get, jams.go:";
            assert!(lines[0].starts_with(sentence), "{version} {name}: {lines:#?}");
            assert!(lines[0].ends_with(lasts), "{version} {name}: {lines:#?}");
            assert!(lines[1].starts_with("held by goroutine "), "{version} {name}: {lines:#?}");
            assert!(lines[1].contains(" in main.(*cache).fetch, which waits "), "{lines:#?}");
            assert!(!lines.iter().any(|line| line.starts_with("chain")), "told twice: {lines:#?}");
        }
    }
}

#[test]
fn several_locks_of_one_kind_are_one_story_with_the_place_that_holds_them() {
    let bundle = testdata("bundle.zip");
    let ran = stackgazer(["summarize", bundle.to_str().expect("UTF-8")]);
    let lines: Vec<&str> = ran.text().lines().map(str::trim).collect();
    let table = lines.iter().position(|line| line.starts_with("CATEGORY")).expect("a table");
    assert!(table <= 14, "the table is out of sight: {lines:#?}");
    assert!(lines[2].starts_with("stuck    55 wait for a mutex in store.(*Inventory).Reserve, "));
    // Those in watch wait for a sync.Cond, which has a mutex of its own.
    let held = "6 locks, each held by one in store.(*Inventory).load, \
                which waits up to 7 min to receive from a channel";
    assert_eq!(lines[3], held);
    assert!(!ran.text().contains("Inventory).watch"), "{}", ran.text());
}

#[test]
fn a_lock_taken_twice_is_told_where_it_is_waited_for() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", crate::waits::dump("go1.27.3", "relock.txt"));
    let lines = verdict(&sandbox);
    assert!(lines[1].ends_with(
        "in main.(*Queue).Trim waits for a lock that it probably took itself in main.(*Queue).Push, \
         or that was never unlocked"
    ), "{lines:#?}");
}

#[test]
fn receivers_whose_creators_are_gone_are_named_with_their_place() {
    for version in crate::leaks::VERSIONS {
        for (mistake, count, place) in [
            ("unclosed-range", 60, "main.weigh, mistakes.go:95"),
            ("growing-pool", 30, "main.(*pool).work, mistakes.go:219"),
        ] {
            let sandbox = Sandbox::new();
            sandbox.file("dump.txt", dump(version, &format!("{mistake}/6.txt")));
            let lines = verdict(&sandbox);
            let sentence = format!("stuck    {count} wait to receive from a channel in {place}");
            assert!(lines[0].starts_with(&sentence), "{version}: {lines:#?}");
            assert!(lines[0].ends_with("; what created them is gone"), "{version}: {lines:#?}");
            assert_eq!(shown_by(&sandbox, &lines[1]), count, "{version}");
            assert_eq!(stuck(&sandbox)[0]["about"], "left", "{version}");
        }
    }
}

/// Goroutines that wait in a select, each started by another one that is gone or waits, too.
fn watchers(minutes: u32, creators_live: bool) -> String {
    let watch = |id: u32| {
        format!(
            "goroutine {id} [select, {minutes} minutes]:\nmain.(*depot).watch(0xc000010000)\n\t\
             /s/main.go:31 +0x1\ncreated by main.handle in goroutine {}\n\t/s/main.go:20 +0x1\n\n",
            id + 1000
        )
    };
    let handler =
        |id: u32| format!("goroutine {id} [IO wait]:\nmain.handle()\n\t/s/main.go:21 +0x1\n\n");
    let watchers = (0..40).map(watch);
    watchers.chain((1000..1040).filter(|_| creators_live).map(handler)).collect()
}

#[test]
fn a_forgotten_context_is_told_where_selects_have_lasted() {
    for (minutes, creators_live, is_told) in
        [(45, false, true), (3, false, false), (45, true, false)]
    {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", watchers(minutes, creators_live));
        let lines = verdict(&sandbox);
        let sentence = "stuck    40 wait in a select in main.(*depot).watch, main.go:31, for 45 min; \
                        what created them is gone";
        assert_eq!(lines[0] == sentence, is_told, "{minutes} {creators_live}: {lines:#?}");
        assert_eq!(lines.iter().any(|line| line.starts_with("stuck")), is_told, "{lines:#?}");
    }
}

#[test]
fn a_panic_that_was_recovered_and_logged_is_told_by_its_stack() {
    let log = "2026/01/02 10:31:02 api: something broke: no such shop\n\
               goroutine 7 [running]:\n\
               runtime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n\
               example.com/shop/api.(*Server).serve.func1()\n\t/src/shop/api/api.go:40 +0x3d\n\
               panic({0x6a1d80?, 0x7b9f10?})\n\t/go/src/runtime/panic.go:783 +0x132\n\
               example.com/shop/api.(*Server).quote(0xc000136000)\n\t/src/shop/api/api.go:93 +0x1d\n\
               created by example.com/shop/api.Run in goroutine 1\n\t/src/shop/api/api.go:12 +0x1d\n\n";
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", log);
    let lines = verdict(&sandbox);
    assert!(lines[0].starts_with("crash    panic (recovered and logged"), "{lines:#?}");
    assert_eq!(lines[1], "in goroutine 7, example.com/shop/api.(*Server).quote, api.go:93");
    // The only goroutine is told; nothing that the environment could change.
    for word in ["hint", "mostly", "waiting", "locks"] {
        assert!(!lines.iter().any(|line| line.starts_with(word)), "{word}: {lines:#?}");
    }
    // One that runs and doesn't panic is no crash.
    let calm = log.replace("panic({", "example.com/shop/api.check({");
    sandbox.file("dump.txt", calm);
    assert!(!verdict(&sandbox)[0].starts_with("crash"));
    sandbox.file("dump.txt", log.replace("api: something broke", "http: panic serving 10.0.0.1:1"));
    let lines = verdict(&sandbox);
    assert!(lines[0].starts_with("crash    http: panic serving"), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("hint")), "{lines:#?}");
}

#[test]
fn a_circle_and_those_behind_it_are_one_story_with_its_command() {
    for version in VERSIONS {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", crate::waits::dump(version, "cross.txt"));
        let lines = verdict(&sandbox);
        assert!(lines[0].starts_with("deadlock goroutine "), "{version}: {lines:#?}");
        assert_eq!(lines[1], "12 more wait behind them in main.(*Ledger).Total", "{version}");
        assert!(lines[2].starts_with("stackgazer filter --id "), "{version}: {lines:#?}");
        assert_eq!(shown_by(&sandbox, &lines[2]), 2, "{version}");
        assert!(lines[3].starts_with("mostly "), "told twice: {lines:#?}");
        let json = sandbox.run(["summarize", "-o", "json", "dump.txt"]).quiet().json();
        let circle = &json["verdict"]["circles"][0];
        assert_eq!((&circle["certain"], &circle["command"]), (&true.into(), &lines[2][..].into()));
        // Another id would be shown as well.
        let ran = sandbox.run(["summarize", "dump.txt", "--id", "1"]);
        assert!(!ran.text().contains("stackgazer filter"), "{}", ran.text());
    }
}

#[test]
fn circles_of_several_inputs_name_theirs() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", crate::waits::dump("go1.27.3", "cross.txt"));
    sandbox.file("b.txt", crate::waits::dump("go1.24.11", "cross.txt"));
    let ran = sandbox.run(["summarize", "a.txt", "b.txt"]).quiet();
    let lines: Vec<&str> = ran.text().lines().map(str::trim).collect();
    assert!(lines[2].starts_with("deadlock a.txt: goroutine "), "{lines:#?}");
    assert!(lines[5].starts_with("deadlock b.txt: goroutine "), "{lines:#?}");
    for command in [lines[4], lines[7]] {
        assert_eq!(shown_by(&sandbox, command), 2, "{command}");
    }
}

#[test]
fn a_circle_that_is_probable_says_so() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump("matrix/go1.27.3", "server/5.txt"));
    let lines = verdict(&sandbox);
    assert!(lines[0].starts_with("deadlock probably: goroutine "), "{lines:#?}");
    // Those in the circle are RWMutex waiters; others wait for another lock.
    assert!(
        lines.iter().any(|line| line.starts_with("locks    18 wait for a mutex")),
        "{lines:#?}"
    );
    let json = sandbox.run(["summarize", "-o", "json", "dump.txt"]).quiet().json();
    assert_eq!(json["verdict"]["deadlocks"], serde_json::json!([]), "no link is sure");
}

#[test]
fn one_that_took_a_lock_twice_is_told_though_nobody_waits_behind_it() {
    let text = String::from_utf8(crate::waits::dump("go1.27.3", "relock.txt")).expect("UTF-8");
    let is_alone = |block: &&str| !block.contains("[sync.Mutex.Lock]") || block.contains(".Push(");
    let alone: Vec<&str> = text.split_inclusive("\n\n").filter(is_alone).collect();
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", alone.concat());
    let lines = verdict(&sandbox);
    assert!(lines[0].starts_with("deadlock goroutine "), "{lines:#?}");
    assert!(lines[0].contains("waits for a lock that it probably took itself"), "{lines:#?}");
    assert_eq!(shown_by(&sandbox, &lines[1]), 1);
}

#[test]
fn a_busy_lock_is_no_jam() {
    let mut jams = Vec::new();
    for version in VERSIONS {
        for at in 1..=20 {
            let sandbox = Sandbox::new();
            let name = format!("healthy.{at:02}.txt");
            sandbox.file("dump.txt", crate::waits::dump(version, &name));
            let lines = verdict(&sandbox);
            assert!(!lines.iter().any(|line| line.starts_with("deadlock")), "{lines:#?}");
            jams.extend(lines.into_iter().filter(|line| line.starts_with("stuck")));
        }
    }
    // In a few of sixty nobody is seen to hold what all wait for in the end.
    assert!(jams.len() <= 6, "{jams:#?}");
}

#[test]
fn commands_show_exactly_what_they_stand_below() {
    let mut commands = 0;
    let mut check = |sandbox: &Sandbox, what: &str| {
        for fact in stuck(sandbox) {
            let command = fact["command"].as_str().unwrap_or_else(|| panic!("{what}: {fact:#}"));
            assert_eq!(shown_by(sandbox, command), fact["goroutines"], "{what}: {command}");
            commands += 1;
        }
    };
    for version in VERSIONS {
        for name in ["stranded", "pile", "lasting/pile", "deadlock", "healthy"] {
            check(&story(version, name), &format!("{version} {name}"));
        }
    }
    for mistake in ["abandoned-sender", "premature-return", "broadcast", "lost-lock"] {
        for file in ["6.txt", "end.txt", "end.debug1.txt"] {
            let sandbox = Sandbox::new();
            sandbox.file("dump.txt", dump("go1.27.3", &format!("{mistake}/{file}")));
            check(&sandbox, mistake);
        }
    }
    assert!(commands >= 15, "only {commands} commands were printed");
}

#[test]
fn nothing_looks_stuck_in_healthy_programs() {
    let mut healthy: Vec<(&str, String)> =
        VERSIONS.iter().map(|version| ("stories", format!("{version}/healthy.txt"))).collect();
    for version in crate::leaks::VERSIONS {
        for file in ["1.txt", "4.txt", "6.txt", "end.txt", "end.debug1.txt"] {
            healthy.push((version, format!("healthy/{file}")));
        }
        for file in ["1-before", "2-load", "3-load", "4-load", "5-load", "6-after", "7-end"] {
            healthy.push((version, format!("server/{file}.txt")));
        }
    }
    for (archive, file) in healthy {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", dump(archive, &file));
        assert_eq!(stuck(&sandbox), [] as [Value; 0], "{archive} {file}");
    }
}

#[test]
fn it_is_never_said_that_nothing_leaks_where_the_runtime_was_not_asked() {
    for mistake in ["growing-pool", "ticker", "forgotten-cancel", "unclosed-range", "healthy"] {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", dump("go1.27.3", &format!("{mistake}/6.txt")));
        let lines = verdict(&sandbox);
        assert!(!lines.iter().any(|line| line.contains("none found")), "{mistake}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("leaks")), "{mistake}: {lines:#?}");
    }
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump("go1.27.3", "healthy/end.leak.debug1.txt"));
    let json = sandbox.run(["summarize", "-o", "json", "dump.txt"]).quiet().json();
    assert_eq!(json["verdict"]["leaked"], 0);
}

#[test]
fn what_selects_already_is_asked_again_in_the_command() {
    let sandbox = story("go1.27.3", "stranded");
    let ran = sandbox.run(["summarize", "dump.txt", "--wait", "<1", "--category", "main"]).quiet();
    let command = "stackgazer filter '--wait=<1' --category=main --kind chan-send";
    assert!(ran.text().contains(command), "{}", ran.text());
    // Another --kind would select more.
    let ran = sandbox.run(["summarize", "dump.txt", "--kind", "chan-send"]).quiet();
    assert!(ran.text().contains("60 wait to send"), "{}", ran.text());
    assert!(!ran.text().contains("stackgazer filter"), "{}", ran.text());
}

fn crash(name: &str) -> Value {
    let path = testdata(name);
    let path = path.to_str().expect("UTF-8");
    let json = stackgazer(["summarize", "-o", "json", path]).json();
    json["verdict"]["crashes"][0].clone()
}

#[test]
fn a_crash_names_the_frame_of_ones_own_code() {
    for (name, function) in [
        ("traceback/go1.21.13.nilpointer.txt", "example.com/shop"),
        ("traceback/go1.27.3.nilpointer.txt", "example.com/shop"),
        ("traceback/go1.27.3.panic.txt", "main."),
        ("traceback/go1.27.3.mapwrites.txt", ""),
        ("traceback/go1.25.5.repanic.txt", ""),
        ("traceback/go1.25.5.deadlock.txt", ""),
    ] {
        let crash = crash(name);
        let own = crash["function"].as_str().unwrap_or_else(|| panic!("{name}: {crash:#}"));
        assert!(!own.starts_with("runtime.") && own != "panic", "{name}: {own}");
        assert!(
            function.is_empty() || own.starts_with(function) || own.starts_with("main."),
            "{name}: {own}"
        );
        assert!(crash["line"].as_i64().is_some_and(|line| line > 0), "{name}: {crash:#}");
        assert!(!crash["frames"].as_array().expect("frames").is_empty(), "{name}");
    }
}

#[test]
fn a_test_timeout_shows_the_test_that_was_running() {
    let crash = crash("log/go1.27.3.timeout.txt");
    assert_eq!(crash["kind"], "timeout");
    let test = crash["running_tests"][0].as_str().expect("a test").to_owned();
    let name = test.split(['/', ' ']).next().expect("a name").to_owned();
    let frames = crash["frames"].as_array().expect("frames");
    let func = |frame: &Value| frame["func"].as_str().expect("a name").ends_with(&name);
    assert!(frames.iter().any(func), "{crash:#} isn't of {test}");
    assert!(crash["function"].as_str().expect("a function").starts_with("example.com/shop"));
}

#[test]
fn filter_starts_with_the_crash_whatever_is_selected() {
    let path = testdata("traceback/go1.27.3.nilpointer.txt");
    let path = path.to_str().expect("UTF-8");
    let table = stackgazer(["filter", path, "--state", "select"]);
    assert!(table.text().starts_with("  crash    panic: runtime error: "), "{}", table.text());
    let text = stackgazer(["filter", "-o", "text", path]);
    assert!(text.text().starts_with("# crash: panic: runtime error: "), "{}", text.text());
    let json = stackgazer(["filter", "-o", "json", path]).json();
    assert_eq!(json["crashes"][0]["kind"], "panic");
    let all = stackgazer(["export", "-o", "json", path]).json();
    assert_eq!(all.get("crashes"), None, "export writes what the input holds");
}

#[test]
fn equal_crashes_are_told_once_and_counted() {
    let sandbox = Sandbox::new();
    let one = |address: &str, line: u32| {
        format!(
            "panic: no route to 0x{address}\n\ngoroutine 1 [running]:\nmain.route(0x{address})\n\
             \t/src/main.go:{line} +0x1d\nmain.main()\n\t/src/main.go:9 +0x1d\nexit status 2\n\n"
        )
    };
    let log = [one("c000", 7), one("c123", 7), one("c999", 7), one("c000", 8)].concat();
    sandbox.file("dump.txt", log);
    let text = sandbox.run(["summarize", "dump.txt"]);
    assert!(text.text().contains("panic: no route to 0xc000 (3 times)"), "{}", text.text());
    assert_eq!(text.text().matches("no route").count(), 2, "{}", text.text());
    assert!(text.text().contains("main.route, main.go:7"), "{}", text.text());
}

#[test]
fn every_handler_that_panicked_is_told_with_and_without_blank_lines() {
    let panic = |address: u32, what: &str, line: u32| {
        format!(
            "2026/01/02 10:31:0{line} http: panic serving 10.0.0.{address}:50412: {what}\n\
             goroutine {address} [running]:\n\
             net/http.(*conn).serve.func1()\n\t/go/src/net/http/server.go:1943 +0xd3\n\
             panic({{0x6a1d80?, 0x7b9f10?}})\n\t/go/src/runtime/panic.go:783 +0x132\n\
             example.com/shop/api.(*Server).quote(0xc000136000)\n\
             \t/src/shop/api/api.go:{line} +0x1d\n\
             net/http.(*conn).serve(0xc000158000)\n\t/go/src/net/http/server.go:2092 +0x5d0\n\
             created by net/http.(*Server).Serve in goroutine 1\n\
             \t/go/src/net/http/server.go:3454 +0x485\n"
        )
    };
    for gap in ["", "\n"] {
        let log = [
            panic(7, "no such shop", 3),
            panic(8, "no such shop", 3),
            panic(9, "assignment to entry in nil map", 5),
        ];
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", log.map(|one| one + gap).concat());
        let ran = sandbox.run(["summarize", "-o", "json", "dump.txt"]);
        let json = ran.json();
        let crashes = json["verdict"]["crashes"].as_array().expect("crashes");
        let lines: Vec<i64> =
            crashes.iter().map(|one| one["line"].as_i64().expect("a line")).collect();
        assert_eq!(lines, [3, 3, 5], "gap {gap:?}: {crashes:#?}");
        assert!(
            crashes.iter().all(|one| one["function"] == "example.com/shop/api.(*Server).quote")
        );
        let text = sandbox.run(["summarize", "dump.txt"]);
        assert_eq!(text.text().matches("no such shop").count(), 1, "{}", text.text());
        assert!(text.text().contains("(2 times)"), "{}", text.text());
        assert!(text.text().contains("nil map"), "{}", text.text());
    }
}
