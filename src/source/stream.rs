//! The bytes of one input on their way to a reader, and failures on that way.

use super::extent::Extent;
use super::tables::TableFolder;
use crate::error::{Error, ErrorKind, Place};
use crate::live::Captured;
use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// Why a stream of bytes couldn't be read to its end.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    kind: ErrorKind,
    what: String,
    place: Option<Place>,
    advice: Option<String>,
    /// Whether the bytes before it are valid: they are if a stream is cut, but not if its checksum
    /// is wrong.
    prefix_is_valid: bool,
}

impl Failure {
    /// A failure after which nothing of the input counts.
    pub(super) fn new(kind: ErrorKind, what: impl Into<String>) -> Failure {
        Failure { kind, what: what.into(), place: None, advice: None, prefix_is_valid: false }
    }

    /// Marks the bytes before the failure as valid.
    pub(super) fn with_valid_prefix(self) -> Failure {
        Failure { prefix_is_valid: true, ..self }
    }

    /// Sets the byte of the packed stream at which it is.
    pub(super) fn at_byte(self, byte: u64) -> Failure {
        Failure { place: Some(Place::Byte(byte)), ..self }
    }

    /// Sets what to do about it.
    pub(super) fn advise(self, advice: impl Into<String>) -> Failure {
        Failure { advice: Some(advice.into()), ..self }
    }

    /// The failure inside an error that came up through decoders, or a failure made of a system
    /// error.
    pub(super) fn of(error: &io::Error) -> Failure {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
            Some(failure) => failure.clone(),
            None => Failure::new(ErrorKind::Io, error.to_string()).with_valid_prefix(),
        }
    }

    /// Whether the bytes before it are valid.
    pub(super) fn prefix_is_valid(&self) -> bool {
        self.prefix_is_valid
    }

    /// Whether an error already is a [`Failure`], which no layer above should reword.
    pub(super) fn is_in(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Failure>())
    }

    /// The error for people.
    pub(super) fn error(self, input: &str) -> Error {
        let Failure { kind, what, place, advice, .. } = self;
        Error { place, advice, ..Error::new(kind, input, what) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> io::Error {
        io::Error::other(failure)
    }
}

/// Collects notes of the layers under a stream, on oddities that they skipped.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Rc<RefCell<Vec<String>>>);

impl Notes {
    /// Adds a note.
    pub(super) fn add(&self, note: impl Into<String>) {
        self.0.borrow_mut().push(note.into());
    }

    /// Takes all notes.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

/// A reader that returns its first error again and again. So whoever looks at the first bytes can
/// ignore an error: whoever reads on gets it too.
pub(super) struct Sticky<R> {
    pub(super) inner: R,
    failure: Option<Failure>,
}

impl<R> Sticky<R> {
    pub(super) fn new(inner: R) -> Sticky<R> {
        Sticky { inner, failure: None }
    }
}

impl<R: Read> Read for Sticky<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone().into());
        }
        let result = self.inner.read(buffer);
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failure = Some(Failure::of(error));
        }
        result
    }
}

/// How a stream ended.
#[derive(Debug, Default)]
pub struct Ending {
    /// Why it couldn't be read completely.
    pub failure: Option<Error>,
    /// Whether nothing that was read counts.
    pub is_invalid: bool,
    /// Oddities of its container.
    pub notes: Vec<String>,
    /// How many bytes were read.
    pub bytes: u64,
}

/// One input's bytes, unpacked.
///
/// A stream that is cut simply ends for its reader, so that the goroutines before can be kept; one
/// whose bytes are invalid fails. [`Stream::finish`] returns which it was.
pub struct Stream<'a> {
    bytes: Bytes<'a>,
    path: &'a str,
    notes: Notes,
    failure: Option<Failure>,
    count: u64,
    captured: Option<Captured>,
}

enum Bytes<'a> {
    /// Bytes that can only be read once, in order.
    Once(&'a mut (dyn Read + 'a)),
    /// Bytes that can be read from anywhere.
    Anywhere(Extent),
    /// A folder of tables instead of bytes.
    Tables(TableFolder<'a>),
}

impl<'a> Stream<'a> {
    pub(super) fn new(bytes: &'a mut (dyn Read + 'a), path: &'a str, notes: Notes) -> Stream<'a> {
        Stream { notes, ..Stream::of(Bytes::Once(bytes), path) }
    }

    pub(super) fn of_extent(extent: Extent, path: &'a str) -> Stream<'a> {
        Stream::of(Bytes::Anywhere(extent), path)
    }

    pub(super) fn of_tables(folder: TableFolder<'a>, path: &'a str) -> Stream<'a> {
        Stream::of(Bytes::Tables(folder), path)
    }

    fn of(bytes: Bytes<'a>, path: &'a str) -> Stream<'a> {
        Stream { bytes, path, notes: Notes::default(), failure: None, count: 0, captured: None }
    }

    /// Adds the captured data of a process that was read.
    pub(super) fn captured(self, captured: Captured) -> Stream<'a> {
        Stream { captured: Some(captured), ..self }
    }

    /// Takes the captured data of a process that was read.
    pub fn take_captured(&mut self) -> Option<Captured> {
        self.captured.take()
    }

    /// The whole range of bytes, if it can be read from anywhere.
    pub fn extent(&self) -> Option<&Extent> {
        match &self.bytes {
            Bytes::Anywhere(extent) => Some(extent),
            Bytes::Once(_) | Bytes::Tables(_) => None,
        }
    }

    /// The folder, if this stands for a folder of tables; then it has no bytes of its own.
    pub fn tables(&self) -> Option<TableFolder<'a>> {
        match self.bytes {
            Bytes::Tables(folder) => Some(folder),
            Bytes::Once(_) | Bytes::Anywhere(_) => None,
        }
    }

    /// Skips bytes that somebody else has read from the [`extent`](Stream::extent).
    ///
    /// # Errors
    ///
    /// If there is no extent.
    pub fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let Bytes::Anywhere(extent) = &mut self.bytes else {
            return Err(io::Error::other("these bytes come one after the other"));
        };
        extent.seek(SeekFrom::Current(i64::try_from(bytes).unwrap_or(i64::MAX)))?;
        self.count = self.count.saturating_add(bytes);
        Ok(())
    }

    /// Reads the rest, because checksums are at the end, and returns how the stream ended.
    pub fn finish(mut self) -> Ending {
        // Usually everything is read already: filling a large buffer with zeros would take longer
        // than all else.
        let mut buffer = [0; 512];
        // An error stays in `failure`.
        if !matches!(self.read(&mut buffer), Ok(0)) {
            let _ = io::copy(&mut self, &mut io::sink());
        }
        self.ending()
    }

    /// Returns the state without reading on: for streams that nobody wants.
    pub fn leave(self) -> Ending {
        self.ending()
    }

    fn ending(self) -> Ending {
        Ending {
            is_invalid: self.failure.as_ref().is_some_and(|failure| !failure.prefix_is_valid),
            failure: self.failure.map(|failure| failure.error(self.path)),
            notes: self.notes.take(),
            bytes: self.count,
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            let read = match &mut self.bytes {
                Bytes::Once(bytes) => bytes.read(buffer),
                Bytes::Anywhere(extent) => extent.read(buffer),
                Bytes::Tables(_) => Ok(0),
            };
            match read {
                Ok(count) => {
                    self.count = self.count.saturating_add(count as u64);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => self.failure = Some(Failure::of(&error)),
            }
        }
        match &self.failure {
            Some(failure) if !failure.prefix_is_valid => Err(failure.clone().into()),
            _ => Ok(0),
        }
    }
}
