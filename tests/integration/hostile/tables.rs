//! Tables whose Parquet lies: the table that is read first, written byte by byte. Those that come before
//! the caps would make the reader's library abort or work for hours.

use super::files::Hostile;
use super::write::varint;

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

fn signed(value: i64) -> Vec<u8> {
    varint((value << 1 ^ value >> 63).cast_unsigned())
}

/// A field of a Thrift struct, its number written out.
fn field(number: i64, kind: u8, value: &[u8]) -> Vec<u8> {
    [&[kind][..], &signed(number), value].concat()
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&varint(bytes.len() as u64)[..], bytes].concat()
}

fn fields(fields: &[Vec<u8>]) -> Vec<u8> {
    [&fields.concat()[..], &[0]].concat()
}

/// A list that says that it has `count` items.
fn list_of(kind: u8, count: usize, items: &[Vec<u8>]) -> Vec<u8> {
    [&[0xf0 | kind][..], &varint(count as u64), &items.concat()].concat()
}

fn list(kind: u8, items: &[Vec<u8>]) -> Vec<u8> {
    list_of(kind, items.len(), items)
}

/// A column of `inputs`: its one value stands in a dictionary, and in each row.
#[derive(Clone)]
pub(super) struct Column {
    name: String,
    /// Parquet's number of its type.
    kind: i64,
    optional: bool,
    pub(super) value: Vec<u8>,
    /// What the head of the dictionary says: bytes unpacked, bytes packed, values.
    declared: [Option<i64>; 3],
    codec: i64,
    start: Option<i64>,
    length: Option<i64>,
}

/// A table with these columns.
#[derive(Clone)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// Rows of a row group, and how many of those the footer says.
    pub(super) rows: u64,
    pub(super) claimed: Option<i64>,
    /// Row groups, all in the same pages.
    pub(super) groups: usize,
    /// Elements of the schema, if they aren't those of the columns.
    pub(super) schema: Option<Vec<u8>>,
    /// What stands behind all else in the footer.
    pub(super) extra: Vec<u8>,
}

impl Default for Table {
    fn default() -> Table {
        let column = |name: &str, kind, optional, value| Column {
            name: name.to_owned(),
            kind,
            optional,
            value,
            declared: [None; 3],
            codec: 0,
            start: None,
            length: None,
        };
        let texts = |name, value: &[u8]| column(name, 6, false, value.to_vec());
        let number = |name, value: i64| column(name, 2, false, value.to_le_bytes().to_vec());
        Table {
            columns: vec![
                texts("input", b"a.txt"),
                texts("path", b"a.txt"),
                texts("format", b"goroutine-debug2"),
                texts("labels", b"{}"),
                number("goroutines", 0),
                column("announced", 2, true, Vec::new()),
                column("complete", 0, false, vec![1]),
                number("warnings", 0),
                column("crash", 6, true, Vec::new()),
                texts("details", b"{}"),
            ],
            rows: 1,
            claimed: None,
            groups: 1,
            schema: None,
            extra: Vec::new(),
        }
    }
}

impl Column {
    /// A run of one number of one bit.
    fn run(rows: u64, bit: u8) -> Vec<u8> {
        [&varint(rows << 1)[..], &[bit]].concat()
    }

    fn pages(&self, rows: u64) -> Vec<u8> {
        let page = |kind: i64, sizes: [i64; 2], head: Vec<u8>, bytes: &[u8]| {
            let [unpacked, packed] = sizes;
            let number = if kind == 2 { 7 } else { 5 };
            let sizes = [(1, kind), (2, unpacked), (3, packed)];
            let mut all: Vec<_> = sizes.map(|(at, size)| field(at, I32, &signed(size))).into();
            all.push(field(number, STRUCT, &head));
            [fields(&all), bytes.to_vec()].concat()
        };
        let numbers = |numbers: &[i64]| {
            let numbers = (1..).zip(numbers).map(|(at, &value)| field(at, I32, &signed(value)));
            fields(&numbers.collect::<Vec<_>>())
        };
        let run = |bit| {
            let run = Column::run(rows, bit);
            [&(run.len() as u32).to_le_bytes()[..], &run].concat()
        };
        let value = match self.kind {
            6 => [&(self.value.len() as u32).to_le_bytes()[..], &self.value].concat(),
            _ => self.value.clone(),
        };
        let [unpacked, packed, values] = self.declared;
        let size = value.len() as i64;
        let sizes = [unpacked.unwrap_or(size), packed.unwrap_or(size)];
        let dictionary = page(2, sizes, numbers(&[values.unwrap_or(1), 0]), &value);
        // The encoding of the page, and what is in it.
        let (dictionary, encoding, bytes) = match (self.kind, self.optional) {
            (0, _) => (Vec::new(), 3, run(1)),
            (_, true) => (Vec::new(), 0, run(0)),
            _ => (dictionary, 8, [&[1][..], &Column::run(rows, 0)].concat()),
        };
        let size = bytes.len() as i64;
        let data = page(0, [size, size], numbers(&[rows as i64, encoding, 3, 3]), &bytes);
        [dictionary, data].concat()
    }
}

