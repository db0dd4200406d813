//! Whether XML is well formed, as far as the program writes any: no namespaces, no DTD.

/// Panics if it isn't.
pub fn check_xml(text: &[u8]) {
    let text = std::str::from_utf8(text).expect("UTF-8");
    if let Err(what) = well_formed(text) {
        panic!("{what}: {text}");
    }
}

fn well_formed(text: &str) -> Result<(), String> {
    let is_allowed =
        |one: char| matches!(one, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    if let Some(other) = text.chars().find(|&one| !is_allowed(one)) {
        return Err(format!("{other:?} isn't allowed"));
    }
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at], open.is_empty())?;
        let tag = &rest[at + 1..];
        rest = if let Some(tag) = tag.strip_prefix('?') {
            behind(tag, "?>")?.1
        } else if let Some(tag) = tag.strip_prefix("![CDATA[") {
            behind(tag, "]]>")?.1
        } else if let Some(tag) = tag.strip_prefix("!--") {
            let (comment, rest) = behind(tag, "-->")?;
            if comment.contains("--") {
                Err("-- in a comment")?
            }
            rest
        } else if tag.starts_with('!') {
            behind(tag, ">")?.1
        } else if let Some(tag) = tag.strip_prefix('/') {
            let (name, rest) = behind(tag, ">")?;
            if open.pop() != Some(name.trim_end()) {
                Err(format!("</{name}> ends another"))?
            }
            rest
        } else {
            roots += usize::from(open.is_empty());
            let (name, alone, rest) = element(tag)?;
            if !alone {
                open.push(name)
            }
            rest
        };
    }
    check_text(rest, open.is_empty())?;
    match (open.as_slice(), roots) {
        ([], 1) => Ok(()),
        (open, roots) => Err(format!("{open:?} are open, {roots} are outermost")),
    }
}

/// The name of an element, whether it ends at once, and what follows its tag.
fn element(tag: &str) -> Result<(&str, bool, &str), String> {
    let end = tag.find([' ', '\n', '\t', '/', '>']).ok_or("a tag without end")?;
    let (name, mut rest) = tag.split_at(end);
    let is_name = |one: char| one.is_alphanumeric() || "_-:.".contains(one);
    if name.is_empty() || !name.chars().all(is_name) {
        Err(format!("{name:?} is no name"))?
    }
    let mut known = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix("/>") {
            return Ok((name, true, rest));
        }
        if let Some(rest) = rest.strip_prefix('>') {
            return Ok((name, false, rest));
        }
        let (attribute, value) = rest.split_once('=').ok_or("an attribute without value")?;
        if !attribute.chars().all(is_name) || known.contains(&attribute) {
            Err(format!("{attribute:?} is no attribute, or stands twice"))?
        }
        known.push(attribute);
        let quote = value.chars().next().filter(|one| "\"'".contains(*one)).ok_or("no quote")?;
        let (value, behind) = value[1..].split_once(quote).ok_or("a value without end")?;
        if value.contains('<') {
            Err("< in a value")?
        }
        check_text(value, false)?;
        rest = behind;
    }
}

/// Whether every `&` starts a character that may stand there; nothing stands outside the root.
fn check_text(text: &str, outside: bool) -> Result<(), String> {
    if outside && !text.trim().is_empty() {
        Err(format!("{text:?} outside"))?
    }
    for reference in text.split('&').skip(1) {
        let (name, _) = reference.split_once(';').ok_or("& without ;")?;
        let is_number = |name: &str| {
            let number = match name.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => name.parse(),
            };
            number.is_ok_and(|number| matches!(number, 9 | 10 | 13 | 0x20..))
        };
        let known = ["amp", "lt", "gt", "quot", "apos"].contains(&name);
        if !known && !name.strip_prefix('#').is_some_and(is_number) {
            Err(format!("&{name};"))?
        }
    }
    Ok(())
}

fn behind<'a>(text: &'a str, end: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(end).ok_or_else(|| format!("no {end}"))
}

#[cfg(test)]
mod tests {
    use super::well_formed;

    #[test]
    fn what_is_not_well_formed_is_found() {
        for text in ["<a/>", "<?xml version=\"1.0\"?>\n<a b='&lt;&#10;'>x<c/><!-- - --></a>\n"] {
            assert_eq!(well_formed(text), Ok(()), "{text}");
        }
        for text in [
            "",
            "<a>",
            "</a>",
            "<a></b>",
            "<a/><a/>",
            "x<a/>",
            "<a b=1/>",
            "<a b='<'/>",
            "<a b='' b=''/>",
            "<a>&nbsp;</a>",
            "<a>&#1;</a>",
            "<a>\u{1}</a>",
            "<a>&</a>",
        ] {
            assert!(well_formed(text).is_err(), "{text}");
        }
    }
}
