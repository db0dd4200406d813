//! Files as the writer of the `parquet` crate makes them, and damaged ones.

use super::super::Column;
use super::*;
use parquet::basic::{Compression, Repetition, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Read};

struct Memory(Vec<u8>);

impl ReadAt for Memory {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        self.0.get(at as usize..).unwrap_or_default().read(buffer)
    }
}

/// A file with these columns, which `write` fills.
fn file(
    columns: &[(&str, Physical, Repetition)],
    write: impl FnMut(usize, &mut SerializedColumnWriter<'_>),
) -> SharedFile {
    file_of(WriterProperties::builder().set_dictionary_enabled(false), columns, write)
}

fn file_of(
    properties: WriterPropertiesBuilder,
    columns: &[(&str, Physical, Repetition)],
    mut write: impl FnMut(usize, &mut SerializedColumnWriter<'_>),
) -> SharedFile {
    let columns = columns.iter().map(|(name, physical, repetition)| {
        let column = Type::primitive_type_builder(name, *physical).with_repetition(*repetition);
        Arc::new(column.build().unwrap())
    });
    let schema = Type::group_type_builder("schema").with_fields(columns.collect());
    let version = KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_owned());
    let properties = properties
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(vec![version]))
        .build();
    let (mut bytes, schema) = (Vec::new(), Arc::new(schema.build().unwrap()));
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut at = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        write(at, &mut column);
        column.close().unwrap();
        at += 1;
    }
    group.close().unwrap();
    file.close().unwrap();
    Arc::new(Memory(bytes))
}

fn texts(values: &[&str], column: &mut SerializedColumnWriter<'_>) {
    let values: Vec<ByteArray> = values.iter().map(|&text| ByteArray::from(text)).collect();
    column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
}

const fn text(name: &'static str) -> Column {
    Column { name, column_type: ColumnType::Text, optional: false }
}

static TWO: Table = Table { name: "two", columns: &[text("a"), text("b")] };

#[test]
fn cells_are_read_row_by_row() {
    let required = Repetition::REQUIRED;
    let columns = [("b", Physical::BYTE_ARRAY, required), ("a", Physical::BYTE_ARRAY, required)];
    let file = file(&columns, |at, column| texts([&["1", ""], &["xyz", "vw"]][at], column));
    let mut rows = Vec::new();
    let table = TableFile::open(file, &TWO).unwrap();
    let take = &mut |row: &Row<'_>| {
        rows.push((row.str(0)?.to_owned(), row.str(1)?.to_owned(), row.text_bytes()));
        Ok(())
    };
    table.each(&|_| Ok(()), take).unwrap();
    let wanted = [("xyz", "1", 4), ("vw", "", 2)];
    assert_eq!(rows, wanted.map(|(a, b, bytes)| (a.to_owned(), b.to_owned(), bytes)));
}

#[test]
fn a_column_of_another_type_or_with_empty_cells_is_refused() {
    let opened = |physical, repetition| {
        let columns = [("a", physical, repetition), ("b", Physical::BYTE_ARRAY, repetition)];
        TableFile::open(file(&columns, |_, _| {}), &TWO).map(drop)
    };
    assert_eq!(opened(Physical::BYTE_ARRAY, Repetition::REQUIRED), Ok(()));
    for (physical, repetition) in [
        (Physical::INT64, Repetition::REQUIRED),
        (Physical::BYTE_ARRAY, Repetition::OPTIONAL),
        (Physical::INT64, Repetition::OPTIONAL),
    ] {
        let told = opened(physical, repetition).unwrap_err();
        assert_eq!(told, "has something else in its column \"a\"");
    }
}

#[test]
fn more_rows_than_the_bytes_can_hold_are_refused() {
    static FLAGS: Table = Table {
        name: "flags",
        columns: &[Column { name: "a", column_type: ColumnType::Bool, optional: false }],
    };
    let columns = [("a", Physical::BOOLEAN, Repetition::REQUIRED)];
    let open = |rows: u64, all_alike: bool| {
        let mut seed = 1_u64;
        let mut value = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            all_alike || seed >> 63 == 1
        };
        let values: Vec<bool> = (0..rows).map(|_| value()).collect();
        let file = file(&columns, |_, column| {
            column.typed::<BoolType>().write_batch(&values, None, None).unwrap();
        });
        TableFile::open(file, &FLAGS).map(|table| table.rows())
    };
    assert_eq!(open(LIMITS.table_rows_from, true), Ok(LIMITS.table_rows_from));
    let rows = LIMITS.table_rows_from + LIMITS.table_rows_ratio;
    assert_eq!(open(rows, false), Ok(rows));
    let told = open(rows, true).unwrap_err();
    assert!(told.starts_with(&format!("claims {rows} rows")), "{told}");
}

#[test]
fn rows_that_repeat_a_long_text_are_refused() {
    let columns = ["a", "b"].map(|name| (name, Physical::BYTE_ARRAY, Repetition::REQUIRED));
    let each = |length: usize| {
        let values = vec![ByteArray::from(vec![b'x'; length]); 20_000];
        // Each text is written once, in a dictionary.
        let file = file_of(WriterProperties::builder(), &columns, |_, column| {
            column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        });
        TableFile::open(file, &TWO).unwrap().each(&|_| Ok(()), &mut |_| Ok(()))
    };
    assert_eq!(each(100), Ok(()));
    let told = each(10_000).unwrap_err();
    assert!(told.contains("(table_rows_ratio)"), "{told}");
}

#[test]
fn pages_that_are_too_large_together_are_refused() {
    static FOUR: Table =
        Table { name: "four", columns: &[text("a"), text("b"), text("c"), text("d")] };
    let columns =
        ["a", "b", "c", "d"].map(|name| (name, Physical::BYTE_ARRAY, Repetition::REQUIRED));
    let long = ByteArray::from(vec![b'x'; (LIMITS.table_group / 4) as usize]);
    let file = file(&columns, |_, column| {
        column
            .typed::<ByteArrayType>()
            .write_batch(std::slice::from_ref(&long), None, None)
            .unwrap();
    });
    let told = TableFile::open(file, &FOUR).unwrap().each(&|_| Ok(()), &mut |_| Ok(()));
    assert!(told.as_ref().is_err_and(|told| told.contains("(table_group)")), "{told:?}");
}

#[test]
fn a_file_that_is_not_whole_is_told_from_one_with_a_damaged_footer() {
    let checked = |bytes: &[u8]| check_footer(&Memory(bytes.to_vec())).unwrap_err();
    let mut file = b"\x01\x02\x03\x03\0\0\0PAR1".to_vec();
    assert!(checked(&file).contains("damaged footer"));
    for (at, byte) in [(7, b'p'), (3, 4), (3, 9)] {
        let before = std::mem::replace(&mut file[at], byte);
        assert!(checked(&file).contains("isn't a whole Parquet file"), "{at}");
        file[at] = before;
    }
    assert!(checked(&file[4..]).contains("isn't a whole Parquet file"));
}