impl Table {
    /// The whole file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"PAR1".to_vec();
        let rows = self.claimed.unwrap_or(self.rows as i64);
        let mut chunks = Vec::new();
        for column in &self.columns {
            let start = bytes.len() as i64;
            bytes.extend(column.pages(self.rows));
            let length = column.length.unwrap_or(bytes.len() as i64 - start);
            let start = signed(column.start.unwrap_or(start));
            let meta = fields(&[
                field(1, I32, &signed(column.kind)),
                field(2, LIST, &list(I32, &[signed(0), signed(3), signed(8)])),
                field(3, LIST, &list(BINARY, &[text(column.name.as_bytes())])),
                field(4, I32, &signed(column.codec)),
                field(5, I64, &signed(rows)),
                field(6, I64, &signed(length)),
                field(7, I64, &signed(length)),
                field(9, I64, &start),
            ]);
            chunks.push(fields(&[field(2, I64, &start), field(3, STRUCT, &meta)]));
        }
        let group = fields(&[
            field(1, LIST, &list(STRUCT, &chunks)),
            field(2, I64, &signed(1)),
            field(3, I64, &signed(rows)),
        ]);
        let footer = fields(&[
            field(1, I32, &signed(2)),
            field(2, LIST, &self.schema.clone().unwrap_or_else(|| self.schema())),
            field(3, I64, &signed(rows.saturating_mul(self.groups as i64))),
            field(4, LIST, &list(STRUCT, &vec![group; self.groups])),
            field(
                5,
                LIST,
                &list(
                    STRUCT,
                    &[fields(&[
                        field(1, BINARY, &text(b"stackgazer.schema")),
                        field(2, BINARY, &text(b"stackgazer.tables/1")),
                    ])],
                ),
            ),
            self.extra.clone(),
        ]);
        let length = (footer.len() as u32).to_le_bytes();
        [bytes, footer, length.to_vec(), b"PAR1".to_vec()].concat()
    }

    fn schema(&self) -> Vec<u8> {
        let mut elements = vec![root(self.columns.len() as i64)];
        elements.extend(self.columns.iter().map(|column| {
            fields(&[
                field(1, I32, &signed(column.kind)),
                field(3, I32, &signed(column.optional.into())),
                field(4, BINARY, &text(column.name.as_bytes())),
            ])
        }));
        list(STRUCT, &elements)
    }
}

/// What holds so many columns.
fn root(columns: i64) -> Vec<u8> {
    fields(&[
        field(3, I32, &signed(0)),
        field(4, BINARY, &text(b"schema")),
        field(5, I32, &signed(columns)),
    ])
}

/// The files, each in a folder of its own.
pub(super) fn all() -> Vec<Hostile> {
    let with = |change: &dyn Fn(&mut Table)| {
        let mut table = Table::default();
        change(&mut table);
        table.bytes()
    };
    let one = |change: &dyn Fn(&mut Column)| with(&|table| change(&mut table.columns[0]));
    let bad = |name, bytes, says| Hostile { name, bytes, code: 2, goroutines: None, says };
    let mut length = with(&|_| ());
    let at = length.len() - 8;
    length[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    // A frame of zstd that says that it has 200 bytes and has two.
    let short = b"\x28\xb5\x2f\xfd\x20\xc8\x11\0\0ab";
    vec![
        // Nothing is wrong with it, but it is alone.
        bad("table-whole/inputs.parquet", with(&|_| ()), "stacks.parquet: is missing"),
        bad("table-length/inputs.parquet", length, "isn't a whole Parquet file"),
        bad(
            "table-list/inputs.parquet",
            with(&|table| table.extra = field(9, LIST, &list_of(STRUCT, 1 << 28, &[]))),
            "has a damaged footer",
        ),
        bad(
            "table-deep/inputs.parquet",
            with(&|table| table.extra = field(9, STRUCT, &[0x1c; 1000])),
            "has a damaged footer",
        ),
        bad(
            "table-children/inputs.parquet",
            with(&|table| table.schema = Some(list(STRUCT, &[root(i32::MAX.into())]))),
            "columns in columns",
        ),
        bad(
            "table-nested/inputs.parquet",
            with(&|table| table.schema = Some(list(STRUCT, &vec![root(1); 3000]))),
            "columns in columns",
        ),
        bad(
            "table-columns/inputs.parquet",
            with(&|table| {
                let elements = (0..1002).map(|at| root(if at == 0 { 1001 } else { 0 }));
                table.schema = Some(list(STRUCT, &elements.collect::<Vec<_>>()));
            }),
            "(table_columns)",
        ),
        bad(
            "table-rows/inputs.parquet",
            with(&|table| table.claimed = Some(1 << 40)),
            "(table_rows_ratio)",
        ),
        bad(
            "table-missing-rows/inputs.parquet",
            with(&|table| table.claimed = Some(1000)),
            "has fewer rows than there are",
        ),
        bad(
            "table-page/inputs.parquet",
            one(&|column| column.declared[0] = Some((64 << 20) + 1)),
            "(table_page)",
        ),
        bad(
            "table-group/inputs.parquet",
            with(&|table| {
                for column in &mut table.columns {
                    column.declared[0] = Some(60 << 20);
                }
            }),
            "(table_group)",
        ),
        bad(
            "table-values/inputs.parquet",
            one(&|column| column.declared[2] = Some(1 << 30)),
            "is damaged",
        ),
        bad(
            "table-packed/inputs.parquet",
            one(&|column| column.declared[1] = Some(-1)),
            "is damaged",
        ),
        bad(
            "table-short/inputs.parquet",
            one(&|column| {
                column.codec = 6;
                column.kind = 6;
                column.value = short.to_vec();
                column.declared[0] = Some(200);
            }),
            "is damaged",
        ),
        bad(
            "table-start/inputs.parquet",
            one(&|column| column.start = Some(-1)),
            "before its start",
        ),
        bad(
            "table-end/inputs.parquet",
            one(&|column| column.length = Some(1 << 40)),
            "behind the end of the file",
        ),
        bad("table-twice/inputs.parquet", with(&|table| table.rows = 2), "twice"),
        bad("table-text/inputs.parquet", one(&|column| column.value = b"a\xff".to_vec()), "UTF-8"),
    ]
}
