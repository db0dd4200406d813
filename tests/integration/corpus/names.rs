//! The built-in rules: do names and categories of real programs read well?

use crate::document::list;
use crate::sandbox::{Sandbox, corpus};
use serde_json::Value;
use std::collections::BTreeMap;

/// Category, name and count of every stack of a dump, as the built-in rules have it.
fn stacks(path: &str) -> Vec<(String, String, i64)> {
    let path = corpus().join("corpus").join(path);
    let path = path.to_str().expect("UTF-8");
    let ran = Sandbox::new().run(["name", "--no-config", "-o", "json", path]);
    let document = ran.no_panic().json();
    let text = |stack: &Value, key: &str| stack[key].as_str().expect(key).to_owned();
    let stacks = list(&document["stacks"]).iter().map(|stack| {
        (text(stack, "category"), text(stack, "name"), stack["total"].as_i64().expect("total"))
    });
    stacks.collect()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn no_category_holds_half_of_a_database_and_few_stacks_share_a_name() {
    for dump in ["cockroach/stacks.txt", "cockroach/stacks_with_labels.txt"] {
        let stacks = stacks(dump);
        let (mut categories, mut names) = (BTreeMap::new(), BTreeMap::new());
        for (category, name, total) in &stacks {
            *categories.entry(category).or_insert(0) += total;
            *names.entry((category, name)).or_insert(0) += 1;
        }
        let all: i64 = categories.values().sum();
        let largest = categories.iter().max_by_key(|(_, total)| **total);
        assert!(largest.is_some_and(|(_, total)| total * 2 <= all), "{dump}: {largest:?} of {all}");
        let shared: usize = names.values().filter(|stacks| **stacks > 1).sum();
        assert!(shared * 20 <= stacks.len(), "{dump}: {shared} of {}", stacks.len());
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_say_what_an_engineer_would_say() {
    let expected = [
        ("kv/kvserver", "kvserver.(*raftSchedulerShard).worker → condwait"),
        ("kv/kvserver", "rangefeed.(*BufferedSender).run"),
        ("grpc", "transport.(*http2Client).reader → read"),
        ("grpc", "transport.(*http2Server).keepalive"),
        ("net/http", "http server → read"),
        ("sql/importer", "importer.runImport → waitgroup"),
        ("server", "http.(*Server).Serve → accept"),
        ("os/signal", "signal.loop"),
    ];
    let stacks = stacks("cockroach/stacks.txt");
    for (category, name) in expected {
        assert!(
            stacks.iter().any(|stack| stack.0 == category && stack.1 == name),
            "{category} {name}"
        );
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_are_the_same_whichever_go_wrote_the_dump() {
    let expected = [
        ("kv/kvserver", "kvserver.(*Replica).WaitCond → condwait"),
        ("kv/kvserver", "kvserver.(*Replica).ReadLocked → rwmutex"),
        ("kv/kvserver", "kvserver.Replica.WaitGroup → waitgroup"),
        ("kv/leak", "leak.Mutex → mutex"),
        ("kv/rpc", "rpc.(*Server).HangRequest → http client"),
        ("kv/util/gen", "gen.(*Queue).Pop → condwait"),
        ("net/http", "http client reader → read"),
        ("net/http", "http client writer"),
    ];
    for version in ["1.19.8", "1.21.13", "1.23.9", "1.24.11", "1.25.5", "1.27.3"] {
        for form in ["debug0.pb.gz", "debug1.txt.gz", "debug2.txt.gz"] {
            let dump = format!("go{version}/dump/goroutine.{form}");
            let stacks = stacks(&dump);
            for (category, name) in expected {
                let found = stacks.iter().any(|stack| stack.0 == category && stack.1 == name);
                assert!(found, "{dump}: no {category} {name}");
            }
        }
    }
}
