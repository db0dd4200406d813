//! Addresses: which can be requested, and how they are shown without secrets.

use crate::error::{Error, Result};
use regex::Regex;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

/// Parameters of `net/http/pprof`, whose values aren't secret.
const PUBLIC: [&str; 3] = ["debug", "seconds", "gc"];
/// Shown in place of other values.
const MASK: &str = "***";

/// What stands for an `@` in the part before the path, whatever it was written for: there a user and a
/// password can be.
const AT: [&str; 4] = ["%40", "%2540", "\u{ff20}", "\u{fe6b}"];

/// What follows a user and a password, if an address may have them.
///
/// An `@` counts anywhere: a password can contain the `/`, `?` or `#` that seems to end it. Behind a `?` or `#` it can
/// also stand in a token, so that nothing of the address can be shown.
fn behind_user(url: &str) -> Option<&str> {
    if let Some((before, behind)) = url.rsplit_once('@') {
        return Some(if before.contains(['?', '#']) { MASK } else { behind });
    }
    let (_, rest) = url.split_once("://")?;
    let host = authority(url);
    let ends = AT.iter().filter_map(|at| Some(host.rfind(at)?.saturating_add(at.len())));
    rest.get(ends.max()?..)
}

/// An address without user and password; one that isn't complete is what it was.
fn without_user(url: &str) -> Cow<'_, str> {
    let mut url = Cow::Borrowed(url);
    // Once for an `@`, and once for what stands for one.
    for _ in 0..2 {
        let (Some((before, _)), Some(behind)) = (url.split_once("://"), behind_user(&url)) else {
            break;
        };
        url = match before.rsplit_once('@') {
            // The user stands in front of the scheme: `me:secret@http://h/x`.
            Some(_) if behind.contains("://") => behind.to_owned().into(),
            Some((_, scheme)) => format!("{scheme}://{behind}").into(),
            None => format!("{before}://{}", behind.replace("://", ":/")).into(),
        };
    }
    url
}

