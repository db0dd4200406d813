//! Pools of database connections that are used up.

use super::{Chosen, LONG, notes};
use crate::leak::check::{Check, a_dump, goroutines};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Tier};

pub(in crate::leak) const CHECK: Check = Check {
    name: "sql-pool",
    tier: Tier::Shape,
    about: "goroutines that wait for a connection of a sql.DB",
    explanation: "\
A sql.DB with SetMaxOpenConns lets callers wait when all connections are in use; they stand in
database/sql.(*DB).conn. A few are load. Noted are five or more in one process, or one that has
waited for five minutes: usually Rows that aren't closed, a Tx that is neither committed nor rolled
back, or a query inside the loop over another query's rows hold the connections.",
    needs: a_dump,
    run,
};

const WAITING: i64 = 5;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let asking = Chosen::of(context.profile, |name| name == b"database/sql.(*DB).conn");
    let asks = |member: &Member| !member.repeated && asking.has(member);
    let waits = |_: &Group, member: &Member| asks(member);
    let notes = notes(context, &CHECK, WAITING, Some(LONG), waits, |count, called| {
        format!("{} of {called} wait for a database connection: all are in use", goroutines(count))
    });
    notes.into_iter().map(|draft| draft.count_only(context, asks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn five_that_wait_for_a_connection_are_noted() {
        let found = |count| {
            let mut stage = Stage::new(1);
            let frames = &["database/sql.(*DB).conn", "database/sql.(*DB).QueryContext", "kv.load"];
            stage.at(0).count(count, G { frames, ..G::default() });
            let findings = stage.findings(CHECK.name);
            findings.first().and_then(|one| Some(one.function.as_ref()?.func.clone()))
        };
        assert_eq!(found(5).as_deref(), Some("kv.load"));
        assert_eq!(found(4), None);
    }
}
