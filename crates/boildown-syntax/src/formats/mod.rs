//! The formats that boildown knows more about than a grammar says, a folder each. Nothing outside
//! of a folder names its format, but for a line of [`FORMATS`].
//!
//! - `llvm/`, `mlir/`, `spirv/`, `rtlil/`: intermediate representations, with `ir/` in common
//! - `wasm/`: WebAssembly, as a binary and in text
//! - `smt_lib/`, `sql/`, `verilog/`, `shaders/`: languages with a grammar

mod ir;
mod llvm;
mod mlir;
mod rtlil;
mod shaders;
mod smt_lib;
mod spirv;
mod sql;
#[cfg(test)]
mod testing;
mod verilog;
mod wasm;

use crate::document::View;
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
    &wasm::WasmText,
    &wasm::Wasm,
    &spirv::SpirvBinary,
    &spirv::Spirv,
    &rtlil::Rtlil,
];

/// Returns the format of an input: the stated one, or the first that detects it.
pub(crate) fn format_of(input: &Input<'_>) -> Option<&'static dyn Format> {
    let is_format = |format: &&dyn Format| match input.stated {
        Some(name) => format.name() == name,
        None => format.detects(input),
    };
    FORMATS.iter().copied().find(is_format)
}

/// Returns the names of all formats, by which [`Strategy::format`](crate::Strategy::format) states
/// one.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name())
}

/// Returns the views that the formats have of their own; each reads any input.
#[must_use]
pub fn format_views() -> Vec<View> {
    FORMATS.iter().flat_map(|format| format.views()).collect()
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

    #[test]
    fn no_two_views_share_a_name() {
        let views = format_views();
        for (index, view) in views.iter().enumerate() {
            assert!(!views[..index].contains(view), "{view:?}");
        }
    }
}
