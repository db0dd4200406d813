//! Whether the tables of a proto refer to what is there: the verdicts of `go tool pprof`.
//!
//! Accepted like there: a location of an unknown mapping, huge ids, negative values and lines.

use super::message::Message;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Where each id of a table stands in it.
#[derive(Debug)]
pub(super) enum Ids {
    /// Ids 1, 2, 3, ..., as Go and most writers number them.
    Counted(usize),
    /// Any others.
    Listed(HashMap<u64, usize, FixedState>),
}

impl Ids {
    fn new(table: &str, ids: impl Iterator<Item = u64> + Clone) -> Result<Ids, String> {
        if ids.clone().zip(1..).all(|(id, counted)| id == counted) {
            return Ok(Ids::Counted(ids.count()));
        }
        let mut listed = HashMap::default();
        for (at, id) in ids.enumerate() {
            if id == 0 {
                return Err(format!("{table}[{at}] has the reserved id 0"));
            }
            if let Some(first) = listed.insert(id, at) {
                return Err(format!("{table}[{first}] and {table}[{at}] both have the id {id}"));
            }
        }
        Ok(Ids::Listed(listed))
    }

    /// The position of an id.
    pub(super) fn find(&self, id: u64) -> Option<usize> {
        match self {
            Ids::Counted(count) => {
                let at = usize::try_from(id.checked_sub(1)?).ok()?;
                (at < *count).then_some(at)
            }
            Ids::Listed(listed) => listed.get(&id).copied(),
        }
    }
}

/// The tables that others refer to by id.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) locations: Ids,
    pub(super) functions: Ids,
}

/// Checks a message; says what is wrong by field and position.
pub(super) fn check(message: &Message<'_>) -> Result<Index, String> {
    const JOINED: &str = "concatenated profiles detected";
    if message.time_stamps > 1 {
        return Err(JOINED.to_owned());
    }
    // Every string table begins with the empty string, and few writers repeat it: together with
    // another fault it shows where a second profile begins.
    let tables = message.strings.iter().filter(|string| string.is_empty()).count();
    check_tables(message).map_err(|fault| if tables > 1 { JOINED.to_owned() } else { fault })
}

fn check_tables(message: &Message<'_>) -> Result<Index, String> {
    check_strings(message)?;
    Ids::new("mapping", message.mappings.iter().map(|mapping| mapping.id))?;
    let functions = Ids::new("function", message.functions.iter().map(|function| function.id))?;
    let locations = Ids::new("location", message.locations.iter().map(|location| location.id))?;
    for (at, location) in message.locations.iter().enumerate() {
        for line in message.lines.get(location.lines.clone()).unwrap_or_default() {
            if functions.find(line.function).is_none() {
                let function = line.function;
                return Err(format!(
                    "location[{at}] (id {}) has a line of function {function}, which is missing",
                    location.id
                ));
            }
        }
    }
    let types = message.sample_types.len();
    if types == 0 && !message.samples.is_empty() {
        return Err("missing sample type information".to_owned());
    }
    for (at, sample) in message.samples.iter().enumerate() {
        let values = sample.values.len();
        if values != types {
            return Err(format!("sample[{at}] has {values} values vs. {types} sample types"));
        }
        let stack = message.stacks.get(sample.stack.clone()).unwrap_or_default();
        if let Some(missing) = stack.iter().find(|&&id| locations.find(id).is_none()) {
            return Err(format!("sample[{at}] has location {missing}, which is missing"));
        }
    }
    Ok(Index { locations, functions })
}

/// Checks every index into the string table.
fn check_strings(message: &Message<'_>) -> Result<(), String> {
    let count = message.strings.len();
    match message.strings.first() {
        None => return Err("the string table is empty".to_owned()),
        Some(first) if !first.is_empty() => return Err("string_table[0] must be ''".to_owned()),
        Some(_) => {}
    }
    let check = |index: i64, table: &str, at: usize, name: &str| {
        if usize::try_from(index).is_ok_and(|index| index < count) {
            return Ok(());
        }
        let place = format!("{table}[{at}].{name}");
        Err(format!("{place} is string {index}, but the string table has {count}"))
    };
    for (at, kind) in message.sample_types.iter().enumerate() {
        check(kind.kind, "sample_type", at, "type")?;
        check(kind.unit, "sample_type", at, "unit")?;
    }
    if let Some(kind) = message.period_type {
        check(kind.kind, "period_type", 0, "type")?;
        check(kind.unit, "period_type", 0, "unit")?;
    }
    for (at, mapping) in message.mappings.iter().enumerate() {
        check(mapping.file, "mapping", at, "filename")?;
        check(mapping.build_id, "mapping", at, "build_id")?;
    }
    for (at, function) in message.functions.iter().enumerate() {
        check(function.name, "function", at, "name")?;
        check(function.system_name, "function", at, "system_name")?;
        check(function.file, "function", at, "filename")?;
    }
    for (at, comment) in message.comments.iter().enumerate() {
        check(*comment, "comment", at, "text")?;
    }
    for (at, sample) in message.samples.iter().enumerate() {
        for label in message.labels.get(sample.labels.clone()).unwrap_or_default() {
            check(label.key, "sample", at, "label.key")?;
            check(label.text, "sample", at, "label.str")?;
            check(label.unit, "sample", at, "label.num_unit")?;
        }
    }
    Ok(())
}
