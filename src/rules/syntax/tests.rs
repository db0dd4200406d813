use super::*;

fn text(list: List, text: &str) -> Result<Meaning, Fault> {
    read(list, &Spec::Text(text.into()), Dialect::Rust)
}

fn fault(list: List, rule: &str) -> (usize, String) {
    let fault = text(list, rule).unwrap_err();
    (fault.column, fault.what)
}

#[test]
fn escapes_keep_commas_and_bars_in_their_part() {
    let Ok(Meaning::Fold { matcher, while_, to }) =
        text(List::NameFold, r"s|a{1\,2}\.X,b{1\,2}\.|A\|B|")
    else {
        panic!("a fold rule");
    };
    let either = Matcher::Either { prefix: r"a{1,2}\.X".into(), pattern: r"a{1,2}\.X".into() };
    assert_eq!(matcher, either);
    let pattern = r"b{1,2}\.".to_owned();
    assert_eq!(while_, Some(While::Matches(Matcher::Regex { pattern, ignore_case: false })));
    assert_eq!(to, "A|B");
    let Ok(Meaning::Extract { pattern, .. }) = text(List::InputName, r"s|(x\|y)|$1|") else {
        panic!("an extraction rule");
    };
    assert_eq!(pattern, "(x|y)");
}

#[test]
fn alternation_needs_no_escape_where_the_last_bars_are_counted() {
    let Ok(Meaning::Trim { matcher, to, .. }) = text(List::NameTrim, "s|(X|Y)|-|") else {
        panic!("a trim rule");
    };
    assert_eq!(matcher, Matcher::Regex { pattern: "(X|Y)".into(), ignore_case: false });
    assert_eq!(to, "-");
}

#[test]
fn a_method_is_a_prefix_although_it_is_no_expression() {
    let Ok(Meaning::Fold { matcher, .. }) = text(List::NameFold, "s|sync.(*Cond).Wait|cond|")
    else {
        panic!("a fold rule");
    };
    assert_eq!(matcher, Matcher::Prefix("sync.(*Cond).Wait".into()));
}

#[test]
fn what_cannot_be_used_is_a_fault_at_its_column() {
    assert_eq!(fault(List::NameFold, "a.X").0, 1);
    assert_eq!(fault(List::NameFold, "s|a.X|A"), (8, "the last | is missing".into()));
    assert_eq!(fault(List::NameFold, "s|a,b,c|A|"), (6, "one comma too many".into()));
    assert_eq!(fault(List::NameFold, "s|a{1,2}|A|").0, 4);
    assert_eq!(fault(List::NameFold, "s|a[|A|").0, 4);
    assert_eq!(fault(List::NameFold, "s|a|A|g").0, 7);
    assert_eq!(fault(List::NameFold, "s|a,b(|A|").0, 6);
    assert_eq!(fault(List::NameSkip, "s|a|b|").0, 1);
    assert_eq!(fault(List::NameTrim, "s/main/x").0, 9);
    assert_eq!(fault(List::NameTrim, "s|a|b|x"), (7, "unknown flag 'x'".into()));
    assert_eq!(fault(List::CategoryMatch, "a(?=b)").0, 2);
    assert_eq!(fault(List::CategoryMatch, "s|^(a)/(b)|$2|").0, 12);
    assert_eq!(fault(List::InputName, "s|(x|y)|$1|").0, 8);
    assert_eq!(fault(List::InputName, "s|x|hex:$1|").0, 3);
    assert_eq!(fault(List::TrimFunc, "[bad(").0, 1);
}

#[test]
fn group_and_comment_stand_behind_a_category_expression() {
    assert_eq!(selector("(pkg)/([^/]+)#2 -- why"), ("(pkg)/([^/]+)", 2));
    assert_eq!(selector("pkg#x"), ("pkg", 0));
    assert_eq!(selector("pkg"), ("pkg", 1));
}
