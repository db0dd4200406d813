use super::*;
use proptest::prelude::*;
use regex::bytes::RegexBuilder;

/// What the `regex` crate finds from a place on: the match, then each group.
fn expected(pattern: &str, text: &[u8], from: usize) -> Option<Vec<Option<Range<usize>>>> {
    let regex = RegexBuilder::new(pattern).unicode(false).build().unwrap();
    let found = regex.captures_at(text, from)?;
    Some(found.iter().map(|group| group.map(|group| group.range())).collect())
}

fn found(
    simple: &Simple,
    text: &[u8],
    from: usize,
) -> Result<Option<Vec<Option<Range<usize>>>>, GaveUp> {
    let mut slots = vec![NOWHERE; simple.groups() * 2];
    let Some(whole) = simple.find(text.into(), from, &mut slots)? else {
        assert!(slots.iter().all(|slot| *slot == NOWHERE), "nothing is left of what was tried");
        return Ok(None);
    };
    let group = |slots: &[usize]| (slots[1] != NOWHERE).then(|| slots[0]..slots[1]);
    Ok(Some([Some(whole)].into_iter().chain(slots.chunks(2).map(group)).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn whatever_is_simple_matches_as_in_the_regex_crate(
        pattern in concat!(
            r"\^?(",
            r"[abc]|[ab]{2}|\(|\(\?:|\)|\||\?|\*|\+|\^|\$|\.|\\\.|\\\(|-|/|\\d|\\W",
            r"|\[ab\]|\[\^/b\]|\[a-c\]\+|\[\^/\]\*|\[\\d\\]\]|\{0,2\}|\{2\}|\{1,\}|\{0\}|\{2|\[bä\]",
            r"){0,12}",
        ),
        texts in prop::collection::vec(r"[abc/.(0\n-]{0,12}", 8),
        from in 0..3_usize,
    ) {
        let Ok(_) = RegexBuilder::new(&pattern).unicode(false).build() else { return Ok(()) };
        let Some(simple) = Simple::read(&pattern) else { return Ok(()) };
        for text in &texts {
            let text = text.as_bytes();
            let from = from.min(text.len());
            if let Ok(found) = found(&simple, text, from) {
                prop_assert_eq!(found, expected(&pattern, text, from), "{:?}", text);
            }
        }
    }
}

#[test]
fn matches_behind_the_start_go_on_with_all_that_may_come_second() {
    for (pattern, text) in [
        ("[a-c]+/", "0a/"),
        ("[a-c]+/", "0ab/"),
        ("a*b", "0b"),
        ("a*bc", "0abc"),
        ("a+b", "0ab"),
        ("ab?c", "0ac"),
        ("(a|bc)d", "0ad"),
        ("(a|bc)+d", "0abcd"),
        ("a", "0a"),
        ("a$", "0a"),
        ("^a|ab", "0ab"),
        ("(^|/)a", "0/a"),
    ] {
        let simple = Simple::read(pattern).unwrap();
        let found = found(&simple, text.as_bytes(), 0).unwrap();
        assert!(found.is_some(), "{pattern} {text}");
        assert_eq!(found, expected(pattern, text.as_bytes(), 0), "{pattern} {text}");
    }
}

#[test]
fn what_is_not_simple_is_left_to_others() {
    for pattern in [
        "a**",
        "(a*)*",
        "(a|b?)+",
        "(?i)a",
        "(?P<n>a)",
        r"\bx",
        r"\x41",
        r"\pL",
        "[[:alpha:]]",
        "[]a]",
        "[^]a]",
        "[a-]",
        "[a&&b]",
        "a{,2}",
        "a{+2}",
        "a{9}",
        "((a{8}){8}){8}",
        "a)",
        "(a",
        "ä",
        "[ä]",
        "[a-ä]",
        "a[^ä]",
        &format!("{}a{}", "(".repeat(20), ")".repeat(20)),
    ] {
        assert!(Simple::read(pattern).is_none(), "{pattern}");
    }
    let simple = Simple::read("^[^/]+$").unwrap();
    assert_eq!(simple.find("ä".as_bytes().into(), 0, &mut []), Err(GaveUp));
    assert_eq!(simple.find([b'a'; LONGEST + 1][..].into(), 0, &mut []), Err(GaveUp));
}

#[test]
fn what_would_take_long_is_given_up() {
    let text = [b'a'; 40];
    for pattern in ["(a|a)*[bc]", "(aa?|a){8}(a|aa)+[bc]", "a*a*a*a*a*a*[bc]"] {
        let simple = Simple::read(pattern).unwrap();
        assert_eq!(simple.find(text[..].into(), 0, &mut []), Err(GaveUp), "{pattern}");
    }
}

#[test]
fn all_built_in_rules_are_simple() {
    let lists = crate::rules::default_lists();
    let rules = format!("{lists:?}");
    let mut checked = 0;
    for (_, rest) in
        rules.match_indices("pattern: \"").map(|(at, key)| rules.split_at(at + key.len()))
    {
        let pattern = rest.split('"').next().unwrap().replace(r"\\", r"\");
        assert!(Simple::read(&pattern).is_some(), "{pattern}");
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}
