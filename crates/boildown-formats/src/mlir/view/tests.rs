//! Facts about what is left of modules of MLIR.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::{
    Document,
    module_checks::{self, assert_given_back, assert_has, assert_lacks, units_at, without_units},
};
use proptest::prelude::*;

use super::OPERATIONS;

const MODULE: &str = include_str!("../samples/blocks.mlir");

/// Returns the module without the units whose first words these texts begin with. Of the units that
/// begin at one word, the innermost goes.
fn without(text: &str, starts: &[&str]) -> String {
    let document = Document::new(&text.as_bytes().into(), OPERATIONS);
    let units = units_at(&document, text, starts).into_iter();
    let innermost: BTreeMap<usize, Range<usize>> = units.map(|unit| (unit.start, unit)).collect();
    without_units(&document, innermost.into_values())
}

/// Returns the module without single tokens that begin with these texts.
fn without_heads(text: &str, starts: &[&str]) -> String {
    let document = Document::new(&text.as_bytes().into(), OPERATIONS);
    let begins = |token: &usize| {
        let rest = &text[document.tokens[*token].start as usize..];
        starts.iter().any(|start| rest.starts_with(start))
    };
    let cuts: Vec<_> = (0..document.len())
        .filter(begins)
        .map(|token| token..token + 1)
        .collect();
    assert!(!cuts.is_empty());
    without_units(&document, cuts)
}

#[test]
fn all_units_give_the_module_back() {
    assert_given_back(OPERATIONS, MODULE);
}

#[test]
fn a_deleted_value_becomes_an_operand_of_its_type() {
    let text = without(MODULE, &["%3 = arith.muli"]);
    assert_has(&text, &["cf.br ^bb3(%2 : i32)"]);
}

const REGION: &str = "\
func.func @f(%t: tensor<4xf32>, %b: f32) -> tensor<4xf32> {
  %g = linalg.generic {iterator_types = []} ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}
";

#[test]
fn the_result_of_a_region_becomes_an_operand_and_its_parameters_values() {
    let text = without_heads(REGION, &["%g ="]);
    assert_has(
        &text,
        &[
            "%default0 = arith.constant 0.0 : f32",
            "arith.addf %default0, %b",
            "return %t",
        ],
    );
    assert_lacks(&text, &["linalg", "%x"]);
}

#[test]
fn a_deleted_value_becomes_one_that_is_made() {
    let text = without(MODULE, &["%0 = llvm.load"]);
    assert_has(
        &text,
        &[
            "%default0 = llvm.mlir.undef : i32",
            "%default0, %arg1 : i32",
        ],
    );
}

#[test]
fn a_deleted_constant_becomes_a_parameter_of_a_function_that_nothing_mentions() {
    let text = without(MODULE, &["%c4 ="]);
    assert_has(
        &text,
        &[
            "@main(%arg0: memref<?xf32>, %arg1: i1, %arg2: i32) ->",
            "@twice(%arg2, %arg0)",
        ],
    );
    let text = without(CALLED, &["%c ="]);
    assert_has(&text, &["@g() {\n  %c = arith.constant 4 : index\n"]);
    let text = without(CALLED, &["%d ="]);
    assert_has(&text, &["%e = memref.alloc(%n)"]);
}

#[test]
fn a_value_that_no_constant_can_stand_for_becomes_a_parameter() {
    let text = without(CALLED, &["%e ="]);
    assert_has(
        &text,
        &["@f(%n: index, %arg0: memref<?xf32>)", "%arg0 : memref"],
    );
}

#[test]
fn a_parameter_of_a_declaration_goes_with_its_arguments() {
    let text = without(CALLED, &["f32, index)"]);
    assert_has(&text, &["private @h(index)", "@h(%n) : (index) -> ()"]);
}

#[test]
fn the_end_of_a_region_goes_where_it_says_nothing() {
    let text = without(CALLED, &["scf.yield"]);
    assert_has(&text, &["step (%n) {\n  }"]);
}

#[test]
fn a_truth_value_does_not_hide_the_constants_after_it() {
    let text = "\
func.func @f(%n: index) {
  %t = arith.constant false
  %c = arith.constant 1 : index
  \"use\"(%n, %c, %t) : (index, index, i1) -> ()
  return
}
";
    assert_has(&without(text, &["%n:"]), &["@f() {", "(%c, %c, %t)"]);
}

