//! The numbers of records, and their values.

use super::head::Measure;
use crate::format::debug1::line::{hex, record_start};
use crate::format::traceback::rest;
use memchr::memmem::find;

/// The numbers at the start of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    /// `OBJECTS: BYTES [OBJECTS: BYTES] @`: in use, ever allocated.
    Heap([i64; 4]),
    /// `CYCLES COUNT @`
    Contention { cycles: i64, count: i64 },
    /// `COUNT @`
    Count(i64),
}

/// Parses the numbers of the first line of a record.
pub(super) fn numbers(measure: &Measure, line: &[u8]) -> Option<Numbers> {
    match measure {
        Measure::Count(_) => record_start(line).map(Numbers::Count),
        Measure::Heap { .. } => four(before_addresses(line)?).map(Numbers::Heap),
        Measure::Contention => {
            let mut words = before_addresses(line)?.split_ascii_whitespace();
            let (cycles, count) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            words.next().is_none().then_some(Numbers::Contention { cycles, count })
        }
    }
}

/// Whether a line that is no record of contentions is what is left of one and what stands behind it: `@ 0x66d3d1 0x66d3b8`,
/// `561591472 79 A 0x66d3d1 0x66d3b8`, `561591472 7# 0x66d3d0 sync.(*Mutex).Unlock+0xb0`, `7803roc.go:267`. Where the first record must
/// stand (`is_first`), `561591472 79`, `561591472 79 main.go:314`, `roc.go:223` are, too; behind a record they can be
/// anything.
pub(super) fn is_left_of_contention(line: &[u8], is_first: bool) -> bool {
    let words = || line.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    let is_address = |word: &[u8]| hex(word).is_some();
    let addresses = words().filter(|word| is_address(word)).count();
    let others = words().filter(|word| !is_address(word) && !is_number(word) && *word != b"@");
    let numbers = words().take_while(|word| is_number(word)).count();
    let is_cut = match numbers {
        0 => addresses > 1 && others.count() == 0,
        _ => addresses > 1 || find(line, b"# 0x").is_some(),
    };
    let is_glued = || {
        let mut all = words();
        let is_place = all.next().is_some_and(rest::is_rest_of_place) && all.next().is_none();
        is_place && line.first().is_some_and(u8::is_ascii_digit)
    };
    is_cut || is_glued() || is_first && is_start_of_contention(words(), numbers, addresses)
}

/// Whether words may be the start of a contention and the end of another line.
fn is_start_of_contention<'w>(
    mut words: impl DoubleEndedIterator<Item = &'w [u8]>,
    numbers: usize,
    addresses: usize,
) -> bool {
    let (first, second, third) = (words.next(), words.next(), words.next());
    let last = words.next_back().or(third).or(second).or(first);
    let ends_in_place = last.is_some_and(rest::is_rest_of_place);
    // Other lines than of cycles have small numbers.
    let is_long = first.is_some_and(|word| word.len() > 4);
    match numbers {
        0 => ends_in_place && second.is_none(),
        1 => addresses > 0 || ends_in_place,
        _ => addresses > 0 || ends_in_place || third.is_none() && is_long,
    }
}

/// Whether a line is no more than the numbers of a contention, or the start of them: `561591472 79`, `56159`. Other lines
/// have small numbers, indented ones, or times of Unix.
pub(super) fn is_start_of_numbers(line: &[u8], longest: i64) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbers = text.split_ascii_whitespace().map(|word| word.parse().ok());
    match numbers.collect::<Option<Vec<i64>>>().as_deref() {
        Some([cycles]) => (5..10).contains(&digits) && *cycles <= longest,
        Some([cycles, _]) => digits > 4 && *cycles <= longest,
        _ => false,
    }
}

fn before_addresses(line: &[u8]) -> Option<&str> {
    let (numbers, _) = line.split_at_checked(memchr::memchr(b'@', line)?)?;
    std::str::from_utf8(numbers).ok()
}

/// `94: 675088 [206: 5854608]`
pub(super) fn four(text: &str) -> Option<[i64; 4]> {
    let (in_use, all) = text.trim().strip_suffix(']')?.split_once('[')?;
    let pair = |text: &str| -> Option<(i64, i64)> {
        let (objects, bytes) = text.split_once(':')?;
        Some((objects.trim().parse().ok()?, bytes.trim().parse().ok()?))
    };
    let ((objects, bytes), (all_objects, all_bytes)) = (pair(in_use)?, pair(all)?);
    Some([objects, bytes, all_objects, all_bytes])
}

impl Numbers {
    /// Whether any of them is less than nothing.
    pub(super) fn are_negative(self) -> bool {
        match self {
            Numbers::Heap(numbers) => numbers.iter().any(|&number| number < 0),
            Numbers::Contention { cycles, count } => cycles < 0 || count < 0,
            Numbers::Count(count) => count < 0,
        }
    }

    /// The numbers whose sums the first line of the profile announces.
    pub(super) fn announced(self) -> [i64; 4] {
        match self {
            Numbers::Heap(numbers) => numbers,
            Numbers::Contention { count, .. } | Numbers::Count(count) => [count, 0, 0, 0],
        }
    }

