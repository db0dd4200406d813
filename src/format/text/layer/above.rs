//! The lines above the first one of a container.
//!
//! Where the last line comes first, they can be the last ones of the first goroutine, or the header
//! of a goroutine that was cut, and a blank line.

use super::super::losses::Loss;
use super::{Layer, Sink, detect};
use crate::format::log;
use crate::format::start::without_cr;
use crate::format::traceback::cut_header::is_cut_header;
use crate::format::traceback::header::Header;

/// The lines of goroutines are shorter, but for those of generic functions of many types.
pub(super) const LONGEST: usize = 4 << 10;

/// The last two lines that are only text, after lines that the stream took: a blank one can follow them.
pub(super) fn shift<'t>(above: [&'t [u8]; 2], taken: &[u8]) -> [&'t [u8]; 2] {
    let [_, last] = above;
    match taken {
        [] => above,
        b"\n" | b"\r\n" => [last, &[]],
        _ => [&[]; 2],
    }
}

impl Layer {
    /// Notes a damaged header above the first line of a container that stands in the same one.
    fn note_header(&self, above: [&[u8]; 2], to: &mut Sink<'_, '_, '_>) {
        for (line, number) in above.into_iter().rev().zip([0, 1]) {
            let prefix = self.decoder.as_ref().and_then(|decoder| decoder.prefix_of(line));
            let text = prefix.and_then(|prefix| line.get(prefix.len()..));
            let text = text.map(without_cr).unwrap_or_default();
            // `goroutine 12 [worker] started`
            let has_state = || text.trim_ascii_end().ends_with(b"]");
            let is_it = is_cut_header(text) || Header::cut(text).is_some() && has_state();
            to.shared.lost(Loss::Header, is_it.into(), self.lines.saturating_sub(number));
        }
    }

    /// Takes those of the lines above the first one that belong to the same container once more.
    pub(super) fn take_above(
        &mut self,
        above: [&[u8]; 2],
        first: &[u8],
        to: &mut Sink<'_, '_, '_>,
    ) {
        self.note_header(above, to);
        if above.iter().all(|line| line.is_empty()) || !log::may_start_reversed(first) {
            return;
        }
        let none = above.iter().take_while(|line| line.is_empty()).count();
        let above = above.get(none..).unwrap_or_default();
        let held = self.decoder.as_mut().map_or(0, |decoder| decoder.hold_above(above));
        let alone =
            |line: &&&[u8]| detect(first, to.depth).is_some_and(|probe| probe.wraps_alone(line));
        let wrapped = if held > 0 { 0 } else { above.iter().rev().take_while(alone).count() };
        let from = above.len().saturating_sub(held.max(wrapped));
        for line in above.get(from..).unwrap_or_default() {
            if !line.is_empty() {
                to.stream.take_back_text_line(to.shared);
            }
        }
        self.lines = self.lines.saturating_sub(wrapped as u64);
        for line in above.iter().skip(from).take(wrapped) {
            self.part(line, true, to);
        }
    }
}
