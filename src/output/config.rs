//! The effective settings, as text and as JSON.

use super::Output;
use super::table::{Column, Content, Table};
use super::terminal::Screen;
use crate::config::Value;
use crate::view::config::ConfigView;
use std::io::{self, Write};

/// The formats of `config show`; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

/// Writes the settings.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    view: &ConfigView,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    if output == Output::Json {
        return super::document::write(view, out);
    }
    for file in &view.files {
        writeln!(out, "{} file: {}", file.layer, screen.text(&file.path))?;
    }
    if view.files.is_empty() {
        writeln!(out, "no settings file")?;
    }
    writeln!(out)?;
    let columns = ["KEY", "FROM", "VALUE"].map(|heading| Column::new(Content::Text, heading));
    let mut table = Table::new(columns);
    for setting in &view.settings {
        let value = match &setting.value {
            Value::Switch(on) => on.to_string(),
            Value::Count(count) => count.to_string(),
            Value::Text(text) => text.clone(),
            Value::Texts(texts) => texts.join(", "),
        };
        table.row([setting.key.clone(), setting.from.clone(), value]);
    }
    for list in &view.lists {
        for rule in &list.rules {
            table.row([list.key.to_owned(), rule.from.clone(), rule.rule.clone()]);
        }
    }
    table.write(screen, out)
}
