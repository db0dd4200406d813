//! What the user asked of inputs, compiled, and where in them one is.

use super::http::Client;
use super::names::{GivenNames, base_name};
use super::path_labels::PathLabels;
use super::pick::{Chosen, Picker, Wanted};
use super::{InputMeta, SourceOptions};
use crate::error::Result;
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

/// A place where something was found that is to be opened.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) meta: InputMeta,
    /// How many archives it lies in.
    pub(super) depth: usize,
    /// What is wanted of it if it is an archive.
    pub(super) wanted: Wanted,
    /// Whether it is of no use unless it is an archive.
    pub(super) only_archives: bool,
}

impl Plan {
    /// Compiles all that the user wrote; nothing is opened before that.
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

    /// An argument.
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

    /// A member of an archive.
    pub(super) fn member(&self, of: &Spot, path: &str, chosen: Chosen) -> Spot {
        let shown = format!("{}!{path}", of.meta.path);
        let inside = match of.meta.member.as_str() {
            "" => path.to_owned(),
            archive => format!("{archive}!{path}"),
        };
        let depth = of.depth.saturating_add(1);
        Spot { depth, ..self.inside(of, shown, inside, chosen) }
    }

    /// A file of a directory, at this path inside it.
    pub(super) fn inside(&self, of: &Spot, shown: String, member: String, chosen: Chosen) -> Spot {
        let meta = InputMeta {
            name: base_name(&member).to_owned(),
            labels: self.labels.of(&shown),
            path: shown,
            picked: chosen == Chosen::Picked,
            point: of.meta.point,
            member,
        };
        let only_archives = chosen == Chosen::Containers;
        let wanted = if only_archives { Wanted::Picked } else { Wanted::Anything };
        Spot { meta, depth: of.depth, wanted, only_archives }
    }
}
