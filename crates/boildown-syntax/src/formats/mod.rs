//! The formats that boildown knows more about than a grammar says, a folder each. Nothing outside of
//! a folder names its format, but for a line of [`FORMATS`].
//!
//! - `llvm/`, `mlir/`, `spirv/`, `rtlil/`: intermediate representations, with `ir/` in common
//! - `wasm/`: WebAssembly, as a binary and in text
//! - `smt_lib/`, `sql/`, `verilog/`, `shaders/`, `programs/`: languages with a grammar

mod ir;
mod llvm;
mod mlir;
mod programs;
mod rtlil;
mod shaders;
pub(crate) mod smt_lib;
mod spirv;
mod sql;
#[cfg(test)]
mod testing;
pub(crate) mod verilog;
mod wasm;

use crate::format::{Format, Input};

/// Every format. The first that detects an input has it.
static FORMATS: &[&dyn Format] = &[
    &llvm::LlvmIr,
    &mlir::Mlir,
    &smt_lib::SmtLib,
    &verilog::Verilog,
    &shaders::GLSL,
    &shaders::WGSL,
    &sql::Sql,
    &programs::C,
    &programs::CXX,
    &programs::JAVA,
    &programs::RUST,
    &wasm::WasmText,
    &wasm::Wasm,
    &spirv::SpirvBinary,
    &spirv::Spirv,
    &rtlil::Rtlil,
];

/// Returns the format of an input, if it is a known one.
pub(crate) fn format_of(input: &Input<'_>) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.detects(input))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_formats_share_a_name() {
        let names: BTreeSet<_> = FORMATS.iter().map(|format| format.name()).collect();
        assert_eq!(names.len(), FORMATS.len());
    }
}
