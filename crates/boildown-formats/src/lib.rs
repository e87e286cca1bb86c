//! The formats that boildown knows more about than a grammar says, a folder each. Nothing outside
//! of a folder names its format, but for a line of the registry, [`FORMATS`]. `ir/` has what
//! several formats share.
//!
//! # Example
//! ```
//! use boildown_document::Language;
//! use boildown_formats::strategy;
//! use boildown_reduce::pass_names;
//!
//! let llvm = Language::named("LLVM IR").expect("LLVM IR is in the default build");
//! let module = b"define i32 @f() {\n  ret i32 0\n}\n";
//! let names = pass_names(&module.as_slice().into(), Some(llvm), &strategy());
//! assert!(names.contains(&"instructions"), "{names:?}");
//! ```
#![warn(clippy::disallowed_methods)]

mod ir;
mod llvm;
mod mlir;
mod rtlil;
#[cfg(test)]
mod samples;
mod shaders;
mod smt_lib;
mod spirv;
mod sql;
#[cfg(test)]
mod testing;
mod verilog;
mod wasm;

use boildown_reduce::{Formats, Strategy};

/// Makes the registry, and for tests the table of the formats with samples. A format with views
/// names the function that returns its samples: `FORMAT => tests::samples`.
macro_rules! registry {
    ($($format:expr $(=> $samples:expr)?),* $(,)?) => {
        /// Every format. The first that detects an input has it.
        pub static FORMATS: Formats = Formats(&[$(&$format),*]);

        #[cfg(test)]
        static SAMPLED: &[samples::SampledFormat] = &[$($(samples::SampledFormat {
            format: &$format,
            samples: $samples,
        },)?)*];
    };
}

registry![
    llvm::LlvmIr => llvm::tests::samples,
    mlir::Mlir => mlir::tests::samples,
    smt_lib::SmtLib,
    verilog::Verilog,
    shaders::GLSL,
    shaders::WGSL,
    sql::Sql,
    wasm::WasmText => wasm::tests::text_samples,
    wasm::Wasm => wasm::tests::samples,
    spirv::SpirvBinary => spirv::tests::binary_samples,
    spirv::Spirv => spirv::tests::samples,
    rtlil::Rtlil => rtlil::tests::samples,
];

/// Returns the default options of a reduction, with every format.
#[must_use]
pub fn strategy() -> Strategy {
    Strategy {
        formats: FORMATS,
        ..Strategy::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use boildown_document::{Language, Split};
    use boildown_reduce::{Input, Units, order_for};

    use super::*;

    #[test]
    fn no_two_formats_share_a_name() {
        let names: BTreeSet<_> = FORMATS.names().collect();
        assert_eq!(names.len(), FORMATS.names().count());
    }

    #[test]
    fn no_two_views_share_a_name() {
        let views = FORMATS.views();
        for (index, view) in views.iter().enumerate() {
            assert!(!views[..index].contains(view), "{view:?}");
        }
    }

    #[test]
    fn no_pass_stands_twice_in_an_order() {
        let mut texts: Vec<(&[u8], _)> = vec![
            (b"\0asm", None),
            (b"a\0", None),
            (b"\x03\x02\x23\x07\0\0\x01\0", None),
            (b"OpMemoryModel Logical GLSL450\n", None),
            (b"module \\m\nend\n", None),
            (b"words", None),
        ];
        texts.extend(
            Language::all()
                .iter()
                .map(|language| (&b"(module)"[..], Some(language))),
        );
        for (text, language) in texts {
            let input = Input {
                bytes: &text.into(),
                language,
                stated: None,
            };
            for units in [Units::Tokens, Units::Lines, Units::Bytes] {
                let order = order_for(
                    &input,
                    FORMATS.format_of(&input),
                    units,
                    Some(&Split::Lines),
                );
                let ids: BTreeSet<_> = order.iter().map(|pass| pass.id).collect();
                assert_eq!(ids.len(), order.len(), "{order:?}");
            }
        }
    }
}
