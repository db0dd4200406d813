//! Functions in sentences without the path of their package, if they stay unambiguous.

use crate::output::fit::base;
use crate::profile::{Profile, StrId};
use std::collections::BTreeMap;

/// The functions that are unambiguous without the path of their package, and their short forms.
pub(super) struct Short {
    known: BTreeMap<String, String>,
}

impl Short {
    pub(super) fn new(profile: &Profile) -> Short {
        let mut functions: Vec<StrId> = profile.frames().iter().map(|frame| frame.func).collect();
        functions.sort_unstable();
        functions.dedup();
        let mut of_short: BTreeMap<String, Option<String>> = BTreeMap::new();
        for function in functions {
            let name = String::from_utf8_lossy(profile.str(function)).into_owned();
            let one = of_short.entry(base(&name).to_owned());
            one.and_modify(|known| *known = None).or_insert(Some(name));
        }
        let unambiguous = |(short, name): (String, Option<String>)| {
            name.filter(|name| *name != short).map(|name| (name, short))
        };
        Short { known: of_short.into_iter().filter_map(unambiguous).collect() }
    }

    /// A sentence with its functions shortened.
    pub(super) fn sentence(&self, text: &str) -> String {
        let word = |word| {
            let name: &str = word;
            let bare = name.trim_end_matches([',', ';', ':']);
            match self.known.get(bare) {
                Some(short) => format!("{short}{}", &name[bare.len()..]),
                None => name.to_owned(),
            }
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    #[test]
    fn only_functions_that_stay_the_only_ones_of_their_name_are_shortened() {
        let mut fixture = Fixture::new("n1");
        let frames =
            ["a.b/shop/store.(*Stock).Get s.go:1", "a.b/queue.Run q.go:2", "c.d/queue.Run q.go:2"];
        fixture.add(G { frames: &frames, ..G::default() });
        let short = Short::new(&fixture.done().0);
        assert_eq!(
            short.sentence("2 in a.b/shop/store.(*Stock).Get, s.go:1, on shop/store/1"),
            "2 in store.(*Stock).Get, s.go:1, on shop/store/1"
        );
        assert_eq!(short.sentence("in a.b/queue.Run"), "in a.b/queue.Run", "there are two");
    }
}
