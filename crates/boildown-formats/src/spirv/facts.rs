//! Facts that candidates in SPIR-V are compared by: ids, shapes of instructions, control flow.

use boildown_reduce::Facts;

use super::header::SpirvHeader;
use super::structure::{SpirvStructure, shape};
use crate::ir::{BlockOrder, BlockPlace, LineForm, ScopedNames, words};

pub(super) const LINES: LineForm = LineForm {
    comment: b";",
    rest_of_word: |_, _| 0,
};

/// Reads a module in text.
pub(super) fn facts(text: &[u8]) -> Facts {
    let mut facts = Facts::default();
    let mut names = ScopedNames::default();
    let mut order = BlockOrder::default();
    let mut header = SpirvHeader::default();
    let mut structure = SpirvStructure::default();
    let mut is_broken = false;
    for line in text.split(|&byte| byte == b'\n') {
        let words = words(&LINES, line);
        if words.is_empty() {
            continue;
        }
        let has_result = words.get(1) == Some(&&b"="[..]);
        let operation = words[if has_result && words.len() > 2 { 2 } else { 0 }];
        header.line(operation, &words);
        let is_structured = structure.line(operation, &words);
        is_broken |= header.is_shader && !is_structured;
        step(&mut order, operation);
        facts.forms.insert(shape(&words));
        for (index, &word) in words.iter().enumerate() {
            if word.len() < 2 || word[0] != b'%' {
                continue;
            }
            let operation = words.get(index + 2);
            let is_definition = words.get(index + 1) == Some(&&b"="[..])
                && operation.is_some_and(|operation| operation.starts_with(b"Op"));
            match is_definition {
                true => names.define(0, word.into()),
                false => names.mention(0, word.into()),
            }
        }
    }
    let is_unfinished = order.last() != BlockPlace::Outside || header.is_incomplete();
    facts.undeclared = names.undefined();
    facts.faults = u8::from(is_broken || order.is_broken() || is_unfinished);
    facts
}

/// Takes the operation of the next line.
fn step(order: &mut BlockOrder, operation: &[u8]) {
    use BlockPlace::{Begun, Inside, Left, Outside};
    match operation {
        b"OpLine" | b"OpNoLine" => {}
        b"OpFunction" => order.step(&[Outside], Begun),
        b"OpFunctionParameter" => order.step(&[Begun], Begun),
        b"OpLabel" => order.step(&[Begun, Left], Inside),
        b"OpFunctionEnd" => order.step(&[Begun, Left], Outside),
        b"OpBranch"
        | b"OpBranchConditional"
        | b"OpSwitch"
        | b"OpReturn"
        | b"OpReturnValue"
        | b"OpKill"
        | b"OpUnreachable"
        | b"OpTerminateInvocation" => order.step(&[Inside], Left),
        _ => order.step(&[Inside, Outside], order.last()),
    }
}
