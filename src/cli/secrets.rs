//! Secrets of the command line, and of the variable that stands for an option: no message repeats them,
//! whichever option they were given to.

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
        for plain in ["dump.txt", "h:80/debug/pprof/heap?debug=1", "--where=id == 7", "-", ""] {
            assert_eq!(of(plain), [], "{plain}");
        }
    }
}
