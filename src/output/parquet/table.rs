//! A table that is written row by row; the rows of one row group are kept in memory.

use crate::format::tables::{ColumnType, SCHEMA, SCHEMA_KEY, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::io::{self, Write};
use std::sync::Arc;

/// Rows per row group: 8 MB of goroutines.
const ROWS: usize = 1 << 17;

/// Bytes of the texts of a row group, which can be longer than those of Go. They are kept until it is written.
const TEXTS: usize = 64 << 20;

/// Columns whose values are nearly all different: a dictionary would only cost time.
const DIFFERENT: [&str; 2] = ["id", "words"];

/// A table that is being written.
pub(super) struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Cells>,
    /// The column of the next cell.
    next: usize,
    rows: usize,
    /// Bytes of the texts in them.
    texts: usize,
}

impl<W: Write + Send> TableWriter<W> {
    pub(super) fn new(table: &Table, out: W) -> io::Result<TableWriter<W>> {
        let version = KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_owned());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("stackgazer".to_owned())
            .set_key_value_metadata(Some(vec![version]));
        for name in DIFFERENT {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
        }
        let file = schema(table)
            .and_then(|schema| {
                SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))
            })
            .map_err(plainly)?;
        let columns = table.columns.iter().map(|column| Cells {
            values: match column.column_type {
                ColumnType::Text => Values::Text(Vec::new()),
                ColumnType::Int => Values::Int(Vec::new()),
                ColumnType::Float => Values::Float(Vec::new()),
                ColumnType::Bool => Values::Bool(Vec::new()),
            },
            levels: column.optional.then(Vec::new),
        });
        Ok(TableWriter { file, columns: columns.collect(), next: 0, rows: 0, texts: 0 })
    }

    /// Adds the next cell of the row.
    pub(super) fn put(&mut self, value: impl Into<Cell>) -> &mut Self {
        let value = value.into();
        if let Cell::Text(text) = &value {
            self.texts = self.texts.saturating_add(text.len());
        }
        if let Some(column) = self.columns.get_mut(self.next) {
            column.put(value);
        }
        self.next += 1;
        self
    }

    /// Ends the row.
    pub(super) fn end(&mut self) -> io::Result<()> {
        debug_assert_eq!(self.next, self.columns.len(), "a cell for each column");
        self.next = 0;
        self.rows += 1;
        if self.rows < ROWS && self.texts < TEXTS {
            return Ok(());
        }
        self.flush()
    }

    /// Writes the remaining rows and the footer.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.file.close().map(drop).map_err(plainly)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut write = || -> Result<(), ParquetError> {
            let mut group = self.file.next_row_group()?;
            for column in &mut self.columns {
                if let Some(writer) = group.next_column()? {
                    column.write(writer)?;
                }
            }
            group.close().map(drop)
        };
        write().map_err(plainly)?;
        (self.rows, self.texts) = (0, 0);
        Ok(())
    }
}

/// A value of a row.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Text(ByteArray),
    Int(i64),
    Float(f64),
    Bool(bool),
    None,
}

impl From<&ByteArray> for Cell {
    fn from(text: &ByteArray) -> Cell {
        Cell::Text(text.clone())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(ByteArray::from(text))
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell::Int(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// Go counts ids from 1, so none of a program reaches bit 63. One that does keeps its 64 bits, as a negative
/// number.
impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Int(number.cast_signed())
    }
}

impl From<f32> for Cell {
    fn from(number: f32) -> Cell {
        Cell::Float(number.into())
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Cell {
        Cell::Bool(truth)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::None, Into::into)
    }
}

/// Text for engines, some of which fail on bytes that aren't UTF-8.
pub(super) fn text(bytes: &[u8]) -> ByteArray {
    ByteArray::from(String::from_utf8_lossy(bytes).into_owned().into_bytes())
}

/// The cells of a column in the rows that aren't written yet.
struct Cells {
    values: Values,
    /// For an optional column: 1 for each row with a value, else 0 (Parquet's definition levels).
    levels: Option<Vec<i16>>,
}

enum Values {
    Text(Vec<ByteArray>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
}

impl Cells {
    fn put(&mut self, value: Cell) {
        if let Some(levels) = &mut self.levels {
            levels.push(i16::from(!matches!(value, Cell::None)));
        }
        match (&mut self.values, value) {
            (Values::Text(values), Cell::Text(value)) => values.push(value),
            (Values::Int(values), Cell::Int(value)) => values.push(value),
            (Values::Float(values), Cell::Float(value)) => values.push(value),
            (Values::Bool(values), Cell::Bool(value)) => values.push(value),
            (_, value) => {
                debug_assert!(matches!(value, Cell::None), "a value of this column's type");
            }
        }
    }

    fn write(&mut self, mut writer: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        fn batch<T: DataType>(
            writer: &mut SerializedColumnWriter<'_>,
            values: &mut Vec<T::T>,
            levels: Option<&[i16]>,
        ) -> Result<(), ParquetError> {
            writer.typed::<T>().write_batch(values, levels, None)?;
            values.clear();
            Ok(())
        }
        let levels = self.levels.as_deref();
        match &mut self.values {
            Values::Text(values) => batch::<ByteArrayType>(&mut writer, values, levels)?,
            Values::Int(values) => batch::<Int64Type>(&mut writer, values, levels)?,
            Values::Float(values) => batch::<DoubleType>(&mut writer, values, levels)?,
            Values::Bool(values) => batch::<BoolType>(&mut writer, values, levels)?,
        }
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        writer.close()
    }
}

fn schema(table: &Table) -> Result<Type, ParquetError> {
    let column = |column: &crate::format::tables::Column| {
        let (physical, logical) = match column.column_type {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Int => (Physical::INT64, None),
            ColumnType::Float => (Physical::DOUBLE, None),
            ColumnType::Bool => (Physical::BOOLEAN, None),
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let columns = table.columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(table.name).with_fields(columns).build()
}

fn plainly(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
