//! Facts about the forms of operations.

use std::sync::Arc;

use crate::mlir::view::module::MlirModule;
use crate::mlir::view::own_forms;

const FUNCTIONS: &str = "\
\"builtin.module\"() ({
  \"func.func\"() ({
  ^bb0(%arg0: i32, %arg1: f32):
    %0 = \"arith.addi\"(%arg0, %arg0) : (i32, i32) -> i32
    %1:2 = \"func.call\"(%0) {callee = @g} : (i32) -> (i32, f32)
    \"cf.cond_br\"(%c, %0)[^bb1, ^bb2] {operand_segment_sizes = array<i32: 1, 1, 0>} : (i1, i32) -> ()
  ^bb1(%2: i32):
    \"cf.br\"()[^bb2] : () -> ()
  ^bb2:
    \"func.return\"(%0) : (i32) -> ()
  }) {function_type = (i32, f32) -> i32, sym_name = \"f\"} : () -> ()
  \"func.func\"() ({
  }) {function_type = (i32) -> (i32, f32), sym_name = \"g\", sym_visibility = \"private\"} : () -> ()
}) : () -> ()
";

const LLVM: &str = "\
\"llvm.mlir.global\"() ({
}) {constant, global_type = !llvm.array<2 x i8>, linkage = #llvm.linkage<private>, sym_name = \".s\", unnamed_addr = 2 : i64, value = \"a\\00\"} : () -> ()
\"llvm.func\"() ({
}) {CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (ptr, i32, ...)>, sym_name = \"g\"} : () -> ()
\"llvm.func\"() ({
^bb0(%p: !llvm.ptr):
  %0 = \"llvm.load\"(%p) {alignment = 4 : i64} : (!llvm.ptr) -> i32
  %1 = \"llvm.icmp\"(%0, %0) {predicate = 2 : i64} : (i32, i32) -> i1
  \"llvm.switch\"(%0)[^b, ^b, ^b] {case_operand_segments = array<i32: 0, 0>, case_values = dense<[1, -2]> : vector<2xi32>, operand_segment_sizes = array<i32: 1, 0, 0>} : (i32) -> ()
^b:
  \"llvm.return\"() : () -> ()
}) {function_type = !llvm.func<void (ptr)>, linkage = #llvm.linkage<internal>, sym_name = \"f\"} : () -> ()
";

const LOOPS: &str = "\
\"func.func\"() ({
^bb0(%t: tensor<4xf32>, %c: i1, %i: index):
  %0 = \"scf.for\"(%i, %i, %i, %t) ({
  ^bb0(%j: index, %u: tensor<4xf32>):
    %1 = \"tensor.extract\"(%u, %j) : (tensor<4xf32>, index) -> f32
    %2 = \"tensor.insert\"(%1, %u, %j) : (f32, tensor<4xf32>, index) -> tensor<4xf32>
    \"scf.yield\"(%2) : (tensor<4xf32>) -> ()
  }) : (index, index, index, tensor<4xf32>) -> tensor<4xf32>
  \"scf.if\"(%c) ({
    \"scf.yield\"() : () -> ()
  }, {
  }) : (i1) -> ()
  \"func.return\"() : () -> ()
}) {function_type = (tensor<4xf32>, i1, index) -> (), sym_name = \"f\"} : () -> ()
";

const ARITHMETIC: &str = "\
%0 = \"my.op\"() : () -> i32
%1 = \"arith.addi\"(%0, %0) : (i32, i32) -> i32
%2 = \"arith.muli\"(%0, %0) {mine} : (i32, i32) -> i32
";

/// Returns the first text: with all operations in their own form.
fn own(text: &str) -> String {
    let texts = own_forms(&text.as_bytes().into());
    let first = texts.first().expect("an operation has another form");
    String::from_utf8_lossy(first).into_owned()
}

#[test]
fn a_function_has_its_parameters_in_its_head() {
    let expected = "\
module {
  func.func @f(%arg0: i32, %arg1: f32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1:2 = func.call @g(%0) : (i32) -> (i32, f32)
    cf.cond_br %c, ^bb1(%0 : i32), ^bb2
  ^bb1(%2: i32):
    cf.br ^bb2
  ^bb2:
    func.return %0 : i32
  }
  func.func private @g(i32) -> (i32, f32)
}
";
    assert_eq!(own(FUNCTIONS), expected);
}

#[test]
fn the_dialect_of_llvm_has_its_own_types_and_linkage() {
    let expected = "\
llvm.mlir.global private unnamed_addr constant @\".s\"(\"a\\00\")
llvm.func @g(!llvm.ptr, i32, ...)
llvm.func internal @f(%p: !llvm.ptr) {
  %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> i32
  %1 = llvm.icmp \"slt\" %0, %0 : i32
  llvm.switch %0 : i32, ^b [
      1: ^b,
      -2: ^b
    ]
^b:
  llvm.return
}
";
    assert_eq!(own(LLVM), expected);
}

#[test]
fn loops_and_conditions_have_heads() {
    let expected = "\
func.func @f(%t: tensor<4xf32>, %c: i1, %i: index) {
  %0 = scf.for %j = %i to %i step %i iter_args(%u = %t) -> (tensor<4xf32>) {
    %1 = tensor.extract %u[%j] : tensor<4xf32>
    %2 = tensor.insert %1 into %u[%j] : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  scf.if %c {
    scf.yield
  }
  func.return
}
";
    assert_eq!(own(LOOPS), expected);
}

#[test]
fn what_has_no_known_form_stays_and_each_name_is_a_text() {
    let texts = own_forms(&ARITHMETIC.as_bytes().into());
    assert_eq!(texts.len(), 3);
    let all = String::from_utf8_lossy(&texts[0]);
    assert!(all.contains("\"my.op\"() : () -> i32"), "{all}");
    assert!(all.contains("arith.muli %0, %0 {mine} : i32"), "{all}");
    assert!(texts[1].windows(12).any(|text| text == b"\"arith.muli\""));
    assert!(own_forms(&b"func.func @f() {\n  return\n}\n"[..].into()).is_empty());
}

#[test]
fn an_operation_without_its_operands_stays_in_generic_form() {
    for name in [
        "cf.cond_br",
        "llvm.switch",
        "memref.load",
        "tensor.extract",
        "memref.store",
    ] {
        let segments = "{operand_segment_sizes = array<i32: 1, 0, 0>, case_values = 1}";
        let text =
            format!("\"{name}\"()[^a, ^b] {segments} : () -> ()\n^a:\n  %0 = \"a\"() : () -> i1\n");
        assert!(own_forms(&text.as_bytes().into()).is_empty(), "{name}");
    }
}

#[test]
fn damaged_modules_are_written_or_left() {
    let generic = [FUNCTIONS, LLVM, LOOPS, ARITHMETIC].concat();
    let words: Vec<&str> = generic
        .split_inclusive([' ', '(', ')', ',', '{', '}'])
        .collect();
    for first in 0..words.len() {
        for count in 1..8 {
            let gone = first..words.len().min(first + count);
            let left = words.iter().enumerate();
            let left = left.filter(|(word, _)| !gone.contains(word));
            let text: String = left.map(|(_, word)| *word).collect();
            let written = own_forms(&text.as_bytes().into()).into_iter();
            for written in written.map(Arc::from) {
                let is_module = MlirModule::read(&written).is_some();
                assert!(is_module, "{text}\n{}", String::from_utf8_lossy(&written));
            }
        }
    }
}
