//! stub
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct StreamKey(u64);
#[derive(Debug)]
pub(crate) struct Decoder;
pub(crate) fn detect(_line: &[u8]) -> Option<Decoder> {
    None
}
impl Decoder {
    pub(crate) fn decode(
        &mut self,
        _part: &[u8],
        _ends: bool,
        _out: &mut Vec<u8>,
    ) -> Option<StreamKey> {
        None
    }
}
