//! The build info that Go writes into a binary: its version, the modules, the settings.

use super::Binary;
use super::bytes::Bytes;
use crate::limits::LIMITS;
use std::ops::Range;

/// How a binary was built.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildInfo {
    /// The version of Go, as `go1.27.3`.
    pub go: String,
    /// The package that was built; empty if the binary doesn't say.
    pub path: String,
    /// The module of that package.
    pub main: Option<Module>,
    /// The modules that it depends on, with their replacements.
    pub dependencies: Vec<Module>,
    /// Settings, as `GOOS` and `linux`, in the order of the binary.
    pub settings: Vec<(String, String)>,
}

/// A module and its version.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Its path, as imports name it.
    pub path: String,
    /// Its version; `(devel)` or empty for one that was built from a checkout.
    pub version: String,
    /// The hash of its files; empty if there is none.
    pub sum: String,
    /// Its replacement, by a `replace` directive of `go.mod`.
    pub replaced_by: Option<Box<Module>>,
}

impl BuildInfo {
    /// The value of a setting.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

const MAGIC: &[u8] = b"\xff Go buildinf:";
/// Build info starts at a multiple of this.
const ALIGNMENT: u64 = 16;
/// Bytes before the texts.
const HEADER: u64 = 32;
/// Set if the texts themselves follow the header, as they do from Go 1.18 on.
const TEXTS_FOLLOW: u8 = 2;
/// Random bytes before and after the list of modules, which once served to find it.
const FRAME: usize = 16;
/// How many matches are tried; programs that read build info have the magic in their data.
const PLACES: usize = 64;

impl Binary {
    /// How it was built; `None` if the binary doesn't say.
    pub fn build_info(&self) -> Option<BuildInfo> {
        let named = self.container.build_info.clone();
        let data = self.container.segments.iter().filter(|segment| !segment.executable);
        let ranges = data.map(|it| it.offset..it.offset.saturating_add(it.size));
        named.into_iter().chain(ranges).find_map(|range| {
            let mut places =
                self.bytes.find(range, MAGIC).filter(|at| at % ALIGNMENT == 0).take(PLACES);
            places.find_map(|at| read(&self.bytes, at))
        })
    }
}

fn read(bytes: &Bytes, at: u64) -> Option<BuildInfo> {
    let [.., flags] = bytes.array::<16>(at)?;
    if flags & TEXTS_FOLLOW == 0 {
        return None;
    }
    let go = text(bytes, at.checked_add(HEADER)?)?;
    // Nothing is copied of a place that has no version of Go: thousands of places can each claim the same 8 MiB.
    let start = go.start..go.end.min(go.start.checked_add(5)?);
    let start = bytes.range(start)?;
    if !start.starts_with(b"go") && !start.starts_with(b"devel") {
        return None;
    }
    // The modules come after the version, so if they end in the file, both do.
    let modules = text(bytes, go.end)?;
    let most = LIMITS.build_info as u64;
    if modules.end <= bytes.len() && modules.end.saturating_sub(go.start) > most {
        bytes.refuse(format!("its build info has more than {most} bytes (build_info)"));
        return None;
    }
    let modules = bytes.range(modules)?;
    let go = bytes.range(go)?;
    let listed = modules.len().checked_sub(FRAME).and_then(|end| modules.get(FRAME..end));
    let mut info = parse(listed.unwrap_or_default());
    let most = LIMITS.binary_modules;
    if info.dependencies.len() > most {
        bytes.refuse(format!("it was built from more than {most} modules (binary_modules)"));
        return None;
    }
    info.go = String::from_utf8_lossy(&go).into_owned();
    Some(info)
}

/// Where the text is whose length is at an offset.
fn text(bytes: &Bytes, at: u64) -> Option<Range<u64>> {
    let (mut len, mut start) = (0_u64, at);
    for shift in (0..35).step_by(7) {
        let [byte] = bytes.array(start)?;
        start = start.checked_add(1)?;
        len |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(start..start.checked_add(len)?);
        }
    }
    None
}

