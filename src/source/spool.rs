//! Makes archives seekable that come through a pipe or out of another container.

use super::budget::Allowance;
use super::extent::Extent;
use super::stream::Failure;
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Keeps a stream in memory or, if it is larger than [`crate::limits::Limits::spool_memory`], in a
/// temporary file without a name. `allowance` is charged for the bytes; `None` if they were counted
/// when they were unpacked. If the stream is cut, returns what was read and why it ended.
pub(super) fn spool(
    stream: &mut dyn Read,
    allowance: Option<&Allowance>,
) -> Result<(Extent, Option<Failure>), Failure> {
    let mut memory = Vec::new();
    let mut file = None;
    let mut buffer = [0; 16 << 10];
    let mut cut = None;
    loop {
        let bytes = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let failure = Failure::of(&error);
                if !failure.prefix_is_valid() {
                    return Err(failure);
                }
                cut = Some(failure);
                break;
            }
        };
        if let Some(allowance) = allowance {
            allowance.take(bytes.len() as u64)?;
        }
        if file.is_none() && memory.len().saturating_add(bytes.len()) > LIMITS.spool_memory {
            let mut new = tempfile::tempfile_in(folder(std::env::temp_dir()))
                .map_err(|error| no_room(&error))?;
            new.write_all(&memory).map_err(|error| no_room(&error))?;
            memory = Vec::new();
            file = Some(new);
        }
        match &mut file {
            Some(file) => file.write_all(bytes).map_err(|error| no_room(&error))?,
            None => memory.extend_from_slice(bytes),
        }
    }
    let extent = match file {
        Some(file) => Extent::of_file(file).map_err(|error| no_room(&error))?,
        None => Extent::of_memory(memory),
    };
    Ok((extent, cut))
}

/// The folder for temporary files, which may have been given. An empty `TMPDIR` counts as unset, as for shells and Go, not as the current folder.
fn folder(folder: PathBuf) -> PathBuf {
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

fn no_room(error: &io::Error) -> Failure {
    Failure::new(ErrorKind::Io, format!("no temporary file can be written: {error}")).advise(
        "free space in the folder for temporary files (TMPDIR), or pass the archive as a file",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_at::ReadAt;

    #[test]
    fn an_empty_variable_leaves_the_usual_folder() {
        assert_eq!(folder(PathBuf::new()), PathBuf::from("/tmp"));
        assert_eq!(folder("/x".into()), PathBuf::from("/x"));
    }

    #[test]
    fn small_streams_and_large_ones_come_out_as_they_went_in() {
        for length in [0, 10, LIMITS.spool_memory + 10] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let (extent, problem) = spool(&mut &bytes[..], None).unwrap();
            assert!(problem.is_none());
            assert_eq!(extent.length(), length as u64);
            assert!(extent.bytes_at(0, length + 1).unwrap() == bytes);
        }
    }

    #[test]
    fn the_allowance_ends_it() {
        let allowance = Allowance::new(100, 100);
        assert!(spool(&mut io::repeat(b'x'), Some(&allowance)).is_err());
    }
}
