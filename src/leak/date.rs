//! Days, for entries that expire.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};
use toml::value::Datetime;

/// A day of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Date(toml::value::Date);

impl Date {
    /// Reads `2026-12-31`.
    pub fn read(text: &str) -> Option<Date> {
        match text.parse().ok()? {
            Datetime { date: Some(date), time: None, offset: None } => Some(Date(date)),
            _ => None,
        }
    }

    /// The day of a time, in UTC.
    pub fn of(time: SystemTime) -> Date {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut days = seconds / 86_400;
        let mut date = toml::value::Date { year: 1970, month: 1, day: 1 };
        loop {
            let length = if is_leap(date.year) { 366 } else { 365 };
            if days < length || date.year == 9999 {
                break;
            }
            days -= length;
            date.year += 1;
        }
        while date.month < 12 && days >= u64::from(days_in(date.year, date.month)) {
            days -= u64::from(days_in(date.year, date.month));
            date.month += 1;
        }
        date.day = days as u8 + 1;
        Date(date)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        _ if is_leap(year) => 29,
        _ => 28,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn only_days_of_the_calendar_are_read() {
        assert_eq!(Date::read("2026-12-31").unwrap().to_string(), "2026-12-31");
        assert!(Date::read("2028-02-29").is_some());
        for wrong in
            ["2026-02-29", "2026-13-01", "2026-1-1", "2026-01-00", "26-01-01", "", "+026-01-01"]
        {
            assert!(Date::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn days_follow_each_other() {
        let day = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).to_string();
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(951_782_399), "2000-02-28");
        assert_eq!(day(951_782_400), "2000-02-29");
        assert_eq!(day(1_795_219_200), "2026-11-21");
        assert!(Date::read("2026-11-21") < Date::read("2026-12-01"));
    }
}
