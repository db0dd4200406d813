//! Folders of Parquet tables, as `export -o parquet` writes them: what stands in which column.
//!
//! Reading them back gives the samples, in the order in which they were written, so that every command
//! says of them what it says of the dumps. Addresses of code and arguments of calls aren't in them.

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

/// What the tables say they are, under [`SCHEMA_KEY`] of their metadata.
pub const SCHEMA: &str = "stackgazer.tables/1";

/// Where they say it.
pub const SCHEMA_KEY: &str = "stackgazer.schema";

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// UTF-8.
    Text,
    /// 64 bits, with sign.
    Int,
    /// 64 bits.
    Float,
    /// Yes or no.
    Bool,
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub of: Of,
    /// Whether a row may have nothing in it.
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
    Column { name, of: Of::Text, optional: false }
}

const fn int(name: &'static str) -> Column {
    Column { name, of: Of::Int, optional: false }
}

const fn float(name: &'static str) -> Column {
    Column { name, of: Of::Float, optional: false }
}

const fn truth(name: &'static str) -> Column {
    Column { name, of: Of::Bool, optional: false }
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

/// A row for each different stack.
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

/// A row for those goroutines of an input that share all but their ids and waits.
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

/// A row for each goroutine of which the dump tells the id.
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

/// A row for each goroutine of which addresses are kept, to tell who waits for whom.
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

/// All of them; the first makes a folder one of tables, and is written last.
pub const TABLES: [&Table; 7] =
    [&INPUTS, &STACKS, &FRAMES, &GROUPS, &GOROUTINES, &VALUES, &ADDRESSES];
