//! `-o csv` of `export` and `filter`: a row per goroutine, or per group if the input only counts.
//!
//! For profiles that don't count goroutines, `count` is the value of the selected type, and columns at the
//! end have the values of all types, with names like `inuse_space/bytes`.
//!
//! RFC 4180 with LF, and a line for each row: a line break in a name is written as `\n` or `\r`, as in text
//! for people, or the name's next line could be a command to whatever reads a log. Labels are written as
//! `k=v`, separated by `; `, with those of the input's path, which have no other place. Text that a
//! spreadsheet would run as a formula gets a `'`, also inside a cell behind a `;` or a tab.

use crate::group::Group;
use crate::profile::{Goroutine, InputId, LabelsId, Profile, SampleType};
use crate::view::goroutines::export::{Category, Export, Stack};
use crate::view::rows::saturated;
use bstr::ByteSlice;
use std::borrow::Cow;
use std::io::{self, Write};

/// The columns; later versions only add to them.
pub const COLUMNS: [&str; 14] = [
    "input",
    "goroutine",
    "count",
    "category",
    "name",
    "state",
    "kind",
    "wait_minutes",
    "flags",
    "labels",
    "created_by",
    "created_by_func",
    "stack",
    "shape",
];

/// Rows as this program writes them: separated by LF, so `grep` and `cut` see whole lines.
fn rows(out: &mut dyn Write) -> csv::Writer<&mut dyn Write> {
    csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out)
}

/// Returns the cell of a row.
type Cell<'a, R> = Box<dyn Fn(R) -> Vec<u8> + 'a>;

/// The columns of a table: their names and cells.
pub(super) struct Columns<'a, R>(Vec<(String, Cell<'a, R>)>);

impl<R> Default for Columns<'_, R> {
    fn default() -> Self {
        Columns(Vec::new())
    }
}

impl<'a, R: Clone> Columns<'a, R> {
    /// Adds a column; [`text`], [`number`] and [`maybe`] make its cells.
    pub(super) fn add(&mut self, name: impl Into<String>, cell: impl Fn(R) -> Vec<u8> + 'a) {
        self.0.push((name.into(), Box::new(cell)));
    }

    /// Writes a header and the rows.
    pub(super) fn write(
        &self,
        all: impl IntoIterator<Item = R>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut rows = rows(out);
        rows.write_record(self.0.iter().map(|(name, _)| text(name))).map_err(io_error)?;
        for row in all {
            rows.write_record(self.0.iter().map(|(_, cell)| cell(row.clone())))
                .map_err(io_error)?;
        }
        rows.flush()
    }
}

/// A cell of text.
pub(super) fn text(text: impl AsRef<[u8]>) -> Vec<u8> {
    guard(text.as_ref()).into_owned()
}

/// A cell with a number, or with another text that can't be a formula.
pub(super) fn number(number: impl ToString) -> Vec<u8> {
    number.to_string().into_bytes()
}

/// A cell with a number, if there is one.
pub(super) fn maybe(number: Option<impl ToString>) -> Vec<u8> {
    number.map(self::number).unwrap_or_default()
}

/// Writes header and rows.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = rows(out);
    let columns = COLUMNS.map(|column| column.as_bytes().to_vec());
    let columns = columns.into_iter().chain(value_columns(export.profile));
    rows.write_record(columns).map_err(io_error)?;
    for (category, stack, group) in export.all_groups() {
        write_group(export, category, stack, group, &mut rows)?;
    }
    rows.flush()
}

/// A column for each sample type, unless goroutines are counted.
fn value_columns(profile: &Profile) -> Vec<Vec<u8>> {
    if profile.counts_goroutines() {
        return Vec::new();
    }
    let column = |of: &SampleType| [profile.str(of.kind), profile.str(of.unit)].join(&b'/');
    profile.sample_types().iter().map(|of| guard(&column(of)).into_owned()).collect()
}

