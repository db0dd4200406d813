//! The input to which a stream adds.

use super::Stream;
use crate::format::text::shared::Shared;
use crate::profile::{InputFormat, InputId};

impl Stream {
    /// The input to which this stream adds.
    pub(super) fn input(&mut self, format: InputFormat, shared: &mut Shared<'_, '_>) -> InputId {
        if let Some(input) = self.input.filter(|&input| shared.takes_goroutines(input)) {
            return input;
        }
        let input = match shared.input.filter(|&input| shared.takes_goroutines(input)) {
            Some(input) => input,
            None => shared.new_input(),
        };
        let found = shared.builder.input_mut(input);
        if found.seen.headers == 0 {
            found.format = format;
        }
        self.input = Some(input);
        input
    }

    /// The input for a new crash or profile: a new one if the current one already holds something.
    pub(super) fn fresh_input(
        &mut self,
        format: InputFormat,
        shared: &mut Shared<'_, '_>,
    ) -> InputId {
        let at_hand = self.input.or(shared.input).filter(|&input| {
            let found = shared.builder.input_mut(input);
            found.seen.headers == 0 && found.crash.is_none() && found.announced.is_none()
        });
        let input = at_hand.unwrap_or_else(|| shared.new_input());
        shared.builder.input_mut(input).format = format;
        self.input = Some(input);
        input
    }

    /// Whether records without the first line of their profile can be added: nothing else was read.
    pub(super) fn takes_records(&self, shared: &Shared<'_, '_>) -> bool {
        let input = self.input.or(shared.input);
        let input = input.and_then(|input| shared.builder.inputs().get(input.index()));
        input.is_none_or(|input| {
            input.format == InputFormat::Debug1
                && input.announced.is_none()
                && input.crash.is_none()
        })
    }
}
