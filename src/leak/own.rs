//! Which code is one's own: only that, and the standard library on its behalf, can make an error.

use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::profile::{FrameId, Profile, SampleKey};
use crate::view::function::{is_standard, package};
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use std::collections::HashSet;

/// Tells own code by its function names, or by where its files lie.
#[derive(Clone, Debug, Default)]
pub struct Own {
    patterns: Vec<Regex>,
}

impl Own {
    /// Code whose function names match one of these is one's own. Without any, all code is that
    /// isn't of the standard library, of the module cache, vendored or fetched by Bazel.
    pub fn compile(patterns: &[String]) -> Result<Own> {
        let compile = |pattern: &String| {
            RegexBuilder::new(pattern)
                .size_limit(LIMITS.regex_bytes)
                .build()
                .map_err(|error| Error::regex("--own", pattern, &error))
        };
        Ok(Own { patterns: patterns.iter().map(compile).collect::<Result<_>>()? })
    }

    /// Whether a function of this file is one's own.
    pub fn is_own(&self, function: &[u8], file: &[u8]) -> bool {
        if !self.patterns.is_empty() {
            return self.patterns.iter().any(|pattern| pattern.is_match(function));
        }
        let package = package(function);
        let fetched = memmem::find(file, b"@v").is_some()
            || memmem::find(file, b"/vendor/").is_some()
            || memmem::find(file, b"/pkg/mod/").is_some()
            || file.starts_with(b"vendor/")
            || file.starts_with(b"external/");
        !package.is_empty() && !is_standard(package) && !fetched
    }

    /// Those of the patterns that match no function of a profile.
    pub(super) fn unmatched(&self, profile: &Profile) -> Vec<&str> {
        let functions: HashSet<_> = profile.frames().iter().map(|frame| frame.func).collect();
        let matches = |pattern: &&Regex| {
            functions.iter().any(|&function| pattern.is_match(profile.str(function)))
        };
        self.patterns.iter().filter(|one| !matches(one)).map(Regex::as_str).collect()
    }

    /// How many patterns there are.
    pub(super) fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// For each frame of a profile, whether it is one's own.
    pub fn frames(&self, profile: &Profile) -> Vec<bool> {
        let frames = profile.frames().iter();
        frames.map(|frame| self.is_own(profile.str(frame.func), profile.str(frame.file))).collect()
    }
}

/// Whether a goroutine is one's own: a frame of it is, or the `go` statement that made it.
pub(super) fn is_first_party(profile: &Profile, own: &[bool], key: &SampleKey) -> bool {
    let is_own = |frame: FrameId| own[frame.index()];
    profile.stack(key.stack).iter().any(|&frame| is_own(frame)) || key.creator.is_some_and(is_own)
}

/// Whether the standard library alone runs a goroutine and has started it: a server, a body, a
/// database that somebody has opened and not closed. Whoever did has left no trace.
pub(super) fn is_standard_only(profile: &Profile, key: &SampleKey) -> bool {
    let standard = |frame: FrameId| is_standard(package(profile.str(profile.frame(frame).func)));
    let frames = profile.stack(key.stack);
    !frames.is_empty()
        && frames.iter().all(|&frame| standard(frame))
        && key.creator.is_none_or(standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own(patterns: &[&str], function: &str, file: &str) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        Own::compile(&patterns).unwrap().is_own(function.as_bytes(), file.as_bytes())
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
    fn patterns_decide_alone() {
        assert!(is_own(&["^net/http"], "net/http.Get", ""));
        assert!(!is_own(&["^net/http"], "main.main", "main.go"));
        assert!(Own::compile(&["(".to_owned()]).is_err());
    }
}
