//! Samples of WebAssembly.

use super::{Wasm, WasmText};
use crate::samples::{Checker, Sample};

/// A module with items of every kind.
pub(crate) fn samples() -> Vec<Sample> {
    vec![Sample {
        checker: Some(Checker {
            programs: &[(&["wasm-validate"], &["-"])],
            divider: None,
        }),
        ..Sample::new(
            &Wasm,
            "module.wasm",
            include_bytes!("../../tests/fixtures/module.wasm"),
        )
    }]
}

/// The same module in text.
pub(crate) fn text_samples() -> Vec<Sample> {
    vec![Sample {
        checker: Some(Checker {
            programs: &[(&["wat2wasm"], &["-", "-o", "/dev/null"])],
            divider: None,
        }),
        ..Sample::new(
            &WasmText,
            "module.wat",
            include_bytes!("../../tests/fixtures/module.wat"),
        )
    }]
}
