//! The types of the results of operations, as far as the text tells them.

use super::module::MlirModule;
use super::words::MlirSort;

/// Returns the end of the type that begins at a word.
pub(super) fn type_end(module: &MlirModule, start: usize, limit: usize) -> usize {
    let mut at = start;
    while at < limit {
        let is_part = at == start
            || module.sort(at) == MlirSort::Open && !module.is(at, "{") && touches(module, at)
            || module.sort(at) == MlirSort::Other && touches(module, at);
        if !is_part {
            break;
        }
        at = module.after(at);
    }
    at.min(limit)
}

/// Returns whether there is no white space before a word.
fn touches(module: &MlirModule, word: usize) -> bool {
    word > 0 && module.words[word - 1].bytes.end == module.words[word].bytes.start
}

/// Operations whose result has the type of an element of what they read from.
const READS: [&str; 4] = [
    "memref.load",
    "affine.load",
    "tensor.extract",
    "memref.atomic_rmw",
];

/// Parts of the names of operations with a truth value as their result.
#[rustfmt::skip]
const COMPARISONS: [&str; 8] = [
    ".icmp", ".fcmp", ".cmpi", ".cmpf", "than", "thanequal", "iequal", "fordequal",
];

/// Operations whose result is an index.
#[rustfmt::skip]
const INDICES: [&str; 8] = [
    "memref.dim", "memref.rank", "tensor.dim", "tensor.rank", "affine.apply", "affine.min",
    "affine.max", "shape.num_elements",
];

/// Operations whose only type is not that of their result.
#[rustfmt::skip]
const OTHERS: [&str; 8] = [
    ".load", ".dim", ".rank", ".extract", ".transfer_read", ".extractvalue", ".compositeextract",
    ".accesschain",
];

/// Returns the type of the only result of an operation; empty if it is not known.
pub(super) fn result_type(module: &MlirModule, operation: usize) -> Vec<u8> {
    let of = &module.operations[operation];
    let name = module.name(operation).to_ascii_lowercase();
    let ends_in = |text: &&str| name.ends_with(text.as_bytes());
    let (mut colon, mut arrow, mut to) = (None, None, None);
    let mut at = of.name;
    while at < of.words.end {
        match module.sort(at) {
            MlirSort::Colon => (colon, to) = (Some(at + 1), None),
            _ if module.is(at, "->") => arrow = Some(at + 1),
            _ if module.is(at, "to") || module.is(at, "into") => to = Some(at + 1),
            _ => {}
        }
        at = module.after(at);
    }
    let written = arrow.or(to.filter(|_| colon.is_some()));
    if written.is_none() {
        if COMPARISONS.iter().any(ends_in) {
            // Of vectors, the result is a vector.
            let is_vector = colon.is_some_and(|colon| module.is(colon, "vector"));
            return if is_vector {
                Vec::new()
            } else {
                b"i1".to_vec()
            };
        }
        if INDICES.iter().any(ends_in) {
            return b"index".to_vec();
        }
        let is_truth = |word: usize| module.is(word, "true") || module.is(word, "false");
        if colon.is_none() && name.ends_with(b"constant") && is_truth(of.words.end - 1) {
            return b"i1".to_vec();
        }
    }
    let Some(start) = written.or(colon).filter(|&start| start < of.words.end) else {
        return Vec::new();
    };
    if written.is_none() && READS.iter().any(ends_in) {
        return element_type(module, start);
    }
    if written.is_none() && name != b"spirv.load" && OTHERS.iter().any(ends_in) {
        return Vec::new();
    }
    if module.is(start, "(") {
        let inside = module.list(start + 1..module.words[start].partner);
        return match &inside[..] {
            [only] => module.source(only.clone()).to_vec(),
            _ => Vec::new(),
        };
    }
    let end = type_end(module, start, of.words.end);
    // Of several types, none is known to be that of the result.
    match written.is_none() && module.sort(end) == MlirSort::Comma {
        true => Vec::new(),
        false => module.source(start..end).to_vec(),
    }
}

/// Returns the type of the elements of `memref<4x?xf32>`, as far as it is a single word.
fn element_type(module: &MlirModule, start: usize) -> Vec<u8> {
    if module.sort(start + 1) != MlirSort::Open {
        return Vec::new();
    }
    let close = module.words[start + 1].partner;
    let parts = module.list(start + 2..close);
    let Some(part) = parts.first() else {
        return Vec::new();
    };
    let last = module.source(part.clone());
    let element = last.rsplit(|&byte| byte == b'x').next().unwrap_or(last);
    let is_plain = element.iter().all(u8::is_ascii_alphanumeric)
        && element.iter().any(u8::is_ascii_digit)
        || last.ends_with(b"index");
    match is_plain {
        true if last.ends_with(b"index") => b"index".to_vec(),
        true => element.to_vec(),
        false => Vec::new(),
    }
}
