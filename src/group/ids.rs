//! The id and the shape of a stack, which identify it across processes, machines and builds.

use crate::profile::{Profile, StackId, StrId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::Write;

/// The last 12 bytes of a SHA-256, shown as 24 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct StackHash([u8; 12]);

impl StackHash {
    /// The hex digits.
    pub fn hex(self) -> [u8; 24] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 24];
        for (at, byte) in self.0.iter().enumerate() {
            hex[2 * at] = DIGITS[usize::from(byte >> 4)];
            hex[2 * at + 1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }

    fn of(hasher: Sha256) -> StackHash {
        let digest = hasher.finalize();
        let mut last = [0; 12];
        last.copy_from_slice(&digest[digest.len() - 12..]);
        StackHash(last)
    }
}

impl fmt::Display for StackHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(std::str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

impl serde::Serialize for StackHash {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

/// The id of a stack: the hash of `func file:line` of every frame, leaf first, joined by newlines.
///
/// Frames are hashed as the input writes them, before trimming, so the same stack has the same id
/// under any rules, on every machine and in every version.
pub fn id(profile: &Profile, stack: StackId) -> StackHash {
    let mut hasher = Sha256::new();
    let mut line = Vec::new();
    for (at, &frame) in profile.stack(stack).iter().enumerate() {
        let frame = profile.frame(frame);
        line.clear();
        if at > 0 {
            line.push(b'\n');
        }
        line.extend_from_slice(profile.str(frame.func));
        line.push(b' ');
        line.extend_from_slice(profile.str(frame.file));
        // Writing to memory can't fail.
        let _ = write!(line, ":{}", frame.line);
        hasher.update(&line);
    }
    StackHash::of(hasher)
}

/// The shape of a stack: the hash of its functions only, normalised so that it is the same in other Go
/// versions, with other inlining and with moved lines.
///
/// Each function goes through [`normal_function`], and runs of equal neighbours become one: the depth of
/// a recursion says little, and `sync.(*Mutex).Lock` is two frames from Go 1.24 on. Then
/// `runtime.main` and `runtime.goexit` at the root and functions of the runtime at the leaf are
/// dropped, unless nothing else is left.
pub fn shape(profile: &Profile, stack: StackId) -> StackHash {
    Shapes::new(profile).of(stack)
}

/// The [`shape`]s of many stacks of a profile, for which each function is normalised once.
pub struct Shapes<'a> {
    profile: &'a Profile,
    normal: HashMap<StrId, Vec<u8>, FixedState>,
}

impl<'a> Shapes<'a> {
    /// No stack of the profile has been looked at yet.
    pub fn new(profile: &'a Profile) -> Shapes<'a> {
        Shapes { profile, normal: HashMap::default() }
    }

    /// The shape of a stack.
    pub fn of(&mut self, stack: StackId) -> StackHash {
        let frames = self.profile.stack(stack);
        for &frame in frames {
            let name = self.profile.frame(frame).func;
            self.normal.entry(name).or_insert_with(|| normal_function(self.profile.str(name)));
        }
        let normal = |&frame| self.normal[&self.profile.frame(frame).func].as_slice();
        let mut functions: Vec<&[u8]> = frames.iter().map(normal).collect();
        functions.dedup();
        let mut hasher = Sha256::new();
        for (at, function) in shown(&functions).iter().enumerate() {
            if at > 0 {
                hasher.update(b"\n");
            }
            hasher.update(function);
        }
        StackHash::of(hasher)
    }
}

/// The functions of a stack that don't depend on how it was taken: crash texts print frames of the
/// runtime at both ends that debug=1 and debug=2 hide.
fn shown<'f, 'n>(functions: &'f [&'n [u8]]) -> &'f [&'n [u8]] {
    let mut rest = functions;
    while let [before @ .., last] = rest
        && matches!(*last, b"runtime.goexit" | b"runtime.main")
    {
        rest = before;
    }
    let rooted = rest;
    while let [first, after @ ..] = rest
        && is_runtime(first)
    {
        rest = after;
    }
    match (rest.is_empty(), rooted.is_empty()) {
        (false, _) => rest,
        (true, false) => rooted,
        (true, true) => functions,
    }
}

/// Whether Go's debug=1 printer hides this function at the leaf; `panic` is `runtime.gopanic`.
fn is_runtime(function: &[u8]) -> bool {
    function == b"panic"
        || function.starts_with(b"runtime.")
        || function.starts_with(b"internal/runtime/")
}

/// A function name without what changes between Go versions, builds and module versions:
///
/// - `runtime.gopanic` is `panic`, `internal/sync.` is `sync.`;
/// - type arguments are `[...]`;
/// - `/vN`, `%2evN` and `@v...` are cut;
/// - a run of `.funcN`, `.N`, `.gowrapN`, `.deferwrapN` is `.func`;
/// - a closure inlined into a closure of the same function (`.f.func1.f.1`) is one closure of it;
/// - closures of package variables are `.init.func` (`.glob..func1` up to Go 1.21);
/// - the entries to the semaphores of package sync are those of Go 1.19.
///
/// ```
/// use stackgazer::group::ids::normal_function;
/// assert_eq!(normal_function(b"main.startAll.func13.1"), b"main.startAll.func");
/// assert_eq!(normal_function(b"go.etcd.io/raft/v3.(*node).run"), b"go.etcd.io/raft.(*node).run");
/// ```
pub fn normal_function(function: &[u8]) -> Vec<u8> {
    if function == b"runtime.gopanic" {
        return b"panic".to_vec();
    }
    let plain = plain_types(function);
    let plain = match plain.strip_prefix(b"internal/sync.") {
        Some(rest) => [b"sync.", rest].concat(),
        None => plain,
    };
    if let Some((_, older)) = SEMAPHORES.iter().find(|(newer, _)| *newer == plain) {
        return older.to_vec();
    }
    one_closure(&of_package_variables(without_versions(&plain)))
}

/// Entries to the runtime's semaphores that later versions split up, and their older names. The function
/// of package sync that calls them says more, so nothing is lost.
const SEMAPHORES: [(&[u8], &[u8]); 3] = [
    (b"sync.runtime_SemacquireWaitGroup", b"sync.runtime_Semacquire"), // from Go 1.24 on
    (b"sync.runtime_SemacquireRWMutex", b"sync.runtime_SemacquireMutex"), // from Go 1.20 on
    (b"sync.runtime_SemacquireRWMutexR", b"sync.runtime_SemacquireMutex"),
];

/// The name with `.init.` in place of `.glob..`, which closures of package variables had up to Go 1.21.
fn of_package_variables(name: Vec<u8>) -> Vec<u8> {
    const OLD: &[u8] = b".glob..";
    match name.windows(OLD.len()).position(|part| part == OLD) {
        Some(at) => [&name[..at], b".init.", &name[at + OLD.len()..]].concat(),
        None => name,
    }
}

/// The name with every outermost pair of brackets emptied to `[...]`.
fn plain_types(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut depth = 0_usize;
    for &byte in name {
        match byte {
            b'[' => {
                if depth == 0 {
                    plain.extend_from_slice(b"[...");
                }
                depth += 1;
            }
            b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    plain.push(b']');
                }
            }
            _ if depth == 0 => plain.push(byte),
            _ => {}
        }
    }
    plain
}

