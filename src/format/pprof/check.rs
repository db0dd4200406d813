//! Checks that the references in a proto are valid, with the verdicts of `go tool pprof`.
//!
//! Accepted as there: a location in an unknown mapping, huge ids, negative values and lines.

use super::field;
use super::message::Message;
use super::proto::Sample;
use super::wire::Damage;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The position of each id in a table.
#[derive(Debug)]
pub(super) enum Ids {
    /// Ids 1, 2, 3, ..., as Go and most writers number them.
    Counted(usize),
    /// Any other ids.
    Listed(HashMap<u64, usize, FixedState>),
}

impl Ids {
    fn new(table: u32, ids: impl Iterator<Item = u64> + Clone) -> Result<Ids, Fault> {
        let name = field::name(table);
        if ids.clone().zip(1..).all(|(id, counted)| id == counted) {
            return Ok(Ids::Counted(ids.count()));
        }
        let mut listed = HashMap::default();
        for (at, id) in ids.enumerate() {
            if id == 0 {
                let what = format!("{name}[{at}] has the reserved id 0");
                return Err(Fault::Entry(table, at, what));
            }
            if let Some(first) = listed.insert(id, at) {
                let what = format!("{name}[{first}] and {name}[{at}] both have the id {id}");
                return Err(Fault::Entry(table, at, what));
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

/// The positions of ids in the tables that others refer to.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) mappings: Ids,
    pub(super) locations: Ids,
    pub(super) functions: Ids,
}

/// What is wrong with a message.
#[derive(Debug)]
pub(super) enum Fault {
    /// Damaged bytes of a sample.
    Damage(Damage),
    /// A wrong entry of a table: the table's field number, the position of the entry, what is
    /// wrong.
    Entry(u32, usize, String),
    /// There is no string table.
    NoStrings,
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Fault {
        Fault::Damage(damage)
    }
}

/// Checks a message; errors name the field and the position.
pub(super) fn check(message: &Message<'_>) -> Result<Index, Fault> {
    const JOINED: &str = "concatenated profiles detected";
    if message.time_stamps > 1 {
        return Err(Fault::Entry(field::TIME_NANOS, 1, JOINED.to_owned()));
    }
    // Every string table begins with the empty string, and few writers repeat it: together with
    // another fault, a second one shows where a second profile begins.
    let mut tables = message.strings.iter().enumerate().filter(|(_, string)| string.is_empty());
    let second = tables.nth(1).map(|(at, _)| at);
    check_tables(message).map_err(|fault| match (fault, second) {
        (Fault::Entry(..), Some(at)) => Fault::Entry(field::STRING, at, JOINED.to_owned()),
        (fault, _) => fault,
    })
}

fn check_tables(message: &Message<'_>) -> Result<Index, Fault> {
    check_strings(message)?;
    let mappings =
        Ids::new(field::MAPPING, message.profile.mapping.iter().map(|mapping| mapping.id))?;
    let functions =
        Ids::new(field::FUNCTION, message.profile.function.iter().map(|function| function.id))?;
    let locations =
        Ids::new(field::LOCATION, message.profile.location.iter().map(|location| location.id))?;
    for (at, location) in message.profile.location.iter().enumerate() {
        for line in &location.line {
            if functions.find(line.function).is_none() {
                let function = line.function;
                let what = format!(
                    "location[{at}] (id {}) has a line of function {function}, which is missing",
                    location.id
                );
                return Err(Fault::Entry(field::LOCATION, at, what));
            }
        }
    }
    let types = message.profile.sample_type.len();
    if types == 0 && message.samples > 0 {
        let what = "missing sample type information".to_owned();
        return Err(Fault::Entry(field::SAMPLE, 0, what));
    }
    let mut samples = message.read_samples();
    for at in 0.. {
        let Some(sample) = samples.read()? else { break };
        check_sample(sample, at, message, &locations)
            .map_err(|what| Fault::Entry(field::SAMPLE, at, what))?;
    }
    Ok(Index { mappings, locations, functions })
}

fn check_sample(
    sample: &Sample,
    at: usize,
    message: &Message<'_>,
    locations: &Ids,
) -> Result<(), String> {
    let (values, types) = (sample.value.len(), message.profile.sample_type.len());
    if values != types {
        return Err(format!("sample[{at}] has {values} values vs. {types} sample types"));
    }
    if let Some(missing) = sample.location_id.iter().find(|&&id| locations.find(id).is_none()) {
        return Err(format!("sample[{at}] has location {missing}, which is missing"));
    }
    for label in &sample.label {
        let texts = [("key", label.key), ("str", label.text), ("num_unit", label.unit)];
        for (name, index) in texts {
            check_string(message, index, || format!("sample[{at}].label.{name}"))?;
        }
    }
    Ok(())
}

fn check_string(
    message: &Message<'_>,
    index: i64,
    place: impl FnOnce() -> String,
) -> Result<(), String> {
    let count = message.strings.len();
    if usize::try_from(index).is_ok_and(|index| index < count) {
        return Ok(());
    }
    Err(format!("{} is string {index}, but the string table has {count}", place()))
}

/// Checks every index into the string table except those of samples.
fn check_strings(message: &Message<'_>) -> Result<(), Fault> {
    match message.strings.first() {
        None => return Err(Fault::NoStrings),
        Some(first) if !first.is_empty() => {
            return Err(Fault::Entry(field::STRING, 0, "string_table[0] must be ''".to_owned()));
        }
        Some(_) => {}
    }
    let check = |index: i64, table: u32, at: usize, name: &str| {
        check_string(message, index, || format!("{}[{at}].{name}", field::name(table)))
            .map_err(|what| Fault::Entry(table, at, what))
    };
    for (at, kind) in message.profile.sample_type.iter().enumerate() {
        check(kind.kind, field::SAMPLE_TYPE, at, "type")?;
        check(kind.unit, field::SAMPLE_TYPE, at, "unit")?;
    }
    if let Some(kind) = &message.profile.period_type {
        check(kind.kind, field::PERIOD_TYPE, 0, "type")?;
        check(kind.unit, field::PERIOD_TYPE, 0, "unit")?;
    }
    for (at, mapping) in message.profile.mapping.iter().enumerate() {
        check(mapping.file, field::MAPPING, at, "filename")?;
        check(mapping.build_id, field::MAPPING, at, "build_id")?;
    }
    for (at, function) in message.profile.function.iter().enumerate() {
        check(function.name, field::FUNCTION, at, "name")?;
        check(function.system_name, field::FUNCTION, at, "system_name")?;
        check(function.file, field::FUNCTION, at, "filename")?;
    }
    for (at, comment) in message.profile.comment.iter().enumerate() {
        check(*comment, field::COMMENT, at, "text")?;
    }
    let texts = [
        (message.profile.drop_frames, field::DROP_FRAMES),
        (message.profile.keep_frames, field::KEEP_FRAMES),
        (message.profile.default_sample_type, field::DEFAULT_TYPE),
        (message.profile.doc_url, field::DOC_URL),
    ];
    for (index, field) in texts {
        check_string(message, index, || field::name(field).to_owned())
            .map_err(|what| Fault::Entry(field, 0, what))?;
    }
    Ok(())
}
