//! Arguments as points in time: their order and their names.

use super::args::{BaseArgs, Common, PointArgs, PointOrder};
use super::session::Session;
use crate::error::{Error, Result};
use crate::pipeline::{Inputs, Loaded};
use crate::profile::Keep;
use crate::source;
use crate::view::diff::timeline::{Layout, Timeline};
use std::ffi::OsString;
use std::time::SystemTime;

/// Reads the inputs of a command that compares points in time.
pub(super) fn start(
    common: &Common,
    points: &PointArgs,
    keep: Keep,
) -> Result<(Session, Timeline)> {
    start_behind(&[], common, points, keep, Inputs::load)
}

/// Starts with a base, if there is one: all of it is the first point, all other inputs the second.
/// `load` reads both.
pub(super) fn start_behind(
    base: &[OsString],
    common: &Common,
    points: &PointArgs,
    keep: Keep,
    load: impl FnOnce(Inputs) -> Result<Loaded>,
) -> Result<(Session, Timeline)> {
    if points.series && !base.is_empty() {
        return Err(Error::misuse("--series", "is compared with itself")
            .advise("leave out --series or the base"));
    }
    let in_order = |arguments: &mut Vec<OsString>| {
        in_order(arguments, points)?;
        arguments.splice(..0, base.iter().cloned());
        Ok(())
    };
    let layout = match base.len() {
        0 => layout(points),
        base => Layout::Sides(base),
    };
    let base = BaseArgs::default();
    Session::read(common, keep, &base, in_order, load, |profile, arguments| {
        Timeline::arrange(profile, layout, &source::argument_names(arguments))
    })
}

/// How the inputs are arranged in time.
fn layout(points: &PointArgs) -> Layout {
    match (points.fleet, points.series) {
        (true, _) => Layout::Fleet,
        (false, true) => Layout::Series,
        (false, false) => Layout::Arguments,
    }
}

/// Puts arguments into the requested order. The processes of a fleet have no order: they are sorted by
/// name, so any order of the arguments gives the same result.
fn in_order(arguments: &mut [OsString], points: &PointArgs) -> Result<()> {
    if points.series && arguments.len() > 1 {
        let what = format!("takes one directory or archive, not {}", arguments.len());
        return Err(
            Error::misuse("--series", what).advise("leave it out: each argument is a point")
        );
    }
    match points.order {
        PointOrder::Mtime if points.series => {
            return Err(Error::misuse("--order mtime", "isn't for --series")
                .advise("the members are points in natural order of their paths"));
        }
        PointOrder::Given if !points.fleet => return Ok(()),
        PointOrder::Mtime => {
            // Arguments without a time are at the end; opening them will report why.
            let modified = |argument: &OsString| {
                let time = std::fs::metadata(argument).and_then(|found| found.modified());
                time.map_or((true, SystemTime::UNIX_EPOCH), |time| (false, time))
            };
            by_name(arguments);
            arguments.sort_by_cached_key(modified);
        }
        PointOrder::Given | PointOrder::Name => by_name(arguments),
    }
    Ok(())
}

fn by_name(arguments: &mut [OsString]) {
    arguments.sort_by(|a, b| source::natural(&a.to_string_lossy(), &b.to_string_lossy()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(arguments: &[&str], order: PointOrder, fleet: bool) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        in_order(&mut arguments, &PointArgs { order, fleet, series: false }).unwrap();
        arguments
    }

    #[test]
    fn names_are_sorted_naturally_when_asked_for() {
        assert_eq!(ordered(&["t10", "t9"], PointOrder::Given, false), ["t10", "t9"]);
        assert_eq!(ordered(&["t10", "t9"], PointOrder::Name, false), ["t9", "t10"]);
    }

    #[test]
    fn a_fleet_has_no_order() {
        assert_eq!(ordered(&["b", "a"], PointOrder::Given, true), ["a", "b"]);
    }

    #[test]
    fn a_series_is_one_argument() {
        let series = PointArgs { order: PointOrder::Given, fleet: false, series: true };
        assert!(in_order(&mut ["a".into(), "b".into()], &series).is_err());
        assert!(in_order(&mut ["a".into()], &series).is_ok());
    }

    #[test]
    fn older_files_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let path = |name: &str, age: u64| {
            let path = folder.path().join(name);
            let file = std::fs::File::create(&path).unwrap();
            file.set_modified(now - std::time::Duration::from_secs(age)).unwrap();
            path.into_os_string()
        };
        let (a, b, c) = (path("a", 10), path("b", 30), path("c", 20));
        let mut arguments = [folder.path().join("missing").into(), a.clone(), b.clone(), c.clone()];
        let points = PointArgs { order: PointOrder::Mtime, fleet: false, series: false };
        in_order(&mut arguments, &points).unwrap();
        assert_eq!(arguments[..3], [b, c, a]);
    }
}
