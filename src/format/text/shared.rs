//! What the streams of one input share.

use crate::format::Observer;
use crate::format::traceback::record::Records;
use crate::profile::{Input, InputId, ProfileBuilder};

/// What all streams of one input share.
pub(crate) struct Shared<'a, 'o> {
    /// Where everything goes.
    pub(crate) builder: &'a mut ProfileBuilder,
    /// Name, path and labels for the inputs that are made.
    pub(crate) template: &'a Input,
    /// The input that streams without one of their own add to.
    pub(crate) input: Option<InputId>,
    /// Samples by the text of their goroutines.
    pub(crate) records: &'a mut Records,
    /// Is offered lines that may name the input.
    pub(crate) observer: Option<&'a mut Observer<'o>>,
    /// Lines of text before the first input was made.
    pub(crate) text_lines: u64,
    /// Bytes of lines inside containers that were too long and dropped.
    pub(crate) dropped: u64,
    /// A profile that the text holds and that counts something else than goroutines.
    pub(crate) other_profile: Option<String>,
}

impl<'a, 'o> Shared<'a, 'o> {
    /// Nothing read yet.
    pub(crate) fn new(
        builder: &'a mut ProfileBuilder,
        template: &'a Input,
        observer: Option<&'a mut Observer<'o>>,
        records: &'a mut Records,
    ) -> Shared<'a, 'o> {
        records.rebind(builder.epoch());
        Shared {
            builder,
            template,
            input: None,
            records,
            observer,
            text_lines: 0,
            dropped: 0,
            other_profile: None,
        }
    }

    /// Offers a line that may name the input.
    pub(super) fn observe(&mut self, line: &[u8]) {
        if let Some(observer) = &mut self.observer
            && !observer(line)
        {
            self.observer = None;
        }
    }

    /// Makes another input, which streams without one of their own add to from now on.
    pub(super) fn new_input(&mut self) -> InputId {
        let mut input = self.template.clone();
        input.seen.text_lines = std::mem::take(&mut self.text_lines);
        let id = self.builder.input(input);
        self.input = Some(id);
        id
    }

    /// Whether goroutines may be added to an input: not behind a profile that measures something
    /// else.
    pub(super) fn takes_goroutines(&self, input: InputId) -> bool {
        let input = self.builder.inputs().get(input.index());
        input.is_some_and(|input| input.header.sample_types.is_empty())
    }

    /// Whether nothing but regular goroutines matters, so that the fast way may be taken.
    pub(super) fn fast(&self) -> bool {
        self.observer.is_none() && !self.builder.keep().arguments
    }
}
