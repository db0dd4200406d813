//! Own code: only that, and the standard library on its behalf, can make an error.

use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::profile::modules::Modules;
use crate::profile::{Frame, FrameId, Profile, SampleKey};
use crate::view::frames::function::{is_standard, package};
use memchr::memmem::Finder;
use regex::bytes::{RegexBuilder, RegexSet, RegexSetBuilder};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Parts of the paths of files that a build fetched. Searchers are built once: building one costs
/// more than searching a path.
static FETCHED: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| [&b"@v"[..], b"/vendor/", b"/pkg/mod/"].map(Finder::new));

/// Recognises own code by its function names, or by the paths of its files.
#[derive(Clone, Debug, Default)]
pub struct Own {
    patterns: RegexSet,
}

impl Own {
    /// Code whose function names match one of these is own code. Without patterns, that is the module of
    /// the package `main`; if that isn't known, all code except the standard library and what is in the
    /// module cache, vendored or fetched by Bazel.
    ///
    /// # Errors
    /// If one isn't a valid regular expression or is too large, or all together are.
    pub fn compile(patterns: &[String]) -> Result<Own> {
        // Each alone first: a set doesn't say which one is wrong, and matching takes as long as a pattern is large.
        for pattern in patterns {
            let built = RegexBuilder::new(pattern).size_limit(LIMITS.regex_bytes).build();
            built.map_err(|error| Error::regex("--own", pattern, &error))?;
        }
        let built = RegexSetBuilder::new(patterns).size_limit(LIMITS.regex_bytes_total).build();
        let patterns = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(most) => {
                let what = format!(
                    "its patterns compile to more than {most} bytes together (regex_bytes_total)"
                );
                Error::misuse("--own", what).advise("name fewer or simpler ones")
            }
            error => Error::misuse("--own", error.to_string()),
        })?;
        Ok(Own { patterns })
    }

    /// Whether a function of this file is own code, in programs of these modules.
    pub fn is_own(&self, modules: &Modules, function: &[u8], file: &[u8]) -> bool {
        if !self.patterns.is_empty() {
            return self.patterns.is_match(function);
        }
        if let Some(is_own) = modules.is_own(function) {
            return is_own;
        }
        let package = package(function);
        let fetched = FETCHED.iter().any(|part| part.find(file).is_some())
            || file.starts_with(b"vendor/")
            || file.starts_with(b"external/");
        !package.is_empty() && !is_standard(package) && !fetched
    }

    /// The patterns that match no function of a profile.
    pub(super) fn unmatched(&self, profile: &Profile) -> Vec<&str> {
        let functions: HashSet<_> = profile.frames().iter().map(|frame| frame.func).collect();
        let mut matched = vec![false; self.patterns.len()];
        for function in functions {
            self.patterns.matches(profile.str(function)).iter().for_each(|at| matched[at] = true);
        }
        let patterns = self.patterns.patterns().iter().zip(matched);
        patterns.filter(|(_, matched)| !matched).map(|(pattern, _)| pattern.as_str()).collect()
    }

    /// How many patterns there are.
    pub(super) fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// For each frame of a profile, whether it is own code.
    pub fn frames(&self, profile: &Profile) -> Vec<bool> {
        let is_own = |frame: &Frame| {
            self.is_own(&profile.modules, profile.str(frame.func), profile.str(frame.file))
        };
        profile.frames().iter().map(is_own).collect()
    }
}

/// Whether a goroutine belongs to own code: a frame of its stack is, or the `go` statement that made it.
pub(super) fn is_first_party(profile: &Profile, own: &[bool], key: &SampleKey) -> bool {
    let is_own = |frame: FrameId| own[frame.index()];
    profile.stack(key.stack).iter().any(|&frame| is_own(frame)) || key.creator.is_some_and(is_own)
}

/// Whether only the standard library runs and started a goroutine: a server, a body, a database that
/// somebody opened and didn't close. The stack doesn't show who.
pub(super) fn is_standard_only(profile: &Profile, key: &SampleKey) -> bool {
    let standard = |frame: FrameId| is_standard(package(profile.func(frame)));
    let frames = profile.stack(key.stack);
    !frames.is_empty()
        && frames.iter().all(|&frame| standard(frame))
        && key.creator.is_none_or(standard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::modules::Module;

    fn is_own(patterns: &[&str], function: &str, file: &str) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        let own = Own::compile(&patterns).unwrap();
        own.is_own(&Modules::default(), function.as_bytes(), file.as_bytes())
    }

    #[test]
    fn a_pattern_that_is_too_large_is_refused_alone_and_among_others() {
        let large = r"(?i)(\pL|\pN|\pS){300}x";
        for patterns in [&[large][..], &["main", large]] {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let error = Own::compile(&patterns).unwrap_err().to_string();
            assert!(error.contains("too large"), "{error}");
        }
    }

    #[test]
    fn what_was_fetched_is_not_ones_own() {
        assert!(is_own(&[], "ex.org/kv.Get", "/home/me/kv/get.go"));
        assert!(is_own(&[], "main.main", "main.go"));
        assert!(!is_own(&[], "net/http.Get", "/usr/local/go/src/net/http/client.go"));
        assert!(!is_own(&[], "ex.org/x.Get", "/go/pkg/mod/ex.org/x@v1.2.3/get.go"));
        assert!(!is_own(&[], "ex.org/x.Get", "ex.org/x@v1.2.3/get.go"));
        assert!(!is_own(&[], "ex.org/x.Get", "/home/me/kv/vendor/ex.org/x/get.go"));
        assert!(!is_own(
            &[],
            "google.golang.org/grpc.Dial",
            "external/org_golang_google_grpc/a.go"
        ));
        assert!(!is_own(&[], "pthread_cond_wait", ""));
    }

    #[test]
    fn the_main_module_is_ones_own_where_it_is_known() {
        let module =
            |path: &str, is_main| Module { path: path.into(), is_main, ..Module::default() };
        let modules = vec![module("ex.org/shop", true), module("ex.org/kit", false)];
        let modules = Modules::new(modules, "go1.27.3", "ex.org/shop");
        let is_own = |patterns: &[&str], function: &str, file: &str| {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let own = Own::compile(&patterns).unwrap();
            own.is_own(&modules, function.as_bytes(), file.as_bytes())
        };
        assert!(is_own(&[], "main.main", "/home/me/shop/main.go"));
        assert!(is_own(&[], "ex.org/shop/api.Run", "/go/pkg/mod/ex.org/shop@v1.0.0/api/api.go"));
        // A checkout next to it, used by `replace` or a workspace.
        assert!(!is_own(&[], "ex.org/kit.Run", "/home/me/kit/kit.go"));
        assert!(is_own(&["^ex.org/kit"], "ex.org/kit.Run", "/home/me/kit/kit.go"));
        assert!(!is_own(&[], "net/http.Get", "/usr/local/go/src/net/http/client.go"));
    }

    #[test]
    fn patterns_decide_alone() {
        assert!(is_own(&["^net/http"], "net/http.Get", ""));
        assert!(!is_own(&["^net/http"], "main.main", "main.go"));
        assert!(Own::compile(&["(".to_owned()]).is_err());
    }
}
