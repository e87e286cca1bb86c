//! The gate before modules of WebAssembly.

use std::sync::Arc;

use super::{Wasm, WasmText};
use crate::samples::{Checker, Sample};
use crate::testing::gate;

#[test]
fn a_module_of_webassembly_stays_valid() {
    let best: Arc<[u8]> = b"(module (func (param i32) local.get 0 drop))"
        .as_slice()
        .into();
    let mut gate = gate(&WasmText, &best);
    assert!(gate.admits(b"(module (func (param i32)))", &best));
    assert!(!gate.admits(b"(module (func local.get 0 drop))", &best));
    let mut samples = (0..128).map(|_| gate.admits(b"(module", &best));
    assert!(samples.any(|is_admitted| is_admitted), "no sample");
}

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
