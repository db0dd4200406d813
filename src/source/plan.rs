//! The user's options for inputs, compiled, and the position of one input in them.

use super::http::Client;
use super::names::{GivenNames, base_name};
use super::path_labels::PathLabels;
use super::pick::{Choice, Chosen, Picker, Wanted};
use super::{InputMeta, SourceOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::live::{CaptureOptions, CorePrograms};

/// The compiled options.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) picker: Picker,
    pub(super) client: Client,
    pub(super) programs: CorePrograms,
    pub(super) capture: CaptureOptions,
    labels: PathLabels,
}

/// An input or archive that is to be opened, and how it was found.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) meta: InputMeta,
    /// How many archives it is nested in.
    pub(super) depth: usize,
    /// Which members are wanted if it is an archive.
    pub(super) wanted: Wanted,
    /// Whether it is only wanted if it is an archive.
    pub(super) only_archives: bool,
}

impl Plan {
    /// Compiles all of the user's text; nothing is opened before that.
    pub(super) fn compile(options: &SourceOptions) -> Result<Plan> {
        GivenNames::parse(&options.input_names)?;
        Ok(Plan {
            client: Client::compile(&options.http)?,
            programs: options.programs.clone(),
            capture: options.capture,
            picker: Picker::compile(&options.members, &options.member_patterns)?,
            labels: PathLabels::compile(&options.path_labels)?,
        })
    }

    /// The spot of an argument.
    pub(super) fn argument(&self, point: usize, path: &str) -> Spot {
        let meta = InputMeta {
            name: base_name(path).to_owned(),
            path: path.to_owned(),
            labels: self.labels.of(path),
            picked: true,
            point,
            member: String::new(),
        };
        Spot { meta, depth: 0, wanted: self.picker.wanted(), only_archives: false }
    }

    /// Chooses the members of a container that are read; also returns warnings on those that aren't, but might have
    /// to be.
    pub(super) fn choose<'p>(
        &self,
        spot: &Spot,
        count: usize,
        path: impl Fn(usize) -> &'p str,
    ) -> (Choice, Vec<Error>) {
        let choice = self.picker.choose(count, &path, spot.wanted);
        let warning = |of: &[usize], what: &str, whats: &str, advice: &str| {
            let (&first, others) = of.split_first()?;
            let (what, more) = match others.len() {
                0 => (format!("{what}: "), ""),
                others => (format!("{} {whats}: ", others.saturating_add(1)), ", ..."),
            };
            let what = what + &cut(path(first).to_owned()) + more;
            Some(Error::new(ErrorKind::Unknown, &spot.meta.path, what).advise(advice))
        };
        let unread = warning(
            &choice.unread,
            "a dump in it is compressed in a way that isn't read",
            "dumps in it are compressed in a way that isn't read",
            "compress them with gzip or zstd, or not at all",
        );
        let closed = warning(
            &choice.closed,
            "an archive in it isn't opened beside dumps with well-known names",
            "archives in it aren't opened beside dumps with well-known names",
            "name them too, or all that is to be read with --member",
        );
        (choice, unread.into_iter().chain(closed).collect())
    }

    /// The spot of a member of an archive.
    pub(super) fn member(&self, parent: &Spot, path: &str, chosen: Chosen) -> Spot {
        let shown = format!("{}!{path}", parent.meta.path);
        let inside = match parent.meta.member.as_str() {
            "" => path.to_owned(),
            archive => format!("{archive}!{path}"),
        };
        let depth = parent.depth.saturating_add(1);
        Spot { depth, ..self.inside(parent, shown, inside, chosen) }
    }

    /// A file of a directory, at this path inside it.
    pub(super) fn inside(
        &self,
        parent: &Spot,
        shown: String,
        member: String,
        chosen: Chosen,
    ) -> Spot {
        let (shown, member) = (cut(shown), cut(member));
        let meta = InputMeta {
            name: base_name(&member).to_owned(),
            labels: self.labels.of(&shown),
            path: shown,
            picked: chosen == Chosen::Picked,
            point: parent.meta.point,
            member,
        };
        let only_archives = chosen == Chosen::Containers;
        let wanted = if only_archives { Wanted::Picked } else { Wanted::Anything };
        Spot { meta, depth: parent.depth, wanted, only_archives }
    }
}

/// A path as inputs and errors have it, up to [`path`](crate::limits::Limits::path) bytes.
fn cut(mut path: String) -> String {
    if path.len() > LIMITS.path {
        let end = (0..=LIMITS.path).rev().find(|&at| path.is_char_boundary(at));
        path.truncate(end.unwrap_or(0));
        path.push('…');
    }
    path
}