/// Parses the lines `path`, `mod`, `dep`, `=>` and `build`, whose fields follow tabs; it ends behind more modules than
/// may be listed.
fn parse(text: &[u8]) -> BuildInfo {
    let text = String::from_utf8_lossy(text);
    let mut info = BuildInfo::default();
    let mut last_is_main = true;
    for line in text.lines() {
        let (key, rest) = line.split_once('\t').unwrap_or((line, ""));
        match key {
            "path" => info.path = rest.to_owned(),
            "mod" => {
                info.main = Some(module(rest));
                last_is_main = true;
            }
            "dep" if info.dependencies.len() > LIMITS.binary_modules => break,
            "dep" => {
                info.dependencies.push(module(rest));
                last_is_main = false;
            }
            "=>" => {
                let last =
                    if last_is_main { info.main.as_mut() } else { info.dependencies.last_mut() };
                if let Some(last) = last {
                    last.replaced_by = Some(Box::new(module(rest)));
                }
            }
            "build" => info.settings.extend(setting(rest)),
            _ => {}
        }
    }
    info
}

fn module(fields: &str) -> Module {
    let mut fields = fields.split('\t').map(str::to_owned);
    let mut field = || fields.next().unwrap_or_default();
    Module { path: field(), version: field(), sum: field(), replaced_by: None }
}

/// Parses `key=value`; either is quoted if it has blanks, quotes or `=` in it.
fn setting(text: &str) -> Option<(String, String)> {
    let (key, value) = match text.strip_prefix('"') {
        Some(rest) => {
            let end = quoted_end(rest)?;
            let (key, rest) = rest.split_at_checked(end)?;
            (unquoted(key), rest.strip_prefix("\"=")?)
        }
        None => {
            let (key, value) = text.split_once('=')?;
            (key.to_owned(), value)
        }
    };
    let value = match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(value) => unquoted(value),
        None => value.to_owned(),
    };
    Some((key, value))
}

/// The position of the closing quote.
fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, char)| {
        let ends = char == '"' && !escaped;
        escaped = char == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The text without its backslashes. In settings, Go only escapes quotes and backslashes.
fn unquoted(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut escaped = false;
    for char in text.chars() {
        escaped = char == '\\' && !escaped;
        if !escaped {
            plain.push(char);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "path\texample.com/shop/cmd/shop
mod\texample.com/shop\t(devel)\t
dep\tgithub.com/acme/dep/v2\tv2.3.1\th1:abc=
=>\t../dep\t\t
dep\tgolang.org/x/net\tv0.33.0\th1:def=
build\t-ldflags=\"-s -w -X 'main.a=\\\"b\\\"'\"
build\tGOOS=linux
build\t-trimpath=true
";

    #[test]
    fn modules_settings_and_replacements_are_told() {
        let info = parse(LISTED.as_bytes());
        assert_eq!(info.path, "example.com/shop/cmd/shop");
        assert_eq!(info.main.as_ref().map(|main| main.version.as_str()), Some("(devel)"));
        let [dep, net] = info.dependencies.as_slice() else { panic!("{info:?}") };
        assert_eq!(dep.replaced_by.as_ref().map(|by| by.path.as_str()), Some("../dep"));
        assert_eq!((net.version.as_str(), &net.replaced_by), ("v0.33.0", &None));
        assert_eq!(info.setting("GOOS"), Some("linux"));
        assert_eq!(info.setting("-ldflags"), Some("-s -w -X 'main.a=\"b\"'"));
        assert_eq!(info.setting("CGO_ENABLED"), None);
    }

    #[test]
    fn texts_longer_than_the_file_are_not_made_room_for() {
        let mut bytes = vec![0; 48];
        bytes[..14].copy_from_slice(MAGIC);
        bytes[15] = TEXTS_FOLLOW;
        bytes[32..36].copy_from_slice(&[0xff, 0xff, 0xff, 1]);
        assert_eq!(read(&Bytes::from_memory(bytes), 0), None);
    }

    #[test]
    fn a_place_without_a_version_has_no_build_info() {
        let size = 200;
        let mut bytes = vec![b'x'; 40 + 2 * size];
        bytes[..14].copy_from_slice(MAGIC);
        bytes[15] = TEXTS_FOLLOW;
        for at in [32, 34 + size] {
            bytes[at..at + 2].copy_from_slice(&[0xc8, 1]);
        }
        assert_eq!(read(&Bytes::from_memory(bytes.clone()), 0), None);
        bytes[34..36].copy_from_slice(b"go");
        assert_eq!(read(&Bytes::from_memory(bytes), 0).map(|info| info.go.len()), Some(size));
    }
}
