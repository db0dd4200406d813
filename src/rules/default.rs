//! The built-in rules.

use super::document::{Document, RuleChanges};
use super::list::{Rule, RuleLists};

/// Where rules come from that were written here.
const ORIGIN: &str = "built-in";

/// The rules themselves: TOML like that of any user.
static DEFAULT: Document<'_> = Document { name: ORIGIN, text: include_str!("default.toml") };

/// The built-in rules.
pub fn default_lists() -> RuleLists {
    read().expect("a test reads the built-in rules")
}

/// Whether a rule is one of them, of which a test knows that it compiles.
pub(super) fn wrote(rule: &Rule) -> bool {
    rule.origin.strip_prefix(ORIGIN).is_some_and(|place| place.is_empty() || place.starts_with(':'))
}

/// Whether a document is this very one, whatever others are called.
pub(super) fn is(document: &Document<'_>) -> bool {
    std::ptr::eq(document.text, DEFAULT.text)
}

fn read() -> crate::error::Result<RuleLists> {
    let mut changes = RuleChanges::default();
    for (section, value) in DEFAULT.parse()?.get_ref() {
        changes.read_section(&DEFAULT, section.get_ref(), value)?;
    }
    let mut lists = RuleLists::default();
    changes.apply(&mut lists);
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::*;
    use crate::rules::RuleSet;

    /// Category and name of a stack.
    fn named(rules: &RuleSet, funcs: &[&str]) -> (String, String) {
        let mut builder = ProfileBuilder::new(Keep::default());
        let frames: Vec<FrameId> =
            funcs.iter().map(|func| builder.frame(func.as_bytes(), b"x.go", 1)).collect();
        let stack = builder.stack(&frames);
        let names = rules.apply(&builder.finish());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(names.category(stack)), text(names.name(stack)))
    }

    #[test]
    fn all_built_in_rules_compile() {
        let mut lists = read().unwrap();
        for (list, ..) in crate::rules::LISTS {
            for rule in lists.list_mut(list) {
                assert!(wrote(rule), "{}", rule.origin);
                // Rules of others are compiled at once.
                rule.origin = "test".to_owned();
            }
        }
        RuleSet::compile(&lists).unwrap();
    }

    #[test]
    fn stacks_read_like_what_they_do() {
        let rules = RuleSet::compile(&read().unwrap()).unwrap();
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