/// The name without `/vN`, `%2evN` and `@v...` where they end a path element.
fn without_versions(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        let cut = version_at(rest);
        if cut > 0 {
            rest = &rest[cut..];
        } else {
            plain.push(byte);
            rest = after;
        }
    }
    plain
}

/// The length in bytes of a version at the start of `rest`; 0 if there is none.
fn version_at(rest: &[u8]) -> usize {
    if let Some(version) = rest.strip_prefix(b"@v") {
        let to_slash = version.iter().position(|&byte| byte == b'/');
        // Without a further path element the function's name comes next, after the last numeric part.
        let to_name = || {
            let parts = version.split(|&byte| byte == b'.');
            let counted = parts.take_while(|part| part.iter().all(u8::is_ascii_digit));
            counted.map(|part| part.len() + 1).sum::<usize>().saturating_sub(1)
        };
        return 2 + to_slash.unwrap_or_else(to_name);
    }
    for start in [b"/v".as_slice(), b"%2ev"] {
        let Some(version) = rest.strip_prefix(start) else { continue };
        let digits = version.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && matches!(version.get(digits), None | Some(b'/' | b'.')) {
            return start.len() + digits;
        }
    }
    0
}

/// The name with every run of parts that the compiler numbers written as one `.func`, and closures
/// of a function inlined into its own closures as one closure.
fn one_closure(name: &[u8]) -> Vec<u8> {
    const CLOSURE: &[u8] = b".func";
    let mut plain: Vec<u8> = Vec::with_capacity(name.len());
    let mut in_run = false;
    // The position after the last closure, where the name of an inlined function starts.
    let mut inlined = 0;
    for (at, part) in name.split(|&byte| byte == b'.').enumerate() {
        if at > 0 && is_counted(part) {
            if !in_run {
                let outer = &plain[..inlined.max(CLOSURE.len()) - CLOSURE.len()];
                match outer.ends_with(&plain[inlined..]) && inlined > 0 {
                    true => plain.truncate(inlined),
                    false => plain.extend_from_slice(CLOSURE),
                }
                inlined = plain.len();
            }
            in_run = true;
            continue;
        }
        in_run = false;
        if at > 0 {
            plain.push(b'.');
        }
        plain.extend_from_slice(part);
    }
    plain
}

