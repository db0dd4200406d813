//! One table, read from an untrusted file.
//!
//! Sizes for which the `parquet` crate would allocate memory because the file declares them are
//! checked first: lists in the footer, pages, dictionaries. If it panics nevertheless, that is an
//! error of the file.

#[cfg(test)]
mod tests;

use super::{ColumnType, SCHEMA, SCHEMA_KEY, Table, footer, page};
use crate::limits::LIMITS;
use crate::read_at::{ReadAt, Tail};
use bytes::Bytes;
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{
    ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader,
};
use std::cell::Cell;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

/// A file that threads share.
pub type SharedFile = Arc<dyn ReadAt + Send + Sync>;

/// How many bytes are read at a time for the head of a page.
const HEAD: usize = 256;
/// How many rows are read at a time.
const BATCH: usize = 4096;
/// So many bytes of texts in a row are as much as one more row; few rows that are written here have as many.
const ROW: u64 = 256;

/// A table's file.
pub(super) struct TableFile {
    file: Shared,
    reader: SerializedFileReader<Shared>,
    table: &'static Table,
    /// The positions of its columns in the file.
    places: Vec<usize>,
}

impl TableFile {
    /// Opens a file; errors say what is wrong with it.
    pub(super) fn open(file: SharedFile, table: &'static Table) -> Result<TableFile, String> {
        check_footer(&*file)?;
        let file = Shared(file);
        let opened = file.clone();
        let reader = contained(|| SerializedFileReader::new(opened))?;
        let metadata = reader.metadata().file_metadata();
        let pairs = metadata.key_value_metadata().map_or(&[][..], Vec::as_slice);
        let schema = pairs.iter().find(|pair| pair.key == SCHEMA_KEY);
        match schema.and_then(|pair| pair.value.as_deref()) {
            Some(SCHEMA) => {}
            Some(other) => return Err(format!("holds {other:?}, and {SCHEMA:?} can be read")),
            None => return Err("isn't a table that `export -o parquet` wrote".to_owned()),
        }
        let columns = metadata.schema_descr();
        let mut places = Vec::new();
        for wanted in table.columns {
            let is_it = |at: &usize| columns.column(*at).name() == wanted.name;
            let place = (0..columns.num_columns()).find(is_it);
            let place = place.ok_or_else(|| format!("has no column {:?}", wanted.name))?;
            let found = columns.column(place);
            let physical = match wanted.column_type {
                ColumnType::Text => Physical::BYTE_ARRAY,
                ColumnType::Int => Physical::INT64,
                ColumnType::Float => Physical::DOUBLE,
                ColumnType::Bool => Physical::BOOLEAN,
            };
            let levels = (i16::from(wanted.optional), 0);
            if (found.max_def_level(), found.max_rep_level()) != levels
                || found.physical_type() != physical
            {
                return Err(format!("has something else in its column {:?}", wanted.name));
            }
            places.push(place);
        }
        let table = TableFile { file, reader, table, places };
        let rows = table.rows();
        // The number of rows is limited by the size of the file: ids and texts don't compress to
        // nothing.
        let bytes = table.file.len();
        if table.is_too_many(rows) {
            return Err(format!("claims {rows} rows in {bytes} bytes (table_rows_ratio)"));
        }
        Ok(table)
    }

    fn is_too_many(&self, rows: u64) -> bool {
        rows > LIMITS.table_rows_from && rows / LIMITS.table_rows_ratio > self.file.len()
    }

    fn rows(&self) -> u64 {
        let groups = self.reader.metadata().row_groups();
        let rows = groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
        rows.fold(0, u64::saturating_add)
    }

