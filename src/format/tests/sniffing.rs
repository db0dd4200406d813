//! How much is read to find out what an input is.

use crate::format::sniff;
use crate::limits::LIMITS;

#[test]
fn strings_before_the_first_message_of_a_proto_are_read_up_to_a_limit() {
    for (length, is_proto) in [(0, true), (600, true), (100_000, true), (3 << 19, false)] {
        let mut proto = vec![0x32];
        let mut rest = length;
        while rest >= 0x80 {
            proto.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        proto.push(rest as u8);
        proto.extend(vec![b'x'; length]);
        proto.extend(b"\x0a\x02\x08\x01");
        let mut head = Vec::new();
        let found = sniff(&mut proto.as_slice(), &mut head).expect("a slice can't fail");
        assert_eq!(found, is_proto, "{length}");
        assert!(head.len() <= LIMITS.sniff, "{length}: {}", head.len());
    }
}
