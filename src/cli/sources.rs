//! Finds the source of functions.

use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::textfile;
use crate::view::calls::callers::{Listing, Source};
use crate::view::frames::function::{is_standard, package};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The file name extensions of source: a profile can name any file of this machine.
const SOURCE: [&str; 10] = ["go", "s", "S", "c", "h", "cc", "cpp", "cxx", "m", "rs"];

/// Whether the extension of a file's name is that of source.
fn is_source(path: &Path) -> bool {
    SOURCE.iter().any(|known| path.extension().is_some_and(|end| end == *known))
}

/// Bytes of memory for the name of a function in a set, roughly.
const NAME: usize = 64;

/// The folders with sources.
#[derive(Debug, Default)]
pub(super) struct Sources {
    roots: Vec<PathBuf>,
    go: Vec<PathBuf>,
    modules: Vec<PathBuf>,
    /// Files that were read, by path: an input can spell that of one file in any number of ways.
    read: HashMap<PathBuf, Option<File>>,
    /// The bytes of memory that they take.
    bytes: usize,
}

/// A file that was read.
#[derive(Debug)]
struct File {
    source: Rc<Source>,
    /// The names of functions that it defines.
    functions: HashSet<String>,
}

impl Sources {
    /// The folders that were named, and those in Go's own variables.
    pub(super) fn new(roots: &[PathBuf]) -> Sources {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = set("HOME").or_else(|| set("USERPROFILE"));
        let path =
            set("GOPATH").map(PathBuf::from).or(home.map(|home| Path::new(&home).join("go")));
        let modules = set("GOMODCACHE").map(PathBuf::from);
        Sources {
            roots: roots.to_vec(),
            go: vec![set("GOROOT").map_or_else(|| "/usr/local/go".into(), PathBuf::from)],
            modules: modules.or(path.map(|path| path.join("pkg/mod"))).into_iter().collect(),
            read: HashMap::new(),
            bytes: 0,
        }
    }

    /// The source of a function: the first file that has its lines and its name. Fails if the files that were read take
    /// more memory than [`sources`](crate::limits::Limits::sources).
    pub(super) fn find(&mut self, listing: &Listing) -> Result<Option<Rc<Source>>> {
        let last = listing.lines.keys().next_back().copied().unwrap_or(0);
        for place in self.places(listing) {
            let Ok(path) = place.canonicalize() else { continue };
            let read = self.read.entry(path).or_insert_with_key(|path| {
                let text = textfile::source(path).ok()?;
                let functions = functions(&text);
                let source = Rc::new(Source::new(place.display().to_string(), text));
                self.bytes += source.bytes() + NAME * functions.len();
                Some(File { source, functions })
            });
            if self.bytes > LIMITS.sources {
                let what = format!("its sources take more than {} bytes (sources)", LIMITS.sources);
                let error = Error::new(ErrorKind::Limit, "--list", what);
                return Err(error.advise("list fewer functions"));
            }
            let Some(file) = read else { continue };
            if file.source.lines() as i64 >= last && holds(&file.functions, listing) {
                return Ok(Some(Rc::clone(&file.source)));
            }
        }
        Ok(None)
    }

    /// The files that were read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().filter(|(_, read)| read.is_some()).map(|(path, _)| path.as_path())
    }

    /// The paths that the file can have, the likeliest first.
    fn places(&self, listing: &Listing) -> Vec<PathBuf> {
        // Windows accepts both.
        let file = listing.file.replace('\\', "/");
        let path = Path::new(&file);
        if !is_source(path) {
            return Vec::new();
        }
        let elements: Vec<&str> = file.split('/').filter(|element| !element.is_empty()).collect();
        let first = elements.len().saturating_sub(LIMITS.source_depth);
        let is_plain =
            |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let mut places = Vec::new();
        // The end of the path is in the folder, whatever the folder above was called at build time.
        for root in &self.roots {
            let ends = (first..elements.len()).map(|start| elements[start..].join("/"));
            places.extend(ends.filter(|end| is_plain(Path::new(end))).map(|end| root.join(end)));
        }
        // Windows would connect to the server of `//server/share/a.go`, and tell it who asks.
        if path.is_absolute() && !file.starts_with("//") {
            places.push(path.to_owned());
        }
        let behind = |mark: &str| file.rfind(mark).map_or(&*file, |at| &file[at + mark.len()..]);
        let mut below = |folders: &[PathBuf], end: &str| {
            let end = Path::new(end.trim_start_matches('/'));
            places.extend(folders.iter().filter(|_| is_plain(end)).map(|folder| folder.join(end)));
        };
        if file.contains('@') {
            below(&self.modules, behind("/pkg/mod/"));
        }
        if is_standard(package(listing.function.as_bytes())) {
            let go: Vec<PathBuf> = self.go.iter().map(|folder| folder.join("src")).collect();
            below(&go, behind("/src/"));
        }
        places
    }
}

/// The names of functions that a Go file defines: `Get` of `func (p *Pool[T]) Get(key K) T {`.
fn functions(text: &str) -> HashSet<String> {
    let definitions = text.lines().filter(|line| line.starts_with("func "));
    let words = definitions.flat_map(|line| line.split(' '));
    words.filter_map(|word| Some(word[..word.find(['(', '['])?].to_owned())).collect()
}

