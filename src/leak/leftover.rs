//! Goroutines that are still there when all work is over.

use super::check::{Check, goroutines, words};
use super::context::{Context, Member};
use super::finding::{FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(super) const CHECK: Check = Check {
    name: "leftover",
    tier: Tier::Lifecycle,
    about: "goroutines that are still there after the end (--at-end)",
    explanation: "\
With --at-end the last point was taken when all work was over: at the end of the tests, after
Shutdown. What is still there and isn't explained was forgotten. Explained are: the goroutine of
main.main, the one that writes the dump, the built-in catalogue (test runners, the runtime, signal
handling, idle connections of net/http, ...; --explain-suppressed lists what it explained),
allow-lists and the baseline. The catalogue explains only so many of each in a process.

What had to be closed counts: servers (httptest.Server too), bodies of answers, databases and their
rows, connections of grpc. Only connections that are idle are left to the catalogue.

One's own code is an error, and so is what the standard library alone runs, since somebody has asked
it to; a library's code is a warning. Close, Shutdown, Body.Close and Wait are what it usually lacks. Give goroutines a moment to end before the dump is taken: a few retries with a
pause, and the last dump counts.

`check --at-end --write-baseline FILE before.txt` writes down what was there before the work, and
`check --at-end --baseline FILE after.txt` then only finds what is new.",
    needs,
    run,
};

/// What was forgotten, by the function of the standard library that runs until it is closed, and by
/// the kind of that function's wait, if it matters.
const FORGOTTEN: [(&str, Option<Kind>, &str); 8] = [
    ("net/http.(*persistConn).readLoop", Some(Kind::Select), "a response body wasn't closed"),
    ("net/http.(*persistConn).readLoop", None, "idle connections weren't closed"),
    ("net/http/httptest.(*Server).goServe", None, "an httptest.Server wasn't closed"),
    ("net/http.(*Server).Serve", None, "an http.Server wasn't closed"),
    ("google.golang.org/grpc.(*Server).Serve", None, "a grpc.Server wasn't stopped"),
    ("database/sql.(*DB).connection", None, "a sql.DB wasn't closed"),
    ("database/sql.(*Rows).", None, "rows weren't closed"),
    ("database/sql.(*Tx).", None, "a transaction was neither committed nor rolled back"),
];

fn forgotten(called: &str, kind: Kind) -> String {
    let is_of = |(start, of, _): &&(&str, Option<Kind>, &str)| {
        called.starts_with(start) && of.is_none_or(|of| of == kind)
    };
    FORGOTTEN.iter().find(is_of).map_or(String::new(), |(_, _, text)| format!(": {text}"))
}

fn needs(context: &Context<'_>) -> Option<&'static str> {
    match (context.options.at_end, context.dumps.is_empty()) {
        (false, _) => Some("--at-end doesn't say that all work was over"),
        (true, true) => Some("there is no dump, only goroutineleak profiles"),
        (true, false) => None,
    }
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let still = |member: &Member| {
        member.is_unexplained_for(CHECK.name) && Some(member.point) == context.last()
    };
    let groups = context.groups.iter().enumerate();
    groups
        .filter(|(_, group)| group.members.iter().any(still))
        .map(|(at, group)| {
            let draft = context.finding_of_group(&CHECK, Level::Error, at, still);
            let (count, called) = (draft.count(), context.name_in_text(group));
            let text = format!(
                "{} of {called} {} still there after the end{}",
                goroutines(count),
                if count == 1 { "is" } else { "are" },
                forgotten(&called, group.kind),
            );
            draft.says(text).fact("doing", words(context.activity(group)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::{Stage, found};
    use crate::view::fixture::G;

    const IDLE: &[&str] = &["bufio.(*Reader).Peek", "net/http.(*persistConn).readLoop"];

    fn stage() -> Stage {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { id: 5, ..G::default() });
        let main = &["os.(*Process).Wait", "main.main"];
        stage.at(0).add(G { id: 1, frames: main, ..G::default() });
        stage.at(0).add(G { id: 6, frames: IDLE, ..G::default() });
        stage
    }

    #[test]
    fn what_nothing_explains_is_an_error_at_the_end() {
        let mut stage = stage();
        assert!(stage.findings(CHECK.name).is_empty(), "nobody said that it is the end");
        stage.options.at_end = true;
        assert_eq!(found(&stage.findings(CHECK.name)), [("main.work", Level::Error, vec![1])]);
    }

    #[test]
    fn the_catalogue_can_be_left_out_and_covers_only_so_many() {
        let mut stage = stage();
        stage.options.at_end = true;
        stage.options.catalogue = false;
        let conn = ("net/http.(*persistConn).readLoop", Level::Error, vec![1]);
        assert!(found(&stage.findings(CHECK.name)).contains(&conn));
        let mut stage = self::stage();
        stage.options.at_end = true;
        for id in 100..1200 {
            stage.at(0).add(G { id, frames: IDLE, ..G::default() });
        }
        let many = ("net/http.(*persistConn).readLoop", Level::Error, vec![1101]);
        assert!(found(&stage.findings(CHECK.name)).contains(&many));
    }

    #[test]
    fn what_had_to_be_closed_counts_though_the_catalogue_knows_it() {
        let http = [
            "net.(*netFD).accept",
            "net/http.(*Server).Serve",
            "net/http/httptest.(*Server).goServe.func1",
        ];
        for (state, frames, what) in [
            ("IO wait", &http[..], "an httptest.Server wasn't closed"),
            ("select", &["net/http.(*persistConn).readLoop"], "a response body wasn't closed"),
            ("IO wait", &["net/http.(*persistConn).readLoop"], "idle connections weren't closed"),
            ("select", &["database/sql.(*DB).connectionOpener"], "a sql.DB wasn't closed"),
            ("select", &["database/sql.(*Rows).awaitDone"], "rows weren't closed"),
        ] {
            let mut stage = Stage::new(1);
            stage.at(0).add(G { frames, state, ..G::default() });
            assert!(stage.review().findings.is_empty(), "{frames:?}: it isn't the end");
            stage.options.at_end = true;
            let root = frames.last().unwrap();
            let findings = stage.findings(CHECK.name);
            assert_eq!(found(&findings), [(*root, Level::Error, vec![1])]);
            let text = &findings[0].text;
            assert!(text.ends_with(&format!(" is still there after the end: {what}")), "{text}");
        }
    }

    #[test]
    fn what_they_are_doing_is_said() {
        for (state, doing) in [
            ("chan send", "send to a channel"),
            ("chan receive", "receive from a channel"),
            ("select", "wait in a select"),
            ("sync.Mutex.Lock", "wait for a mutex"),
            ("sync.RWMutex.RLock", "wait for an RWMutex"),
            ("sync.RWMutex.Lock", "wait for an RWMutex"),
            ("sync.WaitGroup.Wait", "wait for a WaitGroup"),
            ("sync.Cond.Wait", "wait for a sync.Cond"),
            ("IO wait", "wait for the network"),
            ("sleep", "sleep"),
            ("chan receive (nil chan)", "wait on a nil channel"),
            ("select (no cases)", "wait in select {}"),
            ("syscall", "are in a system call"),
            ("running", "stand"),
        ] {
            let mut stage = Stage::new(1);
            stage.options.at_end = true;
            stage.at(0).add(G { state, ..G::default() });
            assert_eq!(stage.findings(CHECK.name)[0].facts["doing"], words(doing), "{state}");
        }
    }

    #[test]
    fn earlier_points_are_counted_as_they_were() {
        let mut stage = Stage::new(2);
        stage.options.at_end = true;
        stage.at(0).count(79, G::default());
        stage.at(1).count(1031, G::default());
        let findings = stage.review().findings;
        let counts: Vec<_> =
            findings.iter().map(|one| (one.check, [one.counts.at(0), one.counts.at(1)])).collect();
        assert_eq!(counts, [("leftover", [79, 1031]), ("concentration", [79, 1031])]);
        assert_eq!(findings[0].found, 1031);
    }
}
