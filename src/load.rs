//! Sources and formats together: arguments in, one profile out. The only part that starts threads.
//!
//! Each unit of the sources is read on its own, on as many threads as are allowed; what came of them
//! is put together in the order of the units. So the result is the same whatever the number of
//! threads, and only so many parts wait in memory as are being read.

mod memory;
mod merge;
mod read;
mod split;
mod tables;

use crate::error::{Error, ErrorKind, Problems, Result};
use crate::limits::LIMITS;
use crate::profile::{InputFormat, Keep, Profile};
use crate::source::{self, SourceOptions};
use memory::Memories;
use merge::Merge;
use read::Reader;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Finds the name of an input in a line of it.
pub type Extract = dyn Fn(&[u8]) -> Option<String> + Send + Sync;

/// Is told now and then how far reading has come; by any thread.
pub type OnProgress = dyn Fn(Progress) + Send + Sync;

/// How far reading has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Bytes read, after unpacking.
    pub bytes: u64,
    /// Files and members of archives that are done.
    pub done: usize,
    /// All of them.
    pub total: usize,
}

/// How to load.
#[derive(Clone, Default)]
pub struct LoadOptions {
    /// How arguments are turned into inputs.
    pub source: SourceOptions,
    /// `--input-format`
    pub format: Option<InputFormat>,
    /// `--line-prefix`
    pub line_prefix: Option<regex::bytes::Regex>,
    /// Which columns the command needs.
    pub keep: Keep,
    /// Threads to read with, at least one; the result is the same for any number.
    pub threads: usize,
    /// Names inputs from their content; is given the lines of
    /// [`observer`](crate::format::ReadOptions::observer), and its first answer counts.
    pub extract: Option<Arc<Extract>>,
    /// Is told how far reading has come.
    pub progress: Option<Arc<OnProgress>>,
    /// A folder for goroutines, where a command can do with them on disk when they are many.
    pub spill: Option<PathBuf>,
}

impl fmt::Debug for LoadOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LoadOptions")
            .field("source", &self.source)
            .field("format", &self.format)
            .field("keep", &self.keep)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// What was loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Everything that was understood.
    pub profile: Profile,
    /// What could not be read; each makes the exit code 2.
    pub errors: Problems,
    /// What is odd about archives, and archives too deep in others to be opened. Worth saying, and
    /// an error under `--strict`.
    pub warnings: Problems,
    /// Members that nothing is known of, skipped because nobody named them.
    pub skipped: u64,
}

/// Reads everything that the arguments name.
///
/// Fails only where the user's own text is wrong, before anything is read.
///
/// # Errors
/// Where the user's own text is wrong: an address, a name, a process.
pub fn load(arguments: &[OsString], options: &LoadOptions) -> Result<Loaded> {
    let given = source::GivenNames::parse(&options.source.input_names)?;
    let source::Expanded { units, errors, arguments, spooled } =
        source::expand(arguments, &options.source)?;
    let most = options.threads.max(1);
    let threads_each = most / units.len().clamp(1, most);
    let parts = |unit: &source::Unit| split::parts(unit.length(), threads_each);
    let first = units.from(0).take(most);
    let threads = first.map(|(_, unit)| parts(&unit)).sum::<usize>().clamp(1, most);
    let budget = options.source.max_bytes.unwrap_or(LIMITS.total_bytes);
    // What the units before one have unpacked is known only when its turn to be merged comes; by
    // then it was read within what was left when it started, which is at least as much.
    let unpacked = AtomicU64::new(spooled);
    let progress =
        Counters { bytes: AtomicU64::new(0), done: AtomicUsize::new(0), total: units.len() };
    let memories = Memories::new(options.keep);
    let reader = Reader {
        options,
        threads_each,
        budget,
        unpacked: &unpacked,
        progress: &progress,
        memories,
    };
    let picks = !options.source.members.is_empty();
    let mut merge = Merge::new(&arguments, errors, budget, spooled, units.len(), picks, options);
    if threads == 1 {
        // This one; another would cost a twentieth of the time that a small dump takes.
        let mut memory = reader.memories.take(0);
        for (at, unit) in units.from(0) {
            memory.unit = at;
            merge.unit(at, reader.unit(&unit, &mut memory, None));
            unpacked.store(merge.unpacked(), Ordering::Relaxed);
            if merge.exhausted() {
                break;
            }
        }
    } else {
        read_on(threads, &units, &reader, &mut merge)?;
    }
    merge.finish(&given)
}

/// Reads units on so many threads of their own, and merges them in order.
fn read_on(
    threads: usize,
    units: &source::Units,
    reader: &Reader<'_>,
    merge: &mut Merge<'_>,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|at| format!("read-{at}"))
        .build()
        .map_err(|error| {
            Error::new(ErrorKind::Io, "--threads", error.to_string()).advise("allow fewer threads")
        })?;
    pool.in_place_scope(|scope| {
        let (done, results) = mpsc::channel();
        let mut waiting = std::collections::BTreeMap::new();
        let size = (units.len() / BATCHES).clamp(1, BATCH);
        let mut batches = (0..units.len()).step_by(size);
        let mut start_next = || {
            if let Some(first) = batches.next() {
                start(scope, reader, units, (first, size), &done);
            }
        };
        // Twice as many as there are threads, so that none waits for a slow one in front.
        for _ in 0..threads.saturating_mul(2) {
            start_next();
        }
        let mut at = 0;
        while at < reader.progress.total {
            let batch = loop {
                if let Some(batch) = waiting.remove(&at) {
                    break batch;
                }
                match results.recv() {
                    Ok((other, batch)) => waiting.insert(other, batch),
                    // Every started batch sends, even if it panics.
                    Err(mpsc::RecvError) => return,
                };
            };
            for read in batch {
                merge.unit(at, read);
                reader.unpacked.store(merge.unpacked(), Ordering::Relaxed);
                if merge.exhausted() {
                    return;
                }
                at += 1;
            }
            start_next();
        }
    });
    Ok(())
}

/// Units that one thread reads in a row, of very many: to hand over each alone would take three times
/// as long as to read a small one ...
const BATCH: usize = 64;
/// ... and how many such batches there have to be, so that no thread is without work.
const BATCHES: usize = 1000;

/// What a thread sends: the number of the first unit of a batch, and what was read of each.
type Batch = (usize, Vec<read::UnitRead>);

fn start<'s>(
    scope: &rayon::Scope<'s>,
    reader: &'s Reader<'s>,
    units: &'s source::Units,
    (first, count): (usize, usize),
    done: &mpsc::Sender<Batch>,
) {
    let done = done.clone();
    scope.spawn(move |scope| {
        let mut memory = reader.memories.take(first);
        let read = units.from(first).take(count).map(|(at, unit)| {
            memory.unit = at;
            reader.unit(&unit, &mut memory, Some(scope))
        });
        let read = read.collect();
        reader.memories.keep(memory);
        // Nobody listens any more when the budget is used up.
        let _ = done.send((first, read));
    });
}

/// What progress is told from.
#[derive(Debug)]
struct Counters {
    bytes: AtomicU64,
    done: AtomicUsize,
    total: usize,
}

impl Counters {
    fn tell(&self, to: Option<&Arc<OnProgress>>) {
        if let Some(to) = to {
            to(Progress {
                bytes: self.bytes.load(Ordering::Relaxed),
                done: self.done.load(Ordering::Relaxed),
                total: self.total,
            });
        }
    }
}

#[cfg(test)]
mod tests;
