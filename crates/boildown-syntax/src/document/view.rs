//! The views of an input: what its tokens and nodes are.

use crate::Language;

/// The division of an input into removable units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The nodes and tokens of a language, and of the languages nested in it.
    Syntax(&'static Language),
    /// Lines, bracket groups and words, of any text.
    Blocks,
    /// Lines only. Lines longer than 4096 bytes are cut into pieces.
    Lines,
    /// Whole lines, of any length, nested by brackets and indentation.
    NestedLines,
    /// The elements of a list, and their words where the kind of list tells them. Read by
    /// `Document::of_elements`; without a kind of list, lines.
    Elements,
    /// Pieces of this many bytes.
    Bytes(usize),
    /// The parts of a binary, and their contents in pieces of up to this many bytes. Lengths,
    /// counts and checksums are computed from what is kept.
    Parts(usize),
    /// The items of a module of WebAssembly. Indices, lengths and types are made right.
    Module(ModuleUnits),
    /// The items of a module of WebAssembly in text. What is kept is written without comments, with
    /// instructions one after another.
    ModuleText(ModuleUnits),
    /// The definitions, blocks and instructions of a module of LLVM IR. What mentions a deleted one
    /// is made right.
    LlvmIr,
    /// The same, but metadata goes only with what mentions it, and debug information as a whole.
    LlvmCode,
    /// The same as [`LlvmCode`](Self::LlvmCode), but uses of a deleted value become zero.
    LlvmZeros,
    /// The instructions of a module of SPIR-V, in text or not. What mentions a deleted one is made
    /// right.
    Spirv,
    /// The words of a module of SPIR-V as a binary. The lengths of instructions are made right.
    SpirvWords,
    /// The statements of a design in RTLIL. What mentions a deleted one is made right.
    Rtlil,
    /// The operations, blocks and parameters of a module of MLIR. What mentions a deleted one is
    /// made right.
    Mlir,
    /// The pieces of this many bytes that are not all zeros. What is not kept becomes zeros.
    Zeros(usize),
    /// The single characters of words that are no names; everything else is kept.
    Letters(&'static Language),
    /// The white space between tokens, byte by byte; everything else is kept.
    Spaces(&'static Language),
}

/// The smallest units of the functions of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleUnits {
    /// Whole bodies, and the whole contents of segments.
    Items,
    /// Instructions, parameters, results and local variables, and pieces of segments.
    Instructions,
}
