//! Aligned columns for people.

use super::fit;
use super::terminal::{Paint, Screen};
use crate::limits::LIMITS;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Blanks between two columns.
const GAP: usize = 2;
/// The minimum width of a column of text; a table that needs more is wider than the screen.
const LEAST: usize = 8;
/// Texts longer than this are cut before anything else.
const LONG_TEXT: usize = 24;
/// Columns that suffice for most functions with their package; those of real servers have 33 on average. If
/// a name is longer, its package is left out, or the line is longer.
const ENOUGH_OF_A_NAME: usize = 40;

/// The content of the cells in a column, which decides how they are shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Text, which is cut at its end.
    Text,
    /// Numbers, which are right-aligned and never cut.
    Number,
    /// Functions and names of stacks: [`fit::name`].
    Name,
    /// Packages and files: [`fit::path`].
    Path,
}

/// A column: its heading, and the content of its cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The heading.
    pub heading: String,
    /// The content of its cells.
    pub content: Content,
    /// How early the column is left out if the screen is too narrow: the highest number first, 0 never.
    pub dispensable: u8,
}

impl Column {
    /// A column that is never left out.
    pub fn new(content: Content, heading: impl Into<String>) -> Column {
        Column { heading: heading.into(), content, dispensable: 0 }
    }
}

/// Rows under headings. On a terminal, columns are left out and cells cut until lines fit, but numbers and
/// functions never; in a pipe nothing is.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// About how many bytes of memory these rows take.
    bytes: usize,
    /// Whether the headings and the first rows are written.
    is_begun: bool,
}

/// Bytes of rows that a table which is written in parts keeps, and aligns with each other: 100,000 usual ones.
const PART: usize = 32 << 20;
/// Bytes of memory for a cell, besides its text.
const CELL: usize = 64;

