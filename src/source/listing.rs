//! The members of an archive in compact form, as there can be millions.

/// The members of an archive in its own order, each with the data that its kind of archive needs.
#[derive(Debug, Default)]
pub(super) struct Listing<T> {
    /// All paths, one after the other.
    paths: String,
    /// Where each path ends.
    members: Vec<(usize, T)>,
}

impl<T> Listing<T> {
    pub(super) fn push(&mut self, path: &str, member: T) {
        self.paths.push_str(path);
        self.members.push((self.paths.len(), member));
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The path of the member at this position; empty if there is none.
    pub(super) fn path(&self, at: usize) -> &str {
        let end = |at: usize| self.members.get(at).map_or(0, |&(end, _)| end);
        let start = at.checked_sub(1).map_or(0, end);
        self.paths.get(start..end(at)).unwrap_or_default()
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.members.get(at).map(|(_, member)| member)
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.members.get_mut(at).map(|(_, member)| member)
    }
}
