//! The gate before modules of MLIR.

use super::Mlir;
use crate::formats::testing::admits;

#[test]
fn values_of_mlir_are_defined_before_a_sign_or_right_before_a_colon() {
    let text = "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i32\n  return %b : i32\n}\n";
    let mlir = |from, to| admits((&Mlir, "//"), text, (from, to));
    assert!(!mlir("  %b = arith.addi %a, %a : i32\n", ""));
    assert!(mlir("arith.addi %a, %a", "arith.addi %b, %b"));
}

#[test]
fn lines_of_mlir_keep_their_shape_and_regions_their_end() {
    let text = "\
func.func @f(%a: i1, %b: i32) -> i32 {
  %r = scf.if %a -> (i32) {
    %s = arith.addi %b, %b {l} : i32
    scf.yield %s : i32
  } else {
    scf.yield %b : i32
  }
  return %r : i32
}
";
    let mlir = |from, to| admits((&Mlir, "//"), text, (from, to));
    assert!(mlir("{l} ", ""));
    assert!(!mlir("%b, %b", "%b"));
    assert!(!mlir("scf.yield %b : i32", "scf.yield %b"));
    assert!(!mlir("    scf.yield %b : i32\n", ""));
    assert!(!mlir("  return %r : i32\n", ""));
    assert!(!mlir("scf.if %a", "scf.if"));
}