/// Whether something else than a number stands where the port is.
fn has_port_of_text(url: &str) -> bool {
    let (_, rest) = host_and_rest(authority(url));
    rest.strip_prefix(':').is_some_and(|port| !port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the value of a parameter can be shown.
fn is_public(key: &str, value: &str) -> bool {
    PUBLIC.contains(&key) && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a pair is a token by itself that ends with the `=` of base64.
fn is_base64(key: &str, value: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || b"_-".contains(&byte);
    let may_be_name = value.is_empty() && key.len() <= 16 && key.bytes().all(is_name);
    value.bytes().all(|byte| byte == b'=') && !may_be_name
}

/// The part between `://` and the path.
pub(super) fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// The host of an authority, without its port and its brackets.
pub(super) fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// An authority's host, with its brackets, and what follows it: a colon and the port, or nothing.
fn host_and_rest(authority: &str) -> (&str, &str) {
    match authority.rfind(']').filter(|_| authority.starts_with('[')) {
        Some(end) => authority.split_at(end.saturating_add(1)),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    }
}

/// The port of an authority, as written; empty if something else follows the host.
#[cfg(feature = "http")]
pub(super) fn port_of(authority: &str) -> Option<&str> {
    let (_, rest) = host_and_rest(authority);
    (!rest.is_empty()).then(|| rest.strip_prefix(':').unwrap_or_default())
}

/// Whether a text starts with a scheme: `file:`, `ftp:`.
pub(super) fn has_scheme(to: &str) -> bool {
    to.split_once(':').is_some_and(|(scheme, _)| {
        let of_scheme = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
        scheme.starts_with(|char: char| char.is_ascii_alphabetic()) && scheme.chars().all(of_scheme)
    })
}

/// Whether it is a valid port.
pub(super) fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port != 0)
}

/// An address for messages, names and documents: without user and password, and without the values
/// of parameters, which can be tokens. Those of `debug`, `seconds` and `gc` stay.
pub(in crate::source) fn shown(url: &str) -> String {
    let url = without_user(url);
    let url = url.as_ref();
    if has_port_of_text(url) {
        // It can be a password whose host is behind a `/`.
        let scheme = url.split("://").next().unwrap_or_default();
        let (host, _) = host_and_rest(authority(url));
        return format!("{scheme}://{host}:{MASK}");
    }
    let (address, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (path, query) =
        address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let mut shown = without_values(path);
    for (at, pair) in query.into_iter().flat_map(|query| query.split('&')).enumerate() {
        let separator = if at == 0 { "?" } else { "&" };
        // Writing to a string can't fail.
        let _ = match pair.split_once('=') {
            Some((key, value)) if is_public(key, value) => {
                write!(shown, "{separator}{key}={value}")
            }
            Some((key, value)) if !is_base64(key, value) => {
                write!(shown, "{separator}{key}={MASK}")
            }
            _ => write!(shown, "{separator}{MASK}"),
        };
    }
    if !fragment.is_empty() {
        let _ = write!(shown, "#{MASK}");
    }
    shown
}

/// What separates parameters that stand in a path: also what was meant to start a query, and is escaped by mistake.
static IN_PATH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(?i)[;&]|%(?:25)*(?:3b|26|3f)").ok());

/// What stands between the name of such a parameter and its value.
static EQUALS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("(?i)=|%(?:25)*3d").ok());

/// Whether a text has the `?` of a query in another form.
fn has_escaped_query(text: &str) -> bool {
    let mut separators = IN_PATH.iter().flat_map(|separators| separators.find_iter(text));
    separators.any(|found| found.as_str().ends_with(['f', 'F']))
}

/// A path without the values of parameters in it, which can hold a `/`: `/app;jsessionid=***` for
/// `/app;jsessionid=5f2/heap`, `/heap%3Fkey=***` for `/heap%3Fkey=5f2`.
fn without_values(path: &str) -> String {
    let found = || IN_PATH.iter().flat_map(|separators| separators.find_iter(path));
    let mut starts = found().map(|separator| separator.start()).chain([path.len()]);
    let mut shown =
        starts.next().and_then(|start| path.get(..start)).unwrap_or_default().to_owned();
    let mut in_query = false;
    for (separator, end) in found().zip(starts) {
        let parameter = path.get(separator.end()..end).unwrap_or_default();
        in_query |= has_escaped_query(separator.as_str());
        shown.push_str(separator.as_str());
        let equals = EQUALS.iter().find_map(|equals| equals.find(parameter));
        let parts = equals.map(|sign| (sign, parameter.split_at(sign.end())));
        match parts {
            Some((sign, (_, value))) if is_public(&parameter[..sign.start()], value) => {
                shown.push_str(parameter);
            }
            Some((_, (name, _))) => shown.extend([name, MASK]),
            None => shown.push_str(if in_query { MASK } else { parameter }),
        }
    }
    shown
}

/// Whether a text was meant as an address and is written wrongly, so that it holds the same secrets:
/// `curl http://h/?token=abc`, `http:/h/?token=abc`, `user:secret@h`, `h/debug/pprof/heap?token=abc`.
fn is_meant(text: &str) -> bool {
    let is_plain = |text: &str, also: &str| {
        let is_of_it = |char: char| char.is_ascii_alphanumeric() || also.contains(char);
        !text.is_empty() && text.chars().all(is_of_it)
    };
    let is_http = || {
        let after = text.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
        let starts = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
        starts && after.starts_with([':', ';', '/', '\\'])
    };
    let has_port = |text: &str| {
        let (_, rest) = host_and_rest(text.split(['/', '?', '#', ';']).next().unwrap_or_default());
        rest.strip_prefix(':').is_some_and(is_port)
    };
    let has_user = || {
        let mut before = ["@"].iter().chain(&AT).filter_map(|at| text.rsplit_once(at));
        before.any(|(user, host)| {
            let is_word = !user.contains(|char: char| char.is_whitespace() || char == '"');
            user.contains(':') || is_word && has_port(host) && !user.contains('/')
        })
    };
    let has_query = || {
        let (path, query) = text.split_once('?').unwrap_or_default();
        let is_pprof = || path.contains("/debug/pprof") && !query.is_empty();
        is_plain(path, "+-._%:/[]@;=,~") && (query.contains('=') || is_pprof())
    };
    let has_escaped = || has_escaped_query(text) && is_plain(text, "+-._%:/[]@;=,~&");
    let has_parameter = || has_port(text) && text.contains(['?', ';', '#', '&']);
    text.contains("//")
        || is_http()
        || has_user()
        || has_query()
        || has_escaped()
        || has_parameter()
}

/// A text that was meant as an address, without the secrets of one; `None` for other texts.
pub(super) fn shown_as_meant(text: &str) -> Option<String> {
    let written = without_quotes(text);
    if !is_meant(written) {
        return None;
    }
    let with_scheme = format!("://{written}");
    let behind_at = |text, ends: &[char]| {
        let path = str::split(text, ends).next().unwrap_or_default();
        let ends = AT.iter().filter_map(|at| Some(path.rfind(at)?.saturating_add(at.len())));
        text.get(ends.max()?..)
    };
    let behind = match behind_user(&with_scheme) {
        Some(behind) => Some(behind_at(behind, &['/', '?', '#']).unwrap_or(behind)),
        // Where the slashes are wrong, a user can stand behind what seems to be the host.
        None => behind_at(written, &['?', '#']),
    };
    let Some(behind) = behind else { return Some(shown(written)) };
    // `http://`, `curl http://`, `//`; `http:/`, `http:\\\\`
    let slashes = written.find("//").or_else(|| {
        let name = written.find(|char: char| !char.is_ascii_alphanumeric())?;
        let after = written.get(name..)?.trim_start_matches([':', ';']);
        after.starts_with(['/', '\\']).then_some(written.len().saturating_sub(after.len()))
    });
    let scheme = slashes.and_then(|at| {
        let rest = written.get(at..)?.trim_start_matches(['/', '\\']);
        written.strip_suffix(rest)
    });
    // A password can hold slashes, too: then a user comes before them.
    let is_scheme = |scheme: &&str| {
        let name = scheme.trim_end_matches([':', ';', '/', '\\']);
        !name.contains([':', '@']) && scheme.len().saturating_add(behind.len()) <= written.len()
    };
    Some(shown(&format!("{}{behind}", scheme.filter(is_scheme).unwrap_or_default())))
}

/// Headers of requests whose values are secret, given in the place of an address; a blank behind the colon can lack,
/// where no port of a host stands.
pub(super) fn shown_as_header(text: &str) -> Option<String> {
    const SECRET: [&str; 5] = ["auth", "cookie", "key", "secret", "token"];
    let (name, value) = text.split_once(':')?;
    let is_name = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    let lower = name.to_ascii_lowercase();
    let is_port = || value.split(['/', '?', '#']).next().is_some_and(is_port);
    let ends = |word: &str| lower.ends_with(word) || lower.ends_with("authorization");
    let is_secret = match value.strip_prefix(' ') {
        Some(_) => SECRET.iter().any(|word| lower.contains(word)),
        None => !value.is_empty() && !is_port() && SECRET.iter().any(|word| ends(word)),
    };
    (is_secret && name.chars().all(is_name)).then(|| format!("{name}: {MASK}"))
}

fn without_quotes(text: &str) -> &str {
    text.trim_matches(|char: char| char.is_whitespace() || "\"'<>`".contains(char))
}

/// Fails if an address can't be used.
///
/// One that may have a user or a password is refused, as every output names its inputs; so only the part
/// behind them is shown.
pub(in crate::source) fn check(url: &str) -> Result<()> {
    if let Some(behind) = behind_user(url) {
        let host = behind.split(['/', '?', '#']).next().unwrap_or_default();
        return Err(Error::misuse(
            host,
            "the address holds a user or a password, or an @ that looks like one",
        )
        .advise(
            "give a password with --http-header 'Authorization: Basic ...', write %40 for an @ behind the host",
        ));
    }
    let authority = authority(url);
    let fail = |what: &str| Error::misuse(shown(url), what);
    if host_of(authority).is_empty() {
        return Err(fail("names no host"));
    }
    let (host, rest) = host_and_rest(authority);
    let wrong = "has a port that isn't a number from 1 to 65535";
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok(()),
        Some(port) if is_port(port) => Ok(()),
        Some(_) => Err(fail(wrong)),
        None => {
            let scheme = url.split("://").next().unwrap_or_default();
            Err(Error::misuse(format!("{scheme}://{host}:{MASK}"), wrong))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_as_an_address_is_shown_without_its_secrets() {
        for (text, shown) in [
            (" http://u:SECRET@h/x?token=SECRET ", "http://h/x?token=***"),
            ("http:/u:SECRET@h/x?token=SECRET", "http:/h/x?token=***"),
            ("http//u:SEC/RET@h/x?debug=2&k=SECRET#SECRET", "http//h/x?debug=2&k=***#***"),
            ("HTTP:\\\\u:SECRET@h\\x", "HTTP:\\\\h\\x"),
            ("htp://u:SECRET@h?SECRET", "htp://h?***"),
            ("u:SECRET@h:80/x", "h:80/x"),
            ("\"http://u:SECRET@h\"", "http://h"),
            ("zip+http://u:SECRET%40h", "zip+http://h"),
            ("h:80/x?token=SECRET", "h:80/x?token=***"),
            ("//h:80/x?token=SECRET", "//h:80/x?token=***"),
            ("//u:SECRET@h/x", "//h/x"),
            ("://u:SECRET@h/x", "://h/x"),
            ("./http://u:SECRET@h/x", "./http://h/x"),
            ("curl http://u:SECRET@h/x", "curl http://h/x"),
            ("http.//u:SEC//RET@h/x", "http.//h/x"),
            ("http\u{ff1a}//u:SECRET@h/x", "http\u{ff1a}//h/x"),
            ("u:SEC//RET@h/x", "h/x"),
            ("127.0.0.1/x?token=SECRET", "127.0.0.1/x?token=***"),
            ("localhost?token=SECRET", "localhost?token=***"),
            ("h/debug/pprof/heap?token=SECRET", "h/debug/pprof/heap?token=***"),
            ("h/debug/pprof/heap?SECRET", "h/debug/pprof/heap?***"),
            ("h:80/x;token=SECRET?debug=2", "h:80/x;token=***?debug=2"),
            ("h:80/x;sid=a/SECRET", "h:80/x;sid=***"),
            ("h/x;token=SECRET?debug=2", "h/x;token=***?debug=2"),
            ("h:80?SECRET", "h:80?***"),
            ("h:80/x?SECRET", "h:80/x?***"),
            ("D\\u:SECRET@h:80/x", "D\\h:80/x"),
            ("u@d:SECRET@h:80/x", "h:80/x"),
            ("u!:SECRET@h/x", "h/x"),
            ("s!SECRET@h:80/x", "h:80/x"),
            ("u:SECRET%40h:80/x", "h:80/x"),
            ("http:/u:SECRET%40h/x", "http:/h/x"),
            ("//u:SECRET%40h", "//h"),
            ("u/:a bSECRET@127.0.0.1:80/x", "u/127.0.0.1:80/x"),
            ("u@v:a\nSECRET@h:99999/x", "h:99999/x"),
            ("te?st:\"SECRET@[::1/x", "***"),
            ("[http:\\te?st:a\tSECRET@h:x/x", "***"),
            ("labels.x == \"a:SECRET@c\"", "c"),
            ("h:80/x&token=SECRET", "h:80/x&token=***"),
            ("h/debug/pprof/heap%3Fk=SECRET", "h/debug/pprof/heap%3Fk=***"),
        ] {
            assert_eq!(shown_as_meant(text).as_deref(), Some(shown), "{text}");
        }
        for text in [
            "dumps/db1?x",
            "a:b.txt",
            "github.com/x@v1.2:3",
            "dumps/me@host/a;b.txt",
            "me@host.txt",
            "a%40b.txt",
            "https.txt",
            "--where",
            "http",
        ] {
            assert!(shown_as_meant(text).is_none_or(|shown| shown == text), "{text}");
        }
    }

    #[test]
    fn a_header_in_the_place_of_an_address_is_shown_without_its_value() {
        for text in [
            "Authorization: Bearer SECRET",
            "X-Api-Key: SECRET",
            "Cookie: a=SECRET",
            "PRIVATE-TOKEN:SECRET",
            "authorization:Basic SECRET",
        ] {
            let shown = shown_as_header(text).unwrap();
            assert!(shown.ends_with(": ***") && !shown.contains("SECRET"), "{shown}");
        }
        for text in ["Accept: x", "authors:x", "auth:6060/x", "token:", "a b-token: x", "dump.txt"]
        {
            assert_eq!(shown_as_header(text), None, "{text}");
        }
    }

    #[test]
    fn values_of_parameters_are_not_shown_but_for_those_of_pprof() {
        for (url, expected) in [
            ("http://h:1/debug/pprof/heap", "http://h:1/debug/pprof/heap"),
            ("http://h/x?debug=2&seconds=5", "http://h/x?debug=2&seconds=5"),
            ("http://h/x?debug=2&token=abc&key=", "http://h/x?debug=2&token=***&key=***"),
            ("http://h/x?abc", "http://h/x?***"),
            ("http://h/x?debug=2&c2VjcmV0IHNlY3JldA==", "http://h/x?debug=2&***"),
            ("http://h/x?c2VjcmV0cGFzcw==", "http://h/x?***"),
            ("http://h/x?c2VjcmV0cGFzc3c=", "http://h/x?***"),
            ("http://h/x?debug=2;token=abc", "http://h/x?debug=***"),
            ("http://h/x?a=b#abc", "http://h/x?a=***#***"),
            ("http://h/x#abc?debug=1", "http://h/x#***"),
            ("http://h/x;token=a/b=;v1;b=?c=d", "http://h/x;token=***;v1;b=***?c=***"),
            ("http://h/x;v1/y", "http://h/x;v1/y"),
            ("http://h/x%3Fkey=abc", "http://h/x%3Fkey=***"),
            ("http://h/x%3fdebug=2%26sig=abc", "http://h/x%3fdebug=2%26sig=***"),
            ("http://h/x%253Fkey%253Dabc/d&k=ef", "http://h/x%253Fkey%253D***&k=***"),
            ("http://h/x%3Fabc&debug=1", "http://h/x%3F***&debug=1"),
            ("http://h/x&key=abc&b", "http://h/x&key=***&b"),
            ("http://h/a%2Fb&c", "http://h/a%2Fb&c"),
            ("http://h/x;", "http://h/x;"),
            ("ftp://me:secret@h/x?a=b", "ftp://h/x?a=***"),
            ("http://me:se/c?r#et@h/x", "http://***"),
            ("http://h/x?password=p@ssword", "http://***"),
            ("http://h/x#p@ssword", "http://***"),
            ("http://me:a@b://c@h://x", "http://h:/x"),
            ("http://me:se/cret%40h/x?a=b", "http://me:***"),
            ("http://me:a%40b://c%40h/x", "http://b:/c%40h/x"),
            ("me:secret@http://h:6060/x?a=b", "http://h:6060/x?a=***"),
            ("me:secret@http://u:p%40h/x", "http://h/x"),
            ("a:@://", "://"),
            ("a@b://c@d", "b://d"),
            ("mailto:bob@http://x", "http://x"),
            ("://@://@://", "://:/"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn what_is_shown_of_an_address_ends() {
        let pieces = ["a", ":", "//", "://", "@", "%40", "?", "#", "[", "http"];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = |text: &String| pieces.map(|piece| format!("{text}{piece}"));
            texts = texts.iter().flat_map(longer).collect();
        }
        for text in texts {
            let shown = shown(&text);
            assert!(shown.len() <= text.len() + 8, "{text}: {shown}");
            let is_refused = !text.contains("://") || check(&text).is_err();
            assert!(is_refused || !shown.contains('@'), "{text}: {shown}");
        }
    }

    #[test]
    fn passwords_are_refused_and_not_repeated_whatever_they_hold() {
        for password in ["secret", "se/cret", "se?cret", "se#cret", "12/secret", "se@cret", "s:e"] {
            for user in ["me:", ""] {
                let url = format!("http://{user}{password}@host:6060/debug/pprof/heap");
                let error = check(&url).unwrap_err().to_string();
                // Behind a `?` or `#` an `@` can stand in a token.
                let shown = if password.contains(['?', '#']) { "***: " } else { "host:6060: " };
                assert!(error.starts_with(shown), "{error}");
                assert!(!error.contains("cret") && !error.contains("me:"), "{error}");
            }
        }
        for at in ["%40", "%2540", "\u{ff20}"] {
            let error = check(&format!("http://me:secret{at}host:6060/x")).unwrap_err().to_string();
            assert!(error.starts_with("host:6060: "), "{error}");
        }
        let error = check("http://me:se/cret%40host/x").unwrap_err().to_string();
        assert!(error.starts_with("http://me:***: "), "{error}");
        assert!(check("http://h/x?user=a%40b").is_ok());
        assert!(check("http://h/a%40b").is_ok());
    }

    #[test]
    fn ports_that_are_none_are_errors_instead_of_port_80() {
        for url in [
            "http://h:0/",
            "http://h:65536/x",
            "http://h:x/",
            "http://h:/",
            "http://h:+1",
            "http://[::1]28080/",
            "http://[::1]x:80/",
        ] {
            let error = check(url).unwrap_err().to_string();
            assert!(error.contains("isn't a number from 1 to 65535"), "{error}");
        }
        for url in ["http://h:6060/", "http://[::1]:6060/x", "http://[::1]/x", "http://h"] {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in ["http:///x", "http://:80/x", "http://[]:80"] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
