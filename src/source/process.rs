//! Inputs that are live processes: `pid:1234`.

use super::InputMeta;
use crate::error::{Error, Result};
use crate::live;

const START: &str = "pid:";

/// Whether an argument names a process.
pub fn is_process(argument: &str) -> bool {
    argument.starts_with(START)
}

/// The number of the process that an argument names; `None` if the argument isn't a process.
///
/// # Errors
/// If what follows `pid:` isn't a number.
pub fn process_number(argument: &str) -> Result<Option<u32>> {
    let Some(number) = argument.strip_prefix(START) else { return Ok(None) };
    match number.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(Error::misuse(argument, "isn't the number of a process")
            .advise("write it as pid:1234; a file of this name is read as ./pid:...")),
    }
}

/// Names an input after the program of its process, and adds the label `pid`.
pub(super) fn describe(meta: &mut InputMeta, number: u32) {
    if let Some(name) = live::program(number) {
        meta.name = name;
    }
    meta.labels.push((b"pid".to_vec(), number.to_string().into_bytes()));
}
