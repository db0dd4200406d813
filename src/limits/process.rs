//! The memory that the system allows this process to use.

use super::LIMITS;
use std::sync::OnceLock;

/// Bytes of memory that one run may use: [`super::Limits::memory`], or less if the machine has less, or if the
/// process is limited to less by `ulimit -v` or a container.
pub fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let of_system = [address_space(), container(), machine()];
        of_system.into_iter().flatten().fold(LIMITS.memory, u64::min)
    })
}

/// Has the system refuse this process more than [`memory`], which then ends it with a message. Without that,
/// containers and machines that are out of memory kill processes without a word.
///
/// Limits what is written to in memory (`RLIMIT_DATA`), not the address space: allocators reserve much of it
/// for each thread and never use it.
#[cfg(target_os = "linux")]
pub fn keep_to_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Data);
    let current = Some(current.map_or(memory(), |set| set.min(memory())));
    // Where that is forbidden, all is as it was.
    let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
}

/// Other systems don't limit what is mapped, which is how large memory is allocated.
#[cfg(not(target_os = "linux"))]
pub fn keep_to_memory() {}

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

/// The memory and the swap space of the machine.
#[cfg(target_os = "linux")]
fn machine() -> Option<u64> {
    let system = rustix::system::sysinfo();
    let [memory, swap, unit] =
        [system.totalram as u64, system.totalswap as u64, system.mem_unit.into()];
    memory.saturating_add(swap).checked_mul(unit)
}

#[cfg(not(target_os = "linux"))]
fn machine() -> Option<u64> {
    None
}
