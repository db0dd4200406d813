//! Why a process may not be read, from what everybody can read about it in /proc.
//!
//! The kernel lets a process be read by those with the same user and group ids and at least its
//! capabilities, unless it has forbidden that (`ptrace(2)`, "Ptrace access mode checking").

use crate::live::error::Refusal;
use std::fs;

/// Why its files in /proc may not be read.
pub(super) fn refusal(pid: u32) -> Refusal {
    let its = Identity::of(&fs::read(format!("/proc/{pid}/status")).unwrap_or_default());
    let own = Identity::of(&fs::read("/proc/self/status").unwrap_or_default());
    let (why, advice) = reason(its.as_ref(), own.as_ref());
    Refusal::Files { why, advice }
}

/// Why one of its files in /proc, or its list of threads, can't be read.
pub(super) fn unreadable(pid: u32, error: std::io::Error) -> Refusal {
    match error.kind() {
        std::io::ErrorKind::NotFound => Refusal::Gone,
        std::io::ErrorKind::PermissionDenied => refusal(pid),
        _ => Refusal::System(error),
    }
}

const BY_ROOT: &str = "run it as root or with CAP_SYS_PTRACE";

fn reason(its: Option<&Identity>, own: Option<&Identity>) -> (String, &'static str) {
    let (Some(its), Some(own)) = (its, own) else {
        // /proc may be mounted with `hidepid`, which hides other users' processes.
        return ("belongs to another user".to_owned(), "run it as that user or as root");
    };
    if let Some(user) = its.users.iter().find(|&&user| user != own.users[0]) {
        return (format!("belongs to another user (uid {user})"), "run it as that user or as root");
    }
    if let Some(group) = its.groups.iter().find(|&&group| group != own.groups[0]) {
        return (format!("runs for another group (gid {group})"), BY_ROOT);
    }
    match its.capabilities & !own.capabilities {
        0 => (
            "is yours and doesn't let itself be read (PR_SET_DUMPABLE is 0, or its file may be executed \
             and not read)"
                .to_owned(),
            BY_ROOT,
        ),
        more => (format!("has capabilities that you don't have (mask {more:#x})"), BY_ROOT),
    }
}

/// The ids and rights of a process.
#[derive(Debug)]
struct Identity {
    /// Real, effective and saved user id.
    users: [u32; 3],
    /// Real, effective and saved group id.
    groups: [u32; 3],
    /// The permitted capabilities (`CapPrm`).
    capabilities: u64,
}

impl Identity {
    /// Parses `/proc/PID/status`.
    fn of(status: &[u8]) -> Option<Identity> {
        let status = String::from_utf8_lossy(status);
        let value = |key| status.lines().find_map(|line| line.strip_prefix(key));
        let ids = |key| {
            let mut ids = value(key)?.split_ascii_whitespace().map_while(|id| id.parse().ok());
            Some([ids.next()?, ids.next()?, ids.next()?])
        };
        Some(Identity {
            users: ids("Uid:")?,
            groups: ids("Gid:")?,
            capabilities: u64::from_str_radix(value("CapPrm:")?.trim(), 16).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(its: &str) -> String {
        let own =
            "Uid:\t1000\t1000\t1000\t1000\nGid:\t100\t100\t100\t100\nCapPrm:\t0000000000000000\n";
        reason(Identity::of(its.as_bytes()).as_ref(), Identity::of(own.as_bytes()).as_ref()).0
    }

    #[test]
    fn who_may_not_be_read_is_told_why() {
        let status = |users: &str, groups: &str, capabilities: &str| {
            said(&format!("Name:\tshop\nUid:\t{users}\nGid:\t{groups}\nCapPrm:\t{capabilities}\n"))
        };
        let (user, group) = ("1000 1000 1000 1000", "100 100 100 100");
        assert_eq!(status("33 33 33 33", group, "0"), "belongs to another user (uid 33)");
        assert_eq!(status("1000 0 0 0", group, "0"), "belongs to another user (uid 0)");
        assert_eq!(status(user, "100 42 42 42", "0"), "runs for another group (gid 42)");
        let capable = status(user, group, "0000000000000400");
        assert_eq!(capable, "has capabilities that you don't have (mask 0x400)");
        assert!(status(user, group, "0").starts_with("is yours and doesn't let itself be read"));
        for hidden in ["", "Uid: x", "Uid:\t1\n"] {
            assert_eq!(said(hidden), "belongs to another user");
        }
    }
}
