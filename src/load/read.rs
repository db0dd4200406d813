//! One unit of the sources, read into profiles.

use super::memory::{Memories, Memory, Read};
use super::split::Split;
use super::tables;
use super::{Counters, LoadOptions};
use crate::error::{Error, ErrorKind, Kinds, Problems};
use crate::format::{self, Outcome, ReadOptions};
use crate::limits::LIMITS;
use crate::profile::{Captured, Input, InputFormat, ProfileBuilder, WarningKind};
use crate::source::{Allowance, Ending, InputMeta, Stream, Unit};
use rayon::Scope;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// How to tell progress: after so many bytes.
const TELL_EVERY: u64 = 4 << 20;

/// What reads units; shared by all threads.
pub(super) struct Reader<'a> {
    pub(super) options: &'a LoadOptions,
    /// Threads that there are for each unit.
    pub(super) threads_each: usize,
    pub(super) budget: u64,
    /// What all units that are merged have unpacked.
    pub(super) unpacked: &'a AtomicU64,
    pub(super) progress: &'a Counters,
    pub(super) memories: Memories,
}

/// What came of a unit.
#[derive(Debug, Default)]
pub(super) struct UnitRead {
    /// Which argument it belongs to.
    pub(super) point: usize,
    /// Its inputs and what was wrong with them, in order.
    pub(super) events: Vec<Event>,
    /// Errors of inputs behind the first ones, of which very many are alike and not among the events.
    pub(super) kinds: Kinds,
    /// What could not be opened.
    pub(super) errors: Problems,
    /// What is odd about archives.
    pub(super) warnings: Problems,
    /// Members that nothing is known of.
    pub(super) skipped: u64,
    /// Bytes that it unpacked.
    pub(super) unpacked: u64,
}

/// Something that came of a unit, and how much the unit had unpacked by then.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) unpacked: u64,
    pub(super) what: What,
}

impl Event {
    /// The input that it is about.
    pub(super) fn path(&self) -> &str {
        match &self.what {
            What::Part(part) => part.read.inputs().first().map_or("", |input| &input.path),
            What::Error(error) => &error.input,
        }
    }
}

/// What it was.
#[derive(Debug)]
pub(super) enum What {
    /// A stream of bytes was read.
    Part(ReadPart),
    /// Something could not be read.
    Error(Error),
}

/// What was read of a stream of bytes: one input, or several.
#[derive(Debug)]
pub(super) struct ReadPart {
    pub(super) read: Read,
    /// A name found in its content.
    pub(super) name: Option<String>,
}

impl Reader<'_> {
    /// Reads a unit; with a scope, other threads may help. A panic on the way is a mistake of this
    /// program, and no reason to lose the other inputs.
    pub(super) fn unit(
        &self,
        unit: &Unit<'_>,
        memory: &mut Memory,
        scope: Option<&Scope<'_>>,
    ) -> UnitRead {
        let left = self.budget.saturating_sub(self.unpacked.load(Ordering::Relaxed));
        let allowance = Allowance::new(left, self.budget);
        let mut read = UnitRead { point: unit.meta().point, ..UnitRead::default() };
        let visited = catch_unwind(AssertUnwindSafe(|| {
            unit.visit(&allowance, &mut |meta, stream| {
                let (part, error) = self.input(meta, stream, memory, &mut read.skipped, scope);
                let unpacked = allowance.used();
                let few = read.events.len() < LIMITS.problems_alike;
                let error = error.filter(|error| few || read.kinds.keeps(error));
                let what = part.map(What::Part).into_iter().chain(error.map(What::Error));
                read.events.extend(what.map(|what| Event { unpacked, what }));
            })
        }));
        read.unpacked = allowance.used();
        match visited {
            Ok(visited) => {
                read.warnings = visited.warnings;
                read.errors = visited.errors;
            }
            Err(panic) => {
                // Nobody knows what state it is in.
                *memory = self.memories.take_new(memory.unit);
                read.errors.push(mistake(&unit.meta().path, &*panic));
            }
        }
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        self.progress.tell(self.options.progress.as_ref());
        read
    }

    /// Starts reading the parts of a long text that nothing has to see from its start on.
    fn split(&self, stream: &Stream<'_>, scope: Option<&Scope<'_>>) -> Split {
        let LoadOptions { format, line_prefix, extract, keep, .. } = self.options;
        match (stream.extent(), scope) {
            (Some(extent), Some(scope))
                if self.threads_each > 1
                    // Of which only the first ones are kept.
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
        memory: &mut Memory,
        skipped: &mut u64,
        scope: Option<&Scope<'_>>,
    ) -> (Option<ReadPart>, Option<Error>) {
        let split = self.split(&stream, scope);
        let Memory { builder, cache, .. } = memory;
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
        let mut watched = Watched { stream, split: &split, reader: self, untold: 0 };
        let result = catch_unwind(AssertUnwindSafe(|| match &tables {
            Some(folder) => tables::read(folder, &input, builder).map(|()| Outcome::Read),
            None => format::read(&mut watched, input, &mut options, builder),
        }));
        let stream = watched.done();
        let panicked = result.is_err();
        let (ending, error, understood) = match result {
            Ok(Ok(Outcome::Read)) => (stream.finish(), None, true),
            Ok(Ok(Outcome::Unknown)) => (stream.leave(), None, false),
            // A profile of something else beside dumps is no more wrong than a README there.
            Ok(Err(error)) if error.kind == ErrorKind::Unknown && !meta.picked => {
                (stream.leave(), None, false)
            }
            // What was understood before counts.
            Ok(Err(error)) => (stream.finish(), Some(error), true),
            Err(panic) => (stream.leave(), Some(mistake(&meta.path, &*panic)), false),
        };
        let Ending { failure, void, notes, bytes } = ending;
        // Why bytes are missing says more than what a reader makes of it.
        let mut error = failure.or(error);
        let mut part = None;
        if understood && !void && !builder.inputs().is_empty() {
            if let Some(input) = builder.inputs_mut().last_mut() {
                for note in notes {
                    input.warn(WarningKind::Container, None, note);
                }
            }
            if let Some(captured) = captured {
                keep_captured(captured, builder);
            }
            part = Some(ReadPart { read: self.memories.take_read(memory), name });
        } else if error.is_none() && meta.picked {
            error = Some(unknown(meta, bytes));
        } else if error.is_none() {
            *skipped += 1;
        }
        match panicked {
            // Nobody knows what state it is in.
            true => *memory = self.memories.take_new(memory.unit),
            false => memory.drop_read(self.options.keep),
        }
        (part, error)
    }
}

