//! The gate before modules of MLIR.

use super::Mlir;
use super::facts::LINES;
use crate::samples::{Checker, Sample};
use crate::testing::{admits, fault_of_lines};

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

/// Modules of several dialects, and one in generic form.
pub(crate) fn samples() -> Vec<Sample> {
    let sample = |name, text: &str| Sample {
        fault: |text| fault_of_lines(&LINES, text),
        checker: Some(Checker {
            programs: &[(
                &["mlir-opt", "mlir-opt-16"],
                &[
                    "-",
                    "-o",
                    "/dev/null",
                    "--allow-unregistered-dialect",
                    "--split-input-file",
                ],
            )],
            divider: Some("// -----"),
        }),
        ..Sample::new(&Mlir, name, text.as_bytes())
    };
    vec![
        sample("blocks.mlir", include_str!("samples/blocks.mlir")),
        sample("dialects.mlir", include_str!("samples/dialects.mlir")),
        sample("generic.mlir", include_str!("samples/generic.mlir")),
        sample("spirv.mlir", include_str!("samples/spirv.mlir")),
    ]
}
