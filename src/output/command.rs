//! Commands that a reader can copy: what was asked, asked again with more behind it.

/// The part of a command line that says what is looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// Flags and their values, without those of outputs.
    pub flags: Vec<String>,
    /// Inputs; none where they can't be read a second time or can't be written down.
    pub inputs: Vec<String>,
    /// Whether flags may be added that select by kind and frame.
    pub is_open: bool,
}

impl CommandLine {
    /// `stackgazer COMMAND FLAGS INPUTS`, in the words of a shell; `None` where no such command would
    /// show what is meant.
    pub fn command(&self, name: &str, flags: &[String]) -> Option<String> {
        // Values of one flag are alternatives: with another one more would be shown.
        let is_asked = |flag: &String| {
            let of_flag = |asked: &String| asked.split('=').next() == Some(flag);
            flag.starts_with("--") && self.flags.iter().any(of_flag)
        };
        if !self.is_open || flags.iter().any(is_asked) {
            return None;
        }
        let words = ["stackgazer", name].into_iter().map(str::to_owned);
        let words = words.chain(self.flags.iter().chain(flags).map(|word| quoted(word)));
        let mut words: Vec<String> = words.collect();
        match self.inputs.as_slice() {
            // What came through a pipe has to come again.
            [] => words.push("FILE".to_owned()),
            inputs => words.extend(inputs.iter().map(|input| quoted(input))),
        }
        Some(words.join(" "))
    }
}

/// A word as shells need it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("dump.txt"), "dump.txt");
        assert_eq!(quoted("my dump"), "'my dump'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("^main.(*T)$"), "'^main.(*T)$'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_command_repeats_what_was_asked() {
        let asked = CommandLine {
            flags: vec!["--label".to_owned(), "node=3".to_owned()],
            inputs: vec!["debug.zip".to_owned()],
            is_open: true,
        };
        let command = asked.command("filter", &["--kind".to_owned(), "chan-send".to_owned()]);
        let expected = "stackgazer filter --label node=3 --kind chan-send debug.zip";
        assert_eq!(command.as_deref(), Some(expected));
        let again = asked.command("filter", &["--label".to_owned(), "tenant".to_owned()]);
        assert_eq!(again, None, "it would show what either of the labels has");
        let piped = CommandLine { inputs: Vec::new(), ..asked.clone() };
        assert!(piped.command("check", &[]).unwrap().ends_with(" FILE"));
        assert_eq!(CommandLine { is_open: false, ..asked }.command("check", &[]), None);
    }
}
