//! The gate before designs in Verilog.

use std::sync::Arc;

use super::Verilog;
use crate::testing::{admits, gate};

#[test]
fn of_a_short_text_everything_is_tried() {
    let best: Arc<[u8]> = b"module m(input a);\nendmodule\n".as_slice().into();
    let mut gate = gate(&Verilog, &best);
    assert!(gate.admits(b"module m(", &best));
}

#[test]
fn names_of_verilog_stay_declared() {
    let text = "module m(input a, b, output c);\n  wire d;\n  assign c = a & d;\nendmodule\n";
    let verilog = |from, to| admits((&Verilog, "//"), text, (from, to));
    assert!(!verilog("wire d;", ""));
    assert!(!verilog("input a, b", "input b"));
    assert!(verilog("input a, b", "input a"));
    assert!(verilog("a & d", "a"));
}
