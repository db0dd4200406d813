//! What all JSON documents have in common: their heads, and how they are written, whole or in lines.

use crate::profile::Profile;
use crate::view::inputs::{Inputs, Unread};
pub(super) use crate::view::rows::without_null;
use serde::Serialize;
use std::io::{self, Write};

/// A document: its schema, its inputs, what could not be read of them, then what is its own.
#[derive(Serialize)]
pub(super) struct Document<'a, T: Serialize> {
    schema: &'static str,
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    #[serde(flatten)]
    own: T,
}

impl<'a, T: Serialize> Document<'a, T> {
    pub(super) fn new(schema: &'static str, profile: &'a Profile, own: T) -> Document<'a, T> {
        let inputs = Inputs { profile, points: None };
        Document { schema, inputs, unread: Unread::of(profile), own }
    }

    /// Writes the inputs point by point, each with the name of its point.
    pub(super) fn at_points(mut self, points: &'a [String]) -> Document<'a, T> {
        self.inputs.points = Some(points);
        self
    }
}

/// Writes a document on a line of its own.
pub(super) fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Writes an object on a line, its type in front.
pub(super) fn line(
    out: &mut dyn Write,
    r#type: &'static str,
    row: &impl Serialize,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a, R: Serialize> {
        r#type: &'static str,
        #[serde(flatten)]
        row: &'a R,
    }
    write(&Line { r#type, row }, out)
}
