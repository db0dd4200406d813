//! Secrets of the command line, and of the variable that stands for an option: no message repeats them,
//! whichever option they were given to.

use crate::error::Error;
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
pub(super) fn without_secrets(mut message: String) -> String {
    for (text, shown) in HIDDEN.iter() {
        if message.contains(text) {
            message = replaced(&message, text, shown);
        }
    }
    message
}

/// An error whose quoted line, which can be one of settings, has stars in place of addresses: as many as characters, so
/// that the column stays right.
pub(super) fn without_addresses(error: &Error) -> Error {
    let source = error.source.as_ref().map(|line| {
        let mut in_address = false;
        let stars = |(at, char): (usize, char)| {
            in_address |= line.get(..at).is_some_and(|before| before.ends_with("://"));
            in_address &= !matches!(char, '"' | '\'' | ' ' | ',');
            if in_address { '*' } else { char }
        };
        line.char_indices().map(stars).collect()
    });
    Error { source, ..error.clone() }
}

/// Replaces a text, but for where a value follows, which is hidden already or public.
fn replaced(message: &str, text: &str, shown: &str) -> String {
    let mut parts = message.split(text);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(if part.starts_with('=') { text } else { shown });
        out.push_str(part);
    }
    out
}

fn hidden(arguments: impl Iterator<Item = OsString>) -> Vec<(String, String)> {
    let mut hidden = Vec::new();
    for argument in arguments {
        let written = argument.to_string_lossy();
        // The value of a header, which options that split at colons quote alone.
        for (at, _) in written.match_indices(": ").take(SIGNS) {
            let (name, value) = written.split_at(at);
            let header = name.rsplit('=').next().unwrap_or_default();
            let value = value.trim_start_matches([':', ' ']).trim_end();
            if shown_instead(&format!("{header}: x")).is_some() && !value.is_empty() {
                hidden.push((value.to_owned(), "***".to_owned()));
            }
        }
        hidden.extend(values(&written).map(|value| (value.to_owned(), "***".to_owned())));
        for part in parts(&written).into_iter().map(str::trim) {
            // The end of a password, whose start is in another part.
            let behind_user = || part.rsplit_once('@').map(|(_, behind)| behind.to_owned());
            let before_query = || part.split_once('?').map(|(before, _)| format!("{before}?***"));
            let shown = shown_instead(part).or_else(behind_user).or_else(before_query);
            let Some(shown) = shown else { continue };
            let escaped = part.escape_debug().to_string();
            for text in [part.to_owned(), terminal::escape(part).into_owned(), escaped] {
                hidden.push((text, shown.clone()));
            }
        }
    }
    hidden.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    hidden.dedup();
    hidden
}

/// What certainly is a secret in an argument, however it is written otherwise: what follows a word for one, as in
/// `http://h/x&token=SECRET` and `Authorization:Bearer SECRET`; what is neither host nor port in front of an address's
/// path, as in `http://me:SECRET/x`; and what follows its `#`. Options can split a value at commas and colons.
fn values(argument: &str) -> impl Iterator<Item = &str> {
    let after_words = WORDS.iter().flat_map(|words| words.captures_iter(argument));
    let after_words = after_words.filter_map(|found| found.get(1)).map(|value| value.as_str());
    let address = argument.split_once("://").map(|(_, address)| address);
    let authority = address.and_then(|address| address.split(['/', '?', '#']).next());
    let password = authority.and_then(|authority| {
        let (_, password) = authority.split_once(':')?;
        Some(password.rsplit_once('@').map_or(password, |(password, _)| password))
    });
    let fragment = address.and_then(|address| Some(address.split_once('#')?.1));
    after_words
        .chain(password)
        .chain(fragment)
        .flat_map(|value| value.split([',', ':', '&', '"', '\'', ' ']))
        .filter(|value| value.len() >= SHORTEST && !value.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|value| !SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(value)))
}

