//! Values of a type, made from nothing.

use super::module::MlirModule;

/// Returns an operation that makes a value of a type, without its result, for a function. `None` if
/// there is none for that type. `is_step` says that it must not be zero.
pub(super) fn default(
    module: &MlirModule,
    text: &[u8],
    function: usize,
    is_step: bool,
) -> Option<Vec<u8>> {
    let is_number = |first: u8| {
        text.first() == Some(&first) && text.len() > 1 && text[1..].iter().all(u8::is_ascii_digit)
    };
    let begins = |start: &str| text.starts_with(start.as_bytes());
    let is_static = !text.contains(&b'?') && !text.contains(&b'*');
    let element = |kind: &str| {
        let inside = text.strip_prefix(kind.as_bytes())?.strip_suffix(b">")?;
        inside.rsplit(|&byte| byte == b'x').next()
    };
    let is_integer = is_number(b'i') || text == b"index";
    let is_float = is_number(b'f') || text == b"bf16";
    let is_spirv = module.dialect(function) == b"spirv";
    let value: &[u8] = if text.is_empty() {
        return None;
    } else if module.is_llvm(function) {
        return Some([b"llvm.mlir.undef : ", text].concat());
    } else if is_spirv && text == b"i1" {
        b"true"
    } else if is_integer && is_step {
        b"1"
    } else if is_integer {
        b"0"
    } else if is_float {
        b"0.0"
    } else if is_spirv {
        return Some([b"spirv.Undef : ", text].concat());
    } else if (begins("vector<") || begins("tensor<")) && is_static {
        let element = element("vector<").or(element("tensor<"))?;
        match element.first()? {
            b'f' | b'b' => b"dense<0.0>",
            b'i' => b"dense<0>",
            _ => return None,
        }
    } else if begins("memref<") && is_static {
        return Some([b"memref.alloc() : ", text].concat());
    } else {
        return None;
    };
    Some(match (is_spirv, text) {
        (true, b"i1") => b"spirv.Constant true".to_vec(),
        (true, _) => [b"spirv.Constant ", value, b" : ", text].concat(),
        (false, _) => [b"arith.constant ", value, b" : ", text].concat(),
    })
}
