//! Units: everything that is to be read, one after the other.

use super::InputMeta;
use super::Stream;
use super::budget::{self, Allowance};
use super::origin::{Bytes, Members, Origin};
use super::pick::{Choice, Chosen};
use super::plan::{Plan, Spot};
use super::visit::{Visited, Visitor};
use crate::error::Error;
use crate::read_at::ReadAt;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// An input or archive that can be read independently of all others: a file, a member of a zip.
#[derive(Debug)]
pub struct Unit<'u> {
    spot: Cow<'u, Spot>,
    bytes: Bytes<'u>,
    plan: &'u Plan,
    together: Option<Together>,
}

/// The units of one archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Together {
    /// Their numbers.
    pub units: Range<usize>,
    /// How many bytes they may unpack to, all together.
    pub most: u64,
}

/// Units from one argument or archive.
#[derive(Debug)]
enum Group {
    One(Spot, Origin),
    /// Members of an archive, of which there can be millions: the spot of each is only made when it
    /// is read.
    Members {
        archive: Members,
        spot: Spot,
        chosen: Chosen,
        picked: Vec<usize>,
    },
}

/// All units, in order.
#[derive(Debug)]
pub struct Units {
    plan: Arc<Plan>,
    /// Each with the number of its first unit.
    groups: Vec<(usize, Group)>,
    len: usize,
}

impl Units {
    pub(super) fn new(plan: Arc<Plan>) -> Units {
        Units { plan, groups: Vec::new(), len: 0 }
    }

    pub(super) fn push(&mut self, spot: Spot, origin: Origin) {
        self.groups.push((self.len, Group::One(spot, origin)));
        self.len = self.len.saturating_add(1);
    }

    /// Adds the members of an archive that are wanted; returns warnings on those that can't.
    pub(super) fn push_members(&mut self, spot: Spot, archive: Members) -> Vec<Error> {
        let (Choice { chosen, picked, .. }, warnings) = archive.choose(&self.plan, &spot);
        let first = self.len;
        self.len = first.saturating_add(picked.len());
        self.groups.push((first, Group::Members { archive, spot, chosen, picked }));
        warnings
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no units.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The units from number `first` on, counted from 0, each with its number.
    pub fn from(&self, first: usize) -> impl Iterator<Item = (usize, Unit<'_>)> {
        (first..self.len).filter_map(|at| Some((at, self.get(at)?)))
    }

    fn get(&self, at: usize) -> Option<Unit<'_>> {
        let group = self.groups.partition_point(|&(first, _)| first <= at).checked_sub(1)?;
        let (first, group) = self.groups.get(group)?;
        let (spot, bytes, together) = match group {
            Group::One(spot, origin) => (Cow::Borrowed(spot), Bytes::Origin(origin), None),
            Group::Members { archive, spot, chosen, picked } => {
                let &member = picked.get(at.saturating_sub(*first))?;
                let spot = self.plan.member(spot, archive.path(member), *chosen);
                let units = *first..first.saturating_add(picked.len());
                let together = Together { units, most: budget::of_archive(archive.length()) };
                (Cow::Owned(spot), archive.bytes(member)?, Some(together))
            }
        };
        Some(Unit { spot, bytes, plan: &self.plan, together })
    }
}

impl Unit<'_> {
    /// Facts about the unit.
    pub fn meta(&self) -> &InputMeta {
        &self.spot.meta
    }

    /// The archive that it is a member of.
    pub fn together(&self) -> Option<&Together> {
        self.together.as_ref()
    }

    /// How many seekable bytes it has, as far as that is known before it is opened; else 0.
    pub fn length(&self) -> u64 {
        match &self.bytes {
            Bytes::Origin(Origin::File(path)) => path.metadata().map_or(0, |data| data.len()),
            Bytes::Extent(extent) => extent.length(),
            Bytes::Origin(_)
            | Bytes::ZipMember(..)
            | Bytes::SparseMember(_)
            | Bytes::Unread(_)
            | Bytes::NoTarget(_) => 0,
        }
    }

    /// Calls `read` with each input of the unit, unpacked, within the allowance.
    pub fn visit(
        &self,
        allowance: &Allowance,
        read: &mut dyn FnMut(&InputMeta, Stream<'_>),
    ) -> Visited {
        let visited = Visited::default();
        let mut visitor = Visitor { plan: self.plan, allowance, read, visited };
        visitor.bytes(&self.spot, &self.bytes);
        visitor.visited
    }
}
