//! The names of stacks, in every format that `name` offers.

mod rows;
mod text;

use super::Output;
use super::document::Document;
use super::terminal::Screen;
use crate::profile::Profile;
use crate::view::goroutines::name::NameView;
use crate::view::rows::Text;
use std::borrow::Cow;
use std::io::{self, Write};

/// The schema of documents.
const SCHEMA: &str = "stackgazer.name/1";

/// The formats of `name`; the first one is the default.
pub const OFFERED: [Output; 4] = [Output::Table, Output::Json, Output::Ndjson, Output::Csv];

/// Writes names; with `explained`, tables say which rule took which frame. `own` says for each frame of the
/// profile whether it is own code, which is highlighted; it may be empty.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    profile: &Profile,
    view: &NameView<'_>,
    explained: bool,
    own: &[bool],
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => Document::new(SCHEMA, profile, view).write(out),
        Output::Ndjson => rows::document(profile, view).write_lines(out),
        Output::Csv => rows::csv(view, out),
        // Nothing could be read, of which the errors tell.
        _ if profile.inputs.is_empty() => Ok(()),
        _ => text::write(view, explained, own, screen, out),
    }
}

fn lossy(text: Text<'_>) -> Cow<'_, str> {
    String::from_utf8_lossy(text.0)
}
