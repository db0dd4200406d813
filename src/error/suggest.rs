//! "Did you mean ...?"

/// The name that was probably meant, if one is close enough.
pub(crate) fn nearest<'a>(
    typed: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed: Vec<char> = typed.chars().take(40).collect();
    names
        .into_iter()
        .map(|name| (distance(&typed, name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, name)| name)
}

/// How many characters must be added, dropped or changed.
fn distance(typed: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=typed.len()).collect();
    for (line, letter) in name.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in typed.iter().enumerate() {
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(other));
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[typed.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slips_are_recognised() {
        let names = ["state", "kind", "category", "created_by", "mutex"];
        for (typed, meant) in [
            ("sate", Some("state")),
            ("STATE", Some("state")),
            ("catgory", Some("category")),
            ("created-by", Some("created_by")),
            ("mutexes", Some("mutex")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
    }
}
