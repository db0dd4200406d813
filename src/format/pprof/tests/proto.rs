//! Writes protos, including ones that no program would write.

use crate::error::Error;
use crate::profile::Profile;

pub(super) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub(super) fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value as u64)].concat()
}

pub(super) fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

pub(super) fn packed(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| varint(number as u64)).collect()
}

/// Locations, values, labels as fields.
pub(super) type SampleRow = (Vec<i64>, Vec<i64>, Vec<Vec<u8>>);
/// Id, mapping, address, lines as function and line.
pub(super) type LocationRow = (i64, i64, i64, Vec<(i64, i64)>);
/// Key, text, number.
pub(super) type LabelRow = (&'static [u8], &'static [u8], Option<i64>);

/// A proto as tables of numbers: string indexes and ids are written unchanged.
#[derive(Clone)]
pub(super) struct Proto {
    pub(super) types: Vec<(i64, i64)>,
    pub(super) samples: Vec<SampleRow>,
    pub(super) locations: Vec<LocationRow>,
    /// Id, name, file.
    pub(super) functions: Vec<(i64, i64, i64)>,
    pub(super) strings: Vec<&'static [u8]>,
    pub(super) extra: Vec<u8>,
}

impl Default for Proto {
    fn default() -> Proto {
        Proto {
            types: vec![(1, 2)],
            samples: vec![(vec![1], vec![5], vec![])],
            locations: vec![(1, 1, 0x400001, vec![(1, 3)])],
            functions: vec![(1, 3, 4)],
            strings: vec![b"", b"goroutine", b"count", b"main.f", b"a.go"],
            extra: vec![],
        }
    }
}

impl Proto {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for &(kind, unit) in &self.types {
            out.extend(bytes(1, &[number(1, kind), number(2, unit)].concat()));
        }
        for (stack, values, labels) in &self.samples {
            let mut sample = [bytes(1, &packed(stack)), bytes(2, &packed(values))].concat();
            labels.iter().for_each(|label| sample.extend(bytes(3, label)));
            out.extend(bytes(2, &sample));
        }
        out.extend(bytes(3, &[number(1, 1), number(2, 0x400000), number(3, 0x500000)].concat()));
        for (id, mapping, address, lines) in &self.locations {
            let mut location = [number(1, *id), number(2, *mapping), number(3, *address)].concat();
            for &(function, line) in lines {
                location.extend(bytes(4, &[number(1, function), number(2, line)].concat()));
            }
            out.extend(bytes(4, &location));
        }
        for &(id, name, file) in &self.functions {
            let fields = [number(1, id), number(2, name), number(3, name), number(4, file)];
            out.extend(bytes(5, &fields.concat()));
        }
        self.strings.iter().for_each(|string| out.extend(bytes(6, string)));
        out.extend(&self.extra);
        out
    }

    pub(super) fn read(&self) -> Result<Profile, Error> {
        super::read_bytes(&self.bytes())
    }

    pub(super) fn fault(&self) -> String {
        self.read().map(|_| ()).unwrap_err().to_string()
    }
}