#[derive(Clone, Debug)]
struct Row {
    cells: Vec<String>,
    /// The end of the last cell, which is never cut.
    tail: String,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl Into<Vec<Column>>) -> Table {
        Table { columns: columns.into(), rows: Vec::new(), bytes: 0, is_begun: false }
    }

    /// Adds a row: a cell for each column.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.row_with_tail(cells.into(), String::new());
    }

    /// Adds a row whose last cell ends with a text that is never cut.
    pub fn row_with_tail(&mut self, cells: Vec<String>, tail: String) {
        self.bytes += cells.iter().map(|cell| CELL + cell.len()).sum::<usize>();
        self.rows.push(Row { cells, tail });
    }

    /// Writes the rows so far, if they are so many that no more should be kept.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write_part(&mut self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        self.write_from(PART, screen, out)
    }

    fn write_from(&mut self, bytes: usize, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        if self.bytes < bytes {
            return Ok(());
        }
        let mut rest = Table { is_begun: true, ..Table::new(self.columns.clone()) };
        std::mem::swap(self, &mut rest);
        rest.write(screen, out)
    }

    /// Writes the headings and all rows. Text from inputs is escaped.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(mut self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        let headings = self.columns.iter_mut().map(|column| &mut column.heading);
        for text in headings.chain(self.rows.iter_mut().flat_map(|row| &mut row.cells)) {
            *text = screen.text(text).into_owned();
        }
        if let Some(width) = screen.width {
            self.fit(width);
        }
        for row in &mut self.rows {
            if let Some(last) = row.cells.last_mut() {
                last.push_str(&row.tail);
            }
        }
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| self.padding(at)).collect();
        let headings: Vec<&str> = self.columns.iter().map(|column| &*column.heading).collect();
        if !self.is_begun {
            self.line(screen, &widths, &headings, |_| Paint::Faint, out)?;
        }
        let paint = |at| if at == 0 { Paint::Strong } else { Paint::Plain };
        for row in &self.rows {
            let cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
            self.line(screen, &widths, &cells, paint, out)?;
        }
        Ok(())
    }

    /// The width that cells of a column are padded to.
    fn padding(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(at));
        let widths = cells.map(|cell| cell.width()).filter(|&width| width <= LIMITS.padding);
        widths.max().unwrap_or(0).max(self.columns[at].heading.width())
    }

    fn line(
        &self,
        screen: &Screen,
        widths: &[usize],
        cells: &[&str],
        paint: impl Fn(usize) -> Paint,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // Blanks are written before the next cell, so no line ends with blanks.
        let mut blanks = 0;
        for (at, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            let missing = widths[at].saturating_sub(cell.width());
            let (before, behind) =
                if column.content == Content::Number { (missing, 0) } else { (0, missing) };
            blanks += before;
            let cell = if at + 1 == cells.len() { cell.trim_end() } else { cell };
            if !cell.is_empty() {
                // Not by the width of a format, which has 16 bits.
                write!(out, "{}{}", " ".repeat(blanks), screen.paint(paint(at), cell))?;
                blanks = 0;
            }
            blanks += behind + GAP;
        }
        writeln!(out)
    }

    /// Leaves out columns until the parts that can't be cut fit, then cuts cells: first those with long
    /// texts, then those of the widest column, again and again.
    fn fit(&mut self, width: usize) {
        let mut least: Vec<usize> =
            (0..self.columns.len()).map(|at| self.least(at, width)).collect();
        while excess(&least, width) > 0 {
            let ranks = self.columns.iter().map(|column| column.dispensable).enumerate();
            let Some((at, 1..)) = ranks.rev().max_by_key(|(_, rank)| *rank) else { break };
            self.columns.remove(at);
            least.remove(at);
            for row in &mut self.rows {
                row.cells.remove(at);
            }
        }
        let mut widths: Vec<usize> = (0..self.columns.len()).map(|at| self.width(at)).collect();
        while excess(&widths, width) > 0 {
            let wider = (0..widths.len()).filter(|&at| widths[at] > least[at]);
            let text = |at: usize| self.columns[at].content == Content::Text;
            // The end of a long text is missed less than what a function waits for.
            let rank = |at: usize| (text(at) && widths[at] > LONG_TEXT, widths[at]);
            let Some(widest) = wider.max_by_key(|&at| rank(at)) else { break };
            widths[widest] -= 1;
        }
        // The rest is taken from functions, which keep the parts that are never cut.
        let too_wide = excess(&widths, width);
        if let Some(at) = self.columns.iter().rposition(|column| column.content == Content::Name) {
            widths[at] = widths[at].saturating_sub(too_wide);
        }
        let last = widths.len().saturating_sub(1);
        for row in &mut self.rows {
            let tail = row.tail.width();
            for (at, cell) in row.cells.iter_mut().enumerate() {
                let tail = if at == last { tail } else { 0 };
                let room = widths[at].saturating_sub(tail);
                match self.columns[at].content {
                    Content::Number => {}
                    Content::Text => *cell = cut(cell, room),
                    Content::Name => *cell = fit::name(cell, room),
                    Content::Path => *cell = fit::path(cell, room).into_owned(),
                }
            }
        }
    }

    /// The minimum width of a column on a screen.
    fn least(&self, at: usize, screen: usize) -> usize {
        let column = &self.columns[at];
        let last = at + 1 == self.columns.len();
        let cells = self.rows.iter().filter_map(|row| {
            let cell = row.cells.get(at)?;
            let tail = if last { row.tail.width() } else { 0 };
            let least = match column.content {
                Content::Number => cell.width(),
                Content::Text => cell.width().min(LEAST),
                Content::Path => fit::least_path(cell),
                // One name that is longer than most is no reason to leave out a column.
                Content::Name => fit::least_name(cell).min(ENOUGH_OF_A_NAME.max(screen / 3)),
            };
            Some(least + tail)
        });
        cells.max().unwrap_or(0).max(column.heading.width())
    }

    /// The width of a column, with its heading and tails.
    fn width(&self, at: usize) -> usize {
        let last = at + 1 == self.columns.len();
        let tail = |row: &Row| if last { row.tail.width() } else { 0 };
        let cells =
            self.rows.iter().filter_map(|row| row.cells.get(at).map(|c| c.width() + tail(row)));
        cells.max().unwrap_or(0).max(self.columns[at].heading.width())
    }
}

/// How many columns a line with these widths exceeds the screen by.
fn excess(widths: &[usize], screen: usize) -> usize {
    let gaps = widths.len().saturating_sub(1) * GAP;
    (widths.iter().sum::<usize>() + gaps).saturating_sub(screen)
}

/// The text in at most `room` columns; a cut is marked with `…`.
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

