//! Facts about what is left of modules of LLVM IR.

use boildown_document::module_checks::{self, assert_given_back, assert_has, assert_lacks};

use super::{CODE, DEFINITIONS, ZEROS};
use crate::llvm::view::is_ill_formed;

const MODULE: &str = "\
%pair = type { i32, ptr }

@text = private constant [3 x i8] c\"hi\\00\", align 1
@count = global i32 7, section \"s\"

define internal i32 @twice(i32 %x, ptr %unused) #0 {
  %1 = mul i32 %x, 2
  ret i32 %1
}

define i32 @main(i32 %0, ptr %1) {
  %3 = icmp sgt i32 %0, 1
  br i1 %3, label %4, label %9

4:                                                ; preds = %2
  %5 = call i32 @twice(i32 %0, ptr @text), !note !1
  %6 = add i32 %5, %0
  %7 = getelementptr %pair, ptr %1, i32 0, i32 1
  store i32 %6, ptr %7
  switch i32 %6, label %9 [
    i32 0, label %8
    i32 5, label %9
  ]

8:                                                ; preds = %4
  br label %9

9:                                                ; preds = %8, %4, %4, %2
  %10 = phi i32 [ 0, %2 ], [ %6, %4 ], [ %6, %4 ], [ 3, %8 ]
  ret i32 %10
}

declare void @external(double)

attributes #0 = { nounwind }

!flags = !{!0, !1}
!0 = !{i32 1}
!1 = !{!0}
";

fn without(text: &str, starts: &[&str]) -> String {
    module_checks::without(DEFINITIONS, text, starts)
}

#[test]
fn all_units_give_the_module_back() {
    assert_given_back(DEFINITIONS, MODULE);
}

#[test]
fn the_uses_of_a_deleted_value_become_an_operand_and_numbers_are_given_anew() {
    let text = without(MODULE, &["%6 = add"]);
    assert_has(&text, &["store i32 %5, ptr %6", "switch i32 %5, label %8"]);
}

#[test]
fn without_an_operand_of_its_type_a_deleted_value_becomes_poison() {
    let text = without(MODULE, &["%7 = getelementptr"]);
    assert_has(&text, &["store i32 %6, ptr poison", "%9 = phi i32"]);
}

#[test]
fn a_deleted_function_takes_its_calls_along() {
    let text = without(MODULE, &["define internal"]);
    assert!(!text.contains("@twice"));
    assert_has(&text, &["%5 = add i32 poison, %0"]);
}

#[test]
fn a_function_without_a_body_becomes_a_declaration() {
    let text = without(MODULE, &["{\n  %1 = mul"]);
    assert_has(&text, &["declare i32 @twice(i32, ptr)\n"]);
}

#[test]
fn a_parameter_goes_with_its_arguments() {
    let text = without(MODULE, &["ptr %unused"]);
    assert_has(
        &text,
        &["@twice(i32 %x) #0", "call i32 @twice(i32 %0), !note"],
    );
}

#[test]
fn a_deleted_block_leaves_jumps_and_phis() {
    let text = without(MODULE, &["8: "]);
    assert!(!text.contains("i32 0, label"));
    assert_has(
        &text,
        &[
            "i32 5, label %8",
            "phi i32 [ 0, %2 ], [ %6, %4 ], [ %6, %4 ]\n",
        ],
    );
}

#[test]
fn what_follows_a_terminator_without_a_label_is_a_block_of_its_own() {
    let text = "define i32 @f(i1 %c) {\n  br i1 %c, label %1, label %a\n  %2 = add i32 1, 2\n  \
                br label %a\na:\n  %3 = phi i32 [ 0, %0 ], [ %2, %1 ]\n  ret i32 %3\n}\n";
    let is_there = |text: &str| text.contains("add i32");
    let left = without(text, &["a:"]);
    assert!(is_there(&left), "{left}");
    // The block and its first instruction begin at the same word.
    let left = without(text, &["%2 = add"]);
    assert_has(&left, &["{\n  br label %a\na:\n  %1 = phi i32 [ 0, %0 ]\n"]);
    let left = without(text, &["br i1"]);
    assert_has(&left, &["{\n  unreachable\n}"]);
}

