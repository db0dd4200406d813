//! What the names of files say: which are of one kind, as rotated logs are, and which belong to profiles and logs.

/// The last component of a member's path.
pub(super) fn base_name(member: &str) -> &str {
    member.rsplit(['/', '!']).next().unwrap_or(member)
}

/// Endings of profiles, and of dumps and archives.
pub(super) const PROFILES: [&str; 5] = ["pb", "pprof", "prof", "profile", "gz"];
pub(super) const OTHERS: [&str; 11] =
    ["txt", "log", "out", "err", "dump", "stacks", "zst", "zip", "tar", "tgz", "parquet"];

pub(super) fn has_ending(base: &str, known: &[&str]) -> bool {
    let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending);
    known.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// What names of one kind have in common: the ending, or if there is none, all of the name but its numbers.
pub(super) fn kind_of(base: &str) -> String {
    let base = younger(base);
    let ending = base.rsplit_once('.').map(|(_, ending)| ending);
    let kind = ending.filter(|ending| ending.bytes().any(|byte| byte.is_ascii_alphabetic()));
    let letters = kind.unwrap_or(base).chars().filter(|char| !char.is_ascii_digit());
    letters.flat_map(char::to_lowercase).collect()
}

/// The name that a rotated log had before, or a part of a file that was split: without the ending of gzip or zstd, and
/// what else stands behind the name.
fn younger(base: &str) -> &str {
    // multilog and svlogd name the log that they write to `current`, and all older ones by their time.
    let digits = base.strip_prefix('@').and_then(|name| name.split('.').next());
    let is_tai64n = |name: &str| name.len() >= 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
    if digits.is_some_and(is_tai64n) {
        return "current";
    }
    let without_end = |base| {
        const ENDS: [&str; 7] = [".gz", ".zst", ".zstd", ".old", ".bak", ".prev", "~"];
        ENDS.iter().find_map(|end| str::strip_suffix(base, end))
    };
    let mut name = base;
    while let Some(rest) =
        without_end(name).or_else(|| without_time(name)).filter(|rest| !rest.is_empty())
    {
        name = rest;
    }
    // `split` names the parts `xaa`, `xab`, or with the name of the file in front.
    match name.as_bytes() {
        [.., b'a', b'a'..=b'z'] => match name.split_at(name.len() - 2).0 {
            "x" => "x",
            whole => whole.strip_suffix('.').filter(|whole| whole.contains('.')).unwrap_or(name),
        },
        _ => name,
    }
}

/// A name without the numbers at its end, or the time, as in `app.log.2026-03-04T10:31:41Z`.
fn without_time(name: &str) -> Option<&str> {
    let is_of_number = |char: char| char.is_ascii_digit() || "._-:+".contains(char);
    let is_of_time = |rest: &&str| rest.ends_with(|char: char| char.is_ascii_digit());
    let letter = name.strip_suffix(['T', 'Z']).filter(is_of_time);
    letter.or_else(|| Some(name.trim_end_matches(is_of_number)).filter(|rest| *rest != name))
}

/// Whether a name is that of a proto, packed or not.
pub(super) fn is_proto(base: &str) -> bool {
    ["pb", "pprof", "prof"].contains(&kind_of(base).as_str())
}

/// Whether a name is that of a log, which can be empty.
pub(super) fn is_log(base: &str) -> bool {
    const LOGS: [&str; 9] =
        ["log", "logs", "out", "err", "stdout", "stderr", "syslog", "messages", "current"];
    let mut words = base.split(|char: char| !char.is_ascii_alphanumeric());
    words.any(|word| LOGS.iter().any(|log| word.eq_ignore_ascii_case(log)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_make_kinds_of_names_and_else_all_but_numbers() {
        let same = |a: &str, b: &str| kind_of(a) == kind_of(b);
        assert!(
            same("store-12.txt", "api.TXT.gz") && same("n1", "n12") && same("d.debug2", "x.debug1")
        );
        assert!(same("dump.txt.1", "dump.txt.20"));
        assert!(!same("a.txt", "go.mod") && !same("n1", "README") && !same("a.txt", ".gitkeep"));
    }

    #[test]
    fn rotated_logs_and_parts_of_files_are_of_the_kind_of_the_first_one() {
        for (older, younger) in [
            ("syslog.1", "syslog"),
            ("syslog.2.gz", "syslog.1"),
            ("messages-20260304", "messages"),
            ("stderr.1", "stderr"),
            ("@4000000065a1b2c31234abcd.s", "current"),
            ("@4000000065a1b2c31234abcd.u", "current"),
            ("current.old", "current"),
            ("app.log.old", "app.log"),
            ("app.log.bak", "app.log"),
            ("app.log.prev", "app.log"),
            ("app.log~", "app.log"),
            ("app.log.1.old", "app.log"),
            ("app.log.20260304T103141", "app.log"),
            ("app.log.2026-03-04T10:31:41Z", "app.log"),
            ("profile.1", "profile"),
            ("xaa", "xab"),
            ("dump.txt.aa", "dump.txt.ab"),
            ("1", "2"),
        ] {
            assert_eq!(kind_of(older), kind_of(younger), "{older} {younger}");
        }
        for (a, b) in
            [("xaa", "max"), ("a.az", "b.ab"), ("@home", "current"), ("syslog.T", "syslog")]
        {
            assert_ne!(kind_of(a), kind_of(b), "{a} {b}");
        }
    }

    #[test]
    fn logs_are_empty_right_after_they_were_rotated() {
        for name in ["app.log", "syslog", "messages", "current", "web-stderr.txt"] {
            assert!(is_log(name), "{name}");
        }
        assert!(!is_log("profile") && !is_log("dump.txt"));
    }
}
