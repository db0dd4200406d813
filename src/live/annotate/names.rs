//! How much text the words of a stack may show. A name is shown in each word that it is about, and programs
//! may give the same long name to very many.

use super::super::code::Code;
use super::{StackFrame, StackFrameCall, StackWord, Target, What};
use crate::limits::LIMITS;

/// The bytes of names that words and frames may still show.
#[derive(Debug)]
pub(super) struct NamesRoom {
    left: usize,
}

impl NamesRoom {
    pub(super) fn new() -> NamesRoom {
        NamesRoom { left: LIMITS.live_word_names }
    }

    /// Takes the names of a frame; false if it can't be shown, nor those that it was called from.
    pub(super) fn takes_frame(&mut self, code: &Code) -> bool {
        self.takes([code.bytes()].into_iter())
    }

    /// Takes the names of a word; false if it can't be shown, nor those behind it.
    pub(super) fn takes_word(&mut self, word: &StackWord, frames: &[StackFrame]) -> bool {
        let frame = |at: usize| frames.get(at);
        let function = |at: usize| {
            let call = frame(at).and_then(|frame| frame.calls.last());
            call.map_or(0, |call| call.function.len())
        };
        let own = word.frame.map_or(0, function);
        let what = match word.what {
            What::Argument { frame, .. } => function(frame),
            What::ReturnAddress => {
                let caller = word.frame.and_then(|at| frame(at.saturating_add(1)));
                caller.map_or(0, |frame| frame.calls.iter().map(size).fold(0, usize::max))
            }
            _ => 0,
        };
        let target = match &word.target {
            Some(Target::Code(name, _)) => name.len(),
            _ => 0,
        };
        let variables = word.variables.iter().map(|it| {
            let names = it.local.name.len().saturating_add(it.local.type_name.len());
            names.saturating_add(it.local.inlined.as_deref().map_or(function(it.frame), str::len))
        });
        self.takes([own, what, target].into_iter().chain(variables))
    }

    fn takes(&mut self, names: impl Iterator<Item = usize>) -> bool {
        let bytes = names.fold(0, usize::saturating_add);
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// The bytes of a call's names.
fn size(call: &StackFrameCall) -> usize {
    call.function.len().saturating_add(call.file.as_deref().map_or(0, str::len))
}

#[cfg(test)]
mod tests {
    use super::super::super::code::{Call, Shown};
    use super::*;
    use crate::binary::Local;
    use crate::live::Variable;

    /// A word of the first frame with so many bytes of names: of its function, in its target, of its variable.
    fn word([target, variable, type_name]: [usize; 3]) -> StackWord {
        let local = Local {
            name: "v".repeat(variable).into(),
            inlined: None,
            type_name: "t".repeat(type_name).into(),
            address: 0,
            bytes: 8,
            offset: 0,
        };
        StackWord {
            address: 0,
            value: 0,
            frame: Some(0),
            what: What::Unknown,
            target: Some(Target::Code("c".repeat(target), 0)),
            variables: vec![Variable { frame: 0, local: local.into(), offset: 0 }],
        }
    }

    #[test]
    fn names_that_very_many_words_show_end_them_and_each_name_counts() {
        let call = StackFrameCall { function: "f".repeat(1000), file: None, line: 0 };
        let frames = [StackFrame { pc: 0, sp: 0, end: 8, calls: [call].into() }];
        for (names, bytes) in
            [([0, 0, 0], 2000), ([7000, 0, 0], 9000), ([0, 7000, 0], 9000), ([0, 0, 7000], 9000)]
        {
            let (mut room, word) = (NamesRoom::new(), word(names));
            let shown = (0..).take_while(|_| room.takes_word(&word, &frames)).count();
            assert_eq!(shown, LIMITS.live_word_names / bytes, "{names:?}");
            assert!(!room.takes_word(&word, &frames));
        }
        let argument = What::Argument { frame: 0, number: None, is_saved: true, is_live: false };
        for (what, bytes) in [(argument, 3000), (What::ReturnAddress, 3000), (What::Start, 2000)] {
            let mut room = NamesRoom::new();
            let word = StackWord { what, ..word([0; 3]) };
            let frames = [frames[0].clone(), frames[0].clone()];
            let shown = (0..).take_while(|_| room.takes_word(&word, &frames)).count();
            assert_eq!(shown, LIMITS.live_word_names / bytes, "{what:?}");
        }
    }

    #[test]
    fn names_of_calls_that_very_many_frames_show_end_them() {
        let call = || Call {
            is_wrapper: false,
            is_panic: false,
            shown: Shown::Yes,
            name: vec![b'f'; 8000],
            place: vec![b'p'; 2000],
        };
        let code = Code {
            is_top: false,
            is_last: false,
            frame: None,
            is_injected: false,
            calls: vec![call(), call()],
            arguments: Vec::new(),
        };
        let mut room = NamesRoom::new();
        let shown = (0..).take_while(|_| room.takes_frame(&code)).count();
        assert_eq!(shown, LIMITS.live_word_names / 20_000);
    }
}
