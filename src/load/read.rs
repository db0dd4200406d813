//! One unit of the sources, read into profiles.

use super::file_names::base_name;
use super::reader_state::{Read, ReaderState, ReaderStates};
use super::remains::{Files, HEAD, Held};
use super::split::Split;
use super::tables;
use super::{BUG, Counters, LoadOptions};
use crate::error::{Error, ErrorCounts, ErrorKind, Place, Problems};
use crate::format::{self, Outcome, ReadOptions};
use crate::limits::LIMITS;
use crate::profile::{Captured, Input, InputFormat, ProfileBuilder, WarningKind};
use crate::source::{Allowance, Ending, InputMeta, Stream, Together, Unit};
use rayon::Scope;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Progress is reported whenever a thread has read this many bytes.
const REPORT_EVERY: u64 = 4 << 20;

/// Reads units; shared by all threads.
pub(super) struct Reader<'a> {
    pub(super) options: &'a LoadOptions,
    /// Threads for each unit.
    pub(super) threads_each: usize,
    pub(super) budget: u64,
    /// Bytes unpacked by all units that are merged.
    pub(super) unpacked: &'a AtomicU64,
    /// Units before this one aren't merged any more, as their archive has unpacked to too much.
    pub(super) skipped_until: &'a AtomicUsize,
    pub(super) progress: &'a Counters,
    pub(super) states: ReaderStates,
}

/// The result of reading a unit.
#[derive(Debug, Default)]
pub(super) struct UnitRead {
    /// Which argument it belongs to.
    pub(super) point: usize,
    /// Its inputs and what was wrong with them, in order.
    pub(super) events: Vec<Event>,
    /// Counts errors by kind. Once there are many events only the first errors of a kind are among
    /// them; the others are only counted here.
    pub(super) kinds: ErrorCounts,
    /// What could not be opened.
    pub(super) errors: Problems,
    /// Oddities of archives.
    pub(super) warnings: Problems,
    /// Members in no known format that nobody named.
    pub(super) skipped: Files,
    /// Bytes that the unit unpacked.
    pub(super) unpacked: u64,
    /// The archive that it is a member of.
    pub(super) together: Option<Together>,
}

/// An input or an error of a unit, and how many bytes the unit had unpacked by then.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) unpacked: u64,
    pub(super) kind: EventKind,
}

impl Event {
    /// The input that it is about.
    pub(super) fn path(&self) -> &str {
        match &self.kind {
            EventKind::Part(part) => part.read.inputs().first().map_or("", |input| &input.path),
            EventKind::Error(error) => &error.input,
        }
    }
}

/// What an event is about.
#[derive(Debug)]
pub(super) enum EventKind {
    /// A stream of bytes was read.
    Part(ReadPart),
    /// Something could not be read.
    Error(Error),
}

/// The result of reading a stream of bytes: one input, or several.
#[derive(Debug)]
pub(super) struct ReadPart {
    pub(super) read: Read,
    /// A name found in its content.
    pub(super) name: Option<String>,
}

