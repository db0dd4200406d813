//! Text that no CI system takes for commands.

use bstr::ByteSlice;
use std::io::{self, Write};

/// The CI systems that run commands which they find in what a step prints: the variable that each sets, and what
/// begins a command anywhere in a line. GitHub's also begin with `::`, at the start of a line.
///
/// <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>,
/// <https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands>,
/// <https://www.jetbrains.com/help/teamcity/service-messages.html>
const SYSTEMS: [(&str, &[&str]); 3] = [
    ("GITHUB_ACTIONS", &["##["]),
    ("TF_BUILD", &["##vso[", "##["]),
    ("TEAMCITY_VERSION", &["##teamcity["]),
];

/// Passes text on, escaping what any of the systems would take for a command. Names of inputs may contain
/// one, and `::stop-commands::` would silence the annotations. Agents also end lines at carriage returns.
pub struct NoCommands<'o> {
    out: &'o mut dyn Write,
    line: Vec<u8>,
}

impl std::fmt::Debug for NoCommands<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("NoCommands").field("line", &self.line).finish_non_exhaustive()
    }
}

impl<'o> NoCommands<'o> {
    /// Escapes text that is written to `out`.
    pub fn new(out: &'o mut dyn Write) -> NoCommands<'o> {
        NoCommands { out, line: Vec::new() }
    }

    /// Whether what is printed needs it: one of the systems reads it, which set these variables.
    pub fn is_needed(is_set: impl Fn(&str) -> bool) -> bool {
        SYSTEMS.iter().any(|(variable, _)| is_set(variable))
    }

    fn pass_line(&mut self) -> io::Result<()> {
        let mut line = self.line.replace("\r", "\\r");
        self.line.clear();
        for begin in SYSTEMS.iter().flat_map(|(_, begins)| *begins) {
            line = line.replace(begin, begin.replace("##", "#\\#"));
        }
        let text = line.trim_start();
        if text.starts_with(b"::") {
            let blanks = line.len().saturating_sub(text.len());
            self.out.write_all(line.get(..blanks).unwrap_or_default())?;
            self.out.write_all(b"\\")?;
            return self.out.write_all(text);
        }
        self.out.write_all(&line)
    }
}

impl Write for NoCommands<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.pass_line()?;
            }
        }
        Ok(bytes.len())
    }

    /// Also passes on an unfinished last line, so it must only be called at the end.
    fn flush(&mut self) -> io::Result<()> {
        self.pass_line()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command() {
        let mut shown = Vec::new();
        let mut guard = NoCommands::new(&mut shown);
        guard.write_all(b"CATEGORY\n::stop-commands::x\n\t ::er").unwrap();
        guard.write_all(b"ror::y\nmain ::z\r::a\n##[group]b ###v").unwrap();
        guard.write_all(b"so[x]##vso##vso[y]\n x##teamcity[z]\n## a\n::end").unwrap();
        guard.flush().unwrap();
        let expected = "CATEGORY\n\\::stop-commands::x\n\t \\::error::y\nmain ::z\\r::a\n\
            #\\#[group]b ##\\#vso[x]##vso#\\#vso[y]\n x#\\#teamcity[z]\n## a\n\\::end";
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }
}
