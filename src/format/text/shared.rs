//! State that the streams of one input share.

use crate::format::notice::{LONGEST_NOTICE, is_notice};
use crate::format::traceback::cache::Records;
use crate::format::traceback::{lines, lookalike};
use crate::format::{Observer, goleak};
use crate::profile::{Input, InputId, ProfileBuilder, WarningKind};

/// Lines that were skipped: how many, the number of the first one, and the input at that point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipped {
    count: u64,
    first: u64,
    input: Option<InputId>,
}

impl Skipped {
    fn add(&mut self, count: u64, first: u64, input: Option<InputId>) {
        if self.count == 0 && count > 0 {
            (self.first, self.input) = (first, input);
        }
        self.count = self.count.saturating_add(count);
    }
}

/// What the last line that isn't blank was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Before {
    /// There was none.
    #[default]
    Start,
    /// A line of a goroutine.
    Dump,
    /// Text, with this number.
    Text(u64),
}

/// State that all streams of one input share.
pub(crate) struct Shared<'a, 'o> {
    /// Collects everything that is read.
    pub(crate) builder: &'a mut ProfileBuilder,
    /// Name, path and labels for the inputs that are made.
    pub(crate) template: &'a Input,
    /// The input to which streams without one of their own add.
    pub(crate) input: Option<InputId>,
    /// Samples by the text of their goroutines.
    pub(crate) records: &'a mut Records,
    /// Is called with lines that may name the input.
    pub(crate) observer: Option<&'a mut Observer<'o>>,
    /// Lines of text before the first input was made.
    pub(crate) text_lines: u64,
    /// Bytes of lines inside containers that were dropped because the lines are too long.
    pub(crate) dropped: u64,
    /// Lines that were skipped although they look like headers of goroutines.
    pub(crate) unread: Skipped,
    /// Frames without the header of their goroutine or profile.
    pub(crate) headless: Skipped,
    /// The line of the first stack of the runtime that belongs to no goroutine.
    pub(crate) runtime_stack: Option<u64>,
    /// The line of the first frame that a logger or an error wrote, in a text that holds no dump so far.
    pub(crate) logged_frame: Option<u64>,
    /// Quoted texts without their end.
    pub(crate) cut: Skipped,
    /// Where NUL or 0xff bytes stand for missing text.
    pub(crate) holes: Skipped,
    /// Lines beside goroutines that say that text was left out there.
    left_out: Skipped,
    /// The line of the first goroutine of a list of goleak whose end wasn't read yet.
    open_list: Option<u64>,
    /// Lists of goleak without their end.
    cut_lists: Skipped,
    /// Records of logs beside goroutines that can't be read.
    damaged_records: Skipped,
    before: Before,
    /// The last line, if it was text and can be such a line.
    text_before: Vec<u8>,
    /// The name of a profile in the text that isn't read.
    pub(crate) other_profile: Option<String>,
}

impl<'a, 'o> Shared<'a, 'o> {
    /// The state before anything is read.
    pub(crate) fn new(
        builder: &'a mut ProfileBuilder,
        template: &'a Input,
        observer: Option<&'a mut Observer<'o>>,
        records: &'a mut Records,
    ) -> Shared<'a, 'o> {
        records.rebind(builder.generation());
        Shared {
            builder,
            template,
            input: None,
            records,
            observer,
            text_lines: 0,
            dropped: 0,
            unread: Skipped::default(),
            headless: Skipped::default(),
            runtime_stack: None,
            logged_frame: None,
            cut: Skipped::default(),
            holes: Skipped::default(),
            left_out: Skipped::default(),
            open_list: None,
            cut_lists: Skipped::default(),
            damaged_records: Skipped::default(),
            before: Before::Start,
            text_before: Vec::new(),
            other_profile: None,
        }
    }

    /// Notes a record of a log that can't be read, which may hold a line of the goroutine before it.
    pub(super) fn damaged_record(&mut self, number: u64) {
        if self.before == Before::Dump {
            self.damaged_records.add(1, number, self.input);
        }
    }

    /// Notes the first goroutine of a list of goleak.
    pub(super) fn list_opens(&mut self, number: u64) {
        if let Some(before) = self.open_list.replace(number) {
            self.cut_lists.add(1, before, self.input);
        }
    }

    /// Ends the list of goleak if this line does.
    pub(super) fn list_may_close(&mut self, line: &[u8]) {
        self.open_list.take_if(|_| goleak::closes_list(line));
    }

    /// Notes that a line of a goroutine was read.
    pub(super) fn dump_line(&mut self) {
        if let Before::Text(number) = self.before
            && is_notice(&self.text_before)
        {
            self.left_out.add(1, number, self.input);
        }
        self.before = Before::Dump;
    }

    /// Notes that a line of text was read.
    pub(super) fn text_beside(&mut self, line: &[u8], number: u64) {
        if line.is_empty() {
            return;
        }
        self.text_before.clear();
        if self.before == Before::Dump && is_notice(line) {
            self.left_out.add(1, number, self.input);
        } else if line.len() <= LONGEST_NOTICE {
            self.text_before.extend_from_slice(line);
        }
        self.before = Before::Text(number);
    }