#[test]
fn a_parameter_goes_with_its_arguments() {
    let text = without(MODULE, &["%arg1: memref<?xf32>) -> i32"]);
    assert_has(
        &text,
        &["@twice(%arg0: i32) -> i32", "@twice(%c4) : (i32) -> i32"],
    );
}

#[test]
fn a_parameter_without_a_value_of_its_type_stays() {
    let text = without(MODULE, &["%arg0: memref<?xf32>, %arg1: i1"]);
    assert_has(&text, &["@main(%arg0: memref<?xf32>"]);
}

#[test]
fn a_function_without_its_body_is_declared() {
    let text = without(MODULE, &["{\n    %0 = arith.addi", "{\n    %0 = llvm.load"]);
    assert!(!text.is_empty());
    let text = without_heads(MODULE, &["{\n    %0 = arith.addi", "{\n    %0 = llvm.load"]);
    assert_has(
        &text,
        &[
            "func.func private @twice(i32, memref<?xf32>) -> i32\n",
            "llvm.func @low(!llvm.ptr, i32) -> i32\n",
        ],
    );
}

#[test]
fn an_operation_that_names_values_takes_what_is_inside_with_it() {
    let text = without_heads(MODULE, &["scf.for"]);
    assert_lacks(&text, &["scf.for", "memref.store"]);
}

#[test]
fn calls_of_a_deleted_function_go() {
    let text = without(MODULE, &["func.func @twice"]);
    assert_lacks(&text, &["@twice"]);
    assert_has(&text, &["arith.muli %2, %c4"]);
}

#[test]
fn a_condition_without_one_target_becomes_a_plain_jump() {
    let text = without(MODULE, &["^bb1(%1#0 : i32)"]);
    assert_has(&text, &["cf.br ^bb2"]);
    assert_lacks(&text, &["^bb1(%2", "arith.muli"]);
}

#[test]
fn a_block_without_its_label_continues_the_block_before() {
    let text = without(MODULE, &["^bb1(%1#0 : i32)"]);
    let joined = without_heads(&text, &["^bb2:"]);
    assert_has(&joined, &["cf.br ^bb3(%0 : i32)"]);
    assert_lacks(&joined, &["^bb2"]);
    let both = without_heads(&joined, &["^bb3(%4"]);
    assert_has(&both, &["return %0 : i32"]);
    assert_lacks(&both, &["cf.br"]);
}

#[test]
fn a_parameter_of_a_block_goes_with_its_arguments() {
    let text = without(MODULE, &["%2: i32"]);
    assert_has(&text, &["^bb1, ^bb2", "^bb1:"]);
}

#[test]
fn attributes_that_mention_deleted_symbols_go() {
    let text = without(MODULE, &["llvm.metadata"]);
    assert_lacks(&text, &["tbaa", "{}"]);
    assert_has(&text, &["llvm.load %arg0 : !llvm.ptr -> i32"]);
}

#[test]
fn results_of_operations_with_several_stay_while_they_are_used() {
    let text = without(MODULE, &["%1:2 = scf.if"]);
    assert_has(&text, &["%1:2 = scf.if"]);
}

#[test]
fn a_value_that_is_needed_keeps_the_ends_of_its_regions() {
    let text = without(MODULE, &["%1:2 = scf.if"]);
    assert_has(&text, &["scf.yield %0, %c4", "scf.yield %c4, %0"]);
}

const CONSTANTS: &str = "\
module {
  gpu.module @m {
    gpu.func @k() {
      gpu.return
    }
  }
  func.func @f(%a: index, %b: f32) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = math.exp %b : f32
    \"use\"(%a, %c0, %c8, %c1) : (index, index, index, f32) -> ()
    return
  }
}
";

const CALLED: &str = "\
func.func private @h(f32, index)
func.func @g() {
  %c = arith.constant 4 : index
  %m = memref.alloc(%c) : memref<?xi8>
  return
}
func.func @f(%n: index) {
  call @g() : () -> ()
  %d = arith.constant 4 : index
  %x = arith.constant 4.0 : f32
  %e = memref.alloc(%d) : memref<?xf32>
  \"use\"(%e) {a = 1} : (memref<?xf32>) -> ()
  memref.dealloc %e : memref<?xf32>
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.yield
  }
  call @h(%x, %n) : (f32, index) -> ()
  return
}
";