    /// A value for each sample type, and the size of the objects if there are any.
    pub(super) fn values(self, measure: &Measure) -> (Vec<i64>, Option<i64>) {
        let numbers = match self {
            Numbers::Heap(numbers) => numbers,
            Numbers::Contention { cycles, count } => return (vec![count, cycles], None),
            Numbers::Count(count) => return (vec![count], None),
        };
        let &Measure::Heap { rate, allocated } = measure else { return (Vec::new(), None) };
        let [objects, bytes, all_objects, all_bytes] = numbers;
        let (all_objects, all_bytes) = if allocated { (all_objects, all_bytes) } else { (0, 0) };
        let size = bytes.checked_div(objects).or(all_bytes.checked_div(all_objects));
        let mut values = Vec::with_capacity(4);
        if allocated {
            values.extend(unsampled(all_objects, all_bytes, rate));
        }
        values.extend(unsampled(objects, bytes, rate));
        (values, size)
    }
}

/// Estimates objects and bytes as if every allocation had been counted.
///
/// Go samples one byte out of `rate` on average, so an object of S bytes is sampled with
/// probability 1 - exp(-S / rate). Computed as in Go and pprof, so the numbers are the same to the
/// last digit.
fn unsampled(objects: i64, bytes: i64, rate: i64) -> [i64; 2] {
    if objects == 0 || bytes == 0 {
        return [0, 0];
    }
    if rate <= 1 {
        return [objects, bytes];
    }
    let size = bytes as f64 / objects as f64;
    let scale = 1.0 / (1.0 - libm::exp(-size / rate as f64));
    [(objects as f64 * scale) as i64, (bytes as f64 * scale) as i64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_objects_count_for_those_that_were_not_seen() {
        // Of objects as large as the rate, 1 - 1/e = 63.2 % are sampled.
        assert_eq!(unsampled(1000, 1000 * 4096, 4096), [1581, 6_479_776]);
        // Objects of many times the rate are all sampled.
        assert_eq!(unsampled(3, 3 << 30, 4096), [3, 3 << 30]);
        assert_eq!(unsampled(7, 56, 1), [7, 56]);
        assert_eq!(unsampled(7, 56, 0), [7, 56]);
        assert_eq!(unsampled(1000, 1000, 1), [1000, 1000]);
        for none in [(0, 512), (3, 0)] {
            assert_eq!(unsampled(none.0, none.1, 4096), [0, 0], "{none:?}");
        }
        assert_eq!(unsampled(0, 0, 4096), [0, 0]);
        assert_eq!(unsampled(-1000, -1000 * 4096, 4096), [-1581, -6_479_776]);
    }

    #[test]
    fn records_are_told_by_their_numbers() {
        let heap = Measure::Heap { rate: 1, allocated: true };
        let read = |measure: &Measure, line: &str| numbers(measure, line.as_bytes());
        assert_eq!(
            read(&heap, "1: 512 [3: 1536] @ 0x1 0xab"),
            Some(Numbers::Heap([1, 512, 3, 1536]))
        );
        assert_eq!(read(&heap, "-1: -512 [0: 0] @"), Some(Numbers::Heap([-1, -512, 0, 0])));
        for wrong in ["1: 512 @ 0x1", "1: 512 [3: 15", "1: x [3: 1] @ 0x1"] {
            assert_eq!(read(&heap, wrong), None, "{wrong}");
        }
        let contention = Numbers::Contention { cycles: 5876, count: 1 };
        assert_eq!(read(&Measure::Contention, "5876 1 @ 0x4533ff"), Some(contention));
        assert_eq!(read(&Measure::Contention, "5876 @ 0x4533ff"), None);
        assert_eq!(read(&Measure::Count(vec![]), "12 @ 0x1"), Some(Numbers::Count(12)));
    }

    #[test]
    fn numbers_of_a_contention_are_not_longer_than_those_of_the_one_before() {
        for start in ["58761", "587612345", "58761 1", "5876123450 12 "] {
            assert!(is_start_of_numbers(start.as_bytes(), 6_000_000_000), "{start}");
        }
        for other in
            ["", "5876", "  58761", "5876 1", "5876123450", "7000000000 2", "58761 1 3", "58761 x"]
        {
            assert!(!is_start_of_numbers(other.as_bytes(), 6_000_000_000), "{other}");
        }
    }

    #[test]
    fn what_is_left_of_a_record_is_no_line_of_a_log() {
        for (left, only_first) in [
            ("561591472 79", true),
            ("561591472 79 A 0x66d3d1", true),
            ("561591472 79 A 0x66d3d1 0x66d3b8", false),
            ("561591472 79 main.go:314", true),
            ("561591472 cme/kv/main.go:314", true),
            ("561591472 7# 0x66d3d0 sync.(*Mutex).Unlock+0xb0", false),
            ("@ 0x66d3d1 0x66d3b8", false),
            ("0x66d3d1 0x66d3b8 0x46a161", false),
            ("5.go:223", false),
            ("roc.go:223", true),
        ] {
            assert!(is_left_of_contention(left.as_bytes(), true), "{left}");
            assert_eq!(is_left_of_contention(left.as_bytes(), false), !only_first, "{left}");
        }
        for line in [
            "",
            "561591472",
            "12 34",
            "12 workers",
            "2026/01/02 10:31:41 main.go:12: ready",
            "10:31:41 ready",
            "read 0x12 at main.go:3",
            "read 0x12",
            "logged at main.go:3",
        ] {
            for is_first in [true, false] {
                assert!(!is_left_of_contention(line.as_bytes(), is_first), "{line}");
            }
        }
    }
}
