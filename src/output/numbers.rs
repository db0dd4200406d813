//! Numbers and waits as people read them.

use std::fmt::Write;

/// The number with commas between thousands.
///
/// ```
/// assert_eq!(stackgazer::output::numbers::thousands(4792), "4,792");
/// ```
pub fn thousands(number: i64) -> String {
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
pub fn counted(number: i64, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => noun.to_owned(),
        (_, noun) => match noun.strip_suffix('y') {
            Some(start) => format!("{start}ies"),
            None => format!("{noun}s"),
        },
    };
    format!("{} {plural}", thousands(number))
}

/// A range of minutes for a column: `0-9m`, `3m`, `2.5m`; empty where nothing was waited.
pub fn wait_range(range: Option<(f32, f32)>) -> String {
    match range {
        None => String::new(),
        Some((_, max)) if max == 0.0 => String::new(),
        Some((min, max)) if min == max => format!("{max}m"),
        Some((min, max)) => format!("{min}-{max}m"),
    }
}

/// A single wait in words: `under a minute`, `9 minutes`, `2 hours 5 minutes`, `3 days 1 hour`.
pub fn wait_words(minutes: f32) -> String {
    const HOUR: f32 = 60.0;
    const DAY: f32 = 24.0 * HOUR;
    let unit = |number: f32, noun: &str| match number {
        1.0 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    };
    let (big, small, rest) = match minutes {
        minutes if minutes < 1.0 => return "under a minute".to_owned(),
        minutes if minutes < 2.0 * HOUR => return unit(minutes, "minute"),
        minutes if minutes < 2.0 * DAY => ("hour", "minute", (minutes / HOUR).floor() * HOUR),
        minutes => ("day", "hour", (minutes / DAY).floor() * DAY),
    };
    let scale = if big == "day" { (DAY, HOUR) } else { (HOUR, 1.0) };
    let mut text = unit(rest / scale.0, big);
    let left = ((minutes - rest) / scale.1).floor();
    if left > 0.0 {
        let _ = write!(text, " {}", unit(left, small));
    }
    text
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
            (i64::MIN, "-9,223,372,036,854,775,808"),
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
    fn long_waits_are_told_in_hours_and_days() {
        for (minutes, text) in [
            (0.0, "under a minute"),
            (1.0, "1 minute"),
            (9.0, "9 minutes"),
            (119.0, "119 minutes"),
            (120.0, "2 hours"),
            (301.0, "5 hours 1 minute"),
            (1442.0, "24 hours 2 minutes"),
            (4380.0, "3 days 1 hour"),
        ] {
            assert_eq!(wait_words(minutes), text);
        }
    }
}
