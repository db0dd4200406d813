//! Sources and formats together: arguments in, one profile out. The only part that starts threads.
//!
//! Each unit of the sources is read on its own, on as many threads as are allowed; the results are
//! put together in the order of the units. So the result is the same for any number of threads, and
//! memory only holds as many unmerged parts as are being read.

mod file_names;
mod merge;
mod read;
mod reader_state;
mod remains;
mod split;
mod tables;

use crate::error::{Problems, Result};
use crate::limits::LIMITS;
use crate::profile::{InputFormat, Keep, Profile};
use crate::source::{self, SourceOptions};
use merge::Merge;
use read::Reader;
use reader_state::ReaderStates;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;

/// What the error says of an input whose reader panicked; the text of the panic follows.
pub const BUG: &str = "reading it hit a bug in stackgazer";

/// Finds the name of an input in one of its lines.
pub type Extract = dyn Fn(&[u8]) -> Option<String> + Send + Sync;

/// Is called now and then, from any thread, with how far reading has come.
pub type OnProgress = dyn Fn(Progress) + Send + Sync;

/// How far reading has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Bytes read, after unpacking.
    pub bytes: u64,
    /// Files and members of archives that are done.
    pub done: usize,
    /// All files and members.
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
    /// Names inputs from their content: is called with the lines of
    /// [`observer`](crate::format::ReadOptions::observer), and the first name that it returns
    /// counts.
    pub extract: Option<Arc<Extract>>,
    /// Is called with how far reading has come.
    pub progress: Option<Arc<OnProgress>>,
    /// A folder to which goroutines are moved when there are many, for commands that can work on
    /// them from disk.
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
    /// Oddities of archives, and archives nested too deep to be opened. They are reported, and are
    /// errors under `--strict`.
    pub warnings: Problems,
    /// Members in no known format, skipped because nobody named them.
    pub skipped: u64,
}

/// Reads everything that the arguments name.
///
/// Fails only if the user's own text is wrong, before anything is read.
///
/// # Errors
/// If the user's own text is wrong: an address, a name, a process.
pub fn load(arguments: &[OsString], options: &LoadOptions) -> Result<Loaded> {
    let given = source::GivenNames::parse(&options.source.input_names)?;
    let source::Expanded { units, errors, warnings, arguments, spooled } =
        source::expand(arguments, &options.source)?;
    let most = options.threads.max(1);
    let threads_each = most / units.len().clamp(1, most);
    let parts = |unit: &source::Unit| split::parts(unit.length(), threads_each);
    let first = units.from(0).take(most);
    let threads = first.map(|(_, unit)| parts(&unit)).sum::<usize>().clamp(1, most);
    let budget = options.source.max_bytes.unwrap_or(LIMITS.total_bytes);
    // How much earlier units have unpacked is only known once they are merged. A unit is read
    // within what was left when its reading started, which is at least as much as what is left when
    // it is merged.
    let unpacked = AtomicU64::new(spooled);
    let skipped_until = AtomicUsize::new(0);
    let progress =
        Counters { bytes: AtomicU64::new(0), done: AtomicUsize::new(0), total: units.len() };
    let states = ReaderStates::new(options.keep);
    let reader = Reader {
        options,
        threads_each,
        budget,
        unpacked: &unpacked,
        skipped_until: &skipped_until,
        progress: &progress,
        states,
    };
    let picks = !options.source.members.is_empty();
    let mut merge = Merge::new(&arguments, errors, budget, spooled, units.len(), picks, options);
    // A single one is this one: starting another would add a twentieth to the time that a small dump takes.
    match (threads > 1).then(|| pool(threads)).flatten() {
        Some(pool) => read_on(&pool, threads, &units, &reader, &mut merge),
        None => {
            let mut state = reader.states.take(0);
            for (at, unit) in units.from(0) {
                state.unit = at;
                merge.unit(at, reader.unit(&unit, &mut state, None));
                unpacked.store(merge.unpacked(), Ordering::Relaxed);
                skipped_until.store(merge.skipped_until(), Ordering::Relaxed);
                if merge.exhausted() {
                    break;
                }
            }
        }
    }
    let mut loaded = merge.finish(&given)?;
    loaded.warnings.extend(warnings);
    Ok(loaded)
}

/// So many threads; `None` where the system allows fewer, as in a container with a limit of processes.
fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    let name = |at| format!("read-{at}");
    rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().ok()
}

/// Reads units on the threads of a pool, and merges them in order.
fn read_on(
    pool: &rayon::ThreadPool,
    threads: usize,
    units: &source::Units,
    reader: &Reader<'_>,
    merge: &mut Merge<'_>,
) {
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
        // Twice as many as there are threads, so no thread waits for a slow batch at the front.
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
                reader.skipped_until.store(merge.skipped_until(), Ordering::Relaxed);
                if merge.exhausted() {
                    return;
                }
                at += 1;
            }
            start_next();
        }
    });
}

/// At most this many units are read by one thread in a row: handing over each small unit on its own
/// would take three times as long as reading it.
const BATCH: usize = 64;
/// Batches are made small enough for this many, so that no thread runs out of work.
const BATCHES: usize = 1000;

/// A message of a thread: the number of the first unit of a batch, and the result of each unit.
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
        let mut state = reader.states.take(first);
        let read = units.from(first).take(count).map(|(at, unit)| {
            state.unit = at;
            reader.unit(&unit, &mut state, Some(scope))
        });
        let read = read.collect();
        reader.states.keep(state);
        // The receiver is gone when the budget is used up.
        let _ = done.send((first, read));
    });
}

/// The counts that progress is reported from.
#[derive(Debug)]
struct Counters {
    bytes: AtomicU64,
    done: AtomicUsize,
    total: usize,
}

impl Counters {
    fn report(&self, to: Option<&Arc<OnProgress>>) {
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
