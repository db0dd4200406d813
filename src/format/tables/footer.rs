//! The footer of a table, looked at before the `parquet` crate reads it: the crate makes room for as many
//! columns as are declared, and calls itself for columns in columns.

use super::thrift::{I32, LIST, STRUCT, Thrift};
use crate::limits::LIMITS;

/// Says what is wrong with a footer.
pub(super) fn check(footer: &[u8]) -> Result<(), String> {
    let seen = walk(footer).ok_or_else(|| "has a damaged footer".to_owned())?;
    let Seen { columns, declared, nested, chunks, groups } = seen;
    let most = LIMITS.table_columns;
    if nested || usize::try_from(declared).ok() != Some(columns) {
        return Err("has columns in columns, which no table has".to_owned());
    }
    if columns > most {
        return Err(format!("has {columns} columns, more than {most} (table_columns)"));
    }
    let most = LIMITS.table_chunks;
    // Row groups without columns take room, too.
    let chunks = chunks.max(groups.saturating_mul(columns.max(1)));
    if chunks > most {
        return Err(format!(
            "has {chunks} columns in its row groups, more than {most} (table_chunks)"
        ));
    }
    Ok(())
}

/// What a footer declares.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// Columns that its schema lists, and how many its root says that it has.
    columns: usize,
    declared: i64,
    /// Whether one of them has columns.
    nested: bool,
    /// Row groups, and columns that they list together.
    groups: usize,
    chunks: usize,
}

/// `FileMetaData`: 2 the schema, 4 the row groups.
fn walk(footer: &[u8]) -> Option<Seen> {
    let (mut thrift, mut seen) = (Thrift::new(footer), Seen::default());
    let mut last = 0;
    while let Some((number, kind)) = thrift.field(last)? {
        last = number;
        match (number, kind) {
            (2, LIST) => {
                for at in 0..structs(&mut thrift)? {
                    let children = children(&mut thrift)?;
                    if at == 0 {
                        seen.declared = children;
                    } else {
                        seen.columns = seen.columns.saturating_add(1);
                        seen.nested |= children != 0;
                    }
                }
            }
            (4, LIST) => {
                for _ in 0..structs(&mut thrift)? {
                    seen.groups = seen.groups.saturating_add(1);
                    seen.chunks = seen.chunks.saturating_add(chunks(&mut thrift)?);
                }
            }
            _ => thrift.pass_value(kind)?,
        }
    }
    Some(seen)
}

/// How many structs a list has, which stand behind this.
fn structs(thrift: &mut Thrift<'_>) -> Option<usize> {
    thrift.list().and_then(|(kind, length)| (kind == STRUCT).then_some(length))
}

/// `SchemaElement`: 5 how many of those behind it are its own.
fn children(thrift: &mut Thrift<'_>) -> Option<i64> {
    let (mut children, mut last) = (0, 0);
    while let Some((number, kind)) = thrift.field(last)? {
        last = number;
        match (number, kind) {
            (5, I32) => children = thrift.number()?,
            _ => thrift.pass_value(kind)?,
        }
    }
    Some(children)
}

/// `RowGroup`: 1 its columns.
fn chunks(thrift: &mut Thrift<'_>) -> Option<usize> {
    let (mut chunks, mut last) = (0_usize, 0);
    while let Some((number, kind)) = thrift.field(last)? {
        last = number;
        match (number, kind) {
            (1, LIST) => {
                for _ in 0..structs(thrift)? {
                    chunks = chunks.saturating_add(1);
                    thrift.pass_struct()?;
                }
            }
            _ => thrift.pass_value(kind)?,
        }
    }
    Some(chunks)
}
