//! The formats of inputs.

/// The formats of inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum InputFormat {
    /// debug=2 text, panics, SIGQUIT and other crash texts.
    Debug2,
    /// debug=1 text of the goroutine profile.
    Debug1,
    /// debug=0: a proto of the goroutine profile.
    Debug0,
    /// debug=1 text of the goroutineleak profile.
    LeakDebug1,
    /// debug=0 proto of the goroutineleak profile.
    LeakDebug0,
    /// debug=1 text of the heap or allocs profile, which are alike.
    HeapDebug1,
    /// debug=0 proto of the heap or allocs profile, which differ in their default sample type.
    HeapDebug0,
    /// debug=1 text of the block or mutex profile.
    ContentionDebug1,
    /// debug=0 proto of the block or mutex profile, which are alike.
    ContentionDebug0,
    /// debug=1 text of the threadcreate profile.
    ThreadDebug1,
    /// debug=0 proto of the threadcreate profile.
    ThreadDebug0,
    /// The CPU profile, which is always a proto.
    CpuDebug0,
    /// debug=1 text of a profile that a program made itself.
    ProfileDebug1,
    /// Any other proto.
    ProfileDebug0,
    /// A Go binary, which has no samples but says how much stack each function takes.
    Binary,
}

/// Every format with its name in JSON and in `--input-format`.
const NAMES: [(InputFormat, &str); 15] = [
    (InputFormat::Debug2, "goroutine-debug2"),
    (InputFormat::Debug1, "goroutine-debug1"),
    (InputFormat::Debug0, "goroutine-debug0"),
    (InputFormat::LeakDebug1, "goroutineleak-debug1"),
    (InputFormat::LeakDebug0, "goroutineleak-debug0"),
    (InputFormat::HeapDebug1, "heap-debug1"),
    (InputFormat::HeapDebug0, "heap-debug0"),
    (InputFormat::ContentionDebug1, "contention-debug1"),
    (InputFormat::ContentionDebug0, "contention-debug0"),
    (InputFormat::ThreadDebug1, "threadcreate-debug1"),
    (InputFormat::ThreadDebug0, "threadcreate-debug0"),
    (InputFormat::CpuDebug0, "cpu-debug0"),
    (InputFormat::ProfileDebug1, "profile-debug1"),
    (InputFormat::ProfileDebug0, "profile-debug0"),
    // Must be last: it isn't in `ALL`.
    (InputFormat::Binary, "binary"),
];

impl InputFormat {
    /// All formats that a stream of bytes can be read as.
    pub const ALL: [InputFormat; NAMES.len() - 1] = {
        let mut all = [InputFormat::Debug2; NAMES.len() - 1];
        let mut at = 0;
        while at < all.len() {
            all[at] = NAMES[at].0;
            at += 1;
        }
        all
    };

    /// The format of this name that a stream of bytes can be read as.
    pub fn from_name(name: &str) -> Option<InputFormat> {
        InputFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name in JSON and in `--input-format`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// Whether it is binary: a proto or a binary.
    pub fn is_proto(self) -> bool {
        match self {
            InputFormat::Debug0
            | InputFormat::LeakDebug0
            | InputFormat::HeapDebug0
            | InputFormat::ContentionDebug0
            | InputFormat::ThreadDebug0
            | InputFormat::CpuDebug0
            | InputFormat::ProfileDebug0
            | InputFormat::Binary => true,
            InputFormat::Debug2
            | InputFormat::Debug1
            | InputFormat::LeakDebug1
            | InputFormat::HeapDebug1
            | InputFormat::ContentionDebug1
            | InputFormat::ThreadDebug1
            | InputFormat::ProfileDebug1 => false,
        }
    }

    /// Whether its samples count goroutines.
    pub fn counts_goroutines(self) -> bool {
        matches!(self, InputFormat::Debug2 | InputFormat::Debug1 | InputFormat::Debug0)
            || self.is_leak_profile()
    }

    /// Whether all its goroutines are leaked.
    pub fn is_leak_profile(self) -> bool {
        matches!(self, InputFormat::LeakDebug1 | InputFormat::LeakDebug0)
    }
}
