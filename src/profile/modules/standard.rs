//! Packages of the standard library.

/// First path elements of the library's packages, of `cmd` and of its vendored packages.
const FIRST: [&str; 53] = [
    "archive",
    "bufio",
    "builtin",
    "bytes",
    "cmd",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "uuid",
    "vendor",
    "weak",
];

/// The name of the module that the standard library counts as.
pub const STANDARD_MODULE: &[u8] = b"std";

/// Whether a package belongs to the standard library; `main` and everything unknown don't.
pub fn is_standard(package: &[u8]) -> bool {
    let first = first_element(package);
    FIRST.iter().any(|name| name.as_bytes() == first)
}

/// The first element of a path.
pub(crate) fn first_element(package: &[u8]) -> &[u8] {
    package.split(|&byte| byte == b'/').next().unwrap_or_default()
}