fn write_group<W: Write>(
    export: &Export<'_>,
    category: &Category<'_>,
    stack: &Stack<'_>,
    group: &Group,
    rows: &mut csv::Writer<W>,
) -> io::Result<()> {
    let profile = export.profile;
    let input = guard(profile.input(group.input).name.as_bytes());
    let (category, name) = (guard(category.name), guard(stack.name));
    let state = guard(group.state.map_or(b"", |state| profile.str(state)));
    let flags: Vec<&[u8]> =
        profile.flags(group.flags).iter().map(|&flag| profile.str(flag)).collect();
    let flags = flags.join(&b"; "[..]);
    let labels = label_text(profile, group.input, group.labels);
    let (flags, labels) = (guard(&flags), guard(&labels));
    let creator = guard(group.creator.map_or(b"", |creator| export.names.func(creator)));
    let (id, shape) = (stack.id.hex(), stack.shape.hex());
    let number = |value: i128| saturated(value).to_string();
    let values: Vec<String> = group.values.iter().map(|&value| number(value)).collect();
    let mut row = |count: i128, goroutine: Option<&Goroutine>| {
        let wait = goroutine.and_then(|goroutine| goroutine.wait.known());
        let text = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        for cell in [
            &*input,
            text(goroutine.map(|goroutine| goroutine.id)).as_bytes(),
            number(count).as_bytes(),
            &*category,
            &*name,
            &*state,
            group.kind.name().as_bytes(),
            wait.map_or(String::new(), |minutes| minutes.to_string()).as_bytes(),
            &*flags,
            &*labels,
            text(goroutine.and_then(Goroutine::creator)).as_bytes(),
            &*creator,
            &id,
            &shape,
        ] {
            rows.write_field(cell).map_err(io_error)?;
        }
        for value in &values {
            rows.write_field(value).map_err(io_error)?;
        }
        rows.write_record(None::<&[u8]>).map_err(io_error)
    };
    if !values.is_empty() {
        return row(group.count, None);
    }
    if group.only_counted() != 0 {
        row(group.only_counted(), None)?;
    }
    for &at in export.goroutines(group) {
        row(1, Some(export.goroutine(at)))?;
    }
    Ok(())
}

/// The labels of a goroutine and of its input's path; its own take precedence.
fn label_text(profile: &Profile, input: InputId, labels: LabelsId) -> Vec<u8> {
    let own = profile.labels(labels);
    let path = profile.labels(profile.input(input).labels).iter();
    let path = path.filter(|label| own.iter().all(|other| other.key != label.key));
    let mut all: Vec<_> = own.iter().chain(path).collect();
    all.sort_by_key(|label| profile.str(label.key));
    let mut text = Vec::new();
    for label in all {
        if !text.is_empty() {
            text.extend_from_slice(b"; ");
        }
        text.extend_from_slice(profile.str(label.key));
        text.push(b'=');
        text.extend_from_slice(&profile.label_text(label.value));
    }
    text
}