#[test]
fn comments_go_with_the_first_deletion() {
    // A comment with a sign of equality before a value that nothing uses.
    let text = without(MODULE, &["%6 = add"]);
    assert!(!text.contains("preds"), "{text}");
    assert_has(&text, &["\n4:\n  %5 = call"]);
    let text = without(MODULE, &["%6 = add", "store i32", "switch i32"]);
    assert_has(&text, &["\n4:\n  call i32 @twice"]);
}

#[test]
fn an_invoke_that_does_not_end_its_block_as_before_has_no_number() {
    let text = "define i32 @f() personality ptr null {\n  %1 = invoke i32 @f()\n          \
                to label %2 unwind label %5\n\n2:\n  %3 = add i32 %1, 1\n  \
                %4 = mul i32 %3, %3\n  ret i32 %4\n\n5:\n  %6 = landingpad { ptr, i32 }\n  \
                        cleanup\n  ret i32 0\n}\n";
    let whole = without(text, &["%4 = mul"]);
    assert_has(&whole, &["%1 = invoke", "%3 = add i32 %1, 1"]);
    let text = without(text, &["%2 unwind"]);
    assert_has(&text, &["{\n  unreachable\n}"]);
}

#[test]
fn without_a_jump_what_follows_is_not_reached() {
    let text = without(MODULE, &["br i1"]);
    assert_has(&text, &["{\n  icmp sgt i32 %0, 1\n  unreachable\n}"]);
}

#[test]
fn without_one_of_two_edges_a_jump_is_unconditional() {
    let text = without(MODULE, &["%9\n\n4:"]);
    assert_has(
        &text,
        &["br label %4", "phi i32 [ %6, %4 ], [ %6, %4 ], [ 3, %8 ]"],
    );
}

#[test]
fn what_refers_to_deleted_definitions_is_made_right() {
    let text = without(MODULE, &["@text", "attributes", "!1 = "]);
    assert_has(&text, &["ptr null)", "@twice(i32 %x, ptr %unused) {"]);
    assert_lacks(&text, &["!note", "!1"]);
    assert_lacks(&without(MODULE, &["!0 = ", "!1 = "]), &["!flags"]);
}

#[test]
fn a_type_stays_while_something_has_it() {
    let (code, _) = MODULE.split_once("!flags").expect("a list");
    let text = without(code, &["%pair"]);
    assert_has(&text, &["%pair = type"]);
    let text = without(code, &["%pair", "define i32"]);
    assert!(!text.contains("%pair"));
}

#[test]
fn the_value_of_a_variable_becomes_zero() {
    let text = without(MODULE, &["7, section"]);
    assert_has(&text, &["@count = global i32 zeroinitializer, section"]);
}

#[test]
fn a_broken_instruction_before_a_bracket_is_read() {
    for rest in [
        "%x = phi\n(",
        "%x = phi i32\n(1",
        "%x = alloca addrspace\n(",
    ] {
        let text = format!("define i32 @f() {{\n{rest}\n}}\n");
        module_checks::assert_anything_is_written(DEFINITIONS, &text, &[], &[false]);
    }
}

#[test]
fn results_without_a_number_are_counted() {
    let text = "\
define i32 @f(ptr %p) {
entry:
  load i32, ptr %p
  call void @g()
  call i32 @h()
  %2 = load i32, ptr %p
  ret i32 %2
}
";
    let without_load = without(text, &["load i32, ptr %p\n  call"]);
    assert_has(&without_load, &["%1 = load", "ret i32 %1"]);
    let without_call = without(text, &["call void"]);
    assert_has(&without_call, &["%2 = load", "ret i32 %2"]);
}

