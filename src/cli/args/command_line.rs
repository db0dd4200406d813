//! The command line as it was typed, to be used in another command.

use super::{Common, InputArgs, RuleArgs, SelectArgs};
use crate::output::command::CommandLine;
use crate::source::shown_argument;

impl Common {
    /// The options and inputs that select goroutines.
    pub fn command_line(&self) -> CommandLine {
        let mut options = Options(Vec::new());
        let open =
            options.input(&self.input) & options.rules(&self.rules) & options.select(&self.select);
        // Addresses can contain secrets, in values of options, too.
        let is_public = |input: &&str| shown_argument(input.as_ref()).ends_with(*input);
        let value =
            |option: &String| option.split_once('=').is_none_or(|(_, value)| is_public(&value));
        let open = open && options.0.iter().all(value);
        let inputs: Option<Vec<String>> = (self.input.inputs.iter())
            .map(|input| input.to_str().filter(is_public).map(str::to_owned))
            .collect();
        CommandLine {
            options: options.0,
            is_open: open && inputs.is_some() && self.prune.is_empty(),
            inputs: inputs.unwrap_or_default().into_iter().filter(|input| input != "-").collect(),
        }
    }
}

struct Options(Vec<String>);

impl Options {
    fn all(&mut self, option: &str, values: &[String]) {
        // Values can start with a hyphen.
        self.0.extend(values.iter().map(|value| format!("{option}={value}")));
    }

    fn one(&mut self, option: &str, value: Option<&String>) {
        self.all(option, value.map(std::slice::from_ref).unwrap_or_default());
    }

    fn switch(&mut self, option: &str, is_on: bool) {
        if is_on {
            self.0.push(option.to_owned());
        }
    }

    /// Adds the input options; returns whether all of them could be written down.
    fn input(&mut self, args: &InputArgs) -> bool {
        self.all("--member", &args.members);
        self.all("--input-name", &args.input_names);
        self.all("--path-label", &args.path_labels);
        self.one("--input-format", args.input_format.as_ref());
        self.one("--line-prefix", args.line_prefix.as_ref());
        self.one("--max-bytes", args.max_bytes.as_ref());
        self.one("--http-timeout", args.http_timeout.as_ref());
        self.switch("--http-insecure", args.http_insecure);
        for binary in &args.binaries {
            self.one("--binary", Some(&binary.display().to_string()));
        }
        self.switch("--resymbolize", args.resymbolize);
        self.switch("--force-binary", args.force_binary);
        // Headers contain secrets.
        args.http_headers.is_empty() && args.http_ca.is_none()
    }

    fn rules(&mut self, args: &RuleArgs) -> bool {
        self.switch("--no-config", args.no_config);
        self.switch("--no-default-rules", args.no_default_rules);
        self.all("--rule", &args.rules);
        match args.config.as_ref().map(|path| path.to_str()) {
            None => true,
            Some(None) => false,
            Some(Some(path)) => {
                self.0.push(format!("--config={path}"));
                true
            }
        }
    }

    fn select(&mut self, args: &SelectArgs) -> bool {
        self.all("--match", &args.matches);
        self.one("--query", args.query.as_ref());
        self.all("--state", &args.states);
        self.all("--wait", &args.waits);
        self.all("--label", &args.labels);
        self.all("--input", &args.inputs);
        self.all("--category", &args.categories);
        self.all("--name", &args.names);
        self.all("--created-by", &args.created_by);
        self.all("--id", &args.ids);
        self.all("--where", &args.wheres);
        // Values of one option are alternatives, so adding one of these would select more; and what `--keep`
        // matches is shown in any case.
        args.kinds.is_empty() && args.frames.is_empty() && args.keeps.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::summarize::SummarizeArgs;
    use clap::{Args, Command, FromArgMatches};

    fn command(arguments: &[&str]) -> Option<String> {
        let command = SummarizeArgs::augment_args(Command::new("summarize").no_binary_name(true));
        let args = SummarizeArgs::from_arg_matches(&command.get_matches_from(arguments)).unwrap();
        args.common().command_line().command("check", &[])
    }

    #[test]
    fn everything_that_selects_is_asked_again() {
        let typed = ["a b.zip", "--member", "nodes/*", "-m", "-raft", "--wait", "5+", "-n", "3"];
        let expected = "stackgazer check '--member=nodes/*' --match=-raft --wait=5+ 'a b.zip'";
        assert_eq!(command(&typed).as_deref(), Some(expected));
    }

    #[test]
    fn what_would_select_something_else_is_not_asked() {
        assert_eq!(command(&["dump.txt", "--kind", "select"]), None);
        assert_eq!(command(&["dump.txt", "--keep", "id == 1"]), None);
        assert_eq!(command(&["dump.txt", "--focus", "main"]), None);
        assert_eq!(command(&["http://h/", "--http-header", "Authorization: x"]), None);
        assert_eq!(command(&["http://h/x?debug=2&token=x"]), None);
        assert_eq!(command(&["h:1/debug/pprof/heap?token=x"]), None);
        assert_eq!(command(&["dump.txt", "--line-prefix", "http:/h/x?token=x"]), None);
        assert!(command(&["h:1/debug/pprof/heap?debug=1"]).is_some());
    }

    #[test]
    fn what_came_through_a_pipe_has_no_name() {
        assert_eq!(command(&["-"]).as_deref(), Some("stackgazer check FILE"));
    }
}
