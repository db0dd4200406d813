//! Kinds: states made comparable across Go versions.

use std::fmt;

/// What a goroutine is doing, in words that don't change from one Go version to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Kind {
    /// Blocked receiving from a channel.
    ChanRecv,
    /// Blocked sending to a channel.
    ChanSend,
    /// Blocked in a `select` with cases.
    Select,
    /// Waiting for a `sync.Mutex`.
    Mutex,
    /// Waiting to read-lock a `sync.RWMutex`.
    RwMutexR,
    /// Waiting to write-lock a `sync.RWMutex`.
    RwMutexW,
    /// In `sync.Cond.Wait`.
    Cond,
    /// In `sync.WaitGroup.Wait`.
    WaitGroup,
    /// Waiting for another semaphore of the runtime.
    Sema,
    /// Waiting for the network poller.
    Io,
    /// In `time.Sleep`.
    Sleep,
    /// In a system call or in C.
    Syscall,
    /// Working for the garbage collector, or waiting for it.
    Gc,
    /// Waiting inside the runtime for something else.
    Runtime,
    /// Executing.
    Running,
    /// Ready to execute.
    Runnable,
    /// Blocked for ever on a nil channel.
    NilChan,
    /// Blocked for ever in `select {}`.
    EmptySelect,
    /// The input doesn't say, or the state isn't known.
    #[default]
    Unknown,
}

/// Every kind with its name, in the order that help texts show.
pub const KINDS: [(Kind, &str); 19] = [
    (Kind::Running, "running"),
    (Kind::Runnable, "runnable"),
    (Kind::Syscall, "syscall"),
    (Kind::Io, "io"),
    (Kind::ChanRecv, "chan-recv"),
    (Kind::ChanSend, "chan-send"),
    (Kind::Select, "select"),
    (Kind::Mutex, "mutex"),
    (Kind::RwMutexR, "rwmutex-r"),
    (Kind::RwMutexW, "rwmutex-w"),
    (Kind::Cond, "cond"),
    (Kind::WaitGroup, "waitgroup"),
    (Kind::Sema, "sema"),
    (Kind::Sleep, "sleep"),
    (Kind::NilChan, "nil-chan"),
    (Kind::EmptySelect, "empty-select"),
    (Kind::Gc, "gc"),
    (Kind::Runtime, "runtime"),
    (Kind::Unknown, "unknown"),
];

impl Kind {
    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("unknown", |(_, name)| name)
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
