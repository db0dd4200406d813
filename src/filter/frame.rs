//! Frames as patterns match them: after trimming, as a whole or in parts.

use crate::profile::{FrameId, Profile};
use crate::rules::Names;
use bstr::ByteSlice;
use std::io::Write;

/// The part of a frame that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FramePart {
    /// `func file:line`
    Whole,
    /// The function with its package.
    Func,
    /// The file, without the line.
    File,
    /// The function's package path.
    Package,
    /// Its module, with the version if that is known.
    Module,
}

/// Which frames of a stack are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// Any frame of the stack.
    Any,
    /// The innermost.
    Leaf,
    /// The outermost.
    Root,
    /// The `go` statement that created the goroutine, which is not part of the stack.
    Creator,
}

/// Appends `func file:line`; only the function if the place isn't known.
pub(super) fn write_frame(profile: &Profile, names: &Names, frame: FrameId, into: &mut Vec<u8>) {
    into.extend_from_slice(names.func(frame));
    let (file, line) = (names.file(frame), profile.frame(frame).line);
    if !file.is_empty() || line != 0 {
        into.push(b' ');
        into.extend_from_slice(file);
        // Writing to memory can't fail.
        let _ = write!(into, ":{line}");
    }
}

/// The package of a function: `net/http` for `net/http.(*conn).serve`.
pub(super) fn package_of(func: &[u8]) -> &[u8] {
    // Receivers and type arguments can contain slashes and dots of other packages.
    let path = &func[..func.find_byteset(b"([").unwrap_or(func.len())];
    let last = path.rfind_byte(b'/').unwrap_or(0);
    match path[last..].find_byte(b'.') {
        Some(dot) => &path[..last + dot],
        None => path,
    }
}

impl FramePart {
    /// The text of the part; `buffer` is only used if the text has to be put together.
    pub(super) fn text<'a>(
        self,
        profile: &Profile,
        names: &'a Names,
        frame: FrameId,
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        match self {
            FramePart::Whole => {
                buffer.clear();
                write_frame(profile, names, frame, buffer);
                buffer
            }
            FramePart::Func => names.func(frame),
            FramePart::File => names.file(frame),
            FramePart::Package => package_of(names.func(frame)),
            FramePart::Module => {
                buffer.clear();
                buffer.extend_from_slice(&profile.module(frame));
                buffer
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    #[test]
    fn the_package_of_a_function() {
        for (func, package) in [
            ("main.main", "main"),
            ("net/http.(*conn).serve", "net/http"),
            ("github.com/a/b.v2.F", "github.com/a/b"),
            ("gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml%2ev3"),
            ("main.F[github.com/x/y.T].func1", "main"),
            ("slices.Sort[...]", "slices"),
            ("runtime.goexit", "runtime"),
            ("_cgo_wait", "_cgo_wait"),
            ("0x4711", "0x4711"),
            ("", ""),
        ] {
            assert_eq!(package_of(func.as_bytes()).as_bstr(), package, "{func}");
        }
    }

    #[test]
    fn a_frame_is_searched_with_as_much_of_its_place_as_is_known() {
        for (frame, text) in [
            ("main.f main.go:7", "main.f main.go:7"),
            ("main.f main.go:0", "main.f main.go:0"),
            ("main.f", "main.f"),
        ] {
            let mut fixture = Fixture::new("n1");
            fixture.add(G { frames: &[frame], ..G::default() });
            let (profile, names) = fixture.done();
            let mut written = Vec::new();
            let frame = profile.stack(profile.samples[0].key.stack)[0];
            write_frame(&profile, &names, frame, &mut written);
            assert_eq!(written.as_bstr(), text);
        }
    }
}
