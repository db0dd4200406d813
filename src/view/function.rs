//! What the name of a function tells: its package and module, whether it is one's own code.

pub use crate::profile::function::package;

/// First path elements of the standard library's packages, of `cmd` and of what it vendors.
const STANDARD: [&str; 46] = [
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
];
const STANDARD_TOO: [&str; 7] = ["time", "unicode", "unique", "unsafe", "uuid", "vendor", "weak"];

/// The name of the module that the standard library counts as.
pub const STANDARD_MODULE: &[u8] = b"std";

/// The module of a function: told by its file where that lies in the module cache, else guessed
/// from the package as hosts commonly lay them out; [`STANDARD_MODULE`] for the standard library.
///
/// ```
/// use stackgazer::view::function::module;
/// assert_eq!(module(b"github.com/a/b/c.F", b"c/f.go"), b"github.com/a/b");
/// assert_eq!(module(b"k8s.io/api/core.F", b"/go/pkg/mod/k8s.io/api@v1.2.3/core/f.go"), b"k8s.io/api");
/// assert_eq!(module(b"net/http.(*conn).serve", b"net/http/server.go"), b"std");
/// ```
pub fn module<'a>(function: &'a [u8], file: &[u8]) -> &'a [u8] {
    let package = package(function);
    if is_standard(package) {
        return STANDARD_MODULE;
    }
    // The cache escapes capitals (`!a` for `A`), so only the number of path elements is taken.
    let elements = in_module_cache(file).unwrap_or_else(|| match first_element(package) {
        b"github.com" | b"gitlab.com" | b"bitbucket.org" => 3,
        b"golang.org" if package.starts_with(b"golang.org/x/") => 3,
        host if host.contains(&b'.') => 2,
        _ => 1,
    });
    let end = package
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .nth(elements - 1)
        .map_or(package.len(), |(slash, _)| slash);
    &package[..end]
}

/// How many path elements the module has that this file of the module cache belongs to.
fn in_module_cache(file: &[u8]) -> Option<usize> {
    let version = file.windows(2).position(|pair| pair == b"@v")?;
    let path = &file[..version];
    let cache = b"/pkg/mod/";
    let start = path
        .windows(cache.len())
        .rposition(|part| part == cache)
        .map_or(0, |found| found + cache.len());
    Some(1 + path[start..].iter().filter(|&&byte| byte == b'/').count())
}

/// Whether a package belongs to the standard library; `main` and everything unknown don't.
pub fn is_standard(package: &[u8]) -> bool {
    let first = first_element(package);
    STANDARD.iter().chain(&STANDARD_TOO).any(|name| name.as_bytes() == first)
}

/// Whether a function only parks goroutines and keeps locks: the runtime and `sync`.
pub fn is_waiting_room(function: &[u8]) -> bool {
    let package = package(function);
    matches!(package, b"sync" | b"internal/sync" | b"sync/atomic")
        || first_element(package) == b"runtime"
        || package.starts_with(b"internal/runtime/")
}

/// Whether everything below a function is the work of the garbage collector.
pub fn is_collector(function: &[u8]) -> bool {
    matches!(
        function,
        b"runtime.gcBgMarkWorker"
            | b"runtime.gcAssistAlloc"
            | b"runtime.gcStart"
            | b"runtime.bgsweep"
            | b"runtime.bgscavenge"
            | b"runtime.gcMarkTermination"
    )
}

fn first_element(package: &[u8]) -> &[u8] {
    package.split(|&byte| byte == b'/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn packages_end_at_the_first_dot_behind_the_path() {
        for (function, expected) in [
            ("main.main", "main"),
            ("github.com/a/b.v2/c.(*T[...]).M.func1", "github.com/a/b.v2/c"),
            ("gopkg.in/yaml%2ev3.(*parser).peek", "gopkg.in/yaml%2ev3"),
            ("a.(*T[github.com/x/y.Z]).M", "a"),
            ("internal/sync.(*Mutex).lockSlow", "internal/sync"),
            ("epoll_wait", ""),
            ("", ""),
        ] {
            assert_eq!(text(package(function.as_bytes())), expected, "{function}");
        }
    }

    #[test]
    fn modules_are_told_by_the_file_or_guessed_from_the_host() {
        for (function, file, expected) in [
            ("main.main", "/src/main.go", "main"),
            ("golang.org/x/net/http2.F", "", "golang.org/x/net"),
            ("google.golang.org/grpc/internal/transport.F", "", "google.golang.org/grpc"),
            (
                "go.etcd.io/raft/v3.F",
                "/go/pkg/mod/go.etcd.io/raft/v3@v3.5.0/raft.go",
                "go.etcd.io/raft/v3",
            ),
            (
                "cloud.google.com/go/storage.F",
                "cloud.google.com/go/storage@v1.0.0/x.go",
                "cloud.google.com/go/storage",
            ),
            (
                "github.com/Azure/sdk/x.F",
                "/go/pkg/mod/github.com/!azure/sdk@v1.0.0/x/f.go",
                "github.com/Azure/sdk",
            ),
            ("shop/api.F", "/src/shop/api/f.go", "shop"),
            ("vendor/golang.org/x/net/http2.F", "", "std"),
            ("epoll_wait", "", ""),
        ] {
            assert_eq!(text(module(function.as_bytes(), file.as_bytes())), expected, "{function}");
        }
    }

    #[test]
    fn only_the_runtime_and_sync_are_waiting_rooms() {
        for function in [
            "runtime.gopark",
            "sync.(*Mutex).Lock",
            "internal/sync.(*Mutex).lockSlow",
            "internal/runtime/maps.x",
            "runtime/pprof.x",
        ] {
            assert!(is_waiting_room(function.as_bytes()), "{function}");
        }
        for function in
            ["main.work", "internal/poll.(*FD).Read", "golang.org/x/sync/errgroup.F", "runtimex.F"]
        {
            assert!(!is_waiting_room(function.as_bytes()), "{function}");
        }
    }
}
