//! Secrets of the command line, and of the variable that stands for an option: no message repeats them,
//! whichever option they were given to.

use crate::error::Error;
use crate::leak::Review;
use crate::output::terminal;
use crate::source::{shown_argument, with_scheme};
use std::ffi::OsString;
use std::sync::LazyLock;

/// Texts of the arguments that messages may repeat, with what is shown instead; longer ones come first.
static HIDDEN: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let config = std::env::var_os("STACKGAZER_CONFIG");
    hidden(std::env::args_os().skip(1).chain(config))
});

/// A message without the secrets of the command line's addresses.
pub(super) fn without_secrets(message: String) -> String {
    hide(message, &HIDDEN)
}

/// Hides the same secrets in what a review says of options, which its documents and reports hold, too.
pub(super) fn hide_secrets(review: &mut Review) {
    for note in review.unmatched.iter_mut().chain(&mut review.blind) {
        *note = without_secrets(std::mem::take(note));
    }
}

fn hide(mut message: String, hidden: &[(String, String)]) -> String {
    for (text, shown) in hidden {
        if message.contains(text) {
            message = message.replace(text, shown);
        }
    }
    message
}

/// An error about a line of settings that it quotes, with stars in place of addresses: as many as characters, so that the
/// column stays right. Any other error is as it was.
pub(super) fn without_addresses(error: &Error) -> Error {
    if error.source.is_none() {
        return error.clone();
    }
    let hide = |text: &str| -> String {
        let mut in_address = false;
        let stars = |(at, char): (usize, char)| {
            in_address |= text.get(..at).is_some_and(|before| before.ends_with("://"));
            in_address &= !matches!(char, '"' | '\'' | ' ' | ',');
            if in_address { '*' } else { char }
        };
        text.char_indices().map(stars).collect()
    };
    Error {
        source: error.source.as_deref().map(hide),
        what: hide(&error.what),
        advice: error.advice.as_deref().map(hide),
        ..error.clone()
    }
}

fn hidden(arguments: impl Iterator<Item = OsString>) -> Vec<(String, String)> {
    let mut hidden = Vec::new();
    let mut last = String::new();
    for argument in arguments {
        let argument = argument.to_string_lossy();
        // The name of an option isn't secret.
        let option = argument.split_once('=').filter(|(name, _)| name.starts_with("--"));
        let (name, written) = option.unwrap_or((&*last, &*argument));
        let is_expression = EXPRESSIONS.contains(&name) && is_quoting(written);
        last = argument.clone().into_owned();
        let mut words_of = |text, is_address| {
            hidden.extend(words(text, is_address).map(|word| (word.to_owned(), MASK.to_owned())));
        };
        let values: Vec<_> = values_of(written).filter(|_| !is_expression).collect();
        values.iter().for_each(|(text, _)| words_of(text, true));
        if values.is_empty() {
            words_of(written, false);
        }
        for (text, shown) in values {
            // It takes the place of text that is escaped already.
            let shown = terminal::escape(&shown).into_owned();
            // As `{:?}` has it, without the quotes.
            let quoted = format!("{text:?}");
            let quoted = quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
            for text in [text.to_owned(), terminal::escape(text).into_owned(), quoted] {
                hidden.push((text, shown.clone()));
            }
        }
    }
    hidden.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    hidden.dedup();
    hidden
}

/// Options with expressions, whose errors point at a column.
const EXPRESSIONS: [&str; 2] = ["--where", "--keep"];

/// Whether a text holds a string and no address: `label.image == "shop:1.2@sha256:7f"`.
fn is_quoting(text: &str) -> bool {
    text.contains(['"', '\'']) && !text.contains("://")
}

/// What can be the address or header in an argument, with what is shown instead: all of it, and what follows an equals
/// sign as in `json=ADDRESS`.
fn values_of(argument: &str) -> impl Iterator<Item = (&str, String)> {
    let signs = argument.match_indices('=').take(SIGNS).map(|(at, _)| at.saturating_add(1));
    let values = [0].into_iter().chain(signs).filter_map(|start| argument.get(start..));
    values.filter_map(|value| Some((value, shown_instead(value)?)))
}

