//! The functions and places of addresses in a binary: the document `stackgazer.symbols/1`.

use crate::binary::{Binary, BuildInfo, Frame, PrintedCall};
use crate::profile::modules::{Module, Modules, Owner};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::path::Path;

/// The schema that the document follows.
pub const SCHEMA: &str = "stackgazer.symbols/1";

/// A binary, and the addresses looked up in it.
#[derive(Clone, Debug, Serialize)]
pub struct Symbols<'a> {
    schema: &'static str,
    /// The binary.
    pub binary: About,
    /// The results for each address, in the order of the requests.
    pub rows: Answers<'a>,
}

impl<'a> Symbols<'a> {
    /// The document with these results.
    pub fn new(binary: About, rows: Answers<'a>) -> Symbols<'a> {
        Symbols { schema: SCHEMA, binary, rows }
    }
}

/// Requests, and what answers them. Results are made while they are written: a hostile binary may have a
/// thousand long names at each address.
#[derive(Clone, Debug)]
pub struct Answers<'a> {
    /// The binary that is asked.
    pub symbolizer: &'a Symbolizer<'a>,
    /// The texts of the requests, and what they mean.
    pub asked: Vec<(String, Query)>,
}

impl<'a> Answers<'a> {
    /// The results of all requests.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        self.asked.iter().flat_map(|(text, asked)| self.symbolizer.rows(text, asked))
    }
}

impl Serialize for Answers<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.rows())
    }
}

/// What a binary says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// Where it was read from.
    pub path: String,
    /// The version of Go that built it.
    pub go: Option<String>,
    /// The linker's build id, which profiles carry.
    pub build_id: Option<String>,
    /// Go's own build id.
    pub go_build_id: Option<String>,
    /// The module that it was built from.
    pub module: Option<String>,
}

impl About {
    /// The description of the binary at this path.
    pub fn of(path: &Path, binary: &Binary, info: &BuildInfo) -> About {
        About {
            path: path.display().to_string(),
            go: (!info.go.is_empty()).then(|| info.go.clone()),
            build_id: binary.gnu_build_id(),
            go_build_id: binary.go_build_id(),
            module: info.modules().main().map(Module::to_string),
        }
    }
}

/// An address, and what is at it.
#[derive(Clone, Debug, Serialize)]
pub struct Row<'a> {
    /// The text of the request.
    pub asked: String,
    /// The address; `None` if the binary has no such function.
    pub address: Option<Address>,
    /// The calls at the address, innermost first; empty if it isn't Go code.
    pub frames: Vec<SymbolFrame<'a>>,
}

/// An address, written as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address(pub u64);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{:#x}", self.0))
    }
}

/// A call at an address.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolFrame<'a> {
    /// The function, with type arguments.
    #[serde(serialize_with = "text")]
    pub func: Cow<'a, [u8]>,
    /// Its file; `None` for padding between functions.
    #[serde(serialize_with = "maybe_text")]
    pub file: Option<Cow<'a, [u8]>>,
    /// The line; 0 for padding.
    pub line: u32,
    /// The module with its version, or `std` with that of Go; `None` if it isn't known.
    pub module: Option<String>,
    /// The address where its source can be read; `None` if that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// An instruction.
    Address(u64),
    /// A call as panics print it: its function, and the offset in the function that it returns to.
    Call(String, u64),
}

impl Query {
    /// Reads `0x47a1c3`, `47a1c3`, or `main.run+0x1d`.
    pub fn read(text: &str) -> Option<Query> {
        let hex = |digits: &str| {
            let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits);
            // from_str_radix would take a sign.
            digits.starts_with(|digit: char| digit.is_ascii_hexdigit()).then_some(())?;
            u64::from_str_radix(digits, 16).ok()
        };
        if let Some(address) = hex(text) {
            return Some(Query::Address(address));
        }
        let (function, offset) = text.rsplit_once('+')?;
        let function = function.trim_end();
        (!function.is_empty()).then(|| Some(Query::Call(function.to_owned(), hex(offset)?)))?
    }
}

