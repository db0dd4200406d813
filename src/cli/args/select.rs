//! Which goroutines.

use crate::filter::Select;
use clap::Args;

/// Which goroutines.
///
/// Values of one option are alternatives, those with `!` in front must all not hold (`\!` stands for
/// the character itself), different options must all hold.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Selecting (values of an option: any of them, and none with ! in front)"
)]
pub struct SelectArgs {
    /// Text in the stack or a label, or a goroutine id
    ///
    /// The stack as `func file:line`, labels as `k=v`, flags, `state=...`; case is ignored.
    #[arg(short = 'm', long = "match", value_name = "TEXT", allow_hyphen_values = true)]
    pub matches: Vec<String>,

    /// The browser tool's search: a word and `wait:` terms, as in 'flush wait:>5'
    ///
    /// Waits are whole minutes: wait:>5 (6 or more), wait:<10 (9 or less), wait:5+, wait:4-9, wait:7.
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Option<String>,

    /// State as Go prints it, as in 'chan send'
    ///
    /// 'unknown' if it isn't known.
    #[arg(long = "state", value_name = "STATE", value_delimiter = ',')]
    pub states: Vec<String>,

    /// Kind: the state made comparable across Go versions, as in 'mutex' or 'chan-recv'
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub kinds: Vec<String>,

    /// Minutes blocked: 5, 5+, '>5', 2-10, 1h
    ///
    /// Without a unit: minutes; also '<3', 30s, 2d.
    ///
    /// A wait that isn't known satisfies no condition on it, not even a negated one; how many
    /// goroutines were left out for that is reported.
    #[arg(long = "wait", value_name = "RANGE", allow_hyphen_values = true)]
    pub waits: Vec<String>,

    /// Label, those of the input's path included
    ///
    /// Different keys must all hold.
    #[arg(long = "label", value_name = "KEY[=GLOB]")]
    pub labels: Vec<String>,

    /// Name of the input
    #[arg(long = "input", id = "select-input", value_name = "GLOB", value_delimiter = ',')]
    pub inputs: Vec<String>,

    /// Stacks that are in these inputs and in no other; goroutines have the same stack when its shape
    /// is the same (without lines and what differs between builds)
    #[arg(long = "only-in", value_name = "GLOB", value_delimiter = ',')]
    pub only_in: Vec<String>,

    /// Stacks that other inputs have and none of these
    #[arg(long = "missing-in", value_name = "GLOB", value_delimiter = ',')]
    pub missing_in: Vec<String>,

    /// Category; `*` stands for slashes too
    #[arg(long = "category", value_name = "GLOB", value_delimiter = ',')]
    pub categories: Vec<String>,

    /// Name of the stack
    #[arg(long = "name", id = "select-name", value_name = "GLOB")]
    pub names: Vec<String>,

    /// A frame of the stack, as `func file:line`; with ! in front: no frame
    #[arg(long = "frame", id = "select-frame", value_name = "REGEX")]
    pub frames: Vec<String>,

    /// What created the goroutine, as `func file:line`
    #[arg(long = "created-by", value_name = "REGEX")]
    pub created_by: Vec<String>,

    /// Goroutine id, with the input's name in front (`n1.17`) to mean only that input
    #[arg(long = "id", value_name = "ID", value_delimiter = ',')]
    pub ids: Vec<String>,

    /// Expression: 'state == "select" and wait >= 5'
    ///
    /// Fields:
    ///   state kind input category      texts
    ///     name flag
    ///   frame leaf root created_by     any frame, the innermost, the
    ///                                  outermost, the go statement, as
    ///                                  `func file:line`; or in parts:
    ///                                  leaf.func leaf.file leaf.package
    ///                                  leaf.module
    ///   func file package module       parts of any frame
    ///   label.KEY label["odd key"]     text or number; alone: is set
    ///   wait                           5, 90s, 2h; wait == unknown
    ///   id creator depth count         numbers; id == "n1.17" too
    ///   leaked locked durable scan     alone: the flag is set
    ///     system truncated unavailable
    ///   match "TEXT"                   as --match
    ///
    /// Operators:
    ///   == != < <= > >= in (A, B)      texts byte by byte, or numbers
    ///   =~ !~                          regular expression
    ///   like                           glob, for the whole text
    ///   contains                       part of the text
    ///   not and or ( )                 not before and before or
    ///
    /// A negated comparison is the negation of all of it: frame !~ "grpc"
    /// says that no frame matches.
    #[arg(long = "where", value_name = "EXPR", verbatim_doc_comment)]
    pub wheres: Vec<String>,

    /// Also show what this expression selects, although other options hide it
    #[arg(long = "keep", value_name = "EXPR")]
    pub keeps: Vec<String>,
}

impl SelectArgs {
    /// The options for [`crate::filter`].
    pub fn select(&self) -> Select {
        Select {
            matches: self.matches.clone(),
            query: self.query.clone(),
            states: self.states.clone(),
            kinds: self.kinds.clone(),
            waits: self.waits.clone(),
            labels: self.labels.clone(),
            inputs: self.inputs.clone(),
            categories: self.categories.clone(),
            names: self.names.clone(),
            frames: self.frames.clone(),
            created_by: self.created_by.clone(),
            ids: self.ids.clone(),
            wheres: self.wheres.clone(),
            keeps: self.keeps.clone(),
        }
    }
}
