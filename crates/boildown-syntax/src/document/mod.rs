//! Documents: an input as tokens and a tree over them, and any subset of the tokens as bytes again.
//!
//! A [`View`] decides what the tokens and nodes are:
//!
//! - `view.rs`, `tokens.rs`: the views, and the document that each of them makes of an input
//! - `read.rs`: reads an input under any of the views
//! - `syntax/`: the trees of grammars, one inside the other where languages are nested
//! - `joined.rs`: the texts of a folder as one input
//! - `kinds.rs`: the kinds of nodes, as numbers
//! - `slots.rs`: the kinds of nodes that a grammar accepts in each slot
//! - `blocks.rs`, `delimiters.rs`: lines, bracket groups and words of any text
//! - `nested_lines.rs`: whole lines, nested by brackets and indentation
//! - `elements.rs`: the elements of a list
//! - `flat.rs`: lines only, and pieces of equal size
//! - `binary.rs`, `frames/`: the parts of binaries, whose lengths and checksums are corrected
//! - `llvm/`: modules of LLVM IR, whose names stay defined
//! - `mlir/`: modules of MLIR, whose names stay defined
//! - `rtlil/`: designs in RTLIL, whose signals keep their widths
//! - `spirv/`: modules of SPIR-V in text, whose ids stay defined
//! - `wasm/`: modules of WebAssembly, which stay valid
//! - `module_text.rs`, `module_layout.rs`: what the views of modules in text have in common
//! - `characters.rs`: single characters of words, and of white space
//! - `builder.rs`: builds the tree, with its sibling lists and separators
//! - `render.rs`: turns kept tokens into bytes

mod binary;
mod blocks;
mod builder;
mod characters;
mod delimiters;
mod elements;
mod flat;
mod frames;
mod joined;
mod kinds;
mod llvm;
mod mlir;
#[cfg(test)]
mod module_checks;
mod module_layout;
mod module_text;
mod nested_lines;
mod read;
mod render;
mod rtlil;
mod slots;
mod spirv;
mod syntax;
mod tokens;
mod view;
mod wasm;
mod words;

pub(crate) use characters::comment_prefixes;
pub(crate) use frames::crc32;
pub(crate) use joined::{JoinedPart, MARK, append as append_to_joined, parts as parts_of_joined};
pub(crate) use kinds::{CLAUSE, ERROR, UNPARSED, WORD};
pub(crate) use llvm::{
    ends_block as ends_block_of_ir, is_ill_formed as is_ill_formed_ir, with_opaque_pointers,
};
pub(crate) use mlir::{ends_block as ends_block_of_mlir, own_forms};
pub(crate) use render::Substitutes;
pub(crate) use rtlil::{is_rtlil, rtlil_cells};
pub(crate) use spirv::{is_spirv_binary, spirv_text};
pub(crate) use syntax::is_lost;
pub use tokens::Document;
pub use view::{ModuleUnits, View};
pub(crate) use wasm::{
    is_overwritten as is_overwritten_module, is_valid as is_valid_module,
    is_valid_text as is_valid_module_text, without_brackets,
};
pub(crate) use words::{is_word, words};