/// Words of the parts of an argument that certainly are secret: what follows a word for a secret, as in
/// `http://h/x&token=SECRET` and `Authorization:Bearer SECRET`. Of an address also what stands in front of its last
/// `@`, what follows a `?`, `#`, `;` or `&`, escaped or not, and what is neither host nor port in front of its path, as in `http://me:SECRET/x`.
/// Messages can quote a part of a value, which some options split; its words are whole.
fn words(text: &str, is_address: bool) -> impl Iterator<Item = &str> {
    let named = NAMED.iter().flat_map(|named| named.captures_iter(text));
    let named = named.filter_map(|found| found.get(1)).map(|value| value.as_str());
    let address = (is_address || text.contains("://")).then_some(text);
    let user = address.and_then(|text| Some(text.rsplit_once('@')?.0));
    let behind = address.and_then(|text| Some(text.split_once(['?', '#', ';', '&'])?.1));
    let escaped =
        address.and_then(|text| ESCAPED.as_ref()?.find(text).map(|found| &text[found.end()..]));
    let rest = address.map(|text| text.split_once("://").map_or(text, |(_, rest)| rest));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let port = authority.and_then(|authority| Some(authority.split_once(':')?.1));
    let value = text.split_once(": ").filter(|_| is_address).map(|(_, value)| value);
    let parts = named.chain(user).chain(behind).chain(escaped).chain(port).chain(value);
    parts.flat_map(|part| part.split(|char: char| !char.is_alphanumeric())).filter(|word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        word.len() >= if is_number { SHORTEST_NUMBER } else { SHORTEST }
            && !PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(word))
    })
}

/// Words for secrets, and their values.
static NAMED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    let words =
        "token|passw(?:or)?d|secret|api-?_?key|authorization|session|cookie|signature|credential";
    regex::Regex::new(&format!("(?i)(?:{words})[a-z_-]*(?:=|:|%3d)\\s*(.+)")).ok()
});

/// What stands for a `?`, `;` or `&` in a path.
static ESCAPED: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new("(?i)%(?:25)*(?:3f|3b|26)").ok());

/// Shorter words stand in other words, too.
const SHORTEST: usize = 4;

/// Shorter ones are ports, seconds and the like.
const SHORTEST_NUMBER: usize = 6;

/// Words in such places that are no secrets: what values of headers begin with, and names of parameters.
const PLAIN: [&str; 9] =
    ["Bearer", "Basic", "Digest", "Negotiate", "Token", "http", "https", "debug", "seconds"];

/// Stands for a secret.
const MASK: &str = "***";

/// What is shown of a text that holds a secret.
fn shown_instead(text: &str) -> Option<String> {
    let shown = shown_argument(text.as_ref());
    (with_scheme(text.into()).to_string_lossy() != shown).then_some(shown)
}

