//! stub
use std::borrow::Cow;
pub(crate) fn unquote(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let rest = text.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    let mut i = 0;
    while i < rest.len() {
        match rest[i] {
            b'\\' => {
                i += 1;
                out.push(*rest.get(i)?);
            }
            b'"' => return Some((out.into(), &rest[i + 1..])),
            b => out.push(b),
        }
        i += 1;
    }
    None
}
