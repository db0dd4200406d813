//! `capture PID --watch N`: one capture after the other, each in a file of its own.

use super::capture::CaptureArgs;
use super::destination::Destination;
use super::exit::Exit;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::parse_minutes;
use crate::leak::Date;
use crate::live;
use crate::output::numbers::counted;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time between captures unless something else is asked for.
const EVERY: Duration = Duration::from_secs(10);
/// The longest that may be asked for.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// Takes so many captures of a process into a folder.
pub(super) fn run(args: &CaptureArgs, pid: u32, count: u32, folder: Option<&Path>) -> Result<Exit> {
    let every = args.every.as_deref().map_or(Ok(EVERY), interval)?;
    let Some(folder) = folder.filter(|path| *path != Path::new("-")) else {
        let what = "has no folder for the captures";
        return Err(Error::new(ErrorKind::Usage, "--watch", what).advise("name one with --to"));
    };
    let shown = folder.display().to_string();
    if folder.exists() && !folder.is_dir() {
        return Err(Error::new(ErrorKind::Io, shown, "is no folder"));
    }
    let input = format!("pid:{pid}");
    let started = live::started(pid);
    let mut next = Instant::now();
    let mut done = 0;
    while done < count {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        let time = SystemTime::now();
        // Another process may have got the number of one that has ended.
        let capture = match live::started(pid) == started {
            true => live::capture(pid, &args.options(), &input),
            false => Err(Error::new(ErrorKind::Io, &*input, "has ended")),
        };
        let capture = match capture {
            Ok(capture) => capture,
            Err(error) if done == 0 => return Err(error),
            Err(error) => {
                super::say(error);
                break;
            }
        };
        if done == 0 {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(&*shown, &error))?;
        }
        let to = Destination::of(Some(&file(folder, time)))?;
        to.write(|out| out.write_all(&capture.text))?;
        done += 1;
        // What took longer than the time between them puts the others off.
        next = next.checked_add(every).map_or(next, |at| at.max(Instant::now()));
    }
    let captures = counted(done.into(), "capture");
    let missing = if done < count { format!(" of {count}") } else { String::new() };
    super::say(format_args!("note: {captures}{missing} in {shown}"));
    Ok(Exit::Done)
}

/// The file of a capture: its time in UTC, so that names sort by time.
fn file(folder: &Path, time: SystemTime) -> PathBuf {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let of_day = since.as_secs() % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let milliseconds = since.subsec_millis();
    let day = Date::of(time);
    folder.join(format!("{day}T{hour:02}{minute:02}{second:02}.{milliseconds:03}Z.txt"))
}

fn interval(text: &str) -> Result<Duration> {
    let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    let minutes = parse_minutes(text).filter(|_| has_unit);
    // Minutes are rounded, which whole milliseconds don't show.
    let every = minutes.map(|minutes| Duration::from_millis((minutes * 60_000.0).round() as u64));
    every.filter(|every| *every <= LONGEST).ok_or_else(|| {
        Error::usage("--every", text, 1, "isn't a time").advise("write 10s, 5m or 1h")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_time_in_utc() {
        let name = |milliseconds| {
            let time = UNIX_EPOCH + Duration::from_millis(milliseconds);
            file(Path::new("dumps"), time).display().to_string()
        };
        assert_eq!(name(0), "dumps/1970-01-01T000000.000Z.txt");
        assert_eq!(name(1_795_456_799_007), "dumps/2026-11-23T175959.007Z.txt");
    }

    #[test]
    fn times_between_captures_have_units() {
        assert_eq!(interval("10s").unwrap(), Duration::from_secs(10));
        assert_eq!(interval("0.5s").unwrap(), Duration::from_millis(500));
        assert_eq!(interval("2h").unwrap(), Duration::from_secs(7200));
        for wrong in ["10", "", "s", "-1s", "1e30h", "9999999d", "NaNs", "soon"] {
            assert!(interval(wrong).is_err(), "{wrong}");
        }
    }
}