/// At most this many equals signs of an argument are looked at.
const SIGNS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_line_of_settings_has_stars_for_its_addresses() {
        let line = r#"allow = ["a", "http://me:SECRET@h/x?token=SECRET"] x"#;
        let shown = without_addresses(&Error::usage("s.toml", line, 52, "odd")).source.unwrap();
        let stars = "*".repeat("me:SECRET@h/x?token=SECRET".len());
        assert_eq!(shown, line.replace("me:SECRET@h/x?token=SECRET", &stars));
        let error = Error::usage("s.toml", line, 52, r#"odd "http://SECRET@h/x", no"#);
        let hidden = without_addresses(&error.advise("write { prefix = \"http://SECRET@h\", to }"));
        assert_eq!(hidden.what, r#"odd "http://**********", no"#);
        assert_eq!(hidden.advice.unwrap(), "write { prefix = \"http://********\", to }");
        let other = Error::misuse("h", "is no dump").advise("fetch http://h/debug/pprof/heap");
        assert_eq!(without_addresses(&other), other);
    }

    proptest::proptest! {
        #[test]
        fn a_password_is_not_shown_whatever_stands_around_it(
            scheme in "((http|https|te\\?st|[a-z]{1,3})?[:;]?[/\\\\]{0,2})|\\[http:\\\\\\\\",
            user in "[a-z/@?#=&%; \t\n\"'\\[\\]]{0,4}",
            before in "[a-z/:@?#=&%; \t\n\"'\\[\\]]{0,4}",
            after in "[a-z/:@?#=&%; \t\n\"'\\[\\]]{0,4}",
            at in "@|%40",
            host in "h|127\\.0\\.0\\.1(:80|:x|:99999)?|localhost|\\[::1\\]?|",
            path in "|/x|/debug/pprof/heap(\\?debug=2)?",
        ) {
            // Who escapes an `@` also escapes what ends the part before the path.
            let ends: &[char] = if at == "@" { &[] } else { &['/', '?', '#'] };
            let user = format!("{user}:{before}SEKRET77{after}").replace(ends, "");
            let scheme = scheme.replace(&ends[ends.len().min(1)..], "");
            let address = format!("{scheme}{user}{at}{host}{path}");
            let shown = shown_argument(address.as_ref());
            proptest::prop_assert!(!shown.contains("SEKRET"), "{address:?}: {shown:?}");
            let hidden = hidden([OsString::from(&address)].into_iter());
            let said = hide(format!("{address}: {address:?}"), &hidden);
            proptest::prop_assert!(!said.contains("SEKRET"), "{address:?}: {said:?}");
        }
    }

    #[test]
    fn an_address_behind_a_key_is_hidden_as_one_without() {
        for address in ["h:1/debug/pprof/heap?access_token=Z9%2Fk/W#x", "http://h/x?Hk7?Vv&=Jd8"] {
            let hidden = hidden([OsString::from(format!("json={address}"))].into_iter());
            let said = hide(format!("{address}: No such file"), &hidden);
            assert!(!["Z9", "W#x", "Hk7", "Jd8"].iter().any(|part| said.contains(part)), "{said}");
            assert!(said.ends_with(": No such file"), "{said}");
        }
    }

    #[test]
    fn no_part_of_a_secret_is_in_a_message_whatever_part_of_an_argument_it_quotes() {
        for argument in [
            "http://u:Qw9zKx@h/x?token=Qw9zKx",
            "--to=http:/h/x?token=Qw9zKx",
            "h:9/x?token=Qw9zKx",
            "--max-growth=Authorization: Bearer Qw9zKx",
            "//u:Qw9zKx@h",
            "u:Qw9zKx@h?token=x",
            "http://h:1/x?Qw9zKx",
            "http://h:1/x;sid=Qw9zKx/y",
            "http://h/x&token=Qw9zKx",
            "http://h/x%3Ftoken%3DQw9zKx",
            "?token=Qw9zKx",
            "X-Password: Qw9zKx",
            "X-Session:Qw9zKx",
            "Authorization:Bearer Qw9zKx",
            "curl -H \"Authorization: Bearer Qw9zKx\" http://h/",
            "http://me:Qw9zKx/ok",
            "http://u:a,Qw9zKx@h/",
            "http://u:Qw9zKx!Qw9zKx@h/",
            "u:a://Qw9zKx@h/debug/pprof/heap",
            "http://h/x?token=a:Qw9zKx",
            "http://h/x?password=a@Qw9zKx",
            "http://h/x?sig=Qw9zKx'Qw9zKx",
            "http://h/x?Qw9zKx==",
            "http://127.0.0.1:1/ok#Qw9zKx",
            "!http://u:Qw9zKx%40h/ok",
            "http://127.0.0.1:1/x%3Fsig=Qw9zKx",
            "http://127.0.0.1:1/x%3Fdebug=2%26sig=Qw9zKx",
            "http://127.0.0.1:1/x&key=Qw9zKx",
            "u/:a bQw9zKx@127.0.0.1:80/x",
            "u@v:a\nQw9zKx@localhost:99999/x",
            "te?st:a\tQw9zKx@h.invalid/x",
            "te?st:\"Qw9zKx@[::1/x",
            "[http:\\\\te?st:a\tQw9zKx@127.0.0.1:x/x",
        ] {
            let hidden = hidden([OsString::from(argument)].into_iter());
            let bounds = argument.match_indices(|char: char| !char.is_alphanumeric());
            let bounds: Vec<usize> = bounds.flat_map(|(at, char)| [at, at + char.len()]).collect();
            for &start in bounds.iter().chain(&[0]) {
                for &end in bounds.iter().chain(&[argument.len()]) {
                    let quoted = argument.get(start..end).unwrap_or_default();
                    let said = hide(format!("{quoted}: {quoted:?} isn't a time"), &hidden);
                    assert!(!said.contains("Qw9zKx"), "{argument}: {said}");
                    assert!(said.ends_with(" isn't a time"), "{argument}: {said}");
                }
            }
        }
        let number = "-ohttp://bob:84736251937@h/ok";
        let hidden_number = hidden([OsString::from(number)].into_iter());
        assert!(!hide("bob:84736251937@h".to_owned(), &hidden_number).contains("84736251937"));
        let odd = "\n::error::z@\n:\u{1b}[31mx";
        let said =
            hide(terminal::escape(odd).into_owned(), &hidden([OsString::from(odd)].into_iter()));
        assert!(!said.contains(char::is_control), "{said:?}");
        let expression = r#"label.image == "shop:1.2@sha256:7f41" and x"#;
        for arguments in [vec!["--where", expression], vec![&*format!("--keep={expression}")]] {
            assert_eq!(hidden(arguments.into_iter().map(OsString::from)), []);
        }
        let address = ["--where", r#"label.x == "http://u:Qw9zKx@h/x""#].map(OsString::from);
        let said = hide(r#""http://u:Qw9zKx@h/x""#.to_owned(), &hidden(address.into_iter()));
        assert!(!said.contains("Qw9zKx"), "{said}");
        for plain in ["dump.txt", "h:80/debug/pprof/heap?debug=1", "--where=id == 7", "-", ""] {
            assert_eq!(hidden([OsString::from(plain)].into_iter()), [], "{plain}");
        }
    }
}
