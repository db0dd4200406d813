//! What the name of a function says: its package, and what it does for others.

pub use crate::profile::function::package;
use crate::profile::modules::first_element;
pub use crate::profile::modules::is_standard;

/// Whether a function only parks goroutines and manages locks: the runtime and `sync`.
pub fn is_waiting_room(function: &[u8]) -> bool {
    let package = package(function);
    matches!(package, b"sync" | b"internal/sync" | b"sync/atomic")
        || first_element(package) == b"runtime"
        || package.starts_with(b"internal/runtime/")
}

/// Whether everything below a function is the work of the garbage collector.
pub fn is_collector(function: &[u8]) -> bool {
    matches!(
        function,
        b"runtime.gcBgMarkWorker"
            | b"runtime.gcAssistAlloc"
            | b"runtime.gcStart"
            | b"runtime.bgsweep"
            | b"runtime.bgscavenge"
            | b"runtime.gcMarkTermination"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn packages_end_at_the_first_dot_behind_the_path() {
        for (function, expected) in [
            ("main.main", "main"),
            ("github.com/a/b.v2/c.(*T[...]).M.func1", "github.com/a/b.v2/c"),
            ("gopkg.in/yaml%2ev3.(*parser).peek", "gopkg.in/yaml%2ev3"),
            ("a.(*T[github.com/x/y.Z]).M", "a"),
            ("internal/sync.(*Mutex).lockSlow", "internal/sync"),
            ("epoll_wait", ""),
            ("", ""),
        ] {
            assert_eq!(text(package(function.as_bytes())), expected, "{function}");
        }
    }

    #[test]
    fn only_the_runtime_and_sync_are_waiting_rooms() {
        for function in [
            "runtime.gopark",
            "sync.(*Mutex).Lock",
            "internal/sync.(*Mutex).lockSlow",
            "internal/runtime/maps.x",
            "runtime/pprof.x",
        ] {
            assert!(is_waiting_room(function.as_bytes()), "{function}");
        }
        for function in
            ["main.work", "internal/poll.(*FD).Read", "golang.org/x/sync/errgroup.F", "runtimex.F"]
        {
            assert!(!is_waiting_room(function.as_bytes()), "{function}");
        }
    }
}
