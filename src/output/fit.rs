//! Shortens functions, packages and places to fit a screen. These are left out, in this order:
//!
//! 1. folders of a place, from the left: `…/kvserver/replica.go:812`, down to `replica.go:812`;
//! 2. the import path before a function, except its last element:
//!    `github.com/cockroachdb/cockroach/pkg/kv/kvserver.(*Replica).lock` becomes
//!    `kvserver.(*Replica).lock`;
//! 3. the rest of a name after its function: `kvserver.(*Replica).lock → m…`;
//! 4. the package: `(*Replica).lock`.
//!
//! The function itself is never cut, nor are file and line: then the line is longer than the screen.

use super::table::cut;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// Splits a name after its function, where ` → what it waits for` or ` (file:line)` follows.
fn split_name(text: &str) -> (&str, &str) {
    let ends = [" → ", " ("].into_iter().filter_map(|end| text.find(end));
    text.split_at(ends.min().unwrap_or(text.len()))
}

/// A function without the import path of its package, except the last element.
///
/// ```
/// use stackgazer::output::fit::base;
/// assert_eq!(base("github.com/acme/shop/store.(*Stock).Get"), "store.(*Stock).Get");
/// assert_eq!(base("github.com/jackc/pgx/v5.(*Conn).Exec"), "pgx/v5.(*Conn).Exec");
/// assert_eq!(base("main.Map[go.shape.string,github.com/a/b.C]"), "main.Map[go.shape.string,github.com/a/b.C]");
/// ```
pub fn base(function: &str) -> &str {
    // Receivers and type arguments can have paths of other packages; a text with blanks isn't a function.
    let path = function.split(['(', '[', ' ']).next().unwrap_or_default();
    if path.len() < function.len() && function[path.len()..].starts_with(' ') {
        return function;
    }
    let Some(slash) = path.rfind('/') else { return function };
    let element = path[slash + 1..].split('.').next().unwrap_or_default();
    let is_version = element
        .strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let start = match is_version {
        true => path[..slash].rfind('/').map_or(0, |slash| slash + 1),
        false => slash + 1,
    };
    &function[start..]
}

/// A function without its package.
fn bare(function: &str) -> &str {
    let base = base(function);
    let package = base.split(['(', '[', ' ']).next().unwrap_or_default();
    match package.split_once('.') {
        Some((package, _)) => &base[package.len() + 1..],
        None => base,
    }
}

/// A function in at most `room` columns, if that is possible without cutting it.
pub fn function(text: &str, room: usize) -> Cow<'_, str> {
    if text.width() <= room {
        return text.into();
    }
    let base = base(text);
    if base.width() <= room { base.into() } else { bare(text).into() }
}

/// The name of a stack in at most `room` columns, if that is possible without cutting its function.
pub fn name(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let (function, rest) = split_name(text);
    let base = base(function);
    let shown = if base.width() <= room { base } else { bare(function) };
    match room.saturating_sub(shown.width()) {
        left if rest.width() <= left => format!("{shown}{rest}"),
        // With fewer columns the rest would say nothing.
        ..6 => shown.to_owned(),
        left => format!("{shown}{}", cut(rest, left)),
    }
}

/// The width of a name's function with its package: the rest can be cut.
pub fn least_name(text: &str) -> usize {
    base(split_name(text).0).width()
}

/// A path in at most `room` columns, if that is possible without cutting its last element: folders are left
/// out from the left.
pub fn path(text: &str, room: usize) -> Cow<'_, str> {
    if text.width() <= room {
        return text.into();
    }
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('/') {
        rest = behind;
        if rest.width() + 2 <= room {
            return format!("…/{rest}").into();
        }
    }
    rest.into()
}

/// The width of a path's last element, which is never cut.
pub fn least_path(text: &str) -> usize {
    text.rsplit('/').next().unwrap_or_default().width()
}

/// A function and, after a blank, its place (either may be missing), in at most `room` columns if that is
/// possible without cutting what is never cut.
pub fn located(text: &str, room: usize) -> String {
    match text.rsplit_once(' ').filter(|(_, last)| is_place(last)) {
        _ if text.width() <= room => text.to_owned(),
        Some((func, place)) => {
            let func = function(func, room.saturating_sub(least_path(place) + 1));
            format!("{func} {}", path(place, room.saturating_sub(func.width() + 1)))
        }
        None => function(text, room).into_owned(),
    }
}

