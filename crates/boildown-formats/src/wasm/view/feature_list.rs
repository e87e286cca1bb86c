//! The custom section `target_features`: a list of names, each with a sign in front.

use std::ops::Range;

use wasm_encoder::Encode as _;
use wasmparser::BinaryReader;

use super::mentions::position;

const NAME: &str = "target_features";

/// Returns where each feature stands in a custom section, from the start of its content. `None` for
/// another section, and for one that cannot be read.
pub(super) fn features(content: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut reader = BinaryReader::new(content, 0);
    if reader.read_string().ok()? != NAME {
        return None;
    }
    let count = reader.read_var_u32().ok()?;
    let mut features = Vec::new();
    for _ in 0..count {
        let start = position(reader.original_position());
        let _sign = reader.read_u8().ok()?;
        let _name = reader.read_string().ok()?;
        features.push(start..position(reader.original_position()));
    }
    reader.eof().then_some(features)
}

/// Returns the content of the section with these features.
pub(super) fn content_of<'a>(features: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut content = Vec::new();
    NAME.encode(&mut content);
    let features: Vec<&[u8]> = features.collect();
    features.len().encode(&mut content);
    content.extend(features.concat());
    content
}