impl Reader<'_> {
    /// Reads a unit; with a scope, other threads can help. A panic is a bug in this program, and no
    /// reason to lose the other inputs.
    pub(super) fn unit(
        &self,
        unit: &Unit<'_>,
        state: &mut ReaderState,
        scope: Option<&Scope<'_>>,
    ) -> UnitRead {
        let left = self.budget.saturating_sub(self.unpacked.load(Ordering::Relaxed));
        let archive = unit.together();
        let allowance = Allowance::new(left, self.budget).within(archive.map(|all| all.most));
        let together = archive.cloned();
        let mut read = UnitRead { point: unit.meta().point, together, ..UnitRead::default() };
        let skipped_until = self.skipped_until.load(Ordering::Relaxed);
        if archive.is_some_and(|all| all.units.end <= skipped_until) {
            return read;
        }
        let visited = catch_unwind(AssertUnwindSafe(|| {
            unit.visit(&allowance, &mut |meta, stream| {
                let (part, error) = self.input(meta, stream, state, &mut read.skipped, scope);
                let unpacked = allowance.used();
                let few = read.events.len() < LIMITS.problems_alike;
                let error = error.filter(|error| few || read.kinds.add(error));
                let found =
                    part.map(EventKind::Part).into_iter().chain(error.map(EventKind::Error));
                read.events.extend(found.map(|kind| Event { unpacked, kind }));
            })
        }));
        read.unpacked = allowance.used();
        match visited {
            Ok(visited) => {
                read.warnings = visited.warnings;
                read.errors = visited.errors;
            }
            Err(panic) => {
                // After a panic its state is unknown.
                *state = self.states.take_new(state.unit);
                read.errors.push(bug(&unit.meta().path, &*panic));
            }
        }
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        self.progress.report(self.options.progress.as_ref());
        read
    }

    /// Lets other threads read parts of a long text, unless an option needs all of it to be read in
    /// order.
    fn split(&self, stream: &Stream<'_>, scope: Option<&Scope<'_>>) -> Split {
        let LoadOptions { format, line_prefix, extract, keep, .. } = self.options;
        match (stream.extent(), scope) {
            (Some(extent), Some(scope))
                if self.threads_each > 1
                    // Arguments are only kept up to a limit for each input, so they have to be read in
                    // order; and parts are merged without the locations of calls.
                    && !keep.arguments
                    && !keep.calls
                    && !format.is_some_and(InputFormat::is_proto)
                    && line_prefix.is_none()
                    && extract.is_none() =>
            {
                Split::start(extent, self.threads_each, *keep, scope)
            }
            _ => Split::default(),
        }
    }

    fn input(
        &self,
        meta: &InputMeta,
        mut stream: Stream<'_>,
        state: &mut ReaderState,
        skipped: &mut Files,
        scope: Option<&Scope<'_>>,
    ) -> (Option<ReadPart>, Option<Error>) {
        let split = self.split(&stream, scope);
        let ReaderState { builder, cache, .. } = state;
        let input = new_input(meta, builder);
        let mut name = None;
        let mut observer = |line: &[u8]| {
            name = self.options.extract.as_ref().and_then(|extract| extract(line));
            name.is_none()
        };
        let mut options = ReadOptions {
            format: self.options.format,
            line_prefix: self.options.line_prefix.as_ref(),
            observer: match self.options.extract {
                Some(_) => Some(&mut observer),
                None => None,
            },
            ahead: Some(&split),
            cache: Some(cache),
        };
        let tables = stream.tables();
        let captured = stream.take_captured();
        let mut counted = ProgressStream {
            stream,
            split: &split,
            reader: self,
            unreported: 0,
            head: Vec::new(),
            only_zeros: true,
        };
        let result = catch_unwind(AssertUnwindSafe(|| match &tables {
            Some(folder) => tables::read(folder, &input, builder).map(|()| Outcome::Read),
            None => format::read(&mut counted, input, &mut options, builder),
        }));
        let (head, only_zeros) = (std::mem::take(&mut counted.head), counted.only_zeros);
        let stream = counted.into_stream();
        let panicked = result.is_err();
        let outcome = result.as_ref().ok().and_then(|read| read.as_ref().ok()).copied();
        let (ending, error, understood) = match result {
            Ok(Ok(Outcome::Read)) => (stream.finish(), None, true),
            Ok(Ok(Outcome::Stump(line))) => {
                let what = "ends in the first goroutine of its dump";
                let error = Error::new(ErrorKind::Damaged, meta.path.as_str(), what);
                let error = error.at(Place::Line(line)).advise("get the whole file");
                (stream.leave(), Some(error), false)
            }
            Ok(Ok(Outcome::Unknown | Outcome::Headless(_) | Outcome::Logged(_))) => {
                (stream.leave(), None, false)
            }
            // A file in a folder or archive that turns out to be something else is skipped like a
            // README: nobody named it.
            Ok(Err(error)) if error.kind == ErrorKind::Unknown && !meta.picked => {
                (stream.leave(), None, false)
            }
            // What was read before the error is kept.
            Ok(Err(error)) => (stream.finish(), Some(error), true),
            Err(panic) => (stream.leave(), Some(bug(&meta.path, &*panic)), false),
        };
        let Ending { failure, is_invalid, notes, bytes } = ending;
        // If bytes are missing, that is why the reader failed: report that instead of the reader's
        // error, but for a bug, which is one whatever it was given.
        let mut error = if panicked { error } else { failure.or(error) };
        let held = match outcome {
            Some(Outcome::Headless(_)) => Held::Frames,
            _ => Held::of(base_name(&meta.member), &head, only_zeros, bytes),
        };
        let mut part = None;
        if understood && !is_invalid && !builder.inputs().is_empty() {
            if let Some(input) = builder.inputs_mut().last_mut() {
                input.has_failed = error.is_some();
                for note in notes {
                    input.warn(WarningKind::Container, None, note);
                }
            }
            if let Some(captured) = captured {
                keep_captured(captured, builder);
            }
            part = Some(ReadPart { read: self.states.take_read(state), name });
        } else if error.is_none() && meta.picked {
            error = Some(unknown(meta, held, outcome));
        } else if error.is_none() {
            skipped.skip(meta, held);
        }
        match panicked {
            // After a panic its state is unknown.
            true => *state = self.states.take_new(state.unit),
            false => state.drop_read(self.options.keep),
        }
        (part, error)
    }
}

