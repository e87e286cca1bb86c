//! The gate before modules of LLVM IR.

use std::sync::Arc;

use boildown_search::Verdict;

use super::LlvmIr;
use super::facts::LINES;
use crate::samples::{Checker, Sample};
use crate::testing::{admits, fault_of_lines, gate, long};

const LLVM: &str = "\
define i32 @f(i32 %a) {
  %b = add nsw i32 %a, 1
  br label %next

next:
  %c = add i32 %b, %a
  ret i32 %c
}
";

#[test]
fn of_a_short_text_of_llvm_ir_what_its_parser_takes_is_tried() {
    let best: Arc<[u8]> = b"define dso_local i32 @f() {\n  ret i32 4\n}\n"
        .as_slice()
        .into();
    let mut gate = gate(&LlvmIr, &best);
    assert!(gate.admits(b"define i32 @f() {\n  ret i32 4\n}\n", &best));
    assert!(!gate.admits(b"define dso_local i32 @f() {\n  ret 4\n}\n", &best));
}

#[test]
fn a_block_ends_in_an_instruction_that_leaves_it() {
    let llvm = |from, to| admits((&LlvmIr, ";"), LLVM, (from, to));
    assert!(!llvm("  ret i32 %c\n", ""));
    assert!(!llvm("  br label %next\n", "  ret i32 %a\n  ret i32 %b\n"));
    assert!(llvm("  br label %next\n", "  ret i32 %b\n"));
}

#[test]
fn a_definition_that_is_used_stays() {
    let llvm = |from, to| admits((&LlvmIr, ";"), LLVM, (from, to));
    assert!(!llvm("  %b = add nsw i32 %a, 1\n", ""));
    assert!(!llvm("next:\n", ""));
    assert!(llvm("add nsw", "add"), "this pair of words is in the input");
    let unused = LLVM.replace("ret i32 %c", "ret i32 %a");
    assert!(admits((&LlvmIr, ";"), &unused, ("%c = add", "add")));
}

#[test]
fn operands_of_llvm_ir_keep_their_types() {
    let llvm = |from, to| admits((&LlvmIr, ";"), LLVM, (from, to));
    assert!(!llvm("add i32 %b, %a", "add i32 %b, true"));
    assert!(!llvm("ret i32 %c", "ret i32"));
    assert!(llvm("ret i32 %c", "ret i32 1"));
}

#[test]
fn operations_that_llvm_knows_keep_their_types() {
    let text = "declare i32 @llvm.smin.i32(i32, i32) #0\ndeclare i32 @g(i32, i32) #0\n\
                declare i32 @h(i32)\n";
    let llvm = |from, to| admits((&LlvmIr, ";"), text, (from, to));
    assert!(!llvm("smin.i32(i32, i32)", "smin.i32(i32)"));
    assert!(!llvm("i32 @llvm.smin", "i8 @llvm.smin"));
    assert!(llvm(
        "@llvm.smin.i32(i32, i32) #0",
        "@llvm.smin.i32(i32, i32)"
    ));
    assert!(llvm("@g(i32, i32)", "@g(i32)"));
}

#[test]
fn words_that_are_never_neighbours_are_not_brought_together() {
    let llvm = |from, to| admits((&LlvmIr, ";"), LLVM, (from, to));
    assert!(!llvm("label %next", "%next"));
    assert!(!llvm("nsw i32 %a, 1", "nsw i32"));
    assert!(llvm("add i32 %b, %a", "add i32 %a, %a"), "names are alike");
}

#[test]
fn numbers_that_are_mentioned_are_never_left_out() {
    let text = "define void @f() {\n  br label %1\n\n1:\n  ret void\n}\n";
    let text = long(text, ";");
    let best: Arc<[u8]> = text.as_bytes().into();
    let mut gate = gate(&LlvmIr, &best);
    let hidden = text.replace("1:", "");
    assert!((0..100).all(|_| !gate.admits(hidden.as_bytes(), &best)));
}

#[test]
fn samples_that_miss_become_rare() {
    let best: Arc<[u8]> = long(LLVM, ";").into_bytes().into();
    let mut gate = gate(&LlvmIr, &best);
    let asked = (0..4096).filter(|number| {
        let candidate = format!("next next {number}");
        let is_asked = gate.admits(candidate.as_bytes(), &best);
        if is_asked {
            gate.tell(candidate.as_bytes(), Verdict::Uninteresting);
        }
        is_asked
    });
    // 2, 8, 32, 128, 512 and 2048.
    assert_eq!(asked.count(), 6);
}

#[test]
fn the_gate_opens_when_what_it_skips_is_interesting() {
    let best: Arc<[u8]> = long(LLVM, ";").into_bytes().into();
    let mut gate = gate(&LlvmIr, &best);
    let asked = (0..512)
        .filter(|_| {
            let is_asked = gate.admits(b"next", &best);
            if is_asked {
                gate.tell(b"next", Verdict::Interesting);
            }
            is_asked
        })
        .count();
    // The second, fourth, eighth and sixteenth, and all after these.
    assert_eq!(asked, 4 + 512 - 16);
}

/// Modules with names, with numbers, and with debug information.
pub(crate) fn samples() -> Vec<Sample> {
    let sample = |name, text: &str| Sample {
        fault: |text| fault_of_lines(&LINES, text),
        checker: Some(Checker {
            programs: &[(&["llvm-as-16", "llvm-as"], &["-", "-o", "/dev/null"])],
            divider: None,
        }),
        ..Sample::new(&LlvmIr, name, text.as_bytes())
    };
    vec![
        sample("named.ll", include_str!("samples/named.ll")),
        sample("numbered.ll", include_str!("samples/numbered.ll")),
        sample("debug.ll", include_str!("samples/debug.ll")),
    ]
}
