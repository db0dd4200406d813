//! Tables whose columns get their cells from a row, as aligned text and as Markdown.

use super::markdown::{code, plain};
use super::table::{Column, Content, Table};
use super::terminal::Screen;
use std::borrow::Borrow;

/// A column of a table with rows of type `R`.
pub(super) struct RowColumn<'a, R> {
    pub(super) column: Column,
    /// Whether Markdown shows its cells as code: names, and values of keys.
    pub(super) is_code: bool,
    cell: Box<dyn Fn(&R) -> String + 'a>,
    /// The end of a cell, which is never cut.
    tail: Option<fn(&R) -> String>,
}

impl<'a, R> RowColumn<'a, R> {
    pub(super) fn new(column: Column, cell: impl Fn(&R) -> String + 'a) -> RowColumn<'a, R> {
        RowColumn { column, is_code: false, cell: Box::new(cell), tail: None }
    }

    pub(super) fn number(
        heading: impl Into<String>,
        cell: impl Fn(&R) -> String + 'a,
    ) -> RowColumn<'a, R> {
        RowColumn::new(Column::new(Content::Number, heading), cell)
    }

    pub(super) fn text(heading: &str, cell: impl Fn(&R) -> String + 'a) -> RowColumn<'a, R> {
        RowColumn::new(Column::new(Content::Text, heading), cell)
    }

    /// A column of names, or of the values of a key.
    pub(super) fn code(column: Column, cell: impl Fn(&R) -> String + 'a) -> RowColumn<'a, R> {
        RowColumn { is_code: true, ..RowColumn::new(column, cell) }
    }

    /// Sets how early the column is left out if there is no room; see [`Column::dispensable`].
    pub(super) fn dispensable(mut self, rank: u8) -> RowColumn<'a, R> {
        self.column.dispensable = rank;
        self
    }

    /// Ends the cells of the last column with a text that is never cut.
    pub(super) fn ending(self, tail: fn(&R) -> String) -> RowColumn<'a, R> {
        RowColumn { tail: Some(tail), ..self }
    }

    pub(super) fn cell(&self, row: &R) -> String {
        (self.cell)(row)
    }

    fn tail(&self, row: &R) -> String {
        self.tail.map_or(String::new(), |tail| tail(row))
    }

    /// The cell of a row as Markdown.
    pub(super) fn markdown(&self, row: &R) -> String {
        let text = self.cell(row) + &self.tail(row);
        let text = Screen::PIPE.text(&text);
        if self.is_code { code(&text) } else { plain(&text) }
    }
}

/// Rows as an aligned table.
pub(super) fn table<R>(columns: &[RowColumn<'_, R>], rows: &[impl Borrow<R>]) -> Table {
    let mut table = Table::new(columns.iter().map(|of| of.column.clone()).collect::<Vec<_>>());
    for row in rows.iter().map(Borrow::borrow) {
        let cells = columns.iter().map(|column| column.cell(row)).collect();
        let tail = columns.last().map(|column| column.tail(row));
        table.row_with_tail(cells, tail.unwrap_or_default());
    }
    table
}
