//! Functions that nothing calls, written in the place of the contents of the entry point.

use std::collections::BTreeSet;
use std::ops::Range;

use super::inlined::INLINE_LIMIT;
use super::module::{InstructionIndex, SpirvModule};

impl SpirvModule {
    /// Returns whether a function can stand in the place of the contents of the entry point.
    pub(super) fn may_be_entered(&self, function: usize) -> bool {
        self.bytes.len() < INLINE_LIMIT && self.entered_for(function).is_some()
    }

    /// Returns the function of the only entry point, if another one has neither parameters nor
    /// callers.
    fn entered_for(&self, number: usize) -> Option<usize> {
        let function = &self.functions[number];
        let id = self.instructions[function.start].result?;
        let entry = self.operand(self.only_entry_point()?, 1)?;
        let main = *self.functions_at.get(&self.definitions[entry]?)?;
        let has_blocks = |number: usize| !self.functions[number].blocks.is_empty();
        let is_free = function.parameters.is_empty() && self.mentions(id).next().is_none();
        (main != number && is_free && has_blocks(main) && has_blocks(number)).then_some(main)
    }

    /// Returns the instructions that mention an id and do more than describe it.
    pub(super) fn mentions(&self, id: usize) -> impl Iterator<Item = InstructionIndex> {
        (0..self.instructions.len()).filter(move |&index| {
            let mut operands = self.operands(index);
            !self.is_annotation(index) && operands.any(|word| self.words[word].id == Some(id))
        })
    }

    /// Returns what stands between the beginning of a function and its end.
    fn contents(&self, number: usize) -> Range<InstructionIndex> {
        let function = &self.functions[number];
        let first = function.blocks.first().map(|block| block.label);
        first.unwrap_or(function.end)..function.end
    }

    /// Writes a function in the place of the contents of the entry point. What it returns is
    /// dropped.
    pub(super) fn entered(&self, number: usize) -> Option<Vec<u8>> {
        let main = self.entered_for(number)?;
        let function = &self.functions[number];
        let (own, gone) = (function.start..function.end + 1, self.contents(main));
        let results = gone.clone().chain([function.start]);
        let ids: BTreeSet<usize> = results
            .filter_map(|index| self.instructions[index].result)
            .collect();
        let is_gone = |word: usize| self.words[word].id.is_some_and(|id| ids.contains(&id));
        let mut out = Vec::new();
        for index in 0..self.instructions.len() {
            if index == gone.start {
                for index in self.contents(number) {
                    self.put(index, true, &mut out);
                }
            }
            let is_dropped = own.contains(&index)
                || gone.contains(&index)
                || self.is_annotation(index) && self.operands(index).any(is_gone);
            if !is_dropped {
                self.put(index, false, &mut out);
            }
        }
        let end = self.words.last().map_or(0, |last| last.bytes.end);
        out.extend_from_slice(&self.bytes[end..]);
        Some(out)
    }

    /// Writes an instruction as it is; `is_entered` says that it returns no value any more.
    fn put(&self, index: InstructionIndex, is_entered: bool, out: &mut Vec<u8>) {
        let words = self.instructions[index].words.clone();
        let before = words.start.checked_sub(1);
        let start = before.map_or(0, |before| self.words[before].bytes.end);
        if is_entered && self.is(index, "OpReturnValue") {
            out.extend_from_slice(&self.bytes[start..self.words[words.start].bytes.start]);
            out.extend_from_slice(b"OpReturn");
        } else {
            out.extend_from_slice(&self.bytes[start..self.words[words.end - 1].bytes.end]);
        }
    }
}
