//! Goroutines in `select {}`.

use super::check::{Check, a_dump};
use super::context::Context;
use super::finding::{FindingBuilder, Tier};
use super::nil_channel::forever;
use crate::profile::Kind;

pub(super) const CHECK: Check = Check {
    name: "empty-select",
    tier: Tier::Proof,
    about: "goroutines in a select without cases",
    explanation: "\
`select {}` never ends, so a goroutine in it is there until the program ends, with its stack and all
that the stack holds. In main.main it is the usual way to keep a program running, and is left out;
in any other goroutine it does nothing but stay. Go prints `select (no cases)`.

A goroutine that is meant to be kept goes into an allow-list, with a maximum.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    forever(context, Kind::EmptySelect, &CHECK, |count| {
        let stays = if count == 1 { "is" } else { "are" };
        format!("{stays} in select {{}}, which nothing ends")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::finding::Level;
    use crate::leak::fixture::{Stage, found};
    use crate::view::fixture::G;

    #[test]
    fn keeping_the_program_alive_is_left_to_main() {
        let mut stage = Stage::new(1);
        let select = "select (no cases)";
        stage.at(0).add(G { id: 1, state: select, frames: &["main.main"], ..G::default() });
        assert!(stage.findings(CHECK.name).is_empty());
        stage.at(0).add(G { id: 5, state: select, frames: &["main.main.func1"], ..G::default() });
        assert_eq!(
            found(&stage.findings(CHECK.name)),
            [("main.main.func1", Level::Error, vec![1])]
        );
    }
}
