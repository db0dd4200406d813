//! Opens inputs layer by layer: compression, archives in it, archives in those.

use super::InputMeta;
use super::budget::{Allowance, Meter, Metered, PackedSide};
use super::extent::Extent;
use super::gzip::Gzip;
use super::magic::{HEAD, Packing, Unread, is_binary, read_head};
use super::origin::{Bytes, Members, Origin};
use super::pick::Choice;
use super::plan::{Plan, Spot};
use super::spool::spool;
use super::stream::{Failure, Notes, Sticky, Stream};
use super::tables::TableFolder;
use super::tar;
use super::zstd::Zstd;
use crate::error::{Error, ErrorKind, Problems};
use crate::limits::LIMITS;
use crate::live::{self, Capture};
use crate::read_at::ReadAt;
use std::fs::File;
use std::io::{Cursor, Read};
use std::sync::PoisonError;

/// The problems found when visiting a unit.
#[derive(Debug, Default)]
pub struct Visited {
    /// Errors of what could not be opened.
    pub errors: Problems,
    /// Oddities of archives, and archives nested too deep to be opened.
    pub warnings: Problems,
}

/// Opens bytes until content comes out, and hands that on.
///
/// It calls itself for archives in archives, at most [`crate::limits::Limits::containers`] deep.
pub(super) struct Visitor<'v> {
    pub(super) plan: &'v Plan,
    pub(super) allowance: &'v Allowance,
    pub(super) read: &'v mut dyn FnMut(&InputMeta, Stream<'_>),
    pub(super) visited: Visited,
}