    /// Calls the observer with a line that may name the input.
    pub(super) fn observe(&mut self, line: &[u8]) {
        if let Some(observer) = &mut self.observer
            && !observer(line)
        {
            self.observer = None;
        }
    }

    /// Notes a line that became part of nothing; returns whether it looks like the header of a goroutine.
    pub(super) fn passed_over(&mut self, line: &[u8], number: u64) -> bool {
        if !lookalike::may_hold_pieces(line) {
            let is_cut = lookalike::is_cut_header(line);
            self.lookalikes(is_cut.into(), number);
            return is_cut;
        }
        let plain = lookalike::plain(line);
        let line = plain.as_deref().unwrap_or(line);
        let found = lookalike::count(line).max(lookalike::is_cut_header(line).into());
        let of_profiles = lookalike::starts_profile(line);
        self.lookalikes(found.saturating_add(of_profiles.into()), number);
        found > 0
    }

    /// Notes headers that were read as something else.
    pub(super) fn lookalikes(&mut self, count: u64, first: u64) {
        self.unread.add(count, first, self.input);
    }

    /// Notes frames whose goroutine or profile has no header.
    pub(super) fn without_header(&mut self, count: u64, number: u64) {
        self.headless.add(count, number, self.input);
    }

    /// Notes a line of text that may be all there is of a stack.
    pub(super) fn note_logged_frame(&mut self, line: &[u8], number: u64) {
        let is_first = self.input.is_none() && self.logged_frame.is_none();
        if is_first && lines::is_frame_of_logger(line) {
            self.logged_frame = Some(number);
        }
    }

    /// Notes a quoted text of a log without a closing quote, which may have been longer.
    pub(super) fn cut_text(&mut self, number: u64) {
        self.cut.add(1, number, self.input);
    }

    /// Notes a line where NUL or 0xff bytes stand for what was lost.
    pub(super) fn hole(&mut self, number: u64) {
        self.holes.add(1, number, self.input);
    }

    /// Counts bytes of lines inside containers that were dropped.
    pub(super) fn drop_bytes(&mut self, bytes: usize) {
        self.dropped = self.dropped.saturating_add(bytes as u64);
    }

    /// The line of the first frame that was skipped.
    pub(super) fn first_frame(&self) -> Option<u64> {
        let skipped = (self.headless.count > 0).then_some(self.headless.first);
        skipped.into_iter().chain(self.runtime_stack).min()
    }

    /// Whether nothing was skipped that can be a part of a goroutine.
    pub(super) fn lost_nothing(&self) -> bool {
        [
            self.unread,
            self.headless,
            self.cut,
            self.holes,
            self.left_out,
            self.cut_lists,
            self.damaged_records,
        ]
        .iter()
        .all(|lines| lines.count == 0)
    }

    /// Warns of the lines that were skipped.
    pub(super) fn warn_of_losses(&mut self) {
        if let Some(number) = self.open_list {
            self.cut_lists.add(1, number, self.input);
        }
        let unread = match self.unread.count {
            1 => "a line looks like the header of a goroutine and wasn't read as one".to_owned(),
            lines => {
                format!("{lines} lines look like headers of goroutines and weren't read as such")
            }
        };
        let headless = "frames without the header of their goroutine or profile were skipped";
        let cut = "a quoted text has no closing quote: what follows in it is missing";
        self.warn(self.unread, WarningKind::UnreadHeader, &unread);
        if let Some(input) = self.warn(self.headless, WarningKind::Partial, headless) {
            input.seen.partial = input.seen.partial.saturating_add(1);
        }
        self.warn(self.cut, WarningKind::Truncated, cut);
        let hole = "NUL or 0xff bytes stand where a part of the text is missing";
        self.warn(self.holes, WarningKind::Truncated, hole);
        let list = "a list of goleak has no closing bracket: goroutines may be missing";
        self.warn(self.cut_lists, WarningKind::Truncated, list);
        let damaged = "a record of the log beside goroutines can't be read";
        self.warn(self.damaged_records, WarningKind::Truncated, damaged);
        let left_out = "a line beside goroutines says that text was left out there";
        self.warn(self.left_out, WarningKind::Truncated, left_out);
    }

    fn warn(&mut self, skipped: Skipped, kind: WarningKind, text: &str) -> Option<&mut Input> {
        let input = skipped.input.or(self.input).filter(|_| skipped.count > 0)?;
        let input = self.builder.input_mut(input);
        input.warn(kind, Some(skipped.first), text);
        Some(input)
    }

    /// Adds another input, to which streams without one of their own add from now on.
    pub(super) fn new_input(&mut self) -> InputId {
        let mut input = self.template.clone();
        input.seen.text_lines = std::mem::take(&mut self.text_lines);
        let id = self.builder.input(input);
        self.input = Some(id);
        id
    }

    /// Whether goroutines can be added to an input: not after a profile that measures something
    /// else.
    pub(super) fn takes_goroutines(&self, input: InputId) -> bool {
        let input = self.builder.inputs().get(input.index());
        input.is_some_and(|input| input.header.sample_types.is_empty())
    }

    /// Whether only regular goroutines matter, so that the fast way can be taken.
    pub(super) fn fast(&self) -> bool {
        let keep = self.builder.keep();
        self.observer.is_none() && !keep.arguments && !keep.calls
    }
}
