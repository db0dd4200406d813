//! The language of `--where` and `--keep`.
//!
//! ```text
//! state == "select" and wait >= 5 and label.tenant =~ "^acme" and not frame =~ "grpc"
//! ```
//!
//! `not` binds tighter than `and`, `and` tighter than `or`; `!`, `&&`, `||` are the same;
//! parentheses group.
//!
//! | field | what |
//! | --- | --- |
//! | `state`, `kind` | the state as Go prints it; the kind, comparable across Go versions |
//! | `wait` | minutes blocked: `5`, `90s`, `2h`, `1h30m`; `wait == unknown` if it isn't printed |
//! | `id`, `creator` | the goroutine's id, with its input's name in quotes (`"n1.17"`) or without; that of its creator |
//! | `input`, `category`, `name` | the input; the stack's category and name |
//! | `frame` | any frame of the stack: `func file:line`; `frame.func`, `frame.file`, `frame.package`, `frame.module`, or `func`, `file`, `package`, `module` for short |
//! | `leaf`, `root` | the innermost and the outermost frame, with the same parts |
//! | `created_by` | the `go` statement that created the goroutine, with the same parts |
//! | `label.KEY` | a label, those of the input's path included; `label["odd key"]`; alone: whether there is one |
//! | `flag` | any flag, as in `flag == "locked to thread"` |
//! | `depth`, `count` | frames in the stack; goroutines in the group |
//! | `leaked`, `locked`, `durable`, `scan`, `system`, `truncated`, `unavailable` | alone: the flag is set |
//! | `match "TEXT"` | as `--match TEXT` |
//!
//! | operator | what |
//! | --- | --- |
//! | `==`, `!=`, `in (A, B)`, `not in (A, B)` | equal; texts are compared byte by byte |
//! | `<`, `<=`, `>`, `>=` | numbers: `wait`, `id`, `creator`, `depth`, `count`, labels that are numbers |
//! | `=~`, `!~` | matched by a regular expression, anywhere unless anchored |
//! | `like`, `not like` | matched as a whole by a glob |
//! | `contains`, `not contains` | holds a text |
//!
//! A negated operator is the negation of the whole comparison: `frame !~ "grpc"` says that no
//! frame matches. What isn't there (a label, a creator, an id) equals nothing; a state that isn't
//! known is `"unknown"`. Strings stand in single or double quotes; `\"`, `\'`, `\\`, `\n` and
//! `\t` mean what they say, other backslashes are left to the regular expression.

mod comparison;
mod fields;
mod lexer;
mod parser;

use super::predicate::Predicates;
use super::truth::Condition;
use crate::error::Result;

/// Compiles an expression; `option` names it in errors, which point at the column.
pub(super) fn parse(option: &str, text: &str, predicates: &mut Predicates) -> Result<Condition> {
    parser::Parser::new(option, text, predicates)?.parse()
}

#[cfg(test)]
mod tests {
    use super::super::{Filter, Select};
    use crate::error::{Error, Place};

    fn error(text: &str) -> Error {
        let select = Select { wheres: vec![text.to_owned()], ..Select::default() };
        Filter::compile(&select).expect_err(text)
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, column, what) in [
            ("", 1, "a condition is missing at the end"),
            ("sate == \"select\"", 1, "unknown field `sate`"),
            ("wait >= 5 and", 14, "a condition is missing at the end"),
            ("wait >= 5 wait", 11, "unexpected `wait`"),
            ("(wait >= 5", 1, "this parenthesis isn't closed"),
            ("wait >= 5)", 10, "unexpected `)`"),
            ("state", 1, "`state` must be compared with something"),
            ("state not == \"x\"", 1, "`state` must be compared with something"),
            ("state = \"x\"", 7, "unexpected `=`"),
            ("state == select", 10, "unexpected `select`"),
            ("state == \"x", 10, "the string isn't closed"),
            ("state < \"x\"", 7, "`state` can't be used with `<`"),
            ("wait =~ \"5\"", 6, "`wait` can't be used with `=~`"),
            ("wait > \"5\"", 8, "`wait` must be compared with a number of minutes"),
            ("wait > -5", 8, "`-5` is not a number of minutes"),
            ("id == -5", 7, "`-5` is not a goroutine id"),
            ("wait > 5x", 8, "`5x` is not a number of minutes"),
            ("depth > 2.5", 9, "`2.5` is not a whole number"),
            ("kind == \"mutx\"", 9, "unknown kind `mutx`"),
            ("kind in (\"mutex\", \"mutx\")", 19, "unknown kind `mutx`"),
            ("frame =~ \"é(\"", 12, "not a regular expression: unclosed group"),
            ("frame =~ \"\\\\d(\"", 14, "not a regular expression: unclosed group"),
            (
                "name like \"{a\"",
                11,
                "not a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
            ),
            ("id == \"n1.x\"", 11, "not a goroutine id"),
            ("id == 18446744073709551616", 7, "`18446744073709551616` is not a goroutine id"),
            ("frame.line == \"3\"", 1, "unknown field `frame.line`"),
            ("label == \"x\"", 7, "the label's key is missing"),
            ("label[\"a\" == \"x\"", 11, "unexpected `==`"),
            ("label[\"a\"", 10, "`]` is missing at the end"),
            ("label[a]", 7, "the label's key is missing"),
            ("label. == \"x\"", 1, "the label's key is missing"),
            ("state in \"x\"", 10, "unexpected `\"x\"`"),
            ("state in (\"x\" \"y\")", 15, "unexpected `\"y\"`"),
            ("state in ()", 11, "unexpected `)`"),
            ("leaked == \"x\"", 8, "unexpected `==`"),
            ("wait > 5 & locked", 10, "unexpected `&`"),
            ("match", 6, "a text in quotes is missing at the end"),
        ] {
            let error = error(text);
            assert_eq!((error.place, &*error.what), (Some(Place::Column(column)), what), "{text}");
            assert_eq!(error.input, "--where");
        }
    }

    #[test]
    fn advice_says_what_was_probably_meant() {
        for (text, advice) in [
            ("labels.tenant", "did you mean label.KEY?"),
            ("sate == \"select\"", "did you mean state?"),
            ("leakd", "did you mean leaked?"),
            ("kind == \"mutx\"", "did you mean mutex?"),
            ("state = \"x\"", "write `==`"),
            ("state == select", "write \"select\""),
            ("wait >= 5 and locked & scan", "write `and`"),
        ] {
            let found = error(text).advice.unwrap_or_default();
            assert!(found.starts_with(advice), "{text}: {found}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_long_chains_are_not() {
        let nested = |depth| format!("{}leaked{}", "(".repeat(depth), ")".repeat(depth));
        assert!(error(&nested(100_000)).what.contains("200"));
        let select = |text: String| Select { wheres: vec![text], ..Select::default() };
        assert!(Filter::compile(&select(nested(200))).is_ok());
        assert!(Filter::compile(&select("not ".repeat(100_001) + "leaked")).is_ok());
        assert!(Filter::compile(&select("leaked or ".repeat(50_000) + "leaked")).is_ok());
        let mixed = format!("{}leaked{}", "not (".repeat(100_000), ")".repeat(100_000));
        assert!(Filter::compile(&select(mixed)).is_err());
    }
}
