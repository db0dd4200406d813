//! Folders of Parquet tables, as `export -o parquet` writes them: their tables and columns.
//!
//! Reading them back gives the samples in the order in which they were written, so every command
//! reports the same as for the dumps. They don't have addresses of code and arguments of calls.

mod details;
mod file;
mod footer;
mod labels;
mod page;
mod read;
mod thrift;

pub use details::{AncestorRow, CrashRow, Details, HeaderRow};
pub use file::SharedFile;
pub use labels::{labels_from_json, labels_to_json};
pub use read::read;

/// The schema of the tables, under [`SCHEMA_KEY`] in their metadata.
pub const SCHEMA: &str = "stackgazer.tables/1";

/// The key of the schema.
pub const SCHEMA_KEY: &str = "stackgazer.schema";

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// UTF-8.
    Text,
    /// 64 bits, with sign.
    Int,
    /// 64 bits.
    Float,
    /// A truth value.
    Bool,
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub column_type: ColumnType,
    /// Whether its cells can be empty.
    pub optional: bool,
}

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its file, without `.parquet`.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

const fn text(name: &'static str) -> Column {
    Column { name, column_type: ColumnType::Text, optional: false }
}

const fn int(name: &'static str) -> Column {
    Column { name, column_type: ColumnType::Int, optional: false }
}

const fn float(name: &'static str) -> Column {
    Column { name, column_type: ColumnType::Float, optional: false }
}

const fn truth(name: &'static str) -> Column {
    Column { name, column_type: ColumnType::Bool, optional: false }
}

const fn maybe(column: Column) -> Column {
    Column { optional: true, ..column }
}

/// A row for each dump.
pub const INPUTS: Table = Table {
    name: "inputs",
    columns: &[
        text("input"),
        text("path"),
        text("format"),
        text("labels"),
        int("goroutines"),
        maybe(int("announced")),
        truth("complete"),
        int("warnings"),
        maybe(text("crash")),
        text("details"),
    ],
};

/// A row for each distinct stack.
pub const STACKS: Table = Table {
    name: "stacks",
    columns: &[text("stack"), text("shape"), text("category"), text("name"), int("depth")],
};

/// A row for each frame of each stack, leaf first.
pub const FRAMES: Table = Table {
    name: "frames",
    columns: &[
        text("stack"),
        int("index"),
        text("func"),
        text("file"),
        int("line"),
        text("package"),
        text("module"),
    ],
};

/// A row for each group of goroutines of an input that share all but their ids and waits.
pub const GROUPS: Table = Table {
    name: "groups",
    columns: &[
        int("group_id"),
        text("input"),
        text("stack"),
        text("full_stack"),
        maybe(text("state")),
        text("kind"),
        text("flags"),
        text("labels"),
        maybe(text("creator")),
        maybe(text("creator_file")),
        maybe(int("creator_line")),
        maybe(int("elided_after")),
        maybe(int("elided")),
        int("count"),
        int("waits_known"),
        maybe(float("wait_min")),
        maybe(float("wait_max")),
        maybe(int("longest")),
        int("waits_long"),
    ],
};

/// A row for each goroutine whose id is in the dump.
pub const GOROUTINES: Table = Table {
    name: "goroutines",
    columns: &[
        text("input"),
        int("group_id"),
        int("id"),
        text("stack"),
        maybe(float("wait_minutes")),
        maybe(int("creator")),
        maybe(text("ancestors")),
    ],
};

/// A row for each value of each group of an input that doesn't count goroutines.
pub const VALUES: Table = Table {
    name: "values",
    columns: &[
        text("input"),
        int("group_id"),
        text("stack"),
        text("type"),
        text("unit"),
        int("value"),
    ],
};

/// A row for each goroutine whose addresses are kept, to show who waits for whom.
pub const ADDRESSES: Table = Table {
    name: "addresses",
    columns: &[
        text("input"),
        int("group_id"),
        int("row"),
        int("ordinal"),
        int("id"),
        maybe(float("wait_minutes")),
        truth("waits"),
        maybe(int("lock")),
        text("words"),
    ],
};

/// All tables; the first marks a folder as one of tables, and is written last.
pub const TABLES: [&Table; 7] =
    [&INPUTS, &STACKS, &FRAMES, &GROUPS, &GOROUTINES, &VALUES, &ADDRESSES];
