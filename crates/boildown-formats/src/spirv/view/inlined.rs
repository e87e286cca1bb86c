//! Functions that are called once, written in the place of their call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::module::{InstructionIndex, SpirvFunction, SpirvModule};

/// Only below this size: what is called once in a large module is mostly deleted.
pub(super) const INLINE_LIMIT: usize = 16 * 1024;

/// A call, and the function that takes its place.
struct SpirvCall {
    call: InstructionIndex,
    /// The function around it and its block there.
    caller: (usize, usize),
    function: usize,
}

impl SpirvModule {
    /// Returns whether a function can stand in the place of its only call.
    pub(super) fn may_be_inlined(&self, function: usize) -> bool {
        self.bytes.len() < INLINE_LIMIT && self.only_call(function).is_some()
    }

    /// Returns the call of a function that is mentioned nowhere else, and returns at its end only.
    fn only_call(&self, number: usize) -> Option<SpirvCall> {
        let function = &self.functions[number];
        let id = self.instructions[function.start].result?;
        let mut mentions = self.mentions(id);
        let call = mentions.next()?;
        let is_only = mentions.next().is_none() && self.is(call, "OpFunctionCall");
        let (last, others) = function.blocks.split_last()?;
        let returns =
            |end: InstructionIndex| self.is(end, "OpReturn") || self.is(end, "OpReturnValue");
        let is_straight = returns(last.end) && !others.iter().any(|block| returns(block.end));
        let (outer, of) = (self.functions.iter().enumerate())
            .find(|(_, of)| (of.start..of.end).contains(&call))?;
        let block = (of.blocks.iter()).position(|block| block.instructions.contains(&call))?;
        // Variables stand at the beginning of a function.
        let mut all = function.blocks.iter();
        let has_variables = all.any(|block| {
            let mut instructions = block.instructions.clone();
            instructions.any(|index| self.is(index, "OpVariable"))
        });
        let fits = is_only && is_straight && !has_variables && outer != number;
        fits.then_some(SpirvCall {
            call,
            caller: (outer, block),
            function: number,
        })
    }
}

/// Writes the functions with these names in the place of their calls, or of the contents of the
/// entry point if they have none. A function that is called more than once stays.
pub(super) fn inlined(text: Vec<u8>, names: &[Vec<u8>]) -> Vec<u8> {
    let mut text = text;
    for name in names {
        let Some(module) = SpirvModule::read(&Arc::from(&text[..])) else {
            return text;
        };
        let is_named = |function: &SpirvFunction| {
            let result = module.instructions[function.start].result;
            result.is_some_and(|id| module.word(module.names[id]) == &name[..])
        };
        let number = module.functions.iter().position(is_named);
        let Some(number) = number else {
            continue;
        };
        if let Some(call) = module.only_call(number) {
            text = InlineWriter::new(&module, call).text();
        } else if let Some(entered) = module.entered(number) {
            text = entered;
        }
    }
    text
}

struct InlineWriter<'a> {
    module: &'a SpirvModule,
    call: SpirvCall,
    /// What is written in place of ids.
    stand_ins: BTreeMap<usize, usize>,
    /// The ids that are not defined any more.
    gone: BTreeSet<usize>,
    out: Vec<u8>,
}

impl<'a> InlineWriter<'a> {
    fn new(module: &'a SpirvModule, call: SpirvCall) -> Self {
        let function = &module.functions[call.function];
        let mut stand_ins = BTreeMap::new();
        let arguments = module.operands(call.call).skip(2);
        for (index, argument) in function.parameters.clone().zip(arguments) {
            let parameter = module.instructions[index].result;
            if let (Some(parameter), Some(argument)) = (parameter, module.words[argument].id) {
                stand_ins.insert(parameter, argument);
            }
        }
        let end = function.blocks.last().map(|block| block.end);
        let value = end.and_then(|end| module.operand(end, 0));
        if let (Some(result), Some(value)) = (module.instructions[call.call].result, value) {
            stand_ins.insert(result, value);
        }
        let mut gone: BTreeSet<usize> = stand_ins.keys().copied().collect();
        let first = function.blocks.first().map(|block| block.label);
        let others = [Some(function.start), first, Some(call.call)];
        gone.extend((others.into_iter().flatten()).filter_map(|at| module.instructions[at].result));
        Self {
            module,
            call,
            stand_ins,
            gone,
            out: Vec::new(),
        }
    }

    fn text(mut self) -> Vec<u8> {
        let module = self.module;
        let function = &module.functions[self.call.function];
        for index in 0..module.instructions.len() {
            let is_gone = |word: usize| {
                let id: Option<usize> = module.words[word].id;
                id.is_some_and(|id| self.gone.contains(&id))
            };
            let is_dropped = (function.start..=function.end).contains(&index)
                || module.is_annotation(index) && module.operands(index).any(is_gone);
            if index == self.call.call {
                self.body();
            } else if !is_dropped {
                self.instruction(index);
            }
        }
        let end = module.words.last().map_or(0, |last| last.bytes.end);
        self.out.extend_from_slice(&module.bytes[end..]);
        self.out
    }

    /// Writes the function without its beginning and end.
    fn body(&mut self) {
        let function = &self.module.functions[self.call.function];
        let first = function.blocks.first().map_or(0, |block| block.label);
        let last = function.blocks.last().map_or(0, |block| block.end);
        for index in first + 1..last {
            self.instruction(index);
        }
    }

    fn instruction(&mut self, index: InstructionIndex) {
        let module = self.module;
        let one = &module.instructions[index];
        for word in one.words.clone() {
            let start = word
                .checked_sub(1)
                .map_or(0, |before| module.words[before].bytes.end);
            let end = module.words[word].bytes.start;
            self.out.extend_from_slice(&module.bytes[start..end]);
            let text = match module.words[word].id {
                Some(id) => self.name(index, id),
                None => module.word(word),
            };
            self.out.extend_from_slice(text);
        }
    }

    /// Returns what an instruction mentions in place of an id.
    fn name(&self, index: InstructionIndex, id: usize) -> &'a [u8] {
        let module = self.module;
        let blocks = &module.functions[self.call.function].blocks;
        let (outer, block) = self.call.caller;
        let label = |index: InstructionIndex| module.instructions[index].result;
        let calling = module.functions[outer].blocks[block].label;
        let mut found = id;
        // The last argument may be the result of another deleted call.
        for _ in 0..self.stand_ins.len() {
            found = self.stand_ins.get(&found).copied().unwrap_or(found);
        }
        let (first, last) = (blocks.first(), blocks.last());
        if first.is_some_and(|first| label(first.label) == Some(found)) {
            found = label(calling).unwrap_or(found);
        } else if module.is(index, "OpPhi")
            && label(calling) == Some(found)
            && blocks.len() > 1
            && let Some(last) = last
        {
            // What follows the call is part of the last block now.
            found = label(last.label).unwrap_or(found);
        }
        module.word(module.names[found])
    }
}
