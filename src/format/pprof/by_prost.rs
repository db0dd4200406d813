//! profile.proto by prost: a second opinion on what the fast reader and the writer do.

use super::message::Message;
use super::proto::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use crate::format::agreement::{bytes, corpus};
use prost::Message as _;
use std::path::{Path, PathBuf};

/// The tables of the fast reader as prost's messages.
fn as_prost(message: &Message<'_>) -> Profile {
    let value_type =
        |kind: &super::message::ValueType| ValueType { kind: kind.kind, unit: kind.unit };
    let mut samples = Vec::new();
    let taken: Result<(), super::wire::Damage> = message.each_sample(|sample| {
        samples.push(Sample {
            location_id: sample.stack.clone(),
            value: sample.values.clone(),
            label: sample
                .labels
                .iter()
                .map(|&super::message::Label { key, text, number, unit }| Label {
                    key,
                    text,
                    number,
                    unit,
                })
                .collect(),
        });
        Ok(())
    });
    taken.unwrap();
    Profile {
        sample_type: message.sample_types.iter().map(value_type).collect(),
        sample: samples,
        mapping: message
            .mappings
            .iter()
            .map(|mapping| Mapping {
                id: mapping.id,
                start: mapping.start,
                limit: mapping.limit,
                offset: mapping.offset,
                file: mapping.file,
                build_id: mapping.build_id,
                has_functions: mapping.has[0],
                has_filenames: mapping.has[1],
                has_line_numbers: mapping.has[2],
                has_inline_frames: mapping.has[3],
            })
            .collect(),
        location: message
            .locations
            .iter()
            .map(|location| Location {
                id: location.id,
                mapping: location.mapping,
                address: location.address,
                line: message.lines[location.lines.clone()]
                    .iter()
                    .map(|&super::message::Line { function, line, column }| Line {
                        function,
                        line,
                        column,
                    })
                    .collect(),
                folded: location.folded,
            })
            .collect(),
        function: message
            .functions
            .iter()
            .map(|function| Function {
                id: function.id,
                name: function.name,
                system_name: function.system_name,
                file: function.file,
                start_line: function.start_line,
            })
            .collect(),
        string_table: message.strings.iter().map(|string| string.to_vec()).collect(),
        drop_frames: message.drop_frames,
        keep_frames: message.keep_frames,
        time_nanos: message.time_nanos,
        duration_nanos: message.duration_nanos,
        period_type: message.period_type.as_ref().map(value_type),
        period: message.period,
        comment: message.comments.clone(),
        default_sample_type: message.default_type,
        doc_url: message.doc_url,
    }
}

fn protos(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            protos(&path, found);
        } else if path.to_str().unwrap().ends_with(".pb.gz") {
            found.push(path);
        }
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn protos_of_every_kind_decode_as_prost_decodes_them() {
    let corpus = corpus();
    let mut found = Vec::new();
    protos(&corpus, &mut found);
    assert!(found.len() > 200, "{}", found.len());
    for path in found {
        let proto = bytes(&path);
        assert_eq!(
            as_prost(&Message::decode(&proto).unwrap()),
            Profile::decode(proto.as_slice()).unwrap(),
            "{path:?}"
        );
    }
}

#[test]
fn what_is_written_is_what_prost_reads() {
    use super::{LabelText, ProtoWriter};
    let mut writer = ProtoWriter::new(Vec::new(), &[(b"goroutine", b"count")]).unwrap();
    writer.comment(b"c");
    let main = writer.location(b"main.main", b"main.go", -9);
    let unknown = writer.location(b"<unknown>", b"", 0);
    assert_eq!(writer.location(b"main.main", b"main.go", -9), main);
    let labels = [
        (b"k".as_slice(), LabelText::Text(b"")),
        (b"k", LabelText::Number(0, b"minutes")),
        (b"k", LabelText::Number(i64::MIN, b"")),
    ];
    writer.sample(&[unknown, main], &[-3], &labels).unwrap();
    let gzipped = writer.finish().unwrap();
    let mut proto = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*gzipped), &mut proto).unwrap();
    let read = Profile::decode(proto.as_slice()).unwrap();
    let text =
        |index: i64| String::from_utf8_lossy(&read.string_table[index as usize]).into_owned();

    assert_eq!(read.string_table[0], b"");
    assert_eq!(
        (text(read.sample_type[0].kind), text(read.sample_type[0].unit)),
        ("goroutine".into(), "count".into())
    );
    assert_eq!(text(read.comment[0]), "c");
    let sample = &read.sample[0];
    assert_eq!(sample.value, [-3]);
    assert_eq!(sample.location_id, [2, 1]);
    let labels: Vec<_> = sample
        .label
        .iter()
        .map(|label| (text(label.text), label.number, text(label.unit)))
        .collect();
    assert_eq!(
        labels,
        [
            (String::new(), None, String::new()),
            (String::new(), Some(0), "minutes".into()),
            (String::new(), Some(i64::MIN), String::new()),
        ]
    );
    let main = read.location.iter().find(|location| location.id == 1).unwrap();
    assert_eq!((main.address, main.line[0].line), (0, -9));
    let function = read.function.iter().find(|f| f.id == main.line[0].function).unwrap();
    assert_eq!((text(function.name), text(function.file)), ("main.main".into(), "main.go".into()));
    let unknown = read.location.iter().find(|location| location.id == 2).unwrap();
    assert_eq!((unknown.address, unknown.line.len()), (0, 1));
    assert_eq!(
        as_prost(&Message::decode(&proto).unwrap()),
        Profile::decode(proto.as_slice()).unwrap()
    );
}
