//! Writes archives, compressed files and protos by hand, also such as no program would write.

use std::io::Write;

/// A member of a zip, stored; what is wrong with it is said by its headers.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) bytes: Vec<u8>,
    pub(super) method: u16,
    pub(super) flags: u16,
    /// In both headers, unless it is the right one.
    pub(super) checksum: Option<u32>,
    /// In the directory, unless it is the right one.
    pub(super) declared: Option<u32>,
    /// In front of its bytes, unless it is the one of the directory.
    pub(super) local_name: Option<Vec<u8>>,
}

pub(super) fn member(name: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Member {
    Member {
        name: name.as_ref().to_vec(),
        bytes: bytes.as_ref().to_vec(),
        method: 0,
        flags: 0,
        checksum: None,
        declared: None,
        local_name: None,
    }
}

/// A zip of these members, each of which the directory has `times` times.
pub(super) fn zip_with(members: &[Member], times: usize, announced: Option<u16>) -> Vec<u8> {
    let (mut zip, mut directory, mut count) = (Vec::new(), Vec::new(), 0);
    for member in members {
        let start = zip.len() as u32;
        let checksum = member.checksum.unwrap_or_else(|| crc32fast::hash(&member.bytes));
        let length = member.bytes.len() as u32;
        let fields = |declared: u32, name: &[u8]| {
            let mut fields = Vec::new();
            for half in [20, member.flags, member.method, 0, 0x21] {
                fields.extend(half.to_le_bytes());
            }
            for word in [checksum, length, declared] {
                fields.extend(word.to_le_bytes());
            }
            fields.extend((name.len() as u16).to_le_bytes());
            fields.extend(0_u16.to_le_bytes());
            fields
        };
        let local_name = member.local_name.as_ref().unwrap_or(&member.name);
        zip.extend(b"PK\x03\x04");
        zip.extend(fields(length, local_name));
        zip.extend(local_name);
        zip.extend(&member.bytes);
        for _ in 0..times {
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(fields(member.declared.unwrap_or(length), &member.name));
            directory.extend([0; 10]);
            directory.extend(start.to_le_bytes());
            directory.extend(&member.name);
            count += 1;
        }
    }
    let start = zip.len() as u32;
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    let announced = announced.unwrap_or(count);
    zip.extend([announced.to_le_bytes(), announced.to_le_bytes()].concat());
    zip.extend((directory.len() as u32).to_le_bytes());
    zip.extend(start.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

pub(super) fn zip(members: &[Member]) -> Vec<u8> {
    zip_with(members, 1, None)
}

/// An entry of a tar: its type, name and contents.
pub(super) fn tar_entry(kind: u8, name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    header[..name.len()].copy_from_slice(name);
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
    header[136..147].copy_from_slice(b"00000000000");
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut entry = [&header[..], bytes].concat();
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

/// A packed tar with so many dumps of one goroutine in this state, each in a function of its own.
pub(super) fn series(points: usize, state: &str) -> Vec<u8> {
    let dump = |at: usize| {
        let text = format!("goroutine 1 [{state}]:\nmain.f{at}()\n\t/a.go:1 +0x1\n\n");
        tar_entry(b'0', format!("{at}/stacks.txt").as_bytes(), text.as_bytes())
    };
    let tar: Vec<u8> = (0..points).flat_map(dump).chain([0; 1024]).collect();
    gzip(&tar, 1)
}

/// Without the same bytes from every version of the library, where `level` isn't 0.
pub(super) fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub(crate) fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value as u64)].concat()
}

pub(crate) fn field(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

pub(super) type SampleRow = (Vec<i64>, Vec<i64>, Vec<[i64; 4]>);
pub(super) type LocationRow = (i64, i64, Vec<(i64, i64)>);

/// A proto as tables of numbers: string indexes and ids are written as they stand.
#[derive(Clone)]
pub(super) struct Proto {
    pub(super) types: Vec<(i64, i64)>,
    /// Locations, values, labels as key, text, number, unit.
    pub(super) samples: Vec<SampleRow>,
    /// Id, mapping, lines as function and line.
    pub(super) locations: Vec<LocationRow>,
    /// Id, name, file.
    pub(super) functions: Vec<(i64, i64, i64)>,
    pub(super) strings: Vec<Vec<u8>>,
    /// Fields of the mapping besides its addresses, and what stands behind everything.
    pub(super) mapping: Vec<u8>,
    pub(super) extra: Vec<u8>,
}

impl Default for Proto {
    fn default() -> Proto {
        let strings = ["", "goroutine", "count", "main.f", "a.go"];
        Proto {
            types: vec![(1, 2)],
            samples: vec![(vec![1], vec![5], vec![])],
            locations: vec![(1, 1, vec![(1, 3)])],
            functions: vec![(1, 3, 4)],
            strings: strings.iter().map(|text| text.as_bytes().to_vec()).collect(),
            mapping: Vec::new(),
            extra: Vec::new(),
        }
    }
}

impl Proto {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let packed = |numbers: &[i64]| -> Vec<u8> {
            numbers.iter().flat_map(|&number| varint(number as u64)).collect()
        };
        let mut out = Vec::new();
        for &(kind, unit) in &self.types {
            out.extend(field(1, &[number(1, kind), number(2, unit)].concat()));
        }
        for (stack, values, labels) in &self.samples {
            let mut sample = [field(1, &packed(stack)), field(2, &packed(values))].concat();
            for label in labels {
                let fields = (1..).zip(label).map(|(at, &value)| number(at, value));
                sample.extend(field(3, &fields.collect::<Vec<_>>().concat()));
            }
            out.extend(field(2, &sample));
        }
        let addresses = [number(1, 1), number(2, 0x400000), number(3, 0x500000)].concat();
        out.extend(field(3, &[addresses, self.mapping.clone()].concat()));
        for (id, mapping, lines) in &self.locations {
            let address = number(3, id.wrapping_add(0x400000));
            let mut location = [number(1, *id), number(2, *mapping), address].concat();
            for &(function, line) in lines {
                location.extend(field(4, &[number(1, function), number(2, line)].concat()));
            }
            out.extend(field(4, &location));
        }
        for &(id, name, file) in &self.functions {
            let fields = [number(1, id), number(2, name), number(3, name), number(4, file)];
            out.extend(field(5, &fields.concat()));
        }
        self.strings.iter().for_each(|string| out.extend(field(6, string)));
        out.extend(&self.extra);
        out
    }
}
