//! The fields of expressions.

use crate::filter::frame::{At, FramePart};
use crate::profile::flag;

/// A field, by how it is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Field {
    Text(TextField),
    Label(Vec<u8>),
    Id,
    Number(NumberField),
    Wait,
    /// Used alone.
    Flag(&'static [u8]),
    /// Followed by a text.
    Match,
}

/// Fields that are compared as texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextField {
    State,
    Kind,
    Input,
    Category,
    Name,
    AnyFlag,
    Frame(At, FramePart),
}

/// Fields that are compared as whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberField {
    Creator,
    Depth,
    Count,
}

/// Every field with a fixed name.
const FIELDS: [(&str, Field); 43] = {
    use Field::{Flag, Number, Text};
    use TextField::Frame;
    [
        ("state", Text(TextField::State)),
        ("kind", Text(TextField::Kind)),
        ("input", Text(TextField::Input)),
        ("category", Text(TextField::Category)),
        ("name", Text(TextField::Name)),
        ("flag", Text(TextField::AnyFlag)),
        ("wait", Field::Wait),
        ("id", Field::Id),
        ("creator", Number(NumberField::Creator)),
        ("depth", Number(NumberField::Depth)),
        ("count", Number(NumberField::Count)),
        ("match", Field::Match),
        ("func", Text(Frame(At::Any, FramePart::Func))),
        ("file", Text(Frame(At::Any, FramePart::File))),
        ("package", Text(Frame(At::Any, FramePart::Package))),
        ("module", Text(Frame(At::Any, FramePart::Module))),
        ("frame", Text(Frame(At::Any, FramePart::Whole))),
        ("frame.func", Text(Frame(At::Any, FramePart::Func))),
        ("frame.file", Text(Frame(At::Any, FramePart::File))),
        ("frame.package", Text(Frame(At::Any, FramePart::Package))),
        ("frame.module", Text(Frame(At::Any, FramePart::Module))),
        ("leaf", Text(Frame(At::Leaf, FramePart::Whole))),
        ("leaf.func", Text(Frame(At::Leaf, FramePart::Func))),
        ("leaf.file", Text(Frame(At::Leaf, FramePart::File))),
        ("leaf.package", Text(Frame(At::Leaf, FramePart::Package))),
        ("leaf.module", Text(Frame(At::Leaf, FramePart::Module))),
        ("root", Text(Frame(At::Root, FramePart::Whole))),
        ("root.func", Text(Frame(At::Root, FramePart::Func))),
        ("root.file", Text(Frame(At::Root, FramePart::File))),
        ("root.package", Text(Frame(At::Root, FramePart::Package))),
        ("root.module", Text(Frame(At::Root, FramePart::Module))),
        ("created_by", Text(Frame(At::Creator, FramePart::Whole))),
        ("created_by.func", Text(Frame(At::Creator, FramePart::Func))),
        ("created_by.file", Text(Frame(At::Creator, FramePart::File))),
        ("created_by.package", Text(Frame(At::Creator, FramePart::Package))),
        ("created_by.module", Text(Frame(At::Creator, FramePart::Module))),
        ("leaked", Flag(flag::LEAKED)),
        ("locked", Flag(flag::LOCKED)),
        ("durable", Flag(flag::DURABLE)),
        ("scan", Flag(flag::SCAN)),
        ("system", Flag(flag::SYSTEM)),
        ("truncated", Flag(flag::TRUNCATED)),
        ("unavailable", Flag(flag::UNAVAILABLE)),
    ]
};

impl Field {
    /// The field of this name, except labels.
    pub(super) fn from_name(name: &str) -> Option<Field> {
        FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| field.clone())
    }

    /// The names that are suggested for an unknown one.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        FIELDS.iter().map(|(name, _)| *name).chain(["label.KEY", "not"])
    }
}
