//! profile.proto by prost: a second opinion on what the reader and the writer do.

use crate::format::pprof::message::Message;
use crate::format::pprof::proto::Profile;
use crate::format::tests::agreement::{bytes, corpus};
use prost::Message as _;
use std::path::{Path, PathBuf};

/// A whole profile from the parts that the reader keeps.
fn as_prost(message: &Message<'_>) -> Profile {
    let mut sample = Vec::new();
    let mut samples = message.read_samples();
    while let Some(one) = samples.read().unwrap() {
        sample.push(one.clone());
    }
    let string_table = message.strings.iter().map(|string| string.to_vec()).collect();
    Profile { sample, string_table, ..message.profile.clone() }
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
    use crate::format::pprof::{LabelText, ProtoWriter};
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