impl Visitor<'_> {
    /// Opens the bytes of a unit, or of a member of an archive in it.
    pub(super) fn bytes(&mut self, spot: &Spot, bytes: &Bytes<'_>) {
        match bytes {
            Bytes::Origin(origin) => self.origin(spot, origin),
            Bytes::Extent(extent) => self.extent(spot, extent.clone()),
            Bytes::SparseMember(tar) => {
                let read = &mut |stream: &mut dyn Read| self.sparse(spot, stream);
                if let Err(failure) = tar::read_sparse(tar.clone(), read) {
                    self.fail(spot, failure);
                }
            }
            Bytes::Unread(_) | Bytes::NoTarget(_) if spot.only_archives => {}
            Bytes::NoTarget(_) if !spot.meta.picked => {
                self.content(spot, &mut std::io::empty(), &Notes::default());
            }
            Bytes::Unread(failure) | Bytes::NoTarget(failure) => {
                self.unopened(spot, failure.clone().error(&spot.meta.path))
            }
            Bytes::ZipMember(archive, member) => {
                let notes = Notes::default();
                let allowance = self.allowance;
                let read = &mut |stream: &mut dyn Read| self.stream(spot, stream, &notes);
                if let Err(failure) = archive.read(*member, allowance, &notes, read) {
                    self.fail(spot, failure);
                }
            }
        }
    }

    fn origin(&mut self, spot: &Spot, origin: &Origin) {
        let (meta, allowance) = (&spot.meta, self.allowance);
        match origin {
            Origin::File(path) => match File::open(path).and_then(Extent::of_file) {
                Ok(extent) => self.extent(spot, extent),
                Err(error) => self.visited.errors.push(Error::io(&meta.path, &error)),
            },
            Origin::Tables(path) => {
                let folder = TableFolder { path, allowance };
                (self.read)(meta, Stream::of_tables(folder, &meta.path));
            }
            Origin::Url(url) => match self.plan.client.open(url) {
                Ok(inner) => {
                    self.stream(spot, &mut Metered { inner, allowance }, &Notes::default());
                }
                Err(failure) => self.fail(spot, failure),
            },
            Origin::Process(number) => {
                match live::capture(*number, &self.plan.capture, &meta.path) {
                    Ok(capture) => self.capture(spot, capture),
                    Err(error) => self.visited.errors.push(error),
                }
            }
            Origin::Stream(stream) => {
                let taken = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(mut stream) = taken {
                    self.stream(spot, &mut stream, &Notes::default());
                }
            }
        }
    }

    /// Opens seekable bytes.
    fn extent(&mut self, spot: &Spot, extent: Extent) {
        match Packing::of_extent(&extent) {
            Err(error) => self.fail(spot, Failure::of(&error)),
            Ok(packing @ (Packing::Zip | Packing::Tar)) => self.archive(spot, packing, extent),
            Ok(packing @ (Packing::Gzip | Packing::Zstd)) => {
                let mut packed = extent.clone();
                self.packed(spot, packing, &mut packed, Some(&extent), &Notes::default());
            }
            Ok(Packing::Plain | Packing::Core) if spot.only_archives => {}
            Ok(Packing::Core) => self.core(spot, &extent),
            Ok(Packing::Unread(form)) => self.unread(spot, form),
            Ok(Packing::Plain) => {
                (self.read)(&spot.meta, Stream::of_extent(extent, &spot.meta.path));
            }
        }
    }

    /// Opens bytes that can only be read once.
    fn stream(&mut self, spot: &Spot, stream: &mut dyn Read, notes: &Notes) {
        let mut stream = Sticky::new(stream);
        // An empty vector would be filled in small steps, each a call of the decoder.
        let mut head = Vec::with_capacity(HEAD);
        // An error is returned again when the stream is read on.
        let _ = read_head(&mut stream, &mut head);
        let packing = Packing::of(&head);
        let mut stream = Cursor::new(head).chain(stream);
        match packing {
            Packing::Zip | Packing::Tar => self.spooled(spot, packing, &mut stream, notes),
            Packing::Gzip | Packing::Zstd => self.packed(spot, packing, &mut stream, None, notes),
            Packing::Core => self.packed_core(spot),
            Packing::Unread(form) => self.unread(spot, form),
            Packing::Plain => self.content(spot, &mut stream, notes),
        }
    }

    /// Opens the bytes of a file that was stored without its holes: they count as unpacked.
    fn sparse(&mut self, spot: &Spot, inner: &mut dyn Read) {
        let allowance = self.allowance;
        self.stream(spot, &mut Metered { inner, allowance }, &Notes::default());
    }

    /// Reads the goroutines in a core file.
    fn core(&mut self, spot: &Spot, core: &Extent) {
        let plan = self.plan;
        match live::capture_core(core, &plan.programs, plan.capture.wanted, &spot.meta.path) {
            Ok(capture) => self.capture(spot, capture),
            Err(error) => self.unopened(spot, error),
        }
    }

    /// Hands on the goroutines of a process.
    fn capture(&mut self, spot: &Spot, capture: Capture) {
        let mut meta = spot.meta.clone();
        let pid = capture.pid.map(|pid| (b"pid".to_vec(), pid.to_string().into_bytes()));
        meta.labels.extend(pid);
        let mut text = Metered { inner: Cursor::new(capture.text), allowance: self.allowance };
        let stream = Stream::new(&mut text, &meta.path, Notes::default());
        (self.read)(&meta, stream.captured(capture.captured));
    }

    /// Refuses a core file that isn't seekable: its parts are read here and there.
    fn packed_core(&mut self, spot: &Spot) {
        let what = "is a core file that comes compressed or through a pipe";
        self.refuse(spot, what, "unpack it to a file, and give that");
    }

    fn refuse(&mut self, spot: &Spot, what: &str, advice: &str) {
        if !spot.only_archives {
            let error = Error::new(ErrorKind::Unknown, &spot.meta.path, what);
            self.unopened(spot, error.advise(advice));
        }
    }

    /// Unpacks compressed bytes, which can be read a second time from `reread_from`.
    fn packed(
        &mut self,
        spot: &Spot,
        packing: Packing,
        packed: &mut dyn Read,
        reread_from: Option<&Extent>,
        notes: &Notes,
    ) {
        let meter = Meter::new(PackedSide::default(), self.allowance);
        let mut head = Vec::new();
        if packing == Packing::Zstd {
            let mut zstd = Sticky::new(Zstd::new(packed, meter, notes.clone()));
            let _ = read_head(&mut zstd, &mut head);
            return self.unpacked(spot, packing, head, &mut zstd, reread_from, notes);
        }
        let mut gzip = Sticky::new(Gzip::new(packed, meter, notes.clone()));
        let _ = read_head(&mut gzip, &mut head);
        if !is_binary(&head) || Packing::of(&head) != Packing::Plain {
            gzip.inner.splits = false;
            let _ = read_head(&mut gzip, &mut head);
        }
        self.unpacked(spot, packing, head, &mut gzip, reread_from, notes);
        // Protos one after the other are separate profiles.
        while gzip.inner.splits {
            match gzip.inner.next_member() {
                Ok(true) => {
                    let mut head = Vec::new();
                    // The last member of a file of bgzip is empty.
                    let is_whole = read_head(&mut gzip, &mut head).is_ok();
                    if !(is_whole && head.is_empty()) {
                        self.content(spot, &mut Cursor::new(head).chain(&mut gzip), notes);
                    }
                }
                Ok(false) => {
                    // What was found behind the last one.
                    self.warn(spot, notes);
                    break;
                }
                Err(error) => return self.fail(spot, Failure::of(&error)),
            }
        }
    }

    /// Opens what came out of compressed bytes.
    fn unpacked(
        &mut self,
        spot: &Spot,
        packing: Packing,
        head: Vec<u8>,
        rest: &mut dyn Read,
        reread_from: Option<&Extent>,
        notes: &Notes,
    ) {
        let inner = Packing::of(&head);
        let mut stream = Cursor::new(head).chain(rest);
        match (inner, reread_from) {
            (Packing::Tar, Some(extent)) => self.packed_tar(spot, packing, extent),
            (Packing::Zip | Packing::Tar, _) => self.spooled(spot, inner, &mut stream, notes),
            // Nothing writes a dump so: it is a mistake that is quickly made and quickly undone.
            (Packing::Gzip | Packing::Zstd, _) => {
                self.refuse(spot, "is compressed twice", "unpack it once");
            }
            (Packing::Core, _) => self.packed_core(spot),
            (Packing::Unread(form), _) => self.unread(spot, form),
            (Packing::Plain, _) => self.content(spot, &mut stream, notes),
        }
    }

    fn unread(&mut self, spot: &Spot, form: Unread) {
        let (what, advice) = match form {
            Unread::Packed(name) => {
                (format!("is packed ({name}) in a way that isn't read"), "unpack it first")
            }
            Unread::Encrypted(name) => (format!("is encrypted ({name})"), "decrypt it first"),
        };
        let error = Error::new(ErrorKind::Unknown, &spot.meta.path, what);
        self.unopened(spot, error.advise(advice));
    }

    fn content(&mut self, spot: &Spot, bytes: &mut dyn Read, notes: &Notes) {
        if !spot.only_archives {
            (self.read)(&spot.meta, Stream::new(bytes, &spot.meta.path, notes.clone()));
        }
    }

    fn spooled(&mut self, spot: &Spot, packing: Packing, stream: &mut dyn Read, notes: &Notes) {
        if self.too_deep(spot) {
            return;
        }
        // Its bytes were counted when they were unpacked.
        match spool(stream, None) {
            Err(failure) => self.fail(spot, failure),
            Ok((extent, problem)) => {
                self.warn(spot, notes);
                if let Some(failure) = problem {
                    self.fail(spot, failure);
                }
                self.archive(spot, packing, extent);
            }
        }
    }

    fn archive(&mut self, spot: &Spot, packing: Packing, extent: Extent) {
        if self.too_deep(spot) {
            return;
        }
        let outer = self.allowance.enter_archive(extent.length());
        self.members(spot, packing, extent);
        self.allowance.leave_archive(outer);
    }

    fn members(&mut self, spot: &Spot, packing: Packing, extent: Extent) {
        let (members, mut problems) = match Members::open(packing, extent) {
            Ok(opened) => opened,
            Err(failure) => return self.fail(spot, failure),
        };
        // The place where a tar is cut comes after its members.
        let cut = if packing == Packing::Tar { problems.pop() } else { None };
        problems.into_iter().for_each(|problem| self.fail(spot, problem));
        let (Choice { chosen, picked, .. }, warnings) = members.choose(self.plan, spot);
        self.visited.warnings.extend(warnings);
        for at in picked {
            let spot = self.plan.member(spot, members.path(at), chosen);
            if let Some(bytes) = members.bytes(at) {
                self.bytes(&spot, &bytes);
            }
        }
        if let Some(failure) = cut {
            self.fail(spot, failure);
        }
    }

    /// A compressed tar is unpacked twice, once to list it and once to read from it, rather than to
    /// a temporary file that can be many times larger.
    fn packed_tar(&mut self, spot: &Spot, packing: Packing, extent: &Extent) {
        if self.too_deep(spot) {
            return;
        }
        let allowance = self.allowance.for_second_reading();
        let meter = Meter::new(PackedSide::default(), &allowance);
        let notes = Notes::default();
        let mut first = unpacker(packing, extent.clone(), meter, &notes);
        let tar::Listed { members, mut problem } = tar::list_stream(&mut first);
        // The checksum of the whole archive is at its end.
        if let Err(error) = std::io::copy(&mut first, &mut std::io::sink()) {
            let failure = Failure::of(&error);
            if !failure.prefix_is_valid() {
                return self.fail(spot, failure);
            }
            problem.get_or_insert(failure);
        }
        drop(first);
        self.warn(spot, &notes);
        let paths = |at| members.path(at);
        let (mut choice, warnings) = self.plan.choose(spot, members.len(), paths);
        tar::drop_links(&members, &mut choice);
        let Choice { chosen, picked, .. } = choice;
        self.visited.warnings.extend(warnings);
        for &at in &picked {
            if let Some(bytes) = members.get(at).and_then(tar::Member::unread) {
                let spot = self.plan.member(spot, members.path(at), chosen);
                self.bytes(&spot, &bytes);
            }
        }
        let outer = self.allowance.enter_archive(extent.length());
        let meter = Meter::new(PackedSide::default(), self.allowance);
        let mut second = unpacker(packing, extent.clone(), meter, &Notes::default());
        let result = tar::read_stream(&mut second, &members, &picked, &mut |at, stream| {
            let spot = self.plan.member(spot, members.path(at), chosen);
            match members.get(at).is_some_and(tar::Member::is_sparse) {
                true => self.sparse(&spot, stream),
                false => self.stream(&spot, stream, &Notes::default()),
            }
        });
        self.allowance.leave_archive(outer);
        if let Some(failure) = problem.or(result.err()) {
            self.fail(spot, failure);
        }
    }

    fn too_deep(&mut self, spot: &Spot) -> bool {
        let deep = spot.depth >= LIMITS.containers;
        if deep {
            let what =
                format!("lies in {} other archives and is left closed (containers)", spot.depth);
            let error = Error::new(ErrorKind::Limit, spot.meta.path.as_str(), what)
                .advise("unpack the outer ones");
            self.unopened(spot, error);
        }
        deep
    }

    /// If the user wanted it, not being able to open it is an error, else a warning.
    fn unopened(&mut self, spot: &Spot, error: Error) {
        let list = match spot.meta.picked {
            true => &mut self.visited.errors,
            false => &mut self.visited.warnings,
        };
        list.push(error);
    }

    /// Notes about an archive don't belong to any of its members.
    fn warn(&mut self, spot: &Spot, notes: &Notes) {
        let path = spot.meta.path.as_str();
        let notes = notes.take().into_iter().map(|note| Error::new(ErrorKind::Damaged, path, note));
        self.visited.warnings.extend(notes);
    }

    fn fail(&mut self, spot: &Spot, failure: Failure) {
        self.visited.errors.push(failure.error(&spot.meta.path));
    }
}

fn unpacker<'a>(
    packing: Packing,
    packed: Extent,
    meter: Meter<'a>,
    notes: &Notes,
) -> Box<dyn Read + 'a> {
    if packing == Packing::Zstd {
        return Box::new(Sticky::new(Zstd::new(packed, meter, notes.clone())));
    }
    let mut gzip = Gzip::new(packed, meter, notes.clone());
    gzip.splits = false;
    Box::new(Sticky::new(gzip))
}