#[test]
fn a_number_that_nothing_mentions_is_left_out() {
    let text = without(MODULE, &["store i32"]);
    assert_has(&text, &["  getelementptr %pair", "%10 = phi"]);
}

#[test]
fn without_names_values_and_blocks_have_numbers() {
    let text = "\
define i32 @f(i32 %a) {
entry:
  %b = add i32 %a, 1
  br label %next

next:
  %c = phi i32 [ %b, %entry ]
  ret i32 %c
}
";
    let expected = "\
define i32 @f(i32 %0) {
1:
  %2 = add i32 %0, 1
  br label %3
3:
  %4 = phi i32 [ %2, %1 ]
  ret i32 %4
}
";
    assert_eq!(without(text, &["(i32 %a)"]), expected);
}

#[test]
fn words_that_a_definition_can_do_without_go_together() {
    let text = "\
define dso_local i32 @f(ptr noundef align 8 %p) local_unnamed_addr {
  %1 = load i32, ptr %p, align 4, !range !0
  %2 = add nsw nuw i32 %1, 1
  tail call void @g()
  ret i32 %2
}
";
    let expected = "\
define i32 @f(ptr %p) {
  %1 = load i32, ptr %p, !range !0
  %2 = add i32 %1, 1
  call void @g()
  ret i32 %2
}
";
    assert_eq!(without(text, &["@f("]), expected);
}

#[test]
fn brackets_that_are_never_closed_are_looked_at_once() {
    let calls = "call void @f(\n".repeat(50_000);
    for text in ["(".repeat(300_000), format!("define void @f() {{\n{calls}")] {
        module_checks::assert_anything_is_written(DEFINITIONS, &text, &[], &[false]);
    }
}

/// A function two blocks of which nothing jumps to.
const UNREACHED: &str = "\
define i32 @f() {
  unreachable

1:
  %2 = add i32 1, 2
  br label %4

3:
  br label %4

4:
  %5 = phi i32 [ %2, %1 ], [ 0, %3 ]
  ret i32 %5
}
";

#[test]
fn a_block_that_nothing_jumps_to_stays_until_it_is_deleted() {
    let text = without(UNREACHED, &["%2 = add"]);
    assert_has(&text, &["1:\n", "phi i32 [ poison, %1 ], [ 0, %2 ]"]);
    let text = without(UNREACHED, &["3:"]);
    assert_has(&text, &["%2 = add", "phi i32 [ %2, %1 ]\n"]);
}

#[test]
fn operands_and_constants_have_the_types_that_are_written_with_them() {
    assert!(!is_ill_formed(MODULE.as_bytes()));
    assert!(!is_ill_formed(UNREACHED.as_bytes()));
    let changed = |from: &str, to: &str| {
        assert!(MODULE.contains(from), "no {from:?}");
        is_ill_formed(MODULE.replacen(from, to, 1).as_bytes())
    };
    assert!(
        changed("mul i32 %x, 2", "mul i32 %x"),
        "an operand is missing"
    );
    assert!(changed("mul i32 %x, 2", "mul i32 %x, null"), "no pointer");
    assert!(
        changed("store i32 %6", "store i8 %6"),
        "two types of a value"
    );
    assert!(
        changed("ret i32 %10", "ret void"),
        "the function returns a number"
    );
    assert!(changed("label %4, label", "label"), "a target is missing");
    assert!(
        changed("br i1 %3, label %4, ", "br i1 %3, "),
        "one target of two"
    );
    assert!(!changed("br i1 %3, label %4, ", "br "), "a plain jump");
    assert!(changed("[ 0, %2 ], ", "[ 0 ], "), "a block is missing");
    assert!(changed("global i32 7", "global i32"), "no initial value");
    assert!(changed(
        "i32 @twice(i32 %0, ptr @text)",
        "i32 (i32 %0, ptr @text)"
    ));
    assert!(!changed(
        "%5 = call i32",
        "%5 = tail call fastcc noundef i32"
    ));
    assert!(!changed("!note !1", "!dbg !1, !note !0"));
}

