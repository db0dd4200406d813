//! Recognises pprof protos.

use super::field;
use super::wire::{DamageKind, Field, Fields};

/// The result of a first look at bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sniff {
    /// A proto, possibly damaged.
    Yes,
    /// Something else.
    No,
    /// More bytes are needed; it isn't a proto if there are no more.
    NeedMore,
}

/// Looks at the first bytes.
///
/// Every field has to be one that profile.proto has or could have, and one of them a complete
/// message with valid fields. Text doesn't get that far: `g` is wire type 7, and a line end begins
/// a `sample_type`, whose content must be two numbers.
pub(crate) fn sniff(prefix: &[u8]) -> Sniff {
    for field in Fields::new(prefix) {
        match field {
            Ok(field) => match judge(&field) {
                Sniff::NeedMore => {}
                Sniff::Yes if !prefix.iter().any(|&byte| is_control(byte)) => return Sniff::No,
                verdict => return verdict,
            },
            Err(damage) if damage.what == DamageKind::Truncated => return Sniff::NeedMore,
            Err(_) => return Sniff::No,
        }
    }
    Sniff::NeedMore
}

/// Whether text never contains this byte. The fields of each message except a sample begin with a
/// byte below 9, a sample with 0x12. The date in a log's first line, `2026/`, can look like a
/// string of 48 bytes, and the text after these like a message.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1a)
}

/// The verdict on a single field; `NeedMore` if it could be anything.
fn judge(field: &Field<'_>) -> Sniff {
    // The highest field number in the message.
    let highest = match field.number {
        field::SAMPLE_TYPE | field::PERIOD_TYPE => 2,
        field::SAMPLE => field::LABEL,
        field::MAPPING => 10,
        field::LOCATION => 5,
        field::FUNCTION => 5,
        // Numbers only where profile.proto has them.
        7..=10 | field::PERIOD | 14 | 15 => {
            return if field.content.is_none() { Sniff::NeedMore } else { Sniff::No };
        }
        field::STRING | field::COMMENT => return Sniff::NeedMore,
        // Future versions can have more fields, but not thousands.
        16..=1000 => return Sniff::NeedMore,
        _ => return Sniff::No,
    };
    let Ok(fields) = field.message() else { return Sniff::No };
    let mut some = false;
    for inner in fields {
        match inner {
            Ok(inner) if inner.number <= highest && fits(field.number, &inner) => some = true,
            // The reader will report the damage.
            Ok(inner) if inner.number > 16 => {}
            _ => return Sniff::No,
        }
    }
    if some { Sniff::Yes } else { Sniff::NeedMore }
}

/// Whether a field inside a message has its type in profile.proto.
fn fits(message: u32, inner: &Field<'_>) -> bool {
    let is_bytes = inner.content.is_some();
    match (message, inner.number) {
        // Labels and lines.
        (field::SAMPLE, field::LABEL) | (field::LOCATION, 4) => is_bytes,
        (field::SAMPLE, _) => true,
        _ => !is_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_tells() {
        // period_type first, as in Go; sample_type first, as in others; a sample; strings first.
        assert_eq!(sniff(b"\x5a\x04\x08\x01\x10\x02\x60\x01"), Sniff::Yes);
        assert_eq!(sniff(b"\x0a\x04\x08\x01\x10\x02"), Sniff::Yes);
        assert_eq!(sniff(b"\x12\x06\x0a\x01\x01\x12\x01\x05"), Sniff::Yes);
        assert_eq!(sniff(b"\x32\x00\x32\x02ab\x0a\x02\x08\x01"), Sniff::Yes);
        // A mapping, a location with a line, a function; a field of a later version before one.
        assert_eq!(sniff(b"\x1a\x04\x08\x01\x10\x02"), Sniff::Yes);
        assert_eq!(sniff(b"\x22\x04\x22\x02\x08\x01"), Sniff::Yes);
        assert_eq!(sniff(b"\x2a\x04\x08\x01\x10\x03"), Sniff::Yes);
        assert_eq!(sniff(b"\x90\x06\x07\x0a\x02\x08\x01"), Sniff::Yes);
    }

    #[test]
    fn messages_have_the_fields_of_their_kind() {
        // In a sample type: a field that it has, one that a later version may have, the first that
        // none has, the first that it hasn't, and its own as text. In a sample: a number as label.
        for (proto, expected) in [
            (b"\x0a\x02\x08\x01".as_slice(), Sniff::Yes),
            (b"\x0a\x03\x88\x01\x01", Sniff::NeedMore),
            (b"\x0a\x03\x80\x01\x01", Sniff::No),
            (b"\x0a\x02\x18\x01", Sniff::No),
            (b"\x0a\x03\x0a\x01x", Sniff::No),
            (b"\x12\x02\x18\x01", Sniff::No),
        ] {
            assert_eq!(sniff(proto), expected, "{proto:?}");
        }
    }

    #[test]
    fn what_could_still_become_a_proto_needs_more() {
        for start in [b"".as_slice(), b"\x5a", b"\x5a\x04\x08\x01", b"\x32\x00", b"\n"] {
            assert_eq!(sniff(start), Sniff::NeedMore, "{start:?}");
        }
    }

    #[test]
    fn text_and_other_files_are_not_protos() {
        for text in [
            "goroutine 1 [running]:\nmain.main()\n",
            "goroutine profile: total 5\n1 @ 0x1\n",
            "\n\npanic: x\n\ngoroutine 1 [running]:\n",
            "2026/11/21 07:36:03 server started, listening on port 8080 of all interfaces\n",
            "2026/01/02 10:31:41 GET /cart 200\npanic: order 17:\n\t\tno customer\n\ngoroutine 1 [",
            "{\"log\":\"goroutine 1\"}\n",
            "2 @ 0x1 0x2 and so on and so on and so on and so on and so on and so on\n",
            "\u{feff}goroutine 1 [running]:",
            "\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            "PK\x03\x04\x14\0\0\0",
            "\0\0\0\0",
        ] {
            assert_eq!(sniff(text.as_bytes()), Sniff::No, "{text:?}");
        }
        assert_eq!(sniff(&[0xff; 11]), Sniff::No);
    }
}
