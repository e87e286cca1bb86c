//! The types of values, as far as the text tells them.

use std::ops::Range;

use super::module::MlirModule;
use super::words::MlirSort;

/// Returns the end of the type that begins at a word.
pub(super) fn end(module: &MlirModule, start: usize, limit: usize) -> usize {
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

/// Operations whose last type is that of what they read from.
const READS: [&str; 6] = [
    ".load",
    ".dim",
    ".rank",
    ".extract",
    ".transfer_read",
    ".extractvalue",
];

/// Returns the type of the only result of an operation, and whether it is a truth value without a
/// written type. An empty range stands for a type that is not known.
pub(super) fn result(module: &MlirModule, operation: usize) -> (Range<usize>, bool) {
    let of = &module.operations[operation];
    let name = module.text(of.name);
    let is_comparison = ["icmp", "fcmp", "cmpi", "cmpf"]
        .iter()
        .any(|text| name.ends_with(text.as_bytes()));
    if is_comparison {
        return (0..0, true);
    }
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
    let Some(start) = arrow.or(to.filter(|_| colon.is_some())).or(colon) else {
        return (0..0, false);
    };
    if start >= of.words.end
        || READS.iter().any(|text| name.ends_with(text.as_bytes())) && arrow.is_none()
    {
        return (0..0, false);
    }
    if module.is(start, "(") {
        let inside = module.list(start + 1..module.words[start].partner);
        return match &inside[..] {
            [only] => (only.clone(), false),
            _ => (0..0, false),
        };
    }
    (start..end(module, start, of.words.end), false)
}

/// Returns an operation that makes a value of a type, without its result, for a function of the
/// LLVM dialect or another one. `None` if there is none for that type.
pub(super) fn default(module: &MlirModule, words: Range<usize>, is_llvm: bool) -> Option<Vec<u8>> {
    let text = match words.is_empty() {
        true => b"i1".to_vec(),
        false => {
            let (first, last) = (&module.words[words.start], &module.words[words.end - 1]);
            module.bytes[first.bytes.start..last.bytes.end].to_vec()
        }
    };
    let is_number = |first: u8| {
        text.first() == Some(&first) && text.len() > 1 && text[1..].iter().all(u8::is_ascii_digit)
    };
    let begins = |start: &str| text.starts_with(start.as_bytes());
    let is_static = !text.contains(&b'?') && !text.contains(&b'*');
    let element = |kind: &str| {
        let inside = text.strip_prefix(kind.as_bytes())?.strip_suffix(b">")?;
        inside.rsplit(|&byte| byte == b'x').next()
    };
    let value: &[u8] = if is_llvm {
        return Some([b"llvm.mlir.undef : ", &text[..]].concat());
    } else if is_number(b'i') || text == b"index" {
        b"0"
    } else if is_number(b'f') || text == b"bf16" {
        b"0.0"
    } else if (begins("vector<") || begins("tensor<")) && is_static {
        let element = element("vector<").or(element("tensor<"))?;
        match element.first()? {
            b'f' | b'b' => b"dense<0.0>",
            b'i' => b"dense<0>",
            _ => return None,
        }
    } else if begins("memref<") && is_static {
        return Some([b"memref.alloc() : ", &text[..]].concat());
    } else {
        return None;
    };
    Some([b"arith.constant ", value, b" : ", &text[..]].concat())
}