/// The error of the writer below, whose kind distinguishes a closed pipe from a full disk; `?` would make
/// it [`io::ErrorKind::Other`].
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A text cell on one line, that no spreadsheet takes for a formula.
fn guard(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\n', b'\r', text).is_some() {
        return guard(&text.replace("\n", "\\n").replace("\r", "\\r")).into_owned().into();
    }
    // Spreadsheets in East Asian languages treat the wide characters like the others.
    let signs = ["=", "+", "-", "@", "\t", "＝", "＋", "－", "＠"];
    // Where commas are for decimals, spreadsheets split rows at semicolons, and some at tabs.
    let cells = memchr::memchr2_iter(b';', b'\t', text).map(|at| at + 1);
    let mut guarded = Vec::new();
    let mut from = 0;
    for cell in std::iter::once(0).chain(cells) {
        // Behind a separator quotes don't start the cell, as those around it do.
        let quotes = text[cell..].iter().take_while(|&&byte| cell > 0 && byte == b'"').count();
        if signs.iter().any(|sign| text[cell + quotes..].starts_with(sign.as_bytes())) {
            guarded.extend_from_slice(&text[from..cell]);
            guarded.push(b'\'');
            from = cell;
        }
    }
    if guarded.is_empty() {
        return text.into();
    }
    guarded.extend_from_slice(&text[from..]);
    guarded.into()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, Maker};
    use super::*;
    use crate::profile::{InputFormat, Wait};

    /// A pipe that nobody reads any more.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_told_as_such() {
        // Longer than the writer's buffer, so that writing a row fails.
        let mut rows = csv::Writer::from_writer(Closed);
        let error = rows.write_record([[b'x'; 1 << 14]]).map_err(io_error).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    fn rows(fixture: &Fixture) -> Vec<Vec<String>> {
        let export = Export::new(&fixture.profile, &fixture.names, &fixture.selection);
        let mut out = Vec::new();
        write(&export, &mut out).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(out.as_slice());
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        reader.byte_records().map(|row| row.unwrap().iter().map(text).collect()).collect()
    }

    fn column(row: &[String], name: &str) -> String {
        row[COLUMNS.iter().position(|column| *column == name).unwrap()].clone()
    }

    #[test]
    fn there_is_a_row_for_each_goroutine_and_each_counted_group() {
        let rows = rows(&Fixture::everything());
        assert_eq!(rows[0], COLUMNS);
        let ids: Vec<String> = rows[1..].iter().map(|row| column(row, "goroutine")).collect();
        let mut sorted = ids.clone();
        sorted.sort();
        assert_eq!(sorted, ["", "0", "17", "4", "8", "9007199254740993"]);
        let counts: Vec<String> = rows[1..].iter().map(|row| column(row, "count")).collect();
        assert_eq!(counts.iter().filter(|count| *count == "1").count(), 5);
        let counted = rows.iter().find(|row| column(row, "count") == "12").unwrap();
        assert_eq!(column(counted, "input"), "n10");
        assert_eq!(column(counted, "wait_minutes"), "");
        assert_eq!(column(counted, "labels"), "empty=; k=1; k=2");
    }

    #[test]
    fn a_row_says_everything_of_a_goroutine() {
        let rows = rows(&Fixture::everything());
        let row = rows.iter().find(|row| column(row, "goroutine") == "4").unwrap();
        for (name, expected) in [
            ("input", "n2"),
            ("state", "sync.Cond.Wait"),
            ("wait_minutes", "2.5"),
            ("created_by", "1"),
            ("created_by_func", "main.start"),
        ] {
            assert_eq!(column(row, name), expected, "{name}");
        }
        assert_eq!((column(row, "stack").len(), column(row, "shape").len()), (24, 24));
        let row = rows.iter().find(|row| column(row, "goroutine") == "8").unwrap();
        assert_eq!(column(row, "flags"), "leaked; locked to thread; synctest bubble 7");
        assert_eq!(column(row, "wait_minutes"), "");
    }

    #[test]
    fn own_labels_win_over_those_of_the_path() {
        let rows = rows(&Fixture::everything());
        let row = rows.iter().find(|row| column(row, "goroutine") == "17").unwrap();
        assert_eq!(column(row, "labels"), "a b==x, \"]:\\nü; node=2; tenant=acme");
        let row = rows.iter().find(|row| column(row, "goroutine") == "8").unwrap();
        assert_eq!(column(row, "labels"), "node=2; tenant=other");
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut maker = Maker::new();
        let input = maker.input("=cmd()", InputFormat::Debug2);
        let stack = maker.stack(&[(b"main.work", b"main.go", 1)]);
        let mut spec = maker.spec(input, stack, "@state");
        spec.labels = maker.labels(&[(b"+k", b"v")]);
        spec.flags = maker.flags(&[b"\tflag"]);
        spec.creator = Some(maker.builder.frame(b"-func", b"x.go", 1));
        maker.goroutine(&spec, 1, Wait::ZERO, None);
        let rows = rows(&Fixture::new(maker));
        for (name, expected) in [
            ("input", "'=cmd()"),
            ("state", "'@state"),
            ("labels", "'+k=v"),
            ("flags", "'\tflag"),
            ("created_by_func", "'-func"),
            ("wait_minutes", "0"),
        ] {
            assert_eq!(column(&rows[1], name), expected, "{name}");
        }
    }

    #[test]
    fn wide_signs_are_guarded_as_others() {
        for text in ["＝1", "＋1", "－1", "＠x", "\t1", "=1"] {
            assert_eq!(*guard(text.as_bytes()), *format!("'{text}").as_bytes());
        }
        for text in ["", "main.work", "数=1", " =1"] {
            assert_eq!(*guard(text.as_bytes()), *text.as_bytes());
        }
    }

    #[test]
    fn no_part_of_a_cell_is_a_formula_where_rows_are_split_at_semicolons_or_tabs() {
        for (text, expected) in [
            ("a;=cmd()", "a;'=cmd()"),
            ("a\t@b;;+1;－", "a\t'@b;;'+1;'－"),
            ("=a;=b", "'=a;'=b"),
            ("\t=1", "'\t'=1"),
            ("a;\"\"=1\t\"+1", "a;'\"\"=1\t'\"+1"),
        ] {
            assert_eq!(*guard(text.as_bytes()), *expected.as_bytes(), "{text}");
        }
        for text in ["k=v; l=w", "main.F[struct { a int; b int }]", "a;", "\u{e4};b"] {
            assert_eq!(*guard(text.as_bytes()), *text.as_bytes());
        }
    }

    #[test]
    fn line_breaks_are_written_out() {
        assert_eq!(*guard(b"a\r\n::b\n"), *br"a\r\n::b\n");
        assert_eq!(*guard(b"\n=1"), *br"\n=1");
        assert_eq!(*guard(b"=1\n"), *br"'=1\n");
    }

    #[test]
    fn negative_counts_stay_numbers() {
        let mut maker = Maker::new();
        let input = maker.input("delta", InputFormat::Debug0);
        let stack = maker.stack(&[(b"main.work", b"main.go", 1)]);
        let spec = maker.spec(input, stack, "");
        maker.count(&spec, -5);
        assert_eq!(column(&rows(&Fixture::new(maker))[1], "count"), "-5");
    }
}
