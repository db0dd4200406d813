//! What the frames of a goroutine tell of its state.
//!
//! Count profiles and protos print no state; text dumps print `semacquire` for several things.

use super::Kind;

/// The state that Go would have printed for a goroutine with these functions, leaf first.
pub fn state_of_frames<'a>(
    functions: impl Iterator<Item = &'a [u8]> + Clone,
) -> Option<&'static [u8]> {
    let _ = functions;
    None
}

/// The kind of a printed state; the functions, leaf first, tell what a `semacquire` waits for.
pub fn kind_of<'a>(state: &[u8], functions: impl Iterator<Item = &'a [u8]> + Clone) -> Kind {
    let _ = functions;
    match state {
        b"running" => Kind::Running,
        b"runnable" => Kind::Runnable,
        b"syscall" => Kind::Syscall,
        b"IO wait" => Kind::Io,
        b"select" => Kind::Select,
        _ => Kind::Unknown,
    }
}
