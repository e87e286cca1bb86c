//! The formats of modules and scripts that the gate knows.

/// The format of a module, as far as its names and words are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleFormat {
    LlvmIr,
    Mlir,
    Spirv,
    /// RTLIL.
    Rtlil,
    /// WebAssembly.
    Wasm,
    /// WebAssembly in text.
    Wat,
    /// A script of SMT-LIB.
    SmtLib,
}
