//! `capture PID --watch N`: one capture after the other, each in a file of its own.

use super::capture::CaptureArgs;
use super::destination::Destination;
use super::exit::Exit;
use super::pace::{self, Pace};
use crate::error::{Error, ErrorKind, Result};
use crate::live;
use crate::output::numbers::counted;
use std::path::Path;

/// Takes `count` captures of a process into a folder.
pub(super) fn run(args: &CaptureArgs, pid: u32, count: u32, folder: Option<&Path>) -> Result<Exit> {
    let Some(folder) = folder.filter(|path| *path != Path::new("-")) else {
        let what = "has no folder for the captures";
        return Err(Error::misuse("--watch", what).advise("name one with --to"));
    };
    let shown = folder.display().to_string();
    if folder.exists() && !folder.is_dir() {
        return Err(Error::new(ErrorKind::Io, shown, "is no folder"));
    }
    let input = format!("pid:{pid}");
    let started = live::started(pid);
    let mut pace = Pace::of(args.every.as_deref())?;
    let mut done = 0;
    while done < count {
        let Some(time) = pace.next() else { break };
        // Another process may have got the number of a process that has ended.
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
        let file = folder.join(format!("{}.txt", pace::name(time)));
        let to = Destination::of(Some(&file))?;
        to.write(&mut |out| out.write_all(&capture.text))?;
        done += 1;
    }
    let captures = counted(done.into(), "capture");
    let missing = if done < count { format!(" of {count}") } else { String::new() };
    super::say(format_args!("note: {captures}{missing} in {shown}"));
    Ok(Exit::Done)
}