#[test]
fn a_deleted_value_becomes_a_constant_of_its_type() {
    let text = without(CONSTANTS, &["%c8 ="]);
    assert_has(&text, &["(%a, %c0, %c0, %c1)"]);
    let text = without(CONSTANTS, &["%a: index"]);
    assert_has(&text, &["(%c0, %c0, %c8, %c1)"]);
}

#[test]
fn a_deleted_constant_becomes_a_parameter_of_its_type() {
    let text = without(CONSTANTS, &["%c0 ="]);
    assert_has(&text, &["(%a, %a, %c8, %c1)"]);
}

#[test]
fn a_function_stays_in_the_module_of_its_dialect() {
    let text = without_heads(CONSTANTS, &["gpu.module"]);
    assert_lacks(&text, &["gpu.func"]);
    let text = without_heads(CONSTANTS, &["module"]);
    assert_has(&text, &["gpu.func", "func.func @f"]);
}

#[test]
fn a_step_never_becomes_zero() {
    let text = "\
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.muli %n, %n : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    \"use\"(%i, %c4) : (index, index) -> ()
  }
  return
}
";
    let without_step = without(text, &["%c2 ="]);
    assert_has(&without_step, &["step %n"]);
}

#[test]
fn a_list_of_elements_becomes_its_first_one() {
    let text = "\
memref.global @g : memref<2x2xf32> = dense<[[-1.5e+01, 2.0], [3.0, 4.0]]>
func.func @f() -> memref<2x2xf32> {
  %a = memref.get_global @g : memref<2x2xf32>
  return %a : memref<2x2xf32>
}
";
    assert_has(
        &without_heads(text, &["[[-1"]),
        &["memref<2x2xf32> = dense<-1.5e+01>\nfunc"],
    );
    assert_has(&without(text, &["memref.global"]), &["memref.alloc"]);
}

#[test]
fn a_symbol_stays_with_an_operation_that_is_needed() {
    let text = "\
memref.global @g : memref<?xf32>
func.func @f() -> memref<?xf32> {
  %a = memref.get_global @g : memref<?xf32>
  return %a : memref<?xf32>
}
\"use\"() {a = @f} : () -> ()
";
    assert_eq!(without(text, &["memref.global"]), text);
}

#[test]
fn an_alias_goes_with_its_last_mention() {
    let text = "\
#inner = affine_map<(d0) -> (d0)>
#map = [#inner]
#other = 1 : i32
func.func @f() {
  \"use\"() {a = #map} : () -> ()
  \"keep\"() {a = #other} : () -> ()
  return
}
#unused = 2 : i32
";
    let text = without(text, &["\"use\""]);
    assert_lacks(&text, &["#map", "#inner"]);
    assert_has(&text, &["#other = 1", "#unused"]);
}

const SPIRV: &str = include_str!("../samples/spirv.mlir");

#[test]
fn what_is_made_for_spirv_is_of_its_dialect() {
    assert_has(
        &without(SPIRV, &["%x ="]),
        &["%default0 = spirv.Constant 0.0 : f32"],
    );
    assert_has(
        &without(SPIRV, &["%c ="]),
        &["%default0 = spirv.Constant true\n"],
    );
    assert_has(&without(SPIRV, &["spirv.GlobalVariable"]), &["spirv.Undef"]);
    let text = without_heads(SPIRV, &["^b1, "]);
    assert_has(&text, &["spirv.Branch ^b2"]);
    assert_lacks(&text, &["^b1"]);
}

const GENERIC: &str = include_str!("../samples/generic.mlir");

#[test]
fn calls_in_generic_form_go_with_their_function() {
    let text = without(
        GENERIC,
        &["\"func.func\"() ({\n  ^bb0(%a: i1, %b: i32):\n    \"cf"],
    );
    assert_lacks(&text, &["func.call", "arith.addi"]);
    assert_has(&text, &["sym_name = \"g\""]);
}

