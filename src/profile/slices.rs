//! Many short lists in one vector.

/// Lists of `T`, one after the other; none can be changed.
#[derive(Clone, Debug)]
pub(super) struct Slices<T> {
    items: Vec<T>,
    /// Where each list starts; one more entry than there are lists.
    starts: Vec<usize>,
}

impl<T> Default for Slices<T> {
    fn default() -> Slices<T> {
        Slices { items: Vec::new(), starts: vec![0] }
    }
}

impl<T: Copy> Slices<T> {
    pub(super) fn push(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.starts.push(self.items.len());
    }

    /// Makes room for this many more lists with this many items.
    pub(super) fn reserve(&mut self, lists: usize, items: usize) {
        self.starts.reserve(lists);
        self.items.reserve(items);
    }

    pub(super) fn get(&self, at: usize) -> &[T] {
        &self.items[self.starts[at]..self.starts[at + 1]]
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.items.as_slice()) + size_of_val(self.starts.as_slice())
    }

    /// The lists from `from` on.
    pub(super) fn tail(&self, from: usize) -> Slices<T> {
        let start = self.starts[from];
        Slices {
            items: self.items[start..].to_vec(),
            starts: self.starts[from..].iter().map(|at| at - start).collect(),
        }
    }

    /// Keeps the first `len` lists.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.starts.truncate(len + 1);
            self.items.truncate(self.starts[len]);
        }
    }
}