fn new_input(meta: &InputMeta, builder: &mut ProfileBuilder) -> Input {
    // Readers set the format once they know it.
    let mut input = Input::new(&meta.name, &meta.path, InputFormat::Debug2);
    input.labels = builder.text_labels(meta.labels.iter().map(|(key, value)| (key, value)));
    input.point = meta.point;
    input.member.clone_from(&meta.member);
    input
}

/// Keeps what a capture knows about goroutines and their text doesn't say.
fn keep_captured(captured: Captured, builder: &mut ProfileBuilder) {
    if !captured.has_waits {
        builder.forget_waits();
    }
    builder.use_known_waits(&captured);
    if let Some(input) = builder.inputs_mut().last_mut() {
        for loss in &captured.losses {
            input.warn(WarningKind::Container, None, loss);
        }
        for note in &captured.notes {
            input.warn(WarningKind::Note, None, note);
        }
        input.captured = Some(Box::new(captured));
    }
}

/// The error of an input that nothing is known of, but the line of its first call if it has some.
fn unknown(meta: &InputMeta, held: Held, outcome: Option<Outcome>) -> Error {
    let path = meta.path.as_str();
    if path.ends_with(".parquet") {
        return Error::new(ErrorKind::Unknown, path, "is one of the tables of an export")
            .advise("name the folder that `export -o parquet` wrote, unpacked");
    }
    if held == Held::Nothing {
        return Error::new(ErrorKind::Unknown, path, "is empty");
    }
    if held == Held::Pointer {
        let what = "is a pointer to a file that Git LFS or git-annex hasn't fetched";
        return Error::new(ErrorKind::Unknown, path, what).advise("fetch it: `git lfs pull`");
    }
    // Brotli has no magic bytes of its own.
    if path.ends_with(".br") {
        let what = "is packed (br) in a way that isn't read";
        return Error::new(ErrorKind::Unknown, path, what).advise("unpack it first");
    }
    if let Some(Outcome::Logged(line)) = outcome {
        let what = "has the stack of an error or of a record of a log, which is no dump";
        return Error::new(ErrorKind::Unknown, path, what).at(Place::Line(line)).advise(
            "take a dump of all goroutines: `curl 'HOST:PORT/debug/pprof/goroutine?debug=2'`, or `kill -QUIT PID`",
        );
    }
    if let Some(Outcome::Headless(line)) = outcome {
        let what = "has frames without the header of their goroutine or profile";
        return Error::new(ErrorKind::Unknown, path, what)
            .at(Place::Line(line))
            .advise("copy the text from a line like `goroutine 1 [running]:` or `goroutine profile: total 9` on");
    }
    Error::new(ErrorKind::Unknown, path, "isn't a goroutine dump or profile that is known").advise(
        "give --input-format if it is one, --line-prefix if something stands before each line",
    )
}

fn bug(path: &str, panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::new(ErrorKind::Damaged, path, format!("{BUG}: {text}"))
        .advise("please report it with the input")
}

/// A stream that reports how many bytes were read through it, and that skips and stops where
/// [`Split`] says.
struct ProgressStream<'s, 'r> {
    stream: Stream<'s>,
    split: &'r Split,
    reader: &'r Reader<'r>,
    unreported: u64,
    /// Its first bytes.
    head: Vec<u8>,
    /// Whether no other byte was read.
    only_zeros: bool,
}

impl<'s> ProgressStream<'s, '_> {
    /// Reports what wasn't reported yet, and returns the stream.
    fn into_stream(self) -> Stream<'s> {
        self.reader.progress.bytes.fetch_add(self.unreported, Ordering::Relaxed);
        self.stream
    }
}

impl io::Read for ProgressStream<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let skip = self.split.skip();
        if skip > 0 {
            self.stream.skip(skip)?;
        }
        let limit = self.split.limit(buffer.len());
        let count = self.stream.read(&mut buffer[..limit])?;
        let bytes = buffer.get(..count).unwrap_or_default();
        self.head.extend(bytes.iter().take(HEAD - self.head.len()));
        self.only_zeros &= bytes.iter().all(|&byte| byte == 0);
        self.split.advance(count);
        self.unreported += skip + count as u64;
        if self.unreported >= REPORT_EVERY {
            self.reader.progress.bytes.fetch_add(self.unreported, Ordering::Relaxed);
            self.unreported = 0;
            self.reader.progress.report(self.reader.options.progress.as_ref());
        }
        Ok(count)
    }
}
