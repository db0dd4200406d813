//! Web addresses of the source code of modules.

use std::fmt::Write;

/// The address of a line in a file of a module at this version or revision; `None` if the layout of
/// its host isn't known.
pub(super) fn source_address(path: &str, version: &str, file: &str, line: i64) -> Option<String> {
    let mut elements = path.split('/');
    let host = elements.next()?;
    let (site, blob, anchor, repository) = match (host, elements.next()?) {
        ("github.com", owner) => ("github.com", "/blob/", "#L", [owner, elements.next()?]),
        ("gitlab.com", owner) => ("gitlab.com", "/-/blob/", "#L", [owner, elements.next()?]),
        ("bitbucket.org", owner) => {
            ("bitbucket.org", "/src/", "#lines-", [owner, elements.next()?])
        }
        ("golang.org", "x") => ("github.com", "/blob/", "#L", ["golang", elements.next()?]),
        _ => return None,
    };
    let mut folder: Vec<&str> = elements.collect();
    // A newer major version is another branch of the same folder.
    if folder.last().is_some_and(|last| is_major(last.as_bytes())) {
        folder.pop();
    }
    let folder = folder.join("/");
    let version = version.strip_suffix("+incompatible").unwrap_or(version);
    let revision = match version.rsplit_once('-') {
        // A commit without a tag: `v0.0.0-20240102030405-abcdef123456`.
        Some((_, commit)) if is_commit(commit, 12) => commit.to_owned(),
        _ if is_commit(version, 40) || folder.is_empty() => version.to_owned(),
        _ => format!("{folder}/{version}"),
    };
    // A checkout with changes in it: `v1.2.4-0.20240102030405-abcdef123456+dirty`.
    if version.is_empty() || version.contains('+') {
        return None;
    }
    let mut address = format!("https://{site}");
    let file = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
    for element in repository {
        address.push('/');
        encode(element, &mut address);
    }
    address.push_str(blob);
    encode(&revision, &mut address);
    address.push('/');
    encode(&file, &mut address);
    if line > 0 {
        address.push_str(&format!("{anchor}{line}"));
    }
    Some(address)
}

/// The address of a line in a file of the standard library of this version of Go.
pub(super) fn standard_source_address(go: &str, file: &str, line: i64) -> Option<String> {
    // Experiments come after a blank.
    let tag = go.split(' ').next()?;
    let is_release = tag.strip_prefix("go1.").is_some_and(|minor| {
        minor.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    });
    is_release.then(|| source_address("github.com/golang/go", tag, &format!("src/{file}"), line))?
}

/// Whether it is `v2` or the like, the last element of a module's path from version 2 on.
pub(super) fn is_major(element: &[u8]) -> bool {
    let digits = element.strip_prefix(b"v").unwrap_or_default();
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_commit(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Appends a path with all characters escaped that have a meaning in addresses.
fn encode(path: &str, address: &mut String) {
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            // Writing to memory can't fail.
            byte => drop(write!(address, "%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_call_lines_each_in_its_way() {
        for (path, version, expected) in [
            (
                "github.com/acme/dep/v2",
                "v2.3.1",
                "https://github.com/acme/dep/blob/v2.3.1/a/b.go#L7",
            ),
            (
                "github.com/acme/mono/api",
                "v1.2.0",
                "https://github.com/acme/mono/blob/api/v1.2.0/api/a/b.go#L7",
            ),
            (
                "github.com/a/b",
                "v0.0.0-20240102030405-abcdef123456",
                "https://github.com/a/b/blob/abcdef123456/a/b.go#L7",
            ),
            (
                "github.com/a/b",
                "v3.0.0+incompatible",
                "https://github.com/a/b/blob/v3.0.0/a/b.go#L7",
            ),
            ("gitlab.com/a/b", "v1.0.0", "https://gitlab.com/a/b/-/blob/v1.0.0/a/b.go#L7"),
            ("bitbucket.org/a/b", "v1.0.0", "https://bitbucket.org/a/b/src/v1.0.0/a/b.go#lines-7"),
            ("golang.org/x/net", "v0.33.0", "https://github.com/golang/net/blob/v0.33.0/a/b.go#L7"),
            ("github.com/a\"<b/c", "v1 ?", "https://github.com/a%22%3Cb/c/blob/v1%20%3F/a/b.go#L7"),
        ] {
            assert_eq!(
                source_address(path, version, "a/b.go", 7).as_deref(),
                Some(expected),
                "{path}"
            );
        }
        assert_eq!(source_address("example.com/shop", "v1.0.0", "a.go", 7), None);
        assert_eq!(source_address("github.com/acme", "v1.0.0", "a.go", 7), None);
        assert_eq!(source_address("github.com/a/b", "", "a.go", 7), None);
        assert_eq!(
            source_address(
                "github.com/a/b",
                "v1.0.1-0.20240102030405-abcdef123456+dirty",
                "a.go",
                7
            ),
            None
        );
        let revision = "0123456789abcdef0123456789abcdef01234567";
        let there = format!("https://github.com/a/b/blob/{revision}/api/a.go");
        assert_eq!(source_address("github.com/a/b/api", revision, "a.go", 0), Some(there));
    }

    #[test]
    fn the_standard_library_is_that_of_a_release() {
        let there = "https://github.com/golang/go/blob/go1.27.3/src/net/net.go#L1";
        assert_eq!(
            standard_source_address("go1.27.3 X:none", "net/net.go", 1).as_deref(),
            Some(there)
        );
        assert_eq!(standard_source_address("devel go1.28-abc", "net/net.go", 1), None);
        assert_eq!(standard_source_address("go", "net/net.go", 1), None);
    }
}