fn new_input(meta: &InputMeta, builder: &mut ProfileBuilder) -> Input {
    let mut input = Input::new(&meta.name, &meta.path, InputFormat::Debug2);
    input.labels = builder.text_labels(meta.labels.iter().map(|(key, value)| (key, value)));
    input.point = meta.point;
    input.member.clone_from(&meta.member);
    input
}

/// Keeps what is known of a process beside the text of its goroutines.
fn keep_captured(captured: Captured, builder: &mut ProfileBuilder) {
    if !captured.tells_waits {
        builder.forget_waits();
    }
    builder.know_waits(&captured);
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

fn unknown(meta: &InputMeta, bytes: u64) -> Error {
    let path = meta.path.as_str();
    if path.ends_with(".parquet") {
        return Error::new(ErrorKind::Unknown, path, "is one table of several")
            .advise("name the folder that `export -o parquet` wrote, unpacked");
    }
    if bytes == 0 {
        return Error::new(ErrorKind::Unknown, path, "is empty");
    }
    // Brotli alone has no first bytes that tell.
    if path.ends_with(".br") {
        let what = "is packed (br) in a way that isn't read";
        return Error::new(ErrorKind::Unknown, path, what).advise("unpack it first");
    }
    Error::new(ErrorKind::Unknown, path, "isn't a goroutine dump or profile that is known").advise(
        "give --input-format if it is one, --line-prefix if something stands before each line",
    )
}

fn mistake(path: &str, panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::new(ErrorKind::Damaged, path, format!("reading it hit a mistake in stackgazer: {text}"))
        .advise("please report it with the input")
}

/// A stream whose reading is told as progress.
struct Watched<'s, 'r> {
    stream: Stream<'s>,
    split: &'r Split,
    reader: &'r Reader<'r>,
    untold: u64,
}

impl<'s> Watched<'s, '_> {
    fn done(self) -> Stream<'s> {
        self.reader.progress.bytes.fetch_add(self.untold, Ordering::Relaxed);
        self.stream
    }
}

impl io::Read for Watched<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let skip = self.split.skip();
        if skip > 0 {
            self.stream.skip(skip)?;
        }
        let limit = self.split.limit(buffer.len());
        let count = self.stream.read(&mut buffer[..limit])?;
        self.split.advance(count);
        self.untold += skip + count as u64;
        if self.untold >= TELL_EVERY {
            self.reader.progress.bytes.fetch_add(self.untold, Ordering::Relaxed);
            self.untold = 0;
            self.reader.progress.tell(self.reader.options.progress.as_ref());
        }
        Ok(count)
    }
}
