//! Labels from paths: `node=3` from `nodes/3/`.

use crate::error::{Error, Result};
use crate::limits::LIMITS;
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;

/// The compiled expressions of the user, whose labels override the built-in one.
#[derive(Debug)]
pub(super) struct PathLabels(Vec<Expression>);

/// An expression with the names of its groups: looking each one up again takes as long as the
/// match.
#[derive(Debug)]
struct Expression {
    regex: Regex,
    groups: Vec<(usize, String)>,
}

impl Expression {
    fn of(regex: Regex) -> Expression {
        let names = regex.capture_names().enumerate();
        let groups = names.filter_map(|(at, name)| Some((at, name?.to_owned()))).collect();
        Expression { regex, groups }
    }
}

impl PathLabels {
    /// Compiles `--path-label` expressions, each of which needs a named group.
    pub(super) fn compile(expressions: &[String]) -> Result<PathLabels> {
        let compile = |text: &str| -> Result<Expression> {
            let regex = RegexBuilder::new(text)
                .size_limit(LIMITS.regex_bytes)
                .build()
                .map_err(|error| Error::regex("--path-label", text, &error))?;
            let expression = Expression::of(regex);
            if expression.groups.is_empty() {
                return Err(Error::usage("--path-label", text, 1, "has no named group")
                    .advise("name one after its label: nodes/(?P<node>[^/]+)/"));
            }
            Ok(expression)
        };
        expressions.iter().map(|text| compile(text)).collect::<Result<_>>().map(PathLabels)
    }

    /// The labels from a path, in the order of the expressions.
    pub(super) fn of(&self, path: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
        let path = match path.contains('\\') {
            true => Cow::Owned(path.replace('\\', "/")),
            false => Cow::Borrowed(path),
        };
        let mut labels: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut add = |key: &str, value: &str| {
            if labels.iter().all(|(known, _)| known != key.as_bytes()) {
                labels.push((key.into(), value.into()));
            }
        };
        for Expression { regex, groups } in &self.0 {
            let Some(captures) = regex.captures(&path) else { continue };
            for (at, key) in groups {
                if let Some(value) = captures.get(*at) {
                    add(key, value.as_str());
                }
            }
        }
        if let Some(node) = node(&path) {
            add("node", node);
        }
        labels
    }
}

/// The number of a node: CockroachDB and others have a folder `nodes/3/` for each.
fn node(path: &str) -> Option<&str> {
    path.match_indices("nodes/").find_map(|(at, folder)| {
        let (before, rest) = path.split_at(at);
        let (number, _) = rest.strip_prefix(folder)?.split_once('/')?;
        let starts = before.is_empty() || before.ends_with(['/', '!']);
        let counts = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (starts && counts).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(expressions: &[&str], path: &str) -> Vec<String> {
        let expressions: Vec<String> = expressions.iter().map(|&text| text.to_owned()).collect();
        let labels = PathLabels::compile(&expressions).unwrap().of(path);
        let show = |(key, value): (Vec<u8>, Vec<u8>)| {
            format!("{}={}", String::from_utf8(key).unwrap(), String::from_utf8(value).unwrap())
        };
        labels.into_iter().map(show).collect()
    }

    #[test]
    fn a_nodes_folder_tells_the_node() {
        assert_eq!(labels(&[], "debug.zip!nodes/3/stacks.txt"), ["node=3"]);
        assert_eq!(labels(&[], r"C:\debug\nodes\12\stacks.txt"), ["node=12"]);
        assert_eq!(labels(&[], "mynodes/3/stacks.txt"), [""; 0]);
        assert_eq!(labels(&[], "nodes/src/stacks.txt"), [""; 0]);
        assert_eq!(labels(&[], "nodes//3/stacks.txt"), [""; 0]);
        assert_eq!(labels(&[], "nodes/7"), [""; 0]);
        assert_eq!(labels(&[], "nodes/all/nodes/4/stacks.txt"), ["node=4"]);
    }

    #[test]
    fn the_users_groups_come_first_and_win() {
        let own = ["(?P<az>[a-z]+)/nodes/(?P<node>.)"];
        assert_eq!(labels(&own, "eu/nodes/34/x"), ["az=eu", "node=3"]);
    }

    #[test]
    fn an_expression_without_a_name_is_a_mistake() {
        assert!(PathLabels::compile(&["nodes/([0-9]+)".to_owned()]).is_err());
        assert!(PathLabels::compile(&["(".to_owned()]).is_err());
    }
}
