//! The formats of modules and scripts that the gate knows.

use super::hashing::{HASH_START, hash};
pub(crate) use super::programs::CompiledLanguage;

/// The format of a module, as far as its names and words are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleFormat {
    LlvmIr,
    Mlir,
    Spirv,
    /// SPIR-V as a binary.
    SpirvBinary,
    /// RTLIL.
    Rtlil,
    /// WebAssembly.
    Wasm,
    /// WebAssembly in text.
    Wat,
    Verilog,
    /// A script of SMT-LIB.
    SmtLib,
    Glsl,
    Wgsl,
    Sql,
    /// A program whose compiler resolves all names.
    Program(CompiledLanguage),
}

impl ModuleFormat {
    /// Returns whether the gate stands before the last passes too. Those over shaders, programs
    /// and scripts of SQL delete single tokens whatever the rest is.
    pub(crate) fn gates_proof(self) -> bool {
        !matches!(self, Self::Glsl | Self::Wgsl | Self::Sql | Self::Program(_))
    }
}

/// Returns whether a line begins a function.
pub(super) fn begins_function(words: &[&[u8]]) -> bool {
    let is_function =
        |word: &&[u8]| *word == b"func" || word.ends_with(b".func") || *word == b"\"func.func\"";
    words[0] == b"define" || words.iter().take(2).any(is_function)
}

/// Returns a number for words of the same kind: names, types and numbers are alike.
pub(super) fn kind(format: ModuleFormat, word: &[u8]) -> u64 {
    let is_number = word
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let is_type = match word {
        b"ptr" | b"float" | b"double" | b"half" | b"index" => format != ModuleFormat::Spirv,
        [b'i' | b'f', width @ ..] if !width.is_empty() => width.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let is_constant = [
        "poison",
        "undef",
        "null",
        "true",
        "false",
        "zeroinitializer",
    ]
    .iter()
    .any(|constant| word == constant.as_bytes());
    let alike: &[u8] = match (format, word[0]) {
        (ModuleFormat::Mlir, b'f') if is_type => b"f",
        (ModuleFormat::Mlir, b'!') => word,
        // An empty string, and a number that ends in a dot, are no shorter in words.
        (ModuleFormat::Mlir, b'"') if word == b"\"\"" => word,
        (ModuleFormat::Mlir, b'0'..=b'9') if word.ends_with(b".") => word,
        _ if is_type && format != ModuleFormat::Spirv => b"i",
        (ModuleFormat::LlvmIr, b'%' | b'@') => b"%",
        (ModuleFormat::LlvmIr, _) if is_number || is_constant => b"%",
        (_, first @ (b'%' | b'@' | b'!' | b'#' | b'^' | b'"')) if word.len() > 1 => {
            return u64::from(first);
        }
        // A number without a digit is a dot.
        (ModuleFormat::Mlir, b'.') => word,
        (ModuleFormat::Mlir, b'0'..=b'9') if word.contains(&b'.') => b"0.",
        _ if is_number => b"0",
        _ => word,
    };
    // 0 stands for the ends of lines.
    hash(HASH_START, alike) | 256
}
