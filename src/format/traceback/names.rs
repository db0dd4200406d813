//! Names of functions: `main.f`, `example.com/shop.(*Store[...]).Add.func1`, `type:.eq.struct {...}`, `panic`.
//!
//! Text that is no name stands where names do: log lines, and names of which a part was cut off or left out. Go's are
//! those of [its linker](https://go.dev/src/cmd/internal/objabi/path.go): a path, a dot, identifiers with dots between
//! them; methods of pointers have `(*T)`, type arguments are printed as `[...]`.

/// Whether `func` can be the name of a function. Names of methods of unnamed types contain blanks
/// (`type:.eq.struct {`), but so do log lines, so only names that start like these are accepted
/// with a blank.
pub(crate) fn is_plausible(func: &[u8]) -> bool {
    match memchr::memchr2(b' ', b'\t', func) {
        None => true,
        Some(blank) => func.starts_with(b"type:.") || func.starts_with(b"type..") && blank > 6,
    }
}

/// Whether `func` certainly is the name of a Go function: `main.(*T).f`, `panic`.
pub(crate) fn is_certain(func: &[u8]) -> bool {
    let is_odd = |byte: &u8| byte.is_ascii_whitespace() || b":=\"'|".contains(byte);
    func == b"panic" || func.contains(&b'.') && !func.iter().any(is_odd)
}