#[test]
fn constants_have_the_shape_of_their_types() {
    let of =
        |text: &str| is_ill_formed(format!("%t = type {{ i8, [2 x ptr] }}\n{text}\n").as_bytes());
    assert!(!of(
        "@a = global %t { i8 1, [2 x ptr] [ptr null, ptr @a] }, align 8"
    ));
    assert!(of("@a = global %t { i8 1 }"), "an element is missing");
    assert!(of("@a = global %t { i16 1, [2 x ptr] zeroinitializer }"));
    assert!(of("@a = global [2 x ptr] [ptr null]"), "too few");
    assert!(!of(
        "@a = global <{ i8, float }> <{ i8 -1, float 1.000000e+00 }>"
    ));
    assert!(of(
        "@a = global <{ i8, float }> { i8 -1, float 1.000000e+00 }"
    ));
    assert!(!of(
        "@a = constant i8* getelementptr inbounds ([1 x i8], [1 x i8]* @b, i64 0, i64 0)"
    ));
    assert!(of(
        "@a = constant i8* getelementptr inbounds ([1 x i8], [2 x i8]* @b, i64 0, i64 0)"
    ));
    assert!(of(
        "@b = global i8 0\n@a = constant i16* bitcast (i32* @b to i16*)"
    ));
    assert!(!of("@a = external global [2 x %t], align 4"));
}

#[test]
fn what_is_not_known_to_be_wrong_is_well_formed() {
    let deep = format!("@a = global {}", "[1 x ".repeat(100_000));
    assert!(!is_ill_formed(deep.as_bytes()), "not looked at");
    assert!(!is_ill_formed(
        b"define void @f() {\n  newer i32 %a to, [\n  ret void\n}\n]\n"
    ));
    assert!(!is_ill_formed(b"uselistorder ptr null, { 1, 0 }\n"));
}

#[test]
fn what_receives_exceptions_or_has_a_number_keeps_its_form() {
    let text = "\
declare i32 @llvm.eh.typeid.for(ptr)

define i32 @f(ptr %0) personality ptr null {
  %2 = invoke i32 null(ptr %0)
          to label %3 unwind label %4

3:
  ret i32 %2

4:
  %5 = landingpad { ptr, i32 }
          catch ptr null
  call i32 @llvm.eh.typeid.for(ptr null)
  %7 = alloca i8
  resume { ptr, i32 } %5
}
";
    assert!(!is_ill_formed(text.as_bytes()));
    for (from, to) in [
        ("resume { ptr, i32 } %5", "resume { ptr } %5"),
        ("landingpad { ptr, i32 }", "landingpad { ptr }"),
        ("          catch ptr null\n", ""),
        ("catch ptr null", "catch ptr"),
        ("to label %3", "to label"),
        ("(ptr null)", "()"),
        ("  call i32 @llvm.eh.typeid.for(ptr null)\n", ""),
        ("3:", "2:"),
        ("ptr %0)", ")"),
    ] {
        assert!(text.contains(from), "no {from:?}");
        let text = text.replacen(from, to, 1);
        assert!(is_ill_formed(text.as_bytes()), "{text}");
    }
}