    /// Calls `take` with every row, after calling `unpack` with the number of unpacked bytes; stops
    /// at the first error.
    pub(super) fn each(
        &self,
        unpack: &dyn Fn(u64) -> Result<(), String>,
        take: &mut dyn FnMut(&Row<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        // A text of a dictionary can be in any number of rows: each is as much as several rows if it is long.
        let mut weight = 0_u64;
        let mut take = |row: &Row<'_>| {
            weight = weight.saturating_add(row.text_bytes() / ROW).saturating_add(1);
            match self.is_too_many(weight) {
                true => {
                    Err("has texts that its rows repeat too often (table_rows_ratio)".to_owned())
                }
                false => take(row),
            }
        };
        // Columns don't share bytes: one that is listed a thousand times would be read a thousand
        // times.
        let mut bytes = self.file.len();
        for at in 0..self.reader.metadata().num_row_groups() {
            let group = self.reader.metadata().row_group(at);
            let (mut held, mut unpacked) = (0_u64, 0_u64);
            for &place in &self.places {
                let column = group.column(place);
                // The crate panics on negative numbers.
                let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
                let place = (u64::try_from(start), u64::try_from(column.compressed_size()));
                let (Ok(start), Ok(length)) = place else {
                    return Err("has a column before its start".to_owned());
                };
                let pages = page::check(&*self.file.0, start, length)?;
                bytes = bytes.checked_sub(length).ok_or("has columns that share their bytes")?;
                unpacked = unpacked.saturating_add(pages.unpacked);
                held = held.saturating_add(pages.held);
                unpack(pages.unpacked)?;
            }
            let most = LIMITS.table_group;
            if held > most {
                return Err(format!(
                    "has pages that take {held} bytes at once, more than {most} (table_group)"
                ));
            }
            let expected = u64::try_from(group.num_rows()).unwrap_or(0);
            let group = contained(|| self.reader.get_row_group(at))?;
            // Texts keep the pages that they are in in memory, for all rows that are read at a
            // time.
            let batch = if unpacked > most { 1 } else { BATCH };
            self.each_of(&*group, (expected, batch), unpack, &mut take)?;
        }
        Ok(())
    }

    fn each_of(
        &self,
        group: &dyn RowGroupReader,
        (mut expected, batch): (u64, usize),
        unpack: &dyn Fn(u64) -> Result<(), String>,
        take: &mut dyn FnMut(&Row<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut columns = Vec::new();
        for &place in &self.places {
            columns.push(Cells::new(contained(|| group.get_column_reader(place))?));
        }
        while expected > 0 {
            let wanted = usize::try_from(expected).unwrap_or(batch).min(batch);
            for (cells, column) in columns.iter_mut().zip(self.table.columns) {
                let read = contained(|| cells.fill(wanted, column.optional))?;
                if read != wanted {
                    return Err(format!("column {:?} has fewer rows than there are", column.name));
                }
            }
            // A text of a dictionary can be in any number of rows.
            unpack(columns.iter().map(Cells::bytes).fold(0, u64::saturating_add))?;
            for at in 0..wanted {
                take(&Row { cells: &columns, at })?;
            }
            expected = expected.saturating_sub(wanted as u64);
        }
        Ok(())
    }
}

/// A row: its cells by the position of their columns in the [`Table`].
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    cells: &'a [Cells],
    at: usize,
}

impl<'a> Row<'a> {
    /// A text; `None` if the cell is empty.
    pub(super) fn text(&self, column: usize) -> Option<&'a [u8]> {
        match self.cells.get(column)? {
            Cells::Text(cells) => cells.get(self.at).map(ByteArray::data),
            _ => None,
        }
    }

    /// A text of a column without empty cells, as a string.
    pub(super) fn str(&self, column: usize) -> Result<&'a str, String> {
        let text = self.text(column).unwrap_or_default();
        std::str::from_utf8(text).map_err(|_| "holds text that isn't UTF-8".to_owned())
    }

    /// The bytes of all its texts.
    pub(super) fn text_bytes(&self) -> u64 {
        let texts = (0..self.cells.len()).filter_map(|column| self.text(column));
        texts.fold(0, |sum, text| sum.saturating_add(text.len() as u64))
    }

    /// A whole number.
    pub(super) fn int(&self, column: usize) -> Option<i64> {
        match self.cells.get(column)? {
            Cells::Int(cells) => cells.get(self.at).copied(),
            _ => None,
        }
    }

    /// A fraction.
    pub(super) fn float(&self, column: usize) -> Option<f64> {
        match self.cells.get(column)? {
            Cells::Float(cells) => cells.get(self.at).copied(),
            _ => None,
        }
    }

    /// A truth value.
    pub(super) fn truth(&self, column: usize) -> bool {
        match self.cells.get(column) {
            Some(Cells::Bool(cells)) => cells.get(self.at).copied().unwrap_or_default(),
            _ => false,
        }
    }
}

/// A column, some rows of it at a time.
enum Cells {
    Text(Typed<parquet::data_type::ByteArrayType>),
    Int(Typed<parquet::data_type::Int64Type>),
    Float(Typed<parquet::data_type::DoubleType>),
    Bool(Typed<parquet::data_type::BoolType>),
    Other,
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
    levels: Vec<i16>,
    /// The position of each row's value; empty if every row has one.
    places: Vec<Option<usize>>,
}

