//! Recursion: frames that repeat in a row, alone or in blocks.

/// The longest block whose repetition is found, in frames.
const LONGEST: usize = 8;

/// Consecutive frames that are shown once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The position of the first frame.
    pub at: usize,
    /// The number of frames shown.
    pub len: usize,
    /// How many times in a row these frames occur.
    pub times: usize,
}

/// Divides frames into runs. None crosses `gap`, where frames are missing.
///
/// A single frame that repeats is shown once; a block of several frames only if that saves more than two
/// frames, as it takes a line to say so.
pub fn runs<T: PartialEq>(frames: &[T], gap: Option<usize>) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        let end = gap.filter(|&gap| gap > at).unwrap_or(frames.len()).min(frames.len());
        let rest = &frames[at..end];
        let best = (1..=LONGEST.min(rest.len() / 2))
            .map(|len| (len, repeats(rest, len)))
            .filter(|&(len, times)| times > 1 && (len == 1 || len * (times - 1) > 2))
            // Of equal lengths the shortest block: a block of two equal blocks is the single block repeated
            // more often.
            .max_by_key(|&(len, times)| (len * times, std::cmp::Reverse(len)));
        let (len, times) = best.unwrap_or((1, 1));
        runs.push(Run { at, len, times });
        at += len * times;
    }
    runs
}

/// How many times in a row the first `len` frames occur at the start.
fn repeats<T: PartialEq>(frames: &[T], len: usize) -> usize {
    let block = &frames[..len];
    frames.chunks_exact(len).take_while(|chunk| *chunk == block).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(frames: &str, gap: Option<usize>) -> String {
        let frames: Vec<char> = frames.chars().collect();
        let runs = runs(&frames, gap);
        assert_eq!(runs.iter().map(|run| run.len * run.times).sum::<usize>(), frames.len());
        let block = |run: &Run| frames[run.at..run.at + run.len].iter().collect::<String>();
        let text = |run: Run| match run.times {
            1 => block(&run),
            times => format!("({}x{times})", block(&run)),
        };
        runs.into_iter().map(text).collect()
    }

    #[test]
    fn what_repeats_stands_once() {
        assert_eq!(shown("abc", None), "abc");
        assert_eq!(shown("abbbbc", None), "a(bx4)c");
        assert_eq!(shown("aabb", None), "(ax2)(bx2)");
        assert_eq!(shown("xababababy", None), "x(abx4)y");
        assert_eq!(shown("abcabcd", None), "(abcx2)d");
        assert_eq!(shown("aaaaaaaa", None), "(ax8)");
        assert_eq!(shown("", None), "");
    }

    #[test]
    fn a_block_that_saves_nothing_is_left_alone() {
        assert_eq!(shown("abab", None), "abab");
        assert_eq!(shown("ababab", None), "(abx3)");
    }

    #[test]
    fn nothing_goes_across_a_gap() {
        assert_eq!(shown("aaaaaa", Some(2)), "(ax2)(ax4)");
        assert_eq!(shown("aaaa", Some(4)), "(ax4)");
    }

    #[test]
    fn many_frames_take_linear_time() {
        let frames: Vec<usize> = (0..1_000_000).map(|at| at % 9).collect();
        assert_eq!(runs(&frames, None).len(), 1_000_000);
        assert_eq!(runs(&vec![0; 1_000_000], None).len(), 1);
    }
}
