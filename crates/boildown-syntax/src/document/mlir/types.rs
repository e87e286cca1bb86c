//! Values of a type, made from nothing.

use std::ops::Range;

use super::module::MlirModule;

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