impl<T: DataType> Typed<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Typed<T> {
        Typed { reader, values: Vec::new(), levels: Vec::new(), places: Vec::new() }
    }

    fn fill(&mut self, rows: usize, optional: bool) -> Result<usize, ParquetError> {
        self.values.clear();
        self.levels.clear();
        self.places.clear();
        let mut read = 0_usize;
        while read < rows {
            let levels = optional.then_some(&mut self.levels);
            let left = rows.saturating_sub(read);
            let (records, ..) = self.reader.read_records(left, levels, None, &mut self.values)?;
            if records == 0 {
                break;
            }
            read = read.saturating_add(records);
        }
        let mut next = 0_usize;
        self.places.extend(self.levels.iter().map(|&level| {
            (level > 0).then(|| {
                next = next.saturating_add(1);
                next.saturating_sub(1)
            })
        }));
        Ok(read)
    }

    fn get(&self, row: usize) -> Option<&T::T> {
        match self.places.is_empty() {
            true => self.values.get(row),
            false => self.values.get((*self.places.get(row)?)?),
        }
    }
}

impl Cells {
    fn new(reader: ColumnReader) -> Cells {
        match reader {
            ColumnReader::ByteArrayColumnReader(reader) => Cells::Text(Typed::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Cells::Int(Typed::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Cells::Float(Typed::new(reader)),
            ColumnReader::BoolColumnReader(reader) => Cells::Bool(Typed::new(reader)),
            _ => Cells::Other,
        }
    }

    fn fill(&mut self, rows: usize, optional: bool) -> Result<usize, ParquetError> {
        match self {
            Cells::Text(cells) => cells.fill(rows, optional),
            Cells::Int(cells) => cells.fill(rows, optional),
            Cells::Float(cells) => cells.fill(rows, optional),
            Cells::Bool(cells) => cells.fill(rows, optional),
            Cells::Other => Ok(0),
        }
    }

    /// How many bytes were read last.
    fn bytes(&self) -> u64 {
        let bytes = match self {
            Cells::Text(cells) => {
                cells.values.iter().map(ByteArray::len).fold(0, usize::saturating_add)
            }
            Cells::Int(cells) => cells.values.len().saturating_mul(8),
            Cells::Float(cells) => cells.values.len().saturating_mul(8),
            Cells::Bool(cells) => cells.values.len(),
            Cells::Other => 0,
        };
        bytes as u64
    }
}

thread_local! {
    /// Whether this thread reads in [`contained`].
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// The result of the crate; if it panics, that is an error of the file too, and nothing is printed.
fn contained<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                print(panic);
            }
        }));
    });
    CONTAINED.set(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    CONTAINED.set(false);
    match read {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) => Err(format!("is damaged: {error}")),
        Err(_) => Err("is damaged".to_owned()),
    }
}

/// The mark at both ends of a file.
const MARK: &[u8] = b"PAR1";

/// Checks the footer, which is followed by the four bytes of its length and the mark.
fn check_footer(file: &dyn ReadAt) -> Result<(), String> {
    let damaged = || "isn't a whole Parquet file; write it again".to_owned();
    let end = file.length().checked_sub(8).ok_or_else(damaged)?;
    let tail = file.bytes_at(end, 8).map_err(|error| error.to_string())?;
    let (length, mark) = tail.split_at_checked(4).ok_or_else(damaged)?;
    let length = u32::from_le_bytes(length.try_into().map_err(|_| damaged())?);
    if mark != MARK || u64::from(length) > end {
        return Err(damaged());
    }
    if u64::from(length) > LIMITS.table_footer {
        let most = LIMITS.table_footer;
        return Err(format!("has a footer of {length} bytes, more than {most} (table_footer)"));
    }
    let start = end.saturating_sub(u64::from(length));
    let footer = file.bytes_at(start, length as usize).map_err(|error| error.to_string())?;
    footer::check(&footer)
}

/// The bytes as the crate needs them.
#[derive(Clone)]
struct Shared(SharedFile);

impl Length for Shared {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Shared {
    type T = BufReader<Tail<SharedFile>>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        // The head of a page is read first, and then all its bytes at once.
        Ok(BufReader::with_capacity(HEAD, Tail { file: Arc::clone(&self.0), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.0.bytes_at(start, length)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF("something ends behind the end of the file".to_owned())),
        }
    }
}
