//! Tables that are small on disk, and large or long to read when they are believed.

use super::sound;
use crate::sandbox::{Ran, Sandbox, files_below, testdata};
use parquet::basic::{Compression, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use stackgazer::format::tables::{ColumnType, SCHEMA, SCHEMA_KEY, TABLES};
use std::ffi::OsStr;
use std::sync::Arc;

/// The table of stacks with so many rows, of which the ids are what `id` says; each row has a page of its
/// own in each column.
fn pages(rows: usize, id: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let table = TABLES.into_iter().find(|table| table.name == "stacks").expect("a table");
    let columns = table.columns.iter().map(|column| {
        let physical = match column.column_type {
            ColumnType::Text => Physical::BYTE_ARRAY,
            ColumnType::Int => Physical::INT64,
            ColumnType::Float => Physical::DOUBLE,
            ColumnType::Bool => Physical::BOOLEAN,
        };
        let built = Type::primitive_type_builder(column.name, physical);
        Arc::new(built.with_repetition(Repetition::REQUIRED).build().expect("a column"))
    });
    let schema = Type::group_type_builder("schema").with_fields(columns.collect()).build();
    let version = KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_data_page_row_count_limit(1)
        .set_write_batch_size(1)
        .set_key_value_metadata(Some(vec![version]));
    let (mut bytes, properties) = (Vec::new(), Arc::new(properties.build()));
    let schema = Arc::new(schema.expect("a schema"));
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties).expect("a file");
    let mut group = file.next_row_group().expect("rows");
    for column in table.columns {
        let mut writer = group.next_column().expect("a column").expect("one more column");
        for row in 0..rows {
            let text = if column.name == "stack" { id(row) } else { b"x".to_vec() };
            let text = ByteArray::from(text);
            match column.column_type {
                ColumnType::Text => {
                    writer.typed::<ByteArrayType>().write_batch(&[text], None, None)
                }
                ColumnType::Int => writer.typed::<Int64Type>().write_batch(&[1], None, None),
                ColumnType::Float => writer.typed::<DoubleType>().write_batch(&[0.0], None, None),
                ColumnType::Bool => writer.typed::<BoolType>().write_batch(&[false], None, None),
            }
            .expect("a row");
        }
        writer.close().expect("a column");
    }
    group.close().expect("rows");
    file.close().expect("a file");
    bytes
}

/// The answer to the tables of the test data with other stacks.
fn answer(stacks: Vec<u8>) -> Ran {
    let sandbox = Sandbox::new();
    for path in files_below(&testdata("tables")) {
        let file = path.file_name().and_then(OsStr::to_str).expect("a name");
        sandbox.file(format!("tables/{file}"), std::fs::read(&path).expect("a table"));
    }
    sandbox.file("tables/stacks.parquet", stacks);
    sound(sandbox.run_small(["summarize", "--threads", "1", "tables"]))
}

/// Bytes that pack to a hundredth, not to nothing: the ratio lets them pass.
fn long(number: usize) -> Vec<u8> {
    let mut seed = number as u64 + 1;
    let mut block = Vec::new();
    while block.len() < 300 << 10 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        block.push(b'a' + (seed >> 59) as u8 % 26);
    }
    block.repeat(100)
}

#[test]
fn texts_for_which_there_is_no_room_are_refused() {
    let bytes = pages(24, long);
    assert!((1 << 20..16 << 20).contains(&bytes.len()), "{}", bytes.len());
    answer(bytes).code(2).says("tables/stacks.parquet: its profiles, distinct stacks");
}
