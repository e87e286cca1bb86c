//! The gate before modules of WebAssembly.

use std::sync::Arc;

use super::WasmText;
use crate::formats::testing::gate;

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
