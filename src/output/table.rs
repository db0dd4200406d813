//! Aligned columns for people.

use super::terminal::Screen;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, presets};
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Blanks between two columns.
const GAP: usize = 2;
/// Down to here the last column alone is cut; after that whichever is the widest.
const NARROWEST: usize = 20;
/// What a column of text is never made narrower than; a table that needs more is wider than the screen.
const LEAST: usize = 8;
/// The table crate counts columns in 16 bits; a longer cell is cut for all to see.
const WIDEST: usize = u16::MAX as usize - GAP;

/// A column: its heading, and the side that its cells lean to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column<'a> {
    /// Text.
    Text(&'a str),
    /// Numbers, which lean right.
    Number(&'a str),
}

impl Column<'_> {
    fn heading(&self) -> &str {
        match self {
            Column::Text(heading) | Column::Number(heading) => heading,
        }
    }
}

/// Rows under headings. On a terminal the last column is cut where the screen ends, then the widest
/// of the other columns of text, never numbers; in a pipe nothing is cut.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    columns: Vec<Column<'a>>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    cells: Vec<String>,
    /// What ends the last cell and is never cut.
    tail: String,
}

impl<'a> Table<'a> {
    /// A table without rows.
    pub fn new(columns: Vec<Column<'a>>) -> Table<'a> {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row: a cell for each column, escaped where the screen asks for it.
    pub fn row(&mut self, cells: Vec<String>) {
        self.row_with_tail(cells, String::new());
    }

    /// Adds a row whose last cell ends with something that is never cut.
    pub fn row_with_tail(&mut self, cells: Vec<String>, tail: String) {
        self.rows.push(Row { cells, tail });
    }

    /// Writes the headings and all rows.
    pub fn write(mut self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        if let Some(width) = screen.width {
            self.fit(width);
        }
        for row in &mut self.rows {
            if let Some(last) = row.cells.last_mut() {
                last.push_str(&row.tail);
            }
        }
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        match screen.color {
            true => table.enforce_styling(),
            false => table.force_no_tty(),
        };
        table.set_header(
            self.columns
                .iter()
                .map(|column| Cell::new(column.heading()).add_attribute(Attribute::Dim)),
        );
        for row in self.rows {
            table.add_row(row.cells.into_iter().enumerate().map(|(at, cell)| {
                let cell = Cell::new(cut(&cell, WIDEST));
                if at == 0 { cell.add_attribute(Attribute::Bold) } else { cell }
            }));
        }
        for (at, column) in self.columns.iter().enumerate() {
            if let Some(shown) = table.column_mut(at) {
                shown.set_padding((0, if at + 1 < self.columns.len() { GAP as u16 } else { 0 }));
                if let Column::Number(_) = column {
                    shown.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Cuts cells so that the longest line fits: first those of the last column, then those of
    /// whatever column of text is the widest.
    fn fit(&mut self, width: usize) {
        let Some(last) = self.columns.len().checked_sub(1) else { return };
        let mut widths: Vec<usize> = (0..=last).map(|at| self.width(at)).collect();
        let tail = self.rows.iter().map(|row| row.tail.width()).max().unwrap_or(0);
        let least = |at: usize, column: &Column<'_>| {
            let tail = if at == last { tail } else { 0 };
            (column.heading().width()).max(LEAST + tail)
        };
        let room = width.saturating_sub(last * GAP);
        let excess = |widths: &[usize]| widths.iter().sum::<usize>().saturating_sub(room);
        let too_wide = excess(&widths);
        if let Some(shown) = widths.last_mut() {
            let least = least(last, &self.columns[last]).max(NARROWEST).min(*shown);
            *shown = shown.saturating_sub(too_wide).max(least);
        }
        while excess(&widths) > 0 {
            let text = (0..=last).filter(|&at| {
                matches!(self.columns[at], Column::Text(_))
                    && widths[at] > least(at, &self.columns[at])
            });
            let Some(widest) = text.max_by_key(|&at| widths[at]) else { break };
            widths[widest] -= 1;
        }
        for row in &mut self.rows {
            let tail = row.tail.width();
            for (at, cell) in row.cells.iter_mut().enumerate() {
                let tail = if at == last { tail } else { 0 };
                if let (Some(width), Column::Text(_)) = (widths.get(at), self.columns[at]) {
                    *cell = cut(cell, width.saturating_sub(tail));
                }
            }
        }
    }

    /// How wide a column is, its heading and tails included.
    fn width(&self, at: usize) -> usize {
        let last = at + 1 == self.columns.len();
        let tail = |row: &Row| if last { row.tail.width() } else { 0 };
        let cells =
            self.rows.iter().filter_map(|row| row.cells.get(at).map(|c| c.width() + tail(row)));
        cells.max().unwrap_or(0).max(self.columns[at].heading().width())
    }
}

/// The text in at most `room` columns, with `…` where something was cut.
pub fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for char in text.chars() {
        used += char.width().unwrap_or(0);
        if used > room {
            break;
        }
        short.push(char);
    }
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The end of the text in at most `room` columns, with `…` where something was cut.
pub fn cut_start(text: &str, room: usize) -> String {
    let width = text.width();
    if width <= room {
        return text.to_owned();
    }
    let mut left = width + 1;
    let end = text.char_indices().find(|(_, char)| {
        let fits = left <= room;
        left -= char.width().unwrap_or(0).min(left);
        fits
    });
    format!("…{}", end.map_or("", |(at, _)| &text[at..]))
}

/// The text in lines of at most `room` columns, broken between words; a longer word stands alone.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(screen: &Screen, rows: &[[&str; 3]]) -> String {
        let mut table = Table::new(vec![
            Column::Text("NAME"),
            Column::Number("COUNT"),
            Column::Text("TOP STACK"),
        ]);
        for row in rows {
            table.row(row.iter().map(|&cell| cell.to_owned()).collect());
        }
        let mut out = Vec::new();
        table.write(screen, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_lean_right_and_nothing_trails() {
        let text = shown(&Screen::PIPE, &[["kv", "1,204", "work"], ["a/longer", "8", ""]]);
        assert_eq!(text, "NAME      COUNT  TOP STACK\nkv        1,204  work\na/longer      8\n");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let text = shown(&Screen::PIPE, &[["数据", "1", "x"], ["data", "22", "y"]]);
        assert_eq!(text, "NAME  COUNT  TOP STACK\n数据      1  x\ndata     22  y\n");
    }

    #[test]
    fn the_last_column_ends_with_the_screen() {
        let screen = Screen { width: Some(36), ..Screen::PIPE };
        let text = shown(&screen, &[["kv", "1", "a stack whose name is too long for it"]]);
        assert_eq!(text, "NAME  COUNT  TOP STACK\nkv        1  a stack whose name is…\n");
    }

    #[test]
    fn the_widest_column_shrinks_once_the_last_is_narrow() {
        let screen = Screen { width: Some(40), ..Screen::PIPE };
        let key = "github.com/acme/shop/internal/checkout";
        let text = shown(&screen, &[[key, "1,234", "a stack whose name is too long"]]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "github.com/acme…  1,234  a stack whose…");
        assert!(lines.iter().all(|line| line.width() <= 40), "{text}");
        // Numbers are never cut, whatever the screen.
        let screen = Screen { width: Some(10), ..Screen::PIPE };
        assert!(shown(&screen, &[[key, "1,234", "x"]]).contains("  1,234  x"));
    }

    #[test]
    fn tails_are_never_cut() {
        let mut table = Table::new(vec![Column::Text("TOP STACK")]);
        table.row_with_tail(vec!["a stack whose name is too long".to_owned()], "  (12)".to_owned());
        let mut out = Vec::new();
        table.write(&Screen { width: Some(22), ..Screen::PIPE }, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "TOP STACK\na stack whose n…  (12)\n");
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one", 8), ["one"]);
        assert_eq!(wrap("averylongword and", 8), ["averylongword", "and"]);
        assert_eq!(wrap("", 8), [""]);
    }

    #[test]
    fn colours_add_nothing_but_escape_sequences() {
        let rows = [["kv", "1", "x"], ["rpc", "22", "y"]];
        let colored = shown(&Screen { color: true, ..Screen::PIPE }, &rows);
        assert!(colored.contains('\u{1b}'));
        let plain =
            regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&colored, "").into_owned();
        let trimmed: Vec<&str> = plain.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n") + "\n", shown(&Screen::PIPE, &rows));
    }

    #[test]
    fn long_cells_are_whole_and_absurd_ones_visibly_cut() {
        let long = "x".repeat(60_000);
        assert!(shown(&Screen::PIPE, &[["kv", "1", &long]]).ends_with(&format!("{long}\n")));
        let absurd = "x".repeat(1 << 20);
        let text = shown(&Screen::PIPE, &[[&absurd, "1", "work"]]);
        assert!(text.contains("x…  ") && text.ends_with("1  work\n"));
    }

    #[test]
    fn cut_counts_columns() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("数据库", 5), "数据…");
        assert_eq!(cut("数据库", 4), "数…");
        assert_eq!(cut_start("a/b.go:12", 6), "…go:12");
        assert_eq!(cut_start("数据库", 5), "…据库");
        assert_eq!(cut_start("abc", 3), "abc");
    }
}