/// Whether a text can be the start of a name that was cut: `example.org/shop.(*T`, `runtime.gop`, `main.`.
pub(crate) fn is_start(text: &[u8]) -> bool {
    let name = text.strip_suffix(b".").unwrap_or(text);
    text == b"main."
        || is_certain(name)
            && !name.ends_with(b".")
            && name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Whether a name that has a place can't be one that Go prints, so that a part of it is lost: `leep`, `.f`,
/// `(*T).f`, `main.`, `main.sta…`, `shop.org/store`, or a log line that stands where the call did. Functions in assembly
/// and those that cgo exports have no package.
pub(crate) fn has_lost_a_part(func: &[u8], file: &[u8]) -> bool {
    // Those of types hold any text of Go.
    let is_of_type = func.starts_with(b"type:") || func.starts_with(b"go:");
    let is_whole = || {
        let last = func.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let dot = memchr::memchr(b'.', last);
        let has_package = func == b"panic" || dot.is_some_and(|at| at > 0) && !last.ends_with(b".");
        let is_odd = |byte: &u8| matches!(byte, 0..=b'$' | b'&' | b'\'' | b',' | b':'..=b'?' | b'\\' | b'^' | b'`' | b'{'..=b'}' | 0x7f);
        let count = |byte: u8| memchr::memchr_iter(byte, func).count();
        // Only folders have a plus sign in their names.
        let has_plus = dot.and_then(|at| last.get(at..)).is_some_and(|name| name.contains(&b'+'));
        has_package
            && !has_plus
            && !func.iter().any(is_odd)
            && (func.is_ascii() || has_letters_only(func))
            && count(b'[') == count(b']')
            && has_receivers_only(func)
    };
    let is_of_go = file.ends_with(b".go") && !func.starts_with(b"_") && !is_of_type;
    has_gap(func)
        || has_gap(file)
        || is_damaged_file(file)
        || memchr::memchr(b'[', file).is_some() && memchr::memmem::find(file, b"[...]").is_some()
        || is_of_go && !is_whole()
}

/// Whether all characters of a name outside of ASCII are those of Go's identifiers.
fn has_letters_only(func: &[u8]) -> bool {
    // Go up to 1.4 names closures `main.func·001`, and 1.17 wrappers `main.f·dwrap·1`; old consoles of Windows show the
    // dot as two characters.
    let is_odd = |char: char| !char.is_ascii() && !"·┬╖".contains(char) && !char.is_alphanumeric();
    // What isn't UTF-8 is told by itself.
    std::str::from_utf8(func).map_or(true, |func| !func.contains(is_odd))
}

/// Whether a file can't be one of a place: it has control characters, such as the tab before the place of another
/// line, a character that was replaced, or blanks at its end.
fn is_damaged_file(file: &[u8]) -> bool {
    file.iter().any(u8::is_ascii_control)
        || file.ends_with(b" ")
        || memchr::memchr(0xef, file).is_some()
            && memchr::memmem::find(file, "\u{fffd}".as_bytes()).is_some()
}

/// Whether all parentheses in a name are those of receivers, as in `main.(*T[...]).f`.
fn has_receivers_only(func: &[u8]) -> bool {
    let mut rest = func;
    while let Some(at) = memchr::memchr2(b'(', b')', rest) {
        let Some((before, receiver)) = rest.split_at_checked(at) else { return true };
        let end = memchr::memchr(b')', receiver);
        let Some((name, after)) = end.and_then(|end| receiver.split_at_checked(end)) else {
            return false;
        };
        if !before.ends_with(b".") || !name.starts_with(b"(*") || !after.starts_with(b").") {
            return false;
        }
        rest = after.get(1..).unwrap_or_default();
    }
    true
}

/// Whether a mark in a name says that a part of it was left out; `[...]` are type arguments, and people write
/// `/.../` for folders.
fn has_gap(name: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(name, mark.as_bytes()).is_some();
    let has_dots = || {
        memchr::memmem::find_iter(name, b"...").any(|at| {
            let before = at.checked_sub(1).and_then(|before| name.get(before));
            let after = name.get(at.saturating_add(3));
            !matches!((before, after), (Some(b'['), Some(b']')) | (Some(b'/') | None, Some(b'/')))
        })
    };
    // Nearly no name has two dots in a row or one of these bytes, and a search for a text costs more to build.
    name.windows(2).any(|pair| pair == b"..") && has_dots()
        || memchr::memchr3(0xe2, b'<', b'[', name).is_some()
            && ["…", "<snip>", "[truncated]"].iter().any(|mark| has(mark))
}

/// Whether a line has nothing but characters of names of functions.
pub(crate) fn has_bytes_of_names(line: &[u8]) -> bool {
    line.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_./*()[]-%~".contains(byte))
}

/// Whether a function is the first one of its goroutine.
pub(crate) fn is_root(func: &[u8]) -> bool {
    [&b"main.main"[..], b"runtime.main", b"runtime.goexit"].contains(&func)
}

/// Whether C calls this function, so that its goroutine has no creator: `_cgoexp_4b6f3d_call`, before Go 1.16
/// `main._cgoexpwrap_4b6f3d_call`.
pub(crate) fn is_called_by_c(func: &[u8]) -> bool {
    memchr::memmem::find(func, b"_cgoexp").is_some()
}

/// Whether a function runs before `main.main`: `main.init.0`, `shop.init`.
pub(crate) fn runs_before_main(func: &[u8]) -> bool {
    func.ends_with(b".init") || memchr::memmem::find(func, b".init.").is_some()
}

/// Whether a function can nevertheless be below a root: the runtime calls some, and a program can
/// call its own `main`.
pub(crate) fn may_be_below_a_root(func: &[u8]) -> bool {
    func.starts_with(b"runtime.") || func.starts_with(b"main.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_told_from_words() {
        for name in ["main.f", "example.org/shop.(*T).f", "main.F[...].func1", "panic"] {
            assert!(is_certain(name.as_bytes()), "{name}");
        }
        for text in ["", "main", "a line.of a log", "a:b.c", "a=b.c", "a'b.c", "a|b.c"] {
            assert!(!is_certain(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_name_with_a_blank_is_of_a_type_without_a_name_or_none() {
        for name in ["main.f", "type:.eq.struct { F uintptr }", "type..eq.struct { F uintptr }"] {
            assert!(is_plausible(name.as_bytes()), "{name}");
        }
        for name in ["a line.of a log", "type.. x", "main.f x", "main.\tf"] {
            assert!(!is_plausible(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn names_that_go_gives_to_nothing_are_those_of_which_a_part_is_lost() {
        for name in [
            "runtime.forcegchelpe…me.(*scav).park",
            "runtime.force...me.park",
            "runtime.force<snip>me.park",
            "runtime.force[truncated]me.park",
            "main.y(0x1)main.k",
            "..].gowrap1",
            "main.(T).f",
            "main.T).f",
            "example.org/shop",
            "main.New[",
            "main.f|x",
            "main.f\"",
            "sync.(*Mutex).Unlock+nlock",
            "main.f\u{fffd}o",
            "│main.foo",
            r"main.f\oo",
        ] {
            assert!(has_lost_a_part(name.as_bytes(), b"/src/a.go"), "{name}");
        }
        for name in [
            "main.f",
            "main.Map[...]",
            "main.(*T[...]).f.func1",
            "main.glob..func1",
            "main.f.(*T).M-fm",
            "main.f[...].func1.gowrap1",
            "type:.eq.struct { main.a func(int) }",
            "github.com/shop/v2.(*Cart).Add",
            "gopkg.in/yaml%2ev3.(*parser).parse",
            "go:struct { main.a int }.f",
            "example.org/c++.größe",
            "net/http.func·008",
            "main.main┬╖dwrap┬╖2",
        ] {
            assert!(!has_lost_a_part(name.as_bytes(), b"/src/a.go"), "{name}");
        }
        for file in ["sema[...]c/mutex.go", "/src/ap\t/src/c.go", "/src/   ", "/src/\u{fffd}.go"] {
            assert!(has_lost_a_part(b"main.f", file.as_bytes()), "{file}");
        }
        for file in [
            "/.../shop/mutex.go",
            "<autogenerated>",
            "??",
            "yaccpar",
            "/usr/include/c++/9/vector",
            "",
        ] {
            assert!(!has_lost_a_part(b"main.f", file.as_bytes()), "{file}");
        }
    }
}
