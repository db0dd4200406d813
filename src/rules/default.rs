//! The built-in rules.

use super::dialect::Dialect;
use super::document::{Document, RuleChanges};
use super::list::RuleLists;

/// The built-in rules: TOML, as users write it.
const DOCUMENT: Document<'_> = Document { name: "built-in", text: include_str!("default.toml") };

/// The built-in rules.
pub fn default_lists() -> RuleLists {
    read(Dialect::BuiltIn).expect("a test reads the built-in rules")
}

fn read(dialect: Dialect) -> crate::error::Result<RuleLists> {
    let mut changes = RuleChanges::written_in(dialect);
    for (section, value) in DOCUMENT.parse()?.get_ref() {
        changes.read_section(&DOCUMENT, section.get_ref(), value)?;
    }
    let mut lists = RuleLists::default();
    changes.apply(&mut lists);
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::fixture::profile;
    use crate::rules::{Fields, LISTS, List, Rule, RuleSet, Spec};

    /// Category and name of a stack.
    fn named(rules: &RuleSet, funcs: &[&str]) -> (String, String) {
        let frames = funcs.iter().map(|func| (*func, "x.go", 1)).collect();
        let (profile, stacks) = profile(&[frames]);
        let (names, stack) = (rules.apply(&profile).unwrap(), stacks[0]);
        let text = |bytes: &[u8]| crate::profile::lossy(bytes);
        (text(names.category(stack)), text(names.name(&profile, stack)))
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
        crate::rules::dialect::parse(pattern, false).unwrap().to_string()
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
    fn built_in_rules_mean_the_same_in_a_file_of_the_user() {
        let expected = read(Dialect::Rust).unwrap();
        let read = default_lists();
        assert!(read.distinct && expected.distinct);
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
        let cases: [(&[&str], &str, &str); 13] = [
            (
                &[
                    "k8s.io/apimachinery/pkg/util/runtime.logPanic",
                    "sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Reconcile.func1",
                    "panic",
                    "example.com/acme/shop/internal/cart.(*Cart).Check",
                    "example.com/acme/shop/internal/cart.Run",
                ],
                "shop/cart",
                "cart.(*Cart).Check → panic",
            ),
            (
                &[
                    "runtime/debug.Stack",
                    "net/http.(*conn).serve.func1",
                    "panic",
                    "go.opentelemetry.io/otel/sdk/trace.(*recordingSpan).End.deferwrap1",
                    "go.opentelemetry.io/otel/sdk/trace.(*recordingSpan).End",
                    "panic",
                    "main.shop",
                ],
                "main",
                "main.shop → panic",
            ),
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
