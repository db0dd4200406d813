//! The built-in rules.

use super::dialect::Dialect;
use super::list::{Fields, List, Rule, RuleLists, Spec};

/// Where rules come from that were written here.
const ORIGIN: &str = "built-in";

/// The rules themselves: TOML like that of any user, with each rule on a line of its own.
const TEXT: &str = include_str!("default.toml");

/// The built-in rules.
pub fn default_lists() -> RuleLists {
    read(TEXT).expect("a test reads the built-in rules")
}

/// Reads the little of TOML that is needed here, in an eighth of the time that it takes to read any
/// TOML and to check every rule. A test compares what comes of both.
fn read(text: &str) -> Option<RuleLists> {
    let mut lists = RuleLists::default();
    let (mut section, mut list) = ("", None);
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "]" {
            list = None;
        } else if let Some(list) = list {
            let spec = spec(line.strip_suffix(',')?)?;
            let origin = [ORIGIN, ":", &number.to_string()].concat();
            let rule = Rule::written_in(Dialect::BuiltIn, list, spec, origin).ok()?;
            lists.list_mut(list).push(rule);
        } else if let Some(name) = line.strip_suffix(" = [") {
            list = Some(List::from_key(&format!("{section}.{name}"))?);
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']')?;
        } else {
            lists.distinct = line.strip_prefix("distinct = ")?.parse().ok()?;
        }
    }
    Some(lists)
}

/// A rule as text, or field by field.
fn spec(text: &str) -> Option<Spec> {
    let Some(inside) = text.strip_prefix("{ ") else {
        return string(text).filter(|(_, rest)| rest.is_empty()).map(|(text, _)| Spec::Text(text));
    };
    let mut fields = Fields::default();
    let mut rest = inside;
    loop {
        let (key, behind) = rest.split_once(' ')?;
        let behind = behind.strip_prefix("= ")?;
        rest = match key {
            "all" => {
                fields.all = true;
                behind.strip_prefix("true")?
            }
            _ => {
                let (text, behind) = string(behind)?;
                let field = match key {
                    "prefix" => &mut fields.prefix,
                    "regex" => &mut fields.regex,
                    "while" => &mut fields.while_,
                    "to" => &mut fields.to,
                    _ => return None,
                };
                *field = Some(text);
                behind
            }
        };
        if rest == " }" {
            return Some(Spec::Fields(fields));
        }
        rest = rest.strip_prefix(", ")?;
    }
}

