//! The browser tool's names and patterns, from the folder that STACKGAZER_CORPUS names.

use super::super::pick::{Chosen, Picker, Wanted};
use super::super::{distinct_names, usable};
use serde_json::Value;

fn facts() -> Value {
    let folder = std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS");
    let text = std::fs::read(std::path::Path::new(&folder).join("oracle/facts.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_are_those_of_the_browser_tool_where_it_does_not_cut_components() {
    let facts = facts();
    for fact in facts["file_name"].as_array().unwrap() {
        assert_eq!(usable(fact["given"].as_str().unwrap()), fact["used"].as_str().unwrap());
    }
    for fact in facts["zip_names"].as_array().unwrap() {
        let names: Vec<String> =
            distinct_names(&texts(&fact["paths"])).iter().map(|name| usable(name)).collect();
        let expected = match texts(&fact["names"])[..] {
            // Cut by character: "d/nodes/1" and "stacks.txt" were cut off.
            ["n0", "n1"] => vec!["n10", "n11"],
            ["unknown", "ub/"] => vec!["unknown", "sub"],
            ref names => names.to_vec(),
        };
        assert_eq!(names, expected, "{fact}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn patterns_match_as_in_the_browser_tool() {
    let facts = facts();
    for fact in facts["zip_patterns"].as_array().unwrap() {
        let pattern = fact["pattern"].as_str().unwrap().to_owned();
        // In the browser tool, an invalid pattern means the default; here, it is an error.
        let Ok(picker) = Picker::compile(&[], std::slice::from_ref(&pattern)) else {
            assert_eq!(pattern, "[bad");
            continue;
        };
        let path = fact["path"].as_str().unwrap();
        let chosen = picker.choose(1, |_| path, Wanted::Picked).chosen;
        assert_eq!(chosen == Chosen::Picked, fact["matches"].as_bool().unwrap(), "{fact}");
    }
}
