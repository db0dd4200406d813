//! Sparklines: a series as a word of bars.

/// The most bars; in a longer series each bar is the highest value of several points.
const WIDEST: usize = 24;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The counts as bars; the lowest count has the lowest bar.
pub(super) fn sparkline(counts: &[i128]) -> String {
    let stretches = counts.len().min(WIDEST);
    let highest = |at: usize| {
        let (from, to) = (at * counts.len() / stretches, (at + 1) * counts.len() / stretches);
        counts[from..to].iter().copied().max().unwrap_or(0)
    };
    let bars: Vec<i128> = (0..stretches).map(highest).collect();
    let low = bars.iter().copied().min().unwrap_or(0);
    let range = bars.iter().copied().max().unwrap_or(0).saturating_sub(low);
    let bar = |count: i128| match range {
        0 => BARS[0],
        range => {
            let height = count.saturating_sub(low) as f64 / range as f64;
            BARS[(height * (BARS.len() - 1) as f64).round() as usize]
        }
    };
    bars.into_iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_and_the_highest_have_the_lowest_and_the_highest_bar() {
        assert_eq!(sparkline(&[0, 7, 14]), "▁▅█");
        assert_eq!(sparkline(&[900, 901, 900]), "▁█▁");
        assert_eq!(sparkline(&[5, 5, 5]), "▁▁▁");
        assert_eq!(sparkline(&[-2, 0]), "▁█");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn long_series_keep_their_peaks() {
        let mut counts = vec![0; 1000];
        counts[500] = 9;
        let line = sparkline(&counts);
        assert_eq!(line.chars().count(), WIDEST);
        assert_eq!(line.matches('█').count(), 1);
    }

    #[test]
    fn extremes_don_t_overflow() {
        assert_eq!(sparkline(&[i128::MIN, i128::MAX]).chars().count(), 2);
    }
}