#[test]
fn metadata_and_attributes_keep_their_form() {
    let text = "\
target triple = \"t\"
attributes #0 = { nounwind }
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: true)
!1 = !DIFile(filename: \"a\", directory: \"b\")
!2 = !DILocation(line: 1, column: 2, scope: !0)
!3 = !DIExpression(DW_OP_plus_uconst, 4)
!4 = !{i32 1, !2}
!5 = distinct !DISubprogram(name: \"f\", unit: !0, spFlags: DISPFlagDefinition, file: !1)
!6 = !{i32 2, !\"Debug Info Version\", i32 3}
!llvm.module.flags = !{!6}
";
    assert!(!is_ill_formed(text.as_bytes()));
    for (from, to) in [
        (" = \"t\"", ""),
        ("nounwind ", ""),
        ("nounwind }", "nounwind"),
        ("language: DW_LANG_C99, ", ""),
        ("file: !1", "!1"),
        ("file: !1", "file: 1"),
        ("line: 1, ", "line: , "),
        (", scope: !0", ""),
        ("!DILocation(", "("),
        ("!2 = ", " = "),
        ("{i32 1", "{1"),
        ("distinct !DIS", "!DIS"),
        ("unit: !0, ", ""),
        ("filename: \"a\"", "filename: \"\""),
        ("name: \"f\"", "name: 0"),
        ("file: !1)", "file: !1 2)"),
        (", i32 3", ""),
        ("flags = !{!6}", "flags = !{}"),
        ("flags = !{!6}", "flags = !{null}"),
    ] {
        assert!(text.contains(from), "no {from:?}");
        let text = text.replacen(from, to, 1);
        assert!(is_ill_formed(text.as_bytes()), "{text}");
    }
}

const LANDING: &str = "\
define void @f() personality ptr null {
  invoke void @g()
          to label %1 unwind label %2

1:
  ret void

2:
  %3 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %3
}

define i32 @h() {
  br label %next

next:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %j = add i32 %i, 1
  br label %next
}

declare void @g()
";

#[test]
fn an_invoke_whose_exceptions_lead_nowhere_becomes_a_call() {
    for unit in ["%2\n\n1:", "2:\n"] {
        let text = without(LANDING, &[unit]);
        assert_has(&text, &["  call void @g()\n  br label %1\n"]);
        assert_lacks(&text, &["landingpad", "invoke"]);
        assert!(!is_ill_formed(text.as_bytes()), "{text}");
    }
}

#[test]
fn phis_and_landing_pads_fit_the_edges() {
    let is_ill = |from: &str, to: &str| {
        assert!(LANDING.contains(from), "no {from:?}");
        is_ill_formed(LANDING.replacen(from, to, 1).as_bytes())
    };
    assert!(!is_ill("cleanup", "cleanup"));
    assert!(is_ill("[ 0, %0 ], ", ""), "an edge is missing");
    assert!(is_ill("[ %j, %next ]", "[ %j, %0 ]"), "no such edge");
    assert!(
        is_ill("br label %next\n}", "br label %0\n}"),
        "to the first block"
    );
    assert!(is_ill("br label %next\n}", "br label %i\n}"), "to a value");
    assert!(is_ill("i32 %i, 1", "i32 %next, 1"), "a block is no value");
    assert!(is_ill("unwind label %2", "unwind label %1"));
    assert!(is_ill("to label %1", "to label %2"));
    assert!(is_ill("resume { ptr, i32 } %3", "resume { ptr } poison"));
    assert!(is_ill(
        "  resume",
        "  landingpad { ptr, i32 } cleanup\n  resume"
    ));
}

#[test]
fn constant_expressions_have_the_type_of_their_place() {
    let is_ill = |value: &str| is_ill_formed(format!("@a = global i32 {value}\n").as_bytes());
    assert!(!is_ill("trunc (i64 sub (i64 1, i64 2) to i32)"));
    assert!(is_ill("sub (i64 1, i64 2)"));
    assert!(is_ill("trunc (i64 sub (i64 1) to i32)"));
    assert!(is_ill("ptrtoint (ptr null to i64)"));
}

const DEBUG: &str = "\
define void @f() !dbg !2 {
  ret void, !dbg !5
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, producer: \"c\", emissionKind: FullDebug)
!1 = !{i32 2, !\"Debug Info Version\", i32 3}
!2 = distinct !DISubprogram(name: \"f\", scope: !3, line: 1, spFlags: DISPFlagDefinition, unit: !0)
!3 = !DIFile(filename: \"a\", directory: \"\")
!4 = !DIBasicType(name: \"int\", size: 32)
!5 = !DILocation(line: 1, column: 2, scope: !2)
";

#[test]
fn a_node_goes_on_without_fields_that_are_not_needed() {
    let fields = [
        "name: \"f\"",
        "scope: !3",
        "line: 1, sp",
        "line: 1, col",
        "column: 2",
    ];
    let text = without(DEBUG, &fields);
    assert_has(
        &text,
        &[
            "!DISubprogram(spFlags: DISPFlagDefinition, unit: !0)\n",
            "!DILocation(scope: !2)\n",
        ],
    );
}

#[test]
fn the_version_of_debug_information_goes_with_its_only_unit() {
    let document = boildown_document::Document::new(&DEBUG.as_bytes().into(), DEFINITIONS);
    let starts = document.tokens.iter().map(|token| token.start as usize);
    let mut starts = starts.map(|start| &DEBUG[start..]);
    assert!(!starts.any(|rest| rest.starts_with("!1 =") || rest.starts_with("!llvm.mod")));
    assert_lacks(&without(DEBUG, &["!0 ="]), &["Version", "!llvm"]);
    assert_has(
        &without(DEBUG, &["!5 ="]),
        &["Version", "!llvm.module.flags"],
    );
}

#[test]
fn what_nothing_mentions_goes_with_the_first_deletion() {
    let text = without(DEBUG, &["!5 ="]);
    assert_lacks(&text, &["!4 ="]);
    assert_has(&text, &["!3 ="]);
    let text = without(DEBUG, &["define"]);
    assert_lacks(&text, &["!2 ="]);
}

const DESCRIBED: &str = "\
define i32 @f(i32 %0) !dbg !2 {
  call void @llvm.dbg.value(metadata i32 %0, metadata !4, metadata !DIExpression()), !dbg !7
  %2 = call i32 @g(), !dbg !8
  ret i32 %2, !dbg !8
}

define i32 @g() !dbg !10 {
  ret i32 0
}

declare void @llvm.dbg.value(metadata, metadata, metadata)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: FullDebug)
!1 = !{i32 2, !\"Debug Info Version\", i32 3}
!6 = !{!4, !5}
!2 = distinct !DISubprogram(spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !6)
!3 = !DIFile(filename: \"a\", directory: \"\")
!4 = !DILocalVariable(name: \"x\", scope: !9)
!5 = !DILocalVariable(name: \"y\", scope: !9)
!9 = distinct !DILexicalBlock(scope: !2, line: 1)
!10 = distinct !DISubprogram(spFlags: DISPFlagDefinition, unit: !0)
!7 = !DILocation(line: 1, scope: !9)
!8 = !DILocation(line: 2, scope: !2)
";

#[test]
fn what_a_description_or_a_call_needs_of_its_place_is_written_anew() {
    assert!(!is_ill_formed(DESCRIBED.as_bytes()));
    let text = without(DESCRIBED, &["!7 =", "!8 ="]);
    assert_has(
        &text,
        &[
            "!DIExpression()), !dbg !19\n",
            "@g(), !dbg !19\n  ret i32 %2\n",
            "\n!19 = !DILocation(scope: !2)",
        ],
    );
    assert!(!is_ill_formed(text.as_bytes()), "{text}");
    // The debug information of the other function is gone.
    assert_has(&without(DESCRIBED, &["!8 =", "!10 ="]), &["@g()\n"]);
}

#[test]
fn a_description_goes_with_its_variable_or_its_function() {
    for unit in ["!4 =", "!2 ="] {
        assert_lacks(&without(DESCRIBED, &[unit]), &["llvm.dbg.value"]);
    }
}

#[test]
fn the_folder_of_a_file_becomes_empty() {
    let text = DESCRIBED.replace("directory: \"\"", "directory: \"/d\", checksum: \"1\"");
    let file = "(filename: \"a\", directory: \"\")\n";
    assert_has(&without(&text, &["directory: \"/d", "checksum"]), &[file]);
}

#[test]
fn a_list_of_metadata_can_do_without_an_element() {
    assert_has(&without(DESCRIBED, &["!5 ="]), &["!6 = !{!4}", "dbg.value"]);
}

#[test]
fn the_scope_around_a_deleted_block_takes_its_place() {
    let text = without(DESCRIBED, &["!9 ="]);
    assert_has(&text, &["\"x\", scope: !2)", "line: 1, scope: !2)"]);
}

#[test]
fn a_declaration_goes_with_the_last_mention() {
    assert_lacks(&without(DESCRIBED, &["call void @llvm"]), &["declare"]);
    assert_has(&without(MODULE, &["!0 ="]), &["declare void @external"]);
}

#[test]
fn a_label_may_be_a_word_that_begins_a_clause() {
    let text = "\
define void @f() personality ptr null {
start:
  %0 = alloca i8
  invoke void @g()
          to label %to unwind label %cleanup

to:
  ret void

cleanup:
  %1 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %1
}

declare void @g()
";
    let text = without(text, &["%0 = alloca"]);
    assert_has(&text, &["cleanup:\n  %0 = landingpad", "{ ptr, i32 } %0\n"]);
}

#[test]
fn a_module_does_the_same_without_idle_units() {
    let text = "\
define i32 @f(i1 %c) {
  %1 = alloca i8
  %2 = call i32 @g()
  br label %3

3:
  br i1 %c, label %4, label %5

4:
  br label %5

5:
  ret i32 0
}

declare i32 @g()
";
    let text = module_checks::without_idle_units(DEFINITIONS, text);
    assert_lacks(&text, &["alloca", "br label"]);
    assert_has(&text, &["call i32 @g()\n  br i1 %c"]);
    assert!(!is_ill_formed(text.as_bytes()), "{text}");
}

#[test]
fn uses_of_a_deleted_value_become_zero_and_a_lost_end_returns() {
    let text = "\
define <2 x i8> @f(<2 x i8> %a, i32 %b, ptr %p) {
  fence seq_cst
  %sum = add <2 x i8> %a, %a
  %next = getelementptr i32, ptr %p, i32 1
  %twice = mul i32 %b, 2
  store <2 x i8> %sum, ptr %next
  store i32 %twice, ptr %next
  br label %loop
loop:
  br label %loop
}
";
    let without = |starts| module_checks::without(ZEROS, text, starts);
    assert_has(
        &without(&["%sum = add"]),
        &["store <2 x i8> zeroinitializer, ptr %next"],
    );
    assert_has(&without(&["%twice = mul"]), &["store i32 0, ptr %next"]);
    let rest = without(&["%next = getelementptr"]);
    assert_has(&rest, &["%sum, ptr null", "%twice, ptr null"]);
    let rest = without(&["br label %loop\nloop"]);
    assert_has(&rest, &["  ret <2 x i8> zeroinitializer\n}"]);
    assert_lacks(&rest, &["unreachable", "loop"]);
    let poison = module_checks::without(CODE, text, &["br label %loop\nloop"]);
    assert_has(&poison, &["  unreachable\n}"]);
}

#[test]
fn the_type_before_a_name_may_be_of_several_words() {
    for (ty, end) in [
        ("void", "ret void"),
        ("ptr addrspace(1)", "ret ptr addrspace(1) zeroinitializer"),
        ("[2 x { i8, ptr }]", "ret [2 x { i8, ptr }] zeroinitializer"),
        ("dso_local i32*", "ret i32* null"),
        ("void (i32)*", "unreachable"),
    ] {
        let text = format!("define {ty} @f() {{\n  br label %1\n1:\n  br label %1\n}}\n");
        let rest = module_checks::without(ZEROS, &text, &["br label %1\n1"]);
        assert_has(&rest, &[end]);
    }
}