/// Whether the compiler makes and numbers this part of a name: `func3`, `1`, `gowrap2`, `deferwrap1`.
fn is_counted(part: &[u8]) -> bool {
    let digits = [b"func".as_slice(), b"gowrap", b"deferwrap"]
        .iter()
        .find_map(|word| part.strip_prefix(*word))
        .unwrap_or(part);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Keep, ProfileBuilder};

    fn hashes(frames: &[(&str, &str, i64)]) -> (String, String) {
        let mut builder = ProfileBuilder::new(Keep::default());
        let frames: Vec<_> = frames
            .iter()
            .map(|(func, file, line)| builder.frame(func.as_bytes(), file.as_bytes(), *line))
            .collect();
        let stack = builder.stack(&frames);
        let profile = builder.finish();
        (id(&profile, stack).to_string(), shape(&profile, stack).to_string())
    }

    fn shape_of(functions: &[&str]) -> String {
        let frames: Vec<_> = functions.iter().map(|function| (*function, "x.go", 1)).collect();
        hashes(&frames).1
    }

    fn normal(function: &str) -> String {
        String::from_utf8(normal_function(function.as_bytes())).unwrap()
    }

    #[test]
    fn an_id_is_the_end_of_the_sha256_of_functions_and_places() {
        // printf 'apple apple.go:11' | sha256sum
        assert_eq!(hashes(&[("apple", "apple.go", 11)]).0, "330e809de0b736e87973f9a3");
        let one = hashes(&[("a", "a.go", 1), ("b", "b.go", 2)]).0;
        assert_ne!(one, hashes(&[("b", "b.go", 2), ("a", "a.go", 1)]).0);
        assert_ne!(one, hashes(&[("a", "a.go", 1), ("b", "b.go", 3)]).0);
    }

    #[test]
    fn a_shape_ignores_places() {
        assert_eq!(
            hashes(&[("main.a", "/x/a.go", 1), ("main.b", "/x/b.go", 2)]).1,
            hashes(&[("main.a", "/y/a.go", 7), ("main.b", "/y/b.go", 9)]).1
        );
    }

    #[test]
    fn a_shape_drops_the_runtime_at_both_ends_unless_nothing_is_left() {
        let plain = shape_of(&["main.work", "main.main"]);
        assert_eq!(
            shape_of(&[
                "runtime.gopark",
                "main.work",
                "main.main",
                "runtime.main",
                "runtime.goexit"
            ]),
            plain
        );
        assert_eq!(shape_of(&["runtime.gopanic", "main.work"]), shape_of(&["panic", "main.work"]));
        assert_ne!(shape_of(&["main.work", "runtime.chanrecv", "main.main"]), plain);
        assert_eq!(
            shape_of(&["runtime.gopark", "runtime.bgsweep", "runtime.goexit"]),
            shape_of(&["runtime.gopark", "runtime.bgsweep"])
        );
        assert_ne!(shape_of(&["runtime.gopark", "runtime.bgsweep"]), shape_of(&[]));
        assert_ne!(shape_of(&["runtime.main", "runtime.goexit"]), shape_of(&[]));
    }

    #[test]
    fn a_panic_below_a_deferred_call_has_one_name() {
        assert_eq!(
            shape_of(&["main.deferred", "runtime.gopanic", "main.work"]),
            shape_of(&["main.deferred", "panic", "main.work"])
        );
    }

    #[test]
    fn functions_lose_what_changes_between_builds() {
        for (function, expected) in [
            ("runtime.gopanic", "panic"),
            ("internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).lockSlow"),
            ("main.Pool[go.shape.string]", "main.Pool[...]"),
            ("main.Pool[map[string]int].Get", "main.Pool[...].Get"),
            ("main.T[...].M[...]", "main.T[...].M[...]"),
            ("go.etcd.io/raft/v3.(*node).run", "go.etcd.io/raft.(*node).run"),
            ("go.etcd.io/raft/v3/tracker.New", "go.etcd.io/raft/tracker.New"),
            ("gopkg.in/yaml%2ev2.Unmarshal", "gopkg.in/yaml.Unmarshal"),
            ("example.org/x@v1.2.3/y.F", "example.org/x/y.F"),
            ("example.org/x@v1.2.3.F", "example.org/x.F"),
            ("example.org/v2ray/core.F", "example.org/v2ray/core.F"),
            ("main.work.func1", "main.work.func"),
            ("main.work.func1.2.3", "main.work.func"),
            ("main.work.gowrap1", "main.work.func"),
            ("main.work.func2.deferwrap1", "main.work.func"),
            ("main.work.func", "main.work.func"),
            ("main.functional", "main.functional"),
            ("main.init.0", "main.init.func"),
            ("main.glob..func1", "main.init.func"),
            ("main.init.func1", "main.init.func"),
            ("example.com/glob..func1", "example.com/glob..func"),
            ("sync.runtime_Semacquire", "sync.runtime_Semacquire"),
            ("sync.runtime_SemacquireWaitGroup", "sync.runtime_Semacquire"),
            ("internal/sync.runtime_SemacquireMutex", "sync.runtime_SemacquireMutex"),
            ("sync.runtime_SemacquireRWMutexR", "sync.runtime_SemacquireMutex"),
            ("sync.runtime_SemacquireRWMutex", "sync.runtime_SemacquireMutex"),
            ("my/sync.runtime_SemacquireWaitGroup", "my/sync.runtime_SemacquireWaitGroup"),
        ] {
            assert_eq!(normal(function), expected, "{function}");
        }
    }

    #[test]
    fn closures_that_compilers_number_differently_have_one_shape() {
        // One closure as Go 1.21 and as Go 1.22 to 1.26 call it.
        assert_eq!(
            normal("main.startAll.func13.(*Replica).Closures.func1"),
            normal("main.startAll.func13.(*Replica).Closures.1")
        );
        assert_eq!(normal("kv.(*Replica).Closures.func1"), normal("kv.(*Replica).Closures.1"));
    }

    #[test]
    fn closures_inlined_into_their_own_function_are_closures_of_it() {
        assert_eq!(
            normal("stop.(*Stopper).Chain.func1.(*Stopper).Chain.1"),
            normal("stop.(*Stopper).Chain.func1.1")
        );
        assert_eq!(normal("main.f.func1.f.func2.f.1"), "main.f.func");
        // Closures of other functions stay distinct, and so do names that only end alike.
        assert_eq!(normal("main.f.func1.(*T).g.1"), "main.f.func.(*T).g.func");
        assert_eq!(normal("main.off.func1.f.1"), "main.off.func.f.func");
    }

    #[test]
    fn a_shape_counts_recursion_once() {
        let once = shape_of(&["main.leaf", "main.down", "main.main"]);
        assert_eq!(shape_of(&["main.leaf", "main.down", "main.down", "main.main"]), once);
        // Every second frame is another function: there is no run.
        assert_ne!(
            shape_of(&["main.a", "main.b", "main.a", "main.b"]),
            shape_of(&["main.a", "main.b"])
        );
    }

    #[test]
    fn a_lock_has_one_shape_in_every_version() {
        let old = ["sync.runtime_SemacquireMutex", "sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock"];
        let new = [
            "internal/sync.runtime_SemacquireMutex",
            "internal/sync.(*Mutex).lockSlow",
            "internal/sync.(*Mutex).Lock",
            "sync.(*Mutex).Lock",
        ];
        assert_eq!(shape_of(&old), shape_of(&new));
    }

    #[test]
    fn the_stack_without_frames_has_hashes_too() {
        // printf '' | sha256sum
        assert_eq!(hashes(&[]).0, "27ae41e4649b934ca495991b7852b855"[8..].to_owned());
    }
}
