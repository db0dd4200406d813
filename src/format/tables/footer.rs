//! The footer of a table, checked before the `parquet` crate reads it: the crate allocates memory
//! for as many columns as are declared, and recurses for nested columns.

use super::thrift::{I32, LIST, STRUCT, Thrift};
use crate::limits::LIMITS;

/// Checks a footer.
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
    // Row groups without columns take memory too.
    let chunks = chunks.max(groups.saturating_mul(columns.max(1)));
    if chunks > most {
        return Err(format!(
            "has {chunks} columns in its row groups, more than {most} (table_chunks)"
        ));
    }
    Ok(())
}

/// The sizes that a footer declares.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// The columns that its schema lists, and the number that its root declares.
    columns: usize,
    declared: i64,
    /// Whether a column has columns.
    nested: bool,
    /// The row groups, and the columns that they list together.
    groups: usize,
    chunks: usize,
}

/// `FileMetaData`: 2 the schema, 4 the row groups.
fn walk(footer: &[u8]) -> Option<Seen> {
    let mut seen = Seen::default();
    Thrift::new(footer).fields(|thrift, field| {
        match field {
            (2, LIST) => {
                for at in 0..structs(thrift)? {
                    let children = children(thrift)?;
                    if at == 0 {
                        seen.declared = children;
                    } else {
                        seen.columns = seen.columns.saturating_add(1);
                        seen.nested |= children != 0;
                    }
                }
            }
            (4, LIST) => {
                for _ in 0..structs(thrift)? {
                    seen.groups = seen.groups.saturating_add(1);
                    seen.chunks = seen.chunks.saturating_add(chunks(thrift)?);
                }
            }
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(seen)
}

/// The number of structs in a list; the structs follow.
fn structs(thrift: &mut Thrift<'_>) -> Option<usize> {
    thrift.list().and_then(|(kind, length)| (kind == STRUCT).then_some(length))
}

/// `SchemaElement`: 5 how many of the next elements are its children.
fn children(thrift: &mut Thrift<'_>) -> Option<i64> {
    let mut children = 0;
    thrift.fields(|thrift, field| {
        let is_it = field == (5, I32);
        if is_it {
            children = thrift.number()?;
        }
        Some(is_it)
    })?;
    Some(children)
}

/// `RowGroup`: 1 its columns.
fn chunks(thrift: &mut Thrift<'_>) -> Option<usize> {
    let mut chunks = 0_usize;
    thrift.fields(|thrift, field| {
        let is_it = field == (1, LIST);
        if is_it {
            for _ in 0..structs(thrift)? {
                chunks = chunks.saturating_add(1);
                thrift.skip_value(STRUCT)?;
            }
        }
        Some(is_it)
    })?;
    Some(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of this many bits at most, as Thrift writes it.
    fn number(number: usize) -> Vec<u8> {
        let (mut rest, mut bytes) = (number, Vec::new());
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    }

    /// The head of a list of so many structs.
    fn structs(count: usize) -> Vec<u8> {
        [&[0xfc][..], &number(count)].concat()
    }

    /// A footer of columns with so many children each, and row groups with so many columns each.
    fn footer(declared: usize, children: &[usize], groups: &[usize]) -> Vec<u8> {
        let column = |children: usize| [&[0x55][..], &number(2 * children), &[0]].concat();
        let mut bytes = [&[0x29][..], &structs(children.len() + 1), &column(declared)].concat();
        bytes.extend(children.iter().flat_map(|&children| column(children)));
        bytes.push(0x29);
        bytes.extend(structs(groups.len()));
        for &columns in groups {
            bytes.push(0x19);
            bytes.extend(structs(columns));
            bytes.extend(vec![0; columns + 1]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_footer_declares_what_it_lists_and_not_too_much() {
        let columns = LIMITS.table_columns;
        let groups = LIMITS.table_chunks / 2;
        for (footer, told) in [
            (footer(2, &[0, 0], &[2, 2]), None),
            (footer(columns, &vec![0; columns], &[]), None),
            (footer(2, &[0, 0], &vec![2; groups]), None),
            (footer(3, &[0, 0], &[]), Some("columns in columns")),
            (footer(2, &[1, 0], &[]), Some("columns in columns")),
            (footer(2, &[1, 1], &[]), Some("columns in columns")),
            (footer(columns + 1, &vec![0; columns + 1], &[]), Some("(table_columns)")),
            (footer(columns + 9, &vec![0; columns + 9], &[]), Some("(table_columns)")),
            (footer(2, &[0, 0], &vec![2; groups + 1]), Some("(table_chunks)")),
            (footer(2, &[0, 0], &vec![0; groups + 1]), Some("(table_chunks)")),
            (footer(2, &[0, 0], &[2])[..12].to_vec(), Some("damaged footer")),
        ] {
            let checked = check(&footer);
            match told {
                None => assert_eq!(checked, Ok(())),
                Some(told) => {
                    assert!(checked.as_ref().is_err_and(|e| e.contains(told)), "{checked:?}")
                }
            }
        }
    }
}
