//! `oracle/text/ancestry.json`: the trees that the browser tool draws, from `tree --whole`.

use crate::document::list;
use crate::sandbox::{Sandbox, corpus};
use serde_json::{Value, json};

/// Goroutine `at` of a `stackgazer.tree/1` document, with everything below it, as the browser tool
/// has it.
fn nested(goroutines: &[Value], at: usize, several: bool) -> Value {
    let goroutine = &goroutines[at];
    let text = |name: &str| goroutine[name].as_str().unwrap_or_default();
    let id = match several {
        true => format!("{}.{}", text("input"), text("id")),
        false => text("id").to_owned(),
    };
    let mut children: Vec<Value> = goroutines
        .iter()
        .filter(|child| child["parent"] == at)
        .map(|child| {
            let at = child["node"].as_u64().and_then(|at| usize::try_from(at).ok());
            nested(goroutines, at.expect("a place"), several)
        })
        .collect();
    children.sort_by_key(|child| child["id"].to_string());
    json!({
        "id": id,
        "category": text("category"),
        "stack": text("name"),
        "state": match text("state") {
            "sync.WaitGroup.Wait" | "sync.Cond.Wait" => "wait",
            "sync.Mutex.Lock" => "semacquire",
            state => state,
        },
        "wait": goroutine["wait_minutes"].as_f64().unwrap_or_default(),
        "target": goroutine["target"],
        "children": children,
    })
}

/// The expected tree in the same order and the same kind of numbers.
fn sorted(tree: &Value) -> Value {
    let mut tree = tree.clone();
    let mut children: Vec<Value> = list(&tree["children"]).iter().map(sorted).collect();
    children.sort_by_key(|child| child["id"].to_string());
    tree["children"] = children.into();
    tree["wait"] = tree["wait"].as_f64().unwrap_or_default().into();
    tree
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn whole_trees_are_those_of_the_browser_tool() {
    let folder = corpus();
    let folder = folder.join("oracle");
    let expected = std::fs::read(folder.join("text/ancestry.json")).expect("expectations");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let settings = folder.join("settings/builtin_defaults.json").display().to_string();
    for case in list(&expected) {
        let inputs: Vec<String> = list(&case["inputs"])
            .iter()
            .map(|input| folder.join(input.as_str().expect("a path")).display().to_string())
            .collect();
        let id = case["goroutine"].as_str().expect("an id");
        let mut arguments = vec!["tree", "--whole", "-o", "json", "--no-default-rules"];
        arguments.extend(["--config", settings.as_str(), "--id", id]);
        arguments.extend(inputs.iter().map(String::as_str));
        let document = Sandbox::new().run(arguments).json();
        let goroutines = list(&document["goroutines"]);
        let found = sorted(&nested(goroutines, 0, inputs.len() > 1));
        assert_eq!(found, sorted(&case["tree"]), "{id} of {inputs:?}");
    }
}