/// Whether a file can be that of a function: whether it defines a function of that name. A different
/// file may have the same path, especially one like `main.go`.
fn holds(functions: &HashSet<String>, listing: &Listing) -> bool {
    let function = &listing.function;
    let behind = &function[package(function.as_bytes()).len().min(function.len())..];
    if !listing.file.ends_with(".go") || behind.starts_with(".init") || behind.starts_with(".glob.")
    {
        return true;
    }
    // For `.(*Pool[...]).Get.func1` this is `.(*Pool).Get.func1`.
    let (mut plain, mut depth) = (String::new(), 0_usize);
    for letter in behind.chars() {
        depth += usize::from(letter == '[');
        if depth == 0 {
            plain.push(letter);
        }
        depth = depth.saturating_sub(usize::from(letter == ']'));
    }
    let mut names = plain.split(['.', '-']).filter(|name| !name.is_empty());
    names.any(|name| functions.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(function: &str, file: &str, line: i64) -> Listing {
        let lines = std::collections::BTreeMap::from([(line, (1, 1))]);
        Listing { function: function.into(), file: file.into(), lines, ..Listing::default() }
    }

    #[test]
    fn of_a_very_deep_path_only_the_last_elements_are_looked_for() {
        let sources = Sources { roots: vec!["/src".into()], ..Sources::default() };
        let places = sources.places(&listing("main.f", &format!("{}x.go", "a/".repeat(5000)), 1));
        assert_eq!(places.len(), LIMITS.source_depth);
        assert_eq!(places.last(), Some(&PathBuf::from("/src/x.go")));
    }

    #[test]
    fn no_path_of_a_profile_leads_to_another_machine() {
        let sources = Sources { roots: vec!["/src".into()], ..Sources::default() };
        for file in [r"\\server\share\a.go", "//server/share/a.go", r"\\?\UNC\server\share\a.go"] {
            let places = sources.places(&listing("main.f", file, 1));
            assert!(places.iter().all(|path| path.starts_with("/src")), "{file}: {places:?}");
            assert!(places.contains(&PathBuf::from("/src/a.go")), "{file}: {places:?}");
        }
    }

    #[test]
    fn a_file_is_found_by_what_its_path_ends_with_if_it_defines_the_function() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "store/store.go",
            "package store\n\nfunc (i *Inventory[T]) Reserve() {\n\tlock()\n}\n",
        );
        write("main.go", "package main\n\nfunc main() {\n}\n\nfunc sorted[T any](in []T) {\n}\n");
        write("secret.txt", "func main() {\n");
        let mut sources = Sources { roots: vec![folder.path().to_owned()], ..Sources::default() };
        let mut found = |function, file, line| {
            let source = sources.find(&listing(function, file, line)).unwrap()?;
            let path = Path::new(&source.path).strip_prefix(folder.path()).unwrap();
            Some(path.to_string_lossy().replace('\\', "/"))
        };
        let method = "example.com/shop/store.(*Inventory[...]).Reserve.func1";
        let store = Some("store/store.go".to_owned());
        assert_eq!(found(method, "/home/ci/shop/store/store.go", 4), store);
        assert_eq!(found(method, "example.com/shop/store/store.go", 4), store);
        assert_eq!(found(method, "C:\\ci\\shop\\store\\store.go", 4), store);
        assert_eq!(found(method, "example.com/shop/store/store.go", 40), None, "too short");
        assert_eq!(found("main.main", "/ci/cmd/shop/main.go", 3).as_deref(), Some("main.go"));
        assert_eq!(found("main.sorted[...]", "/ci/main.go", 6).as_deref(), Some("main.go"));
        assert_eq!(found("main.other", "/ci/cmd/shop/main.go", 3), None, "of another program");
        assert_eq!(found("main.main", "/ci/secret.txt", 1), None, "no source");
        let above = format!("../{}/main.go", folder.path().file_name().unwrap().to_string_lossy());
        assert_eq!(found("main.main", &above, 3).as_deref(), Some("main.go"));
    }

    #[test]
    fn modules_and_the_standard_library_are_found_in_their_folders() {
        let sources =
            Sources { go: vec!["/go".into()], modules: vec!["/mod".into()], ..Sources::default() };
        let places = |function, file| sources.places(&listing(function, file, 1));
        let dep = "github.com/acme/dep/v2@v2.3.1/dep.go";
        assert_eq!(places("github.com/acme/dep/v2.F", dep), [Path::new("/mod").join(dep)]);
        let cached = format!("/home/ci/go/pkg/mod/{dep}");
        let folder = Path::new("/mod").join(dep);
        assert!(places("github.com/acme/dep/v2.F", &cached).contains(&folder));
        let proc = Path::new("/go/src/runtime/proc.go").to_owned();
        assert_eq!(places("runtime.gopark", "runtime/proc.go"), std::slice::from_ref(&proc));
        assert!(places("runtime.gopark", "/opt/go1.27/src/runtime/proc.go").contains(&proc));
        let nowhere: [PathBuf; 0] = [];
        assert_eq!(places("runtime.gopark", "../../etc/passwd.go"), nowhere);
        assert_eq!(places("runtime.gopark", "/etc/passwd"), nowhere);
    }
}
