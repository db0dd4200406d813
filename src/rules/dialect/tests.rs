use super::*;
use crate::rules::pattern::{LazyRegex, Replacement};

fn matches(pattern: &str, text: &str) -> bool {
    let pattern = translate(pattern, Dialect::JavaScript).unwrap();
    Compiler::default().compile(&pattern, false).unwrap().is_match(text.as_bytes())
}

#[test]
fn javascript_spellings_mean_what_they_mean_there() {
    assert!(matches(r"a\/b\-c", "a/b-c"));
    assert!(matches("a{1", "a{1"), "a brace that is no quantifier is literal");
    assert!(matches("^a{,2}$", "a{,2}"));
    assert!(matches("^a{1,2}$", "aa"));
    assert!(matches("[[a]", "["), "a bracket in a class is literal");
    assert!(matches("^[a&&b]+$", "a&b"), "no set operations");
    assert!(matches(r"^[\w-.]+$", "a-b.c"));
    assert!(matches("^[^]$", "\n"));
    assert!(!matches("[]", "x"));
    assert!(matches(r"^\x41\u0042\103$", "ABC"));
    assert!(!matches(r"^\d$", "٣"), "digits are ASCII digits");
    assert!(matches(r"\<", "<"), "an escaped sign is the sign");
}

#[test]
fn what_a_linear_engine_cannot_do_is_refused_at_its_column() {
    let refused = |pattern: &str| translate(pattern, Dialect::Rust).unwrap_err();
    assert_eq!(refused("ab(?=c)").column, 3);
    assert!(refused("ab(?<!c)").what.contains("look-behind"));
    assert_eq!(refused(r"(a)x\1").column, 5);
    assert_eq!(refused("ab[c").column, 3);
    assert_eq!(refused(r"x\/*y(").column, 6, "columns are those of the source");
    assert_eq!(refused("*").column, 1);
}

#[test]
fn size_limits_hold_for_one_and_for_all() {
    let mut compiler = Compiler::default();
    let error = compiler.compile("(((a{1000}){1000}){1000})", false).unwrap_err();
    assert!(error.what.contains("too large"), "{}", error.what);
    let many = (0..100).map(|n| compiler.compile(&format!("x{n}(ab|cd){{2000}}"), false));
    let error = many.filter_map(Result::err).next().unwrap();
    assert!(error.what.contains("together"), "{}", error.what);
}

#[test]
fn replacements_follow_javascript() {
    let replace = |pattern: &str, to: &str, text: &str| {
        let pattern = LazyRegex::new(pattern, false, &mut Compiler::default()).unwrap();
        let groups = pattern.captures(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        Replacement::new(to).expand(&pattern, text.as_bytes(), &groups, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(replace("w", "<$&>", "main.w"), "<w>");
    assert_eq!(replace("w", "$2x", "main.w"), "$2x");
    assert_eq!(replace("(z)?w", "[$1]", "w"), "[]");
    assert_eq!(replace("(a)", "$10$$", "a"), "a0$");
    assert_eq!(replace("b", "$`|$'", "abc"), "a|c");
    assert_eq!(replace("(?<n>a)", "$<n>$<m>", "a"), "a");
}