/// Looks addresses up in a binary.
#[derive(Debug)]
pub struct Symbolizer<'a> {
    binary: &'a Binary,
    modules: &'a Modules,
}

impl<'a> Symbolizer<'a> {
    /// A symbolizer for this binary with these modules.
    pub fn new(binary: &'a Binary, modules: &'a Modules) -> Symbolizer<'a> {
        Symbolizer { binary, modules }
    }

    /// The results of one request; several if functions share a name.
    pub fn rows(&self, text: &str, asked: &Query) -> Vec<Row<'a>> {
        let row = |address: u64, instruction: u64| Row {
            asked: text.to_owned(),
            address: Some(Address(address)),
            frames: self.frames(instruction),
        };
        match asked {
            Query::Address(address) => vec![row(*address, *address)],
            Query::Call(function, offset) => {
                let call = PrintedCall {
                    function: function.as_bytes(),
                    offset: *offset,
                    file: b"",
                    line: 0,
                };
                let addresses = self.binary.addresses(&call);
                if addresses.is_empty() {
                    return vec![Row { asked: text.to_owned(), address: None, frames: Vec::new() }];
                }
                // The call is before the address that it returns to.
                addresses
                    .into_iter()
                    .map(|address| row(address, address.saturating_sub(1)))
                    .collect()
            }
        }
    }

    fn frames(&self, address: u64) -> Vec<SymbolFrame<'a>> {
        let frames = self.binary.shown_frames(address).into_iter();
        frames.map(|frame| self.frame(frame)).collect()
    }

    fn frame(&self, frame: Frame<'a>) -> SymbolFrame<'a> {
        let module = match self.modules.owner(&frame.function) {
            Owner::Main(module) | Owner::Dependency(module) => Some(module.to_string()),
            Owner::Standard(go) => Some(format!("std@{go}")),
            Owner::Unknown => None,
        };
        let file = frame.file.as_deref().unwrap_or_default();
        let source = self.modules.source(&frame.function, file, frame.line.into());
        SymbolFrame { func: frame.function, file: frame.file, line: frame.line, module, source }
    }

    /// The function whose code is at an address, and the place of the innermost call there.
    pub fn place(&self, address: u64) -> Option<OutermostFrame<'a>> {
        let Frame { function, file, line, .. } = self.binary.place(address)?;
        Some(OutermostFrame { func: function, file, line })
    }
}

/// The place of an address, without inlined calls.
#[derive(Clone, Debug)]
pub struct OutermostFrame<'a> {
    /// The function that has the code.
    pub func: Cow<'a, [u8]>,
    /// The file; `None` for padding between functions.
    pub file: Option<Cow<'a, [u8]>>,
    /// The line.
    pub line: u32,
}

pub(super) fn text<S: Serializer>(text: &[u8], out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&String::from_utf8_lossy(text))
}

fn maybe_text<S: Serializer>(text: &Option<Cow<'_, [u8]>>, out: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => out.serialize_str(&String::from_utf8_lossy(text)),
        None => out.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_calls_are_told_apart() {
        let call = |name: &str, offset| Some(Query::Call(name.to_owned(), offset));
        assert_eq!(Query::read("0x47a1c3"), Some(Query::Address(0x47a1c3)));
        assert_eq!(Query::read("47A1C3"), Some(Query::Address(0x47a1c3)));
        assert_eq!(Query::read("main.run+0x1d"), call("main.run", 0x1d));
        assert_eq!(Query::read("main.run +0x1d"), call("main.run", 0x1d));
        assert_eq!(Query::read("main.(*T[...]).M+0x1d"), call("main.(*T[...]).M", 0x1d));
        for wrong in ["", "+", "+0x1d", "main.run", "main.run+", "0x", "+5", "-5", "main.go:5"] {
            assert_eq!(Query::read(wrong), None, "{wrong}");
        }
        assert_eq!(Query::read("11112222333344445"), None, "more than 64 bits");
    }
}
