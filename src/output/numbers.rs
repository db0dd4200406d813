//! Numbers and waits for people.

/// The number with commas between thousands.
///
/// ```
/// assert_eq!(stackgazer::output::numbers::thousands(4792), "4,792");
/// ```
pub fn thousands(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and the noun it counts: `1 stack`, `1,404 stacks`.
pub fn counted(number: i128, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => noun.to_owned(),
        (_, noun) => match noun.strip_suffix('y') {
            Some(start) => format!("{start}ies"),
            None if noun.ends_with('x') => format!("{noun}es"),
            None => format!("{noun}s"),
        },
    };
    format!("{} {plural}", thousands(number))
}

/// The first of some texts, and how many more there are: `17, 18, 19, and 6 more`.
pub fn first_of(texts: impl ExactSizeIterator<Item = String>, shown: usize) -> String {
    let more = texts.len().saturating_sub(shown);
    let text = texts.take(shown).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text}, and {more} more") } else { text }
}

/// The first of some texts that may hold commas, and how many more there are: `a 1 · b 2 · 7 more`.
pub fn first_parts(texts: impl ExactSizeIterator<Item = String>, shown: usize) -> String {
    let more = texts.len().saturating_sub(shown);
    let more = (more > 0).then(|| format!("{} more", thousands(more as i128)));
    texts.take(shown).chain(more).collect::<Vec<_>>().join(" · ")
}

/// A range of minutes for a column: `0-9m`, `3m`, `2.5m`; empty if nothing waited.
pub fn wait_range(range: Option<(f32, f32)>) -> String {
    match range {
        None => String::new(),
        Some((_, 0.0)) => String::new(),
        Some((min, max)) if min == max => format!("{max}m"),
        Some((min, max)) => format!("{min}-{max}m"),
    }
}

/// A single wait: `under a minute`, `9 min`, `2 h 5 min`, `3 d 1 h`.
pub fn wait(minutes: f32) -> String {
    const HOUR: f32 = 60.0;
    const DAY: f32 = 24.0 * HOUR;
    let (unit, length, small, part) = match minutes {
        minutes if minutes < 1.0 => return "under a minute".to_owned(),
        minutes if minutes < 2.0 * HOUR => return format!("{minutes} min"),
        minutes if minutes < 2.0 * DAY => ("h", HOUR, "min", 1.0),
        _ => ("d", DAY, "h", HOUR),
    };
    let whole = (minutes / length).floor();
    match ((minutes - whole * length) / part).floor() {
        0.0 => format!("{whole} {unit}"),
        rest => format!("{whole} {unit} {rest} {small}"),
    }
}

/// A share of a whole: `66%`, `<1%`; empty if the whole is 0.
pub fn percent(part: i128, whole: i128) -> String {
    match part as f64 / whole as f64 * 100.0 {
        share if !share.is_finite() => String::new(),
        share if share > 0.0 && share < 0.5 => "<1%".to_owned(),
        share => format!("{share:.0}%"),
    }
}

/// A share of a whole as `go tool pprof` writes it: `11.74%`, `0.054%`, `100%`.
///
/// ```
/// assert_eq!(stackgazer::output::numbers::share(1174, 10_000), "11.74%");
/// ```
pub fn share(part: i128, whole: i128) -> String {
    let share = match whole {
        0 => 0.0,
        whole => (part as f64 / whole as f64).abs() * 100.0,
    };
    match share {
        99.95..=100.05 => "100%".to_owned(),
        1.0.. => format!("{share:.2}%"),
        _ => format!("{}%", two_digits(share)),
    }
}

/// A number below 1 with two significant digits.
fn two_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{number:.1e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    match exponent.parse::<i32>().unwrap_or(0) {
        exponent @ -4.. => {
            let places = (digits.len().min(2) as i32 - 1 - exponent).max(0) as usize;
            let text = format!("{number:.places$}");
            text.strip_suffix(".0").unwrap_or(&text).to_owned()
        }
        exponent => format!("{digits}e-{:02}", -exponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_whatever_the_length() {
        for (number, text) in [
            (0, "0"),
            (12, "12"),
            (999, "999"),
            (1000, "1,000"),
            (-12345, "-12,345"),
            (1_234_567, "1,234,567"),
            (i64::MIN.into(), "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(counted(1, "category"), "1 category");
        assert_eq!(counted(38, "category"), "38 categories");
        assert_eq!(counted(1404, "goroutine"), "1,404 goroutines");
        assert_eq!(counted(0, "stack"), "0 stacks");
    }

    #[test]
    fn wait_ranges_are_short() {
        assert_eq!(wait_range(None), "");
        assert_eq!(wait_range(Some((0.0, 0.0))), "");
        assert_eq!(wait_range(Some((0.0, 9.0))), "0-9m");
        assert_eq!(wait_range(Some((3.0, 3.0))), "3m");
        assert_eq!(wait_range(Some((2.5, 2.5))), "2.5m");
    }

    #[test]
    fn shares_are_whole_percents() {
        assert_eq!(percent(2, 3), "67%");
        assert_eq!(percent(1, 1000), "<1%");
        assert_eq!(percent(0, 10), "0%");
        assert_eq!(percent(0, 0), "");
    }

    #[test]
    fn small_shares_have_two_digits() {
        for (part, whole, text) in [
            (0, 5, "0%"),
            (0, 0, "0%"),
            (3, 3, "100%"),
            (-1, 3, "33.33%"),
            (5, 1000, "0.5%"),
            (54, 10_000, "0.54%"),
            (54, 100_000, "0.054%"),
            (999, 100_000, "1%"),
            (54, 100_000_000, "5.4e-05%"),
            (5, 10_000_000, "5e-05%"),
            (3, 2, "150.00%"),
        ] {
            assert_eq!(share(part, whole), text, "{part} of {whole}");
        }
    }

    #[test]
    fn long_waits_are_told_in_hours_and_days() {
        for (minutes, text) in [
            (0.0, "under a minute"),
            (1.0, "1 min"),
            (9.0, "9 min"),
            (119.0, "119 min"),
            (120.0, "2 h"),
            (301.0, "5 h 1 min"),
            (1442.0, "24 h 2 min"),
            (4380.0, "3 d 1 h"),
        ] {
            assert_eq!(wait(minutes), text);
        }
    }
}
