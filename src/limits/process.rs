//! The memory that the system allows this process to use.

use super::LIMITS;
use std::sync::OnceLock;

/// Bytes of memory that one run may use: [`super::Limits::memory`], or less if the process is limited to
/// less by `ulimit -v` or a container, which ends processes without a message.
pub fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let of_system = [address_space(), container()];
        of_system.into_iter().flatten().fold(LIMITS.memory, u64::min)
    })
}

/// What `ulimit -v` leaves after the program itself, which has 60 MiB in builds for tests.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(own_size().unwrap_or(0)))
}

/// The address space in use: the first number of `/proc/self/statm`, in pages.
#[cfg(unix)]
fn own_size() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split(' ').next()?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

/// The memory limit of the container that the process runs in. Outside of containers the file doesn't
/// exist; without a limit it says `max`.
#[cfg(target_os = "linux")]
fn container() -> Option<u64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn container() -> Option<u64> {
    None
}
