//! Which goroutines.

use crate::filter::Select;
use clap::Args;

/// Which goroutines. Values of one flag are alternatives, different flags must all hold, `!` negates.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Selecting")]
pub struct SelectArgs {
    /// Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored
    #[arg(short = 'm', long = "match", value_name = "TEXT", allow_hyphen_values = true)]
    pub matches: Vec<String>,

    /// The browser tool's search: text and `wait:` terms, as in 'flush wait:>5'
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Option<String>,

    /// State as Go prints it, as in 'select' or 'sync.Mutex.Lock'
    #[arg(long = "state", value_name = "STATE", value_delimiter = ',')]
    pub states: Vec<String>,

    /// Kind: the state made comparable across Go versions
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub kinds: Vec<String>,

    /// Minutes blocked: 5, 5+, '>5', '<3', 2-10, 1h
    #[arg(long = "wait", value_name = "RANGE", allow_hyphen_values = true)]
    pub waits: Vec<String>,

    /// Label, those of the input's path included: KEY or KEY=GLOB
    #[arg(long = "label", value_name = "KEY[=GLOB]")]
    pub labels: Vec<String>,

    /// Name of the input
    #[arg(long = "input", id = "select-input", value_name = "GLOB", value_delimiter = ',')]
    pub inputs: Vec<String>,

    /// Category
    #[arg(long = "category", value_name = "GLOB", value_delimiter = ',')]
    pub categories: Vec<String>,

    /// Name of the stack
    #[arg(long = "name", id = "select-name", value_name = "GLOB")]
    pub names: Vec<String>,

    /// A frame of the stack, as `func file:line`
    #[arg(long = "frame", id = "select-frame", value_name = "REGEX")]
    pub frames: Vec<String>,

    /// What created the goroutine, as `func file:line`
    #[arg(long = "created-by", value_name = "REGEX")]
    pub created_by: Vec<String>,

    /// Goroutine id, with the input's name in front (`n1.17`) when there are several inputs
    #[arg(long = "id", value_name = "ID", value_delimiter = ',')]
    pub ids: Vec<String>,

    /// An expression: 'state == "select" and wait >= 5 and label.tenant =~ "^acme"'
    #[arg(long = "where", value_name = "EXPR")]
    pub wheres: Vec<String>,

    /// Show what this expression selects too, although filtered out
    #[arg(long = "keep", value_name = "EXPR")]
    pub keeps: Vec<String>,
}

impl SelectArgs {
    /// What was typed, for [`crate::filter`].
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