/// A string without escapes, and what stands behind it.
fn string(text: &str) -> Option<(String, &str)> {
    let (quote, rest) = text.as_bytes().split_first()?;
    let end = rest.iter().position(|byte| byte == quote)?;
    let (inside, behind) = (text.get(1..=end)?, text.get(end + 2..)?);
    let is_plain = match quote {
        b'\'' => true,
        b'"' => !inside.contains('\\'),
        _ => false,
    };
    is_plain.then(|| (inside.to_owned(), behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sketch::profile;
    use crate::rules::{Document, LISTS, RuleChanges, RuleSet};

    /// Category and name of a stack.
    fn named(rules: &RuleSet, funcs: &[&str]) -> (String, String) {
        let frames = funcs.iter().map(|func| (*func, "x.go", 1)).collect();
        let (profile, stacks) = profile(&[frames]);
        let (names, stack) = (rules.apply(&profile), stacks[0]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(names.category(stack)), text(names.name(stack)))
    }

    #[test]
    fn all_built_in_rules_compile() {
        let mut lists = default_lists();
        for (list, ..) in crate::rules::LISTS {
            for rule in lists.list_mut(list) {
                assert!(rule.built_in, "{}", rule.origin);
                // Rules of others are compiled at once.
                rule.built_in = false;
            }
        }
        RuleSet::compile(lists).unwrap();
    }

    #[test]
    fn a_rule_of_a_file_that_is_called_built_in_is_compiled_as_any_other() {
        let regex = Some("(((a{1000}){1000}){1000})".to_owned());
        let spec = Spec::Fields(Fields { regex, ..Fields::default() });
        let mut lists = default_lists();
        let rule = Rule::new(List::NameSkip, spec, "built-in:1").unwrap();
        lists.list_mut(List::NameSkip).push(rule);
        assert!(RuleSet::compile(lists).is_err());
    }

    /// What an expression means, however it is spelled.
    fn meaning(pattern: &str) -> String {
        let unicode = crate::rules::dialect::tells_characters(pattern);
        let mut parser = regex_syntax::ParserBuilder::new();
        parser.unicode(unicode).utf8(false).build().parse(pattern).unwrap().to_string()
    }

    /// The expressions of a rule, and all else that it means.
    fn taken_apart(rule: &Rule) -> (Vec<String>, String) {
        let mut patterns = Vec::new();
        let shown = format!("{:?}", rule.meaning);
        let mut rest = String::new();
        for (at, part) in shown.split("pattern: ").enumerate() {
            let mut strings = serde_json::Deserializer::from_str(part).into_iter::<String>();
            let pattern = strings.next().filter(|_| at > 0).and_then(Result::ok);
            patterns.extend(pattern.iter().map(|pattern| meaning(pattern)));
            rest += &part[pattern.map_or(0, |_| strings.byte_offset())..];
        }
        (patterns, rest)
    }

    #[test]
    fn built_in_rules_are_read_as_any_toml_is() {
        let document = Document { name: ORIGIN, text: TEXT };
        let mut changes = RuleChanges::default();
        for (section, value) in document.parse().unwrap().get_ref() {
            changes.read_section(&document, section.get_ref(), value).unwrap();
        }
        let mut expected = RuleLists::default();
        changes.apply(&mut expected);
        let read = default_lists();
        assert_eq!(read.distinct, expected.distinct);
        for (list, key, _) in LISTS {
            let (read, expected) = (read.list(list), expected.list(list));
            assert_eq!(read.len(), expected.len(), "{key}");
            for (read, expected) in read.iter().zip(expected) {
                assert_eq!((&read.spec, &read.origin), (&expected.spec, &expected.origin));
                assert_eq!(taken_apart(read), taken_apart(expected));
            }
        }
    }

    #[test]
    fn stacks_read_like_what_they_do() {
        let rules = RuleSet::compile(default_lists()).unwrap();
        let cases: [(&[&str], &str, &str); 11] = [
            (
                &[
                    "internal/sync.runtime_SemacquireMutex",
                    "internal/sync.(*Mutex).lockSlow",
                    "internal/sync.(*Mutex).Lock",
                    "sync.(*Mutex).Lock",
                    "example.com/acme/shop/internal/cart.(*Cart[...]).Add.func1.2.3",
                    "example.com/acme/shop/internal/cart.Run.gowrap1",
                ],
                "shop/cart",
                "cart.(*Cart).Add → mutex",
            ),
            (
                &["sync.runtime_SemacquireRWMutexR", "sync.(*RWMutex).RLock", "main.read"],
                "main",
                "main.read → rwmutex",
            ),
            (
                &[
                    "sync.runtime_SemacquireWaitGroup",
                    "sync.(*WaitGroup).Wait",
                    "golang.org/x/sync/errgroup.(*Group).Wait",
                    "github.com/acme/tool/v2/fetch.All",
                    "golang.org/x/sync/errgroup.(*Group).Go.func1",
                ],
                "tool/fetch",
                "fetch.All → waitgroup",
            ),
            (
                &[
                    "internal/poll.runtime_pollWait",
                    "internal/poll.(*pollDesc).wait",
                    "internal/poll.(*pollDesc).waitRead",
                    "internal/poll.(*FD).Read",
                    "net.(*netFD).Read",
                    "net.(*conn).Read",
                    "net/http.(*connReader).Read",
                    "bufio.(*Reader).fill",
                    "bufio.(*Reader).Peek",
                    "net/http.(*conn).serve",
                ],
                "net/http",
                "http server → read",
            ),
            (
                &[
                    "example.com/acme/shop/api.(*Handler).ServeHTTP",
                    "net/http.serverHandler.ServeHTTP",
                    "net/http.(*conn).serve",
                ],
                "shop/api",
                "api.(*Handler).ServeHTTP",
            ),
            (
                &[
                    "net/http.(*persistConn).roundTrip",
                    "net/http.(*Transport).roundTrip",
                    "net/http.(*Client).do",
                    "example.com/acme/shop/pay.Charge",
                ],
                "shop/pay",
                "pay.Charge → http client",
            ),
            (
                &[
                    "google.golang.org/grpc/internal/transport.(*recvBufferReader).read",
                    "google.golang.org/grpc/internal/transport.(*Stream).Read",
                    "io.ReadAtLeast",
                    "google.golang.org/grpc.(*parser).recvMsg",
                    "google.golang.org/grpc.(*clientStream).RecvMsg",
                    "example.com/acme/shop/feed.watch",
                ],
                "shop/feed",
                "feed.watch → grpc recv",
            ),
            (
                &[
                    "google.golang.org/grpc/internal/transport.(*http2Server).keepalive",
                    "google.golang.org/grpc/internal/transport.NewServerTransport.gowrap1",
                ],
                "grpc",
                "transport.(*http2Server).keepalive",
            ),
            (
                &[
                    "database/sql.(*DB).conn",
                    "database/sql.(*DB).query",
                    "database/sql.(*DB).QueryContext",
                    "acme/orders.Load",
                ],
                "acme/orders",
                "orders.Load → sql pool",
            ),
            (
                &["gopkg.in/yaml%2ev3.(*Decoder).Decode", "github.com/jackc/pgx/v5.Connect"],
                "pgx",
                "yaml.v3.(*Decoder).Decode",
            ),
            (
                &["testing.(*T).Parallel", "example.com/acme/shop/cart.TestAdd", "testing.tRunner"],
                "shop/cart",
                "cart.TestAdd → parallel",
            ),
        ];
        for (frames, category, name) in cases {
            assert_eq!(named(&rules, frames), (category.to_owned(), name.to_owned()), "{frames:?}");
        }
    }
}