/// Words for secrets, and their values.
static WORDS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    let words =
        "token|passw(?:or)?d|secret|api-?_?key|authorization|session|cookie|signature|credential";
    regex::Regex::new(&format!("(?i)(?:{words})[a-z_-]*(?:=|:|%3d)\\s*(.+)")).ok()
});

/// Shorter values stand in other words, too.
const SHORTEST: usize = 4;

/// How headers with secrets begin.
const SCHEMES: [&str; 5] = ["Bearer", "Basic", "Digest", "Negotiate", "Token"];

/// What a message can quote of an argument: `--report=FORMAT=FILE`, `category=GLOB:N` and the like are taken
/// apart.
fn parts(argument: &str) -> Vec<&str> {
    let signs: Vec<usize> =
        argument.match_indices(['=', ':']).map(|(at, _)| at).take(SIGNS).collect();
    let starts = [0].into_iter().chain(signs.iter().map(|at| at.saturating_add(1)));
    let is_secret = shown_instead(argument).is_some();
    let secret = starts.filter(|&start| {
        let part = argument.get(start..).unwrap_or_default();
        shown_instead(part).is_some() || is_secret && part.contains(['@', '?'])
    });
    let ends = || signs.iter().copied().chain([argument.len()]);
    secret.flat_map(|start| ends().filter_map(move |end| argument.get(start..end))).collect()
}

/// What is shown of a text that holds a secret.
fn shown_instead(text: &str) -> Option<String> {
    let shown = shown_argument(text.as_ref());
    (with_scheme(text.into()).to_string_lossy() != shown).then_some(shown)
}

/// At most this many equals signs and colons of an argument are looked at.
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
    }

    #[test]
    fn all_that_a_message_may_quote_of_an_argument_is_hidden() {
        let of = |argument: &str| hidden([OsString::from(argument)].into_iter());
        let texts =
            |argument: &str| of(argument).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        for argument in ["http://u:SECRET@h/x?token=SECRET", "--to=http:/h/x?token=SECRET"] {
            let address = argument.strip_prefix("--to=").unwrap_or(argument);
            assert!(texts(argument).contains(&address.to_owned()), "{argument}");
            assert!(of(argument).iter().all(|(_, shown)| !shown.contains("SECRET")), "{argument}");
        }
        assert!(texts("h:9/x?token=SECRET").contains(&"9/x?token=SECRET".to_owned()));
        let header = of("--max-growth=Authorization: Bearer SECRET");
        assert!(header.contains(&("Bearer SECRET".to_owned(), "***".to_owned())));
        assert!(texts("//u:SECRET@h").contains(&"SECRET@h".to_owned()));
        assert!(texts("u:SECRET@h?token=x").contains(&"u:SECRET@h?token".to_owned()));
        assert_eq!(replaced("x?debug=2: x?token", "x?debug", "x?***"), "x?debug=2: x?token");
        assert_eq!(replaced("x?token=***: x?token", "x?token", "x?***"), "x?token=***: x?***");
        assert!(texts("http://h:1/x?SECRET").contains(&"1/x?SECRET".to_owned()));
        for argument in [
            "http://h/x&token=SECRET",
            "http://h/x%3Ftoken%3DSECRET",
            "?token=SECRET",
            "X-Password: SECRET",
            "X-Session:SECRET",
            "Authorization:Bearer SECRET",
            "curl -H \"Authorization: Bearer SECRET\" http://h/",
            "http://me:SECRET/ok",
            "http://u:a,SECRET@h/",
            "http://h/x?token=a:SECRET",
            "http://127.0.0.1:1/ok#SECRET",
            "!http://u:SECRET%40h/ok",
        ] {
            let hidden = of(argument);
            let is_hidden = |(text, _): &(String, String)| "SECRET%40h".starts_with(&**text);
            assert!(hidden.iter().any(is_hidden), "{argument}: {hidden:?}");
        }
        for plain in ["dump.txt", "h:80/debug/pprof/heap?debug=1", "--where=id == 7", "-", ""] {
            assert_eq!(of(plain), [], "{plain}");
        }
    }
}
