//! Names of functions, and the functions that Go's texts leave out.

use super::InputFormat;
use std::borrow::Cow;

/// The import path in front of a function's name, as the input writes it (`gopkg.in/yaml%2ev3`);
/// empty for functions that aren't Go's.
///
/// ```
/// use stackgazer::profile::function::package;
/// assert_eq!(package(b"net/http.(*conn).serve"), b"net/http");
/// assert_eq!(package(b"main.Map[go.shape.string,github.com/a/b.C]"), b"main");
/// ```
pub fn package(function: &[u8]) -> &[u8] {
    // Type arguments and receivers hold paths of other packages.
    let plain = function.split(|byte| matches!(byte, b'[' | b'(')).next().unwrap_or_default();
    let last = plain.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    match plain[last..].iter().position(|&byte| byte == b'.') {
        Some(dot) => &plain[..last + dot],
        None => b"",
    }
}

/// Whether a function belongs to a logger that prints all stacks when it ends the process: glog,
/// klog, CockroachDB's.
///
/// ```
/// use stackgazer::profile::function::is_logger;
/// assert!(is_logger(b"k8s.io/klog/v2.stacks"));
/// assert!(!is_logger(b"main.main"));
/// ```
pub fn is_logger(function: &[u8]) -> bool {
    let package = package(function);
    let mut parts = package.split(|&byte| byte == b'/');
    parts.any(|part| matches!(part, b"glog" | b"klog" | b"allstacks"))
        || package.starts_with(b"github.com/cockroachdb/") && package.ends_with(b"/util/log")
}

/// Whether a function raises a panic.
///
/// ```
/// use stackgazer::profile::function::raises_panic;
/// assert!(raises_panic(b"panic") && !raises_panic(b"main.panic"));
/// ```
pub fn raises_panic(function: &[u8]) -> bool {
    matches!(function, b"panic" | b"runtime.gopanic")
}

/// A function's name as panics and debug=1 texts print it: [`shortened`] if that differs.
pub fn printed(name: &[u8]) -> Cow<'_, [u8]> {
    shortened(name).map_or(Cow::Borrowed(name), Cow::Owned)
}

/// A function name as Go's texts print it, with `[...]` for type arguments; `None` if that isn't
/// different.
///
/// There can be two lists (a generic method of a generic type, Go 1.27): everything between the
/// second `[` and the last `]` counts as one. Names with unmatched brackets give `None`.
pub fn shortened(name: &[u8]) -> Option<Vec<u8>> {
    const ARGUMENTS: &[u8] = b"[...]";
    let (start, rest) = name.split_at_checked(memchr::memchr(b'[', name)?)?;
    let (list, tail) = rest.split_at_checked(memchr::memrchr(b']', rest)?.checked_add(1)?)?;
    let (_, between) = list.split_at_checked(matching_bracket(list)?)?;
    Some(match memchr::memchr(b'[', between) {
        None => [start, ARGUMENTS, tail].concat(),
        Some(second) => {
            let (between, _) = between.split_at_checked(second)?;
            [start, ARGUMENTS, between, ARGUMENTS, tail].concat()
        }
    })
}

/// The length of the list that `text` starts with, its brackets included.
fn matching_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth = depth.checked_add(1)?,
            b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return at.checked_add(1);
        }
    }
    None
}

/// How Go's printer of debug=1 texts treats a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Shown, as are all frames after it.
    Plain,
    /// A frame of the runtime: hidden if all frames before it are.
    Runtime,
    /// `runtime.goexit`: never shown.
    Goexit,
}

/// How Go's printer of debug=1 texts treats a frame of this function.
pub fn class(name: &[u8]) -> Class {
    if name == b"runtime.goexit" {
        Class::Goexit
    } else if name.starts_with(b"runtime.") || name.starts_with(b"internal/runtime/") {
        Class::Runtime
    } else {
        Class::Plain
    }
}

/// The frames that the debug=1 text of a profile leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hides {
    /// None: there is no such text.
    Nothing,
    /// `runtime.goexit` only.
    Goexit,
    /// `runtime.goexit`, and all frames before the first one outside the runtime.
    Runtime,
}

impl Hides {
    /// The frames that the text of a profile with this format leaves out.
    pub fn of(format: InputFormat) -> Hides {
        match format {
            InputFormat::CpuDebug0 | InputFormat::ProfileDebug0 => Hides::Nothing,
            InputFormat::ContentionDebug0 => Hides::Goexit,
            _ => Hides::Runtime,
        }
    }

    /// The frames of a stack that are shown, leaf first; frames of the runtime if there are no
    /// others.
    pub fn shown<T>(self, frames: impl Iterator<Item = (Class, T)> + Clone) -> Vec<T> {
        let mut shown = Vec::new();
        for (class, frame) in frames.clone() {
            let is_hidden = match class {
                Class::Goexit => self != Hides::Nothing,
                Class::Runtime => self == Hides::Runtime && shown.is_empty(),
                Class::Plain => false,
            };
            if !is_hidden {
                shown.push(frame);
            }
        }
        if shown.is_empty() {
            let others = frames.filter(|(class, _)| *class != Class::Goexit);
            shown.extend(others.map(|(_, frame)| frame));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_printed(name: &str) -> String {
        String::from_utf8(printed(name.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn type_arguments_are_left_out() {
        assert_eq!(as_printed("main.f"), "main.f");
        assert_eq!(as_printed("gen.(*Queue[go.shape.string]).Pop"), "gen.(*Queue[...]).Pop");
        assert_eq!(
            as_printed("gen.Pair[go.shape.string,go.shape.[]int].Send"),
            "gen.Pair[...].Send"
        );
        assert_eq!(as_printed("gen.F[go.shape.struct { X [2]int }].func1"), "gen.F[...].func1");
        assert_eq!(as_printed("gen.F[...]"), "gen.F[...]");
    }

    #[test]
    fn a_generic_method_of_a_generic_type_has_two_lists() {
        assert_eq!(
            as_printed("gen.T[go.shape.[]int].M[go.shape.[]int].func1"),
            "gen.T[...].M[...].func1"
        );
        assert_eq!(as_printed("gen.T[...].M[...]"), "gen.T[...].M[...]");
        assert_eq!(as_printed("gen.T[[]int].M[[]string].func1"), "gen.T[...].M[...].func1");
    }

    #[test]
    fn names_with_odd_brackets_are_kept() {
        for name in ["main.f[", "main.f]", "main.f[[x]", "]["] {
            assert_eq!(as_printed(name), name);
        }
    }
}