/// Wraps a text to lines of at most `room` columns, between words, or between the items of a list
/// with ` · ` if it is one; a longer word has a line of its own.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let items: Vec<String> =
        text.split_inclusive(" · ").map(|item| item.trim_end().into()).collect();
    let whole = items.len() > 1 && items.iter().all(|item| item.width() <= room);
    let words = if whole { items } else { text.split(' ').map(str::to_owned).collect() };
    let mut lines = vec![String::new()];
    for word in &words {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line += word,
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(screen: &Screen, rows: &[[&str; 3]]) -> String {
        let mut table = Table::new(vec![
            Column::new(Content::Path, "NAME"),
            Column::new(Content::Number, "COUNT"),
            Column::new(Content::Text, "TOP STACK"),
        ]);
        for row in rows {
            table.row(row.map(str::to_owned));
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
    fn a_table_in_parts_keeps_no_more_than_one_and_has_one_heading() {
        let (mut table, mut out) = (Table::new([Column::new(Content::Text, "NAME")]), Vec::new());
        for _ in 0..100 {
            table.row(["x".repeat(1000)]);
            table.write_from(9 * (1000 + CELL), &Screen::PIPE, &mut out).unwrap();
            assert!(table.rows.len() < 9);
        }
        assert_eq!(out.len(), "NAME\n".len() + 99 * 1001);
        table.write(&Screen::PIPE, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!((text.lines().count(), text.matches("NAME").count()), (101, 1));
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
        assert_eq!(lines[1], "…/checkout  1,234  a stack whose…");
        assert!(lines.iter().all(|line| line.width() <= 40), "{text}");
        // Numbers are never cut, whatever the screen.
        let screen = Screen { width: Some(10), ..Screen::PIPE };
        assert!(shown(&screen, &[[key, "1,234", "x"]]).contains("  1,234  x"));
    }

    #[test]
    fn tails_are_never_cut() {
        let mut table = Table::new(vec![Column::new(Content::Text, "TOP STACK")]);
        table.row_with_tail(vec!["a stack whose name is too long".to_owned()], "  (12)".to_owned());
        let mut out = Vec::new();
        table.write(&Screen { width: Some(22), ..Screen::PIPE }, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "TOP STACK\na stack whose n…  (12)\n");
    }

    #[test]
    fn columns_are_left_out_before_a_function_is_cut() {
        let dispensable =
            |rank| Column { dispensable: rank, ..Column::new(Content::Text, "STATE") };
        let mut table = Table::new(vec![
            dispensable(1),
            dispensable(2),
            Column::new(Content::Number, "COUNT"),
            Column::new(Content::Name, "TOP STACK"),
        ]);
        let lock = "ex.org/pkg/kv/kvserver.(*Replica).lock → mutex";
        let cells = ["select 12", "idle", "1,204", lock];
        table.row_with_tail(cells.map(str::to_owned).to_vec(), "  (8)".to_owned());
        let at = |width| {
            let mut out = Vec::new();
            let screen = Screen { width: Some(width), ..Screen::PIPE };
            table.clone().write(&screen, &mut out).unwrap();
            String::from_utf8(out).unwrap().lines().nth(1).unwrap().to_owned()
        };
        assert_eq!(at(80), format!("select 12  idle   1,204  {lock}  (8)"));
        assert_eq!(at(62), "select 12  idle   1,204  kvserver.(*Replica).lock → mutex  (8)");
        assert_eq!(at(50), "select 12  1,204  kvserver.(*Replica).lock  (8)");
        assert_eq!(at(40), "1,204  kvserver.(*Replica).lock  (8)");
        assert_eq!(at(30), "1,204  (*Replica).lock  (8)");
        assert_eq!(at(10), "1,204  (*Replica).lock  (8)");
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one", 8), ["one"]);
        assert_eq!(wrap("averylongword and", 8), ["averylongword", "and"]);
        assert_eq!(wrap("", 8), [""]);
        assert_eq!(
            wrap("12 select · 7 chan send · 1 more", 24),
            ["12 select ·", "7 chan send · 1 more"]
        );
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
    fn a_long_cell_is_whole_and_gives_other_rows_no_blanks() {
        let long = "x".repeat(1 << 20);
        let text = shown(&Screen::PIPE, &[["kv", "1", "work"], [&long, "1", "work"]]);
        let expected = format!("NAME  COUNT  TOP STACK\nkv        1  work\n{long}      1  work\n");
        assert_eq!(text, expected);
        let just = "x".repeat(LIMITS.padding);
        let text = shown(&Screen::PIPE, &[["kv", "1", "work"], [&just, "1", "work"]]);
        assert_eq!(text.lines().nth(1).unwrap().find('1'), Some(LIMITS.padding + GAP + 4));
    }

    #[test]
    fn cut_counts_columns() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("数据库", 5), "数据…");
        assert_eq!(cut("数据库", 4), "数…");
    }
}