#[test]
fn targets_in_generic_form_stay() {
    let text = without(GENERIC, &["%d ="]);
    assert_has(&text, &["[^bb1, ^bb2]", "\"func.return\"(%c)"]);
    let document = Document::new(&GENERIC.as_bytes().into(), OPERATIONS);
    let units = units_at(&document, GENERIC, &["\"builtin.module\""]);
    assert!(!units.is_empty());
    let labels = GENERIC.find("^bb1(").unwrap_or_default();
    let is_label = |token: &usize| document.tokens[*token].start as usize == labels;
    assert!(!(0..document.len()).any(|token| is_label(&token)));
}

#[test]
fn a_relation_in_a_set_is_no_bracket() {
    let text = "#s = affine_set<(d0) : (d0 - 3 >= 0)>\n\
                func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  return %b : i32\n}\n";
    assert_has(&without(text, &["%b ="]), &["return %a : i32"]);
}

#[test]
fn a_text_without_matching_brackets_is_one_token() {
    for text in ["", "module {", "func.func @f(%a: i32 }", "^", "%", "%a = "] {
        let document = Document::new(&text.as_bytes().into(), OPERATIONS);
        assert!(document.len() <= 2, "{text}");
    }
}

proptest! {
    #[test]
    fn broken_modules_are_written_without_panicking(
        lines in prop::collection::vec(any::<bool>(), 60),
        kept in prop::collection::vec(any::<bool>(), 64),
    ) {
        let lines = MODULE.lines().zip(lines).filter(|(line, keep)| {
            *keep || line.contains('{') || line.contains('}')
        });
        let text: String = lines.map(|(line, _)| format!("{line}\n")).collect();
        module_checks::assert_anything_is_written(OPERATIONS, &text, &[], &kept);
    }
}

const RESULTS: &str = "\
func.func @two(%a: i32) -> (i32, f32) {
  %f = arith.constant 1.0 : f32
  return %a, %f : i32, f32
}
func.func private @one(i32) -> i32
func.func @main(%b: i32) -> i32 attributes {mine} {
  %p:2 = call @two(%b) : (i32) -> (i32, f32)
  %q = call @one(%b) : (i32) -> i32
  %r = arith.addi %q, %b : i32
  return %r : i32
}
";

#[test]
fn a_function_that_returns_nothing_is_called_for_nothing() {
    let text = without_heads(
        RESULTS,
        &["-> (i32, f32) {", "-> i32\n", "-> i32 attributes"],
    );
    assert_has(
        &text,
        &[
            "@two(%a: i32) {",
            "  return\n}\nfunc.func private @one(i32)\n",
            "@main(%b: i32) attributes {mine} {\n  call @two(%b) : (i32) -> ()\n",
            "  call @one(%b) : (i32) -> ()\n  %r = arith.addi %b, %b : i32\n  return\n}",
        ],
    );
}

#[test]
fn a_function_that_nothing_calls_returns_fewer_results() {
    let alone = &RESULTS[..RESULTS.find("func.func private").unwrap_or(0)];
    let text = without_heads(alone, &["i32, f32) {"]);
    assert_has(&text, &["@two(%a: i32) -> f32 {", "return %f : f32"]);
    let text = without_heads(alone, &["i32, f32) {", "f32) {"]);
    assert_has(&text, &["@two(%a: i32) {", "  return\n"]);
    let called = Document::new(&RESULTS.as_bytes().into(), OPERATIONS);
    let mut starts = called.tokens.iter().map(|token| token.start as usize);
    assert!(!starts.any(|start| RESULTS[start..].starts_with("i32, f32) {")));
}

#[test]
fn results_that_nothing_can_stand_for_stay() {
    let used = RESULTS.replace("%q, %b : i32", "%p#0, %b : i32");
    let text = without_heads(&used, &["-> (i32, f32) {"]);
    assert_eq!(text, used);
    let other = RESULTS.replace("return %r", "\"use\"() {of = @one} : () -> ()\n  return %r");
    let document = Document::new(&other.as_bytes().into(), OPERATIONS);
    assert!(
        !(document.tokens.iter())
            .any(|token| other[token.start as usize..].starts_with("-> i32\n"))
    );
}
