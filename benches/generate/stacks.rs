//! Distinct stacks, made of the frames of real ones.
//!
//! Each keeps the innermost and outermost frames of a real stack, so that rules see what they know;
//! frames of all stacks stand between them.

use crate::random::Random;
use std::collections::HashSet;
use std::path::Path;
use std::{fs, io};

/// Frames between the innermost and outermost ones, at most.
const BETWEEN: u64 = 7;

/// A frame as debug=2 writes it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) func: String,
    /// How many words its arguments have.
    pub(crate) words: usize,
    pub(crate) file: String,
    pub(crate) line: u64,
    /// 0 for inlined calls, whose arguments and offset Go doesn't know.
    pub(crate) offset: u64,
}

/// A stack and what its goroutines have in common.
pub(crate) struct Stack {
    pub(crate) frames: Vec<Frame>,
    /// Without the goroutine's id, which isn't the same for all.
    pub(crate) created_by: Option<Frame>,
    pub(crate) state: String,
}

pub(crate) struct Stacks {
    pub(crate) all: Vec<Stack>,
}

impl Stacks {
    pub(crate) fn make(count: usize, random: &mut Random) -> io::Result<Stacks> {
        let real = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/traceback"))?;
        let own = |frame: &&Frame| frame.func.contains('/') && frame.file.ends_with(".go");
        let pool: Vec<&Frame> = real.iter().flat_map(|stack| &stack.frames).filter(own).collect();
        let mut seen = HashSet::new();
        let mut all = Vec::with_capacity(count);
        while all.len() < count {
            let of = random.one(&real);
            let inner = of.frames.len().div_ceil(2);
            let mut frames = of.frames[..inner].to_vec();
            for _ in 0..random.below(BETWEEN) + 1 {
                let mut frame = (*random.one(&pool)).clone();
                // A few lines of each function, as calls of others stand on.
                frame.line += random.below(4);
                // Closures: a large program has more functions than the test program.
                if random.percent(20) {
                    frame.func.push_str(&format!(".func{}", random.below(20) + 1));
                }
                frames.push(frame);
            }
            frames.extend_from_slice(&of.frames[inner..]);
            if seen.insert(frames.clone()) {
                let (created_by, state) = (of.created_by.clone(), of.state.clone());
                all.push(Stack { frames, created_by, state });
            }
        }
        Ok(Stacks { all })
    }
}

/// The goroutines of all debug=2 texts in a folder.
fn read(folder: &Path) -> io::Result<Vec<Stack>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.to_string_lossy().ends_with(".debug2.txt"));
    files.sort();
    let mut stacks = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        stacks.extend(text.split("\n\n").filter_map(stack));
    }
    if stacks.is_empty() {
        return Err(io::Error::other(format!("no dumps in {}", folder.display())));
    }
    Ok(stacks)
}

fn stack(text: &str) -> Option<Stack> {
    let mut lines = text.lines();
    let (_, bracket) = lines.next()?.strip_prefix("goroutine ")?.split_once(" [")?;
    let state = bracket.split([',', ']']).next()?.split(" labels:").next()?.to_owned();
    let mut stack = Stack { frames: Vec::new(), created_by: None, state };
    while let Some(call) = lines.next() {
        let place = lines.next()?;
        let (place, offset) = match place.trim().split_once(" +0x") {
            Some((place, offset)) => (place.to_owned(), u64::from_str_radix(offset, 16).ok()?),
            None => (place.trim().to_owned(), 0),
        };
        let (file, line) = place.rsplit_once(':')?;
        let (file, line) = (as_built(file), line.parse().ok()?);
        if let Some(creator) = call.strip_prefix("created by ") {
            let func = creator.split(" in goroutine").next()?.to_owned();
            stack.created_by = Some(Frame { func, words: 0, file, line, offset });
        } else {
            let (func, arguments) = call.strip_suffix(')')?.rsplit_once('(')?;
            let words = arguments.split(',').filter(|word| !word.is_empty()).count();
            stack.frames.push(Frame { func: func.to_owned(), words, file, line, offset });
        }
    }
    Some(stack)
}

/// The whole path of a file, as Go prints it unless it was told otherwise (`-trimpath`, with which
/// the programs of `testdata/` were built).
fn as_built(file: &str) -> String {
    let root = match file.split('/').next() {
        Some(first) if first.contains('.') => "/home/dev/go/src/",
        _ => "/usr/local/go/src/",
    };
    if file.starts_with(['/', '<']) { file.to_owned() } else { format!("{root}{file}") }
}
