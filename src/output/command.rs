//! Commands to copy: the present command line with another command and more options.

/// The part of a command line that selects what is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// Options and their values, without those for outputs.
    pub options: Vec<String>,
    /// Inputs; empty if they can't be read again or can't be written down.
    pub inputs: Vec<String>,
    /// Whether options can be added that select by kind and frame.
    pub is_open: bool,
}

impl CommandLine {
    /// `stackgazer COMMAND OPTIONS INPUTS`, quoted for a shell; `None` if no command shows exactly what is
    /// meant.
    pub fn command(&self, name: &str, options: &[String]) -> Option<String> {
        // Values of a repeated option are alternatives, so repeating one would show more.
        let is_asked = |option: &String| {
            let of_option = |asked: &String| asked.split('=').next() == Some(option);
            option.starts_with("--") && self.options.iter().any(of_option)
        };
        if !self.is_open || options.iter().any(is_asked) {
            return None;
        }
        let words = ["stackgazer", name].into_iter().map(str::to_owned);
        let words = words.chain(self.options.iter().chain(options).map(|word| quoted(word)));
        let mut words: Vec<String> = words.collect();
        match self.inputs.as_slice() {
            // Input from a pipe has to be given again.
            [] => words.push("FILE".to_owned()),
            inputs => words.extend(inputs.iter().map(|input| quoted(input))),
        }
        Some(words.join(" "))
    }
}

/// A word quoted for a shell, if necessary.
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
            options: vec!["--label".to_owned(), "node=3".to_owned()],
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
