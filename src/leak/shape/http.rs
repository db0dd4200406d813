//! Requests to HTTP servers that never answer.

use super::{Chosen, LONG, longest};
use crate::leak::check::{Check, a_dump, goroutines, words};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Level, Tier};

pub(in crate::leak) const CHECK: Check = Check {
    name: "http-no-timeout",
    tier: Tier::Shape,
    about: "HTTP requests that have waited for an answer for five minutes or more",
    explanation: "\
http.DefaultClient, and every http.Client without a Timeout, waits for an answer as long as the
connection lives. Noted are goroutines that have stood for five minutes or more in
net/http.(*persistConn).roundTrip or its HTTP/2 likes, as far as waits are printed. A dump doesn't
show the client's settings: a long poll looks the same. Set http.Client.Timeout, or give the
request a context with a deadline.",
    needs: a_dump,
    run,
};

fn waits_for_answer(function: &[u8]) -> bool {
    function == b"net/http.(*persistConn).roundTrip"
        || function == b"net/http.(*http2ClientConn).RoundTrip"
        || function.ends_with(b"http2.(*ClientConn).RoundTrip")
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let waiting = Chosen::of(context.profile, waits_for_answer);
    let asks = |member: &Member| !member.repeated && waiting.has(member);
    let of_group = |(at, group): (usize, &Group)| {
        let waits = |member: &Member| {
            let is_long = member.waits.range().is_some_and(|(_, max)| max >= LONG);
            is_long && context.is_open_at_last(member) && asks(member)
        };
        let minutes = longest(group, waits)?;
        let draft =
            context.finding_of_group(&CHECK, Level::Note, at, waits).count_only(context, asks);
        let text = format!(
            "{} of {} {} for an HTTP answer, {minutes} minutes at the longest",
            goroutines(draft.count()),
            context.name_in_text(group),
            if draft.count() == 1 { "waits" } else { "wait" },
        );
        Some(draft.says(text).fact("timeout", words("a dump doesn't show whether one is set")))
    };
    context.groups.iter().enumerate().filter_map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn only_long_waits_for_an_answer_are_noted() {
        let found = |minutes| {
            let mut stage = Stage::new(1);
            let frames =
                &["net/http.(*persistConn).roundTrip", "net/http.(*Client).Do", "kv.fetch"];
            stage.at(0).add(G { frames, minutes, ..G::default() });
            stage.findings(CHECK.name).len()
        };
        assert_eq!((found(4.0), found(5.0)), (0, 1));
    }
}