/// Whether the last word after a function is its place: `file.go:12`, or a path.
pub fn is_place(word: &str) -> bool {
    word.contains(['/', ':'])
}

/// A sentence; its functions are shortened if it is longer than `room`.
pub fn sentence(text: &str, room: usize) -> Cow<'_, str> {
    if text.width() <= room {
        return text.into();
    }
    let is_plain = |word: &str| !word.contains("://") && !word.contains(['\'', '"', '=']);
    let word = |word: &str| if is_plain(word) { base(word).to_owned() } else { word.to_owned() };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "github.com/cockroachdb/cockroach/pkg/kv/kvserver.(*Replica).lock";

    #[test]
    fn the_package_is_shortened_and_the_function_never() {
        assert_eq!(function(LOCK, 64), LOCK);
        assert_eq!(function(LOCK, 63), "kvserver.(*Replica).lock");
        assert_eq!(function(LOCK, 24), "kvserver.(*Replica).lock");
        assert_eq!(function(LOCK, 23), "(*Replica).lock");
        assert_eq!(function(LOCK, 3), "(*Replica).lock");
        assert_eq!(function("main.main.func1", 3), "main.func1");
        assert_eq!(function("pthread_cond_wait", 3), "pthread_cond_wait");
        assert_eq!(function("gopkg.in/yaml%2ev3.Unmarshal", 20), "yaml%2ev3.Unmarshal");
        assert_eq!(function("a/b.Map[go.shape.int,c/d.E].F", 28), "b.Map[go.shape.int,c/d.E].F");
    }

    #[test]
    fn a_function_leaves_room_for_the_file_behind_it() {
        let text =
            format!("{LOCK} github.com/cockroachdb/cockroach/pkg/kv/kvserver/replica.go:812");
        assert_eq!(located(&text, 200), text);
        assert_eq!(located(&text, 60), "kvserver.(*Replica).lock …/pkg/kv/kvserver/replica.go:812");
        assert_eq!(located(&text, 40), "kvserver.(*Replica).lock replica.go:812");
        assert_eq!(located(&text, 20), "(*Replica).lock replica.go:812");
        assert_eq!(located(LOCK, 30), "kvserver.(*Replica).lock");
        assert_eq!(located("mill::serve(int, char)", 9), "mill::serve(int, char)");
    }

    #[test]
    fn names_lose_what_is_behind_the_function_before_its_package() {
        let text = format!("{LOCK} → mutex");
        assert_eq!(name(&text, 72), text);
        assert_eq!(name(&text, 40), "kvserver.(*Replica).lock → mutex");
        assert_eq!(name(&text, 31), "kvserver.(*Replica).lock → mut…");
        assert_eq!(name(&text, 26), "kvserver.(*Replica).lock");
        assert_eq!(name(&text, 22), "(*Replica).lock → mut…");
        assert_eq!(name(&text, 5), "(*Replica).lock");
        assert_eq!(name("sql.run (distsql_running.go:165)", 16), "sql.run (distsq…");
        assert_eq!(name("http client reader → read", 20), "http client reader");
    }

    #[test]
    fn places_keep_file_and_line() {
        let place = "/go/src/kv/kvserver/replica.go:812";
        assert_eq!(path(place, 34), place);
        assert_eq!(path(place, 26), "…/kvserver/replica.go:812");
        assert_eq!(path(place, 16), "…/replica.go:812");
        assert_eq!(path(place, 15), "replica.go:812");
        assert_eq!(path(place, 2), "replica.go:812");
        assert_eq!(path("数据/库.go:1", 7), "库.go:1");
    }

    #[test]
    fn sentences_keep_what_can_be_typed() {
        let text = format!("3 goroutines of {LOCK} wait; --frame '{LOCK}' at http://x/y");
        assert_eq!(
            sentence(&text, 80),
            format!(
                "3 goroutines of kvserver.(*Replica).lock wait; --frame '{LOCK}' at http://x/y"
            )
        );
        assert_eq!(sentence("short/a.b", 80), "short/a.b");
    }
}
