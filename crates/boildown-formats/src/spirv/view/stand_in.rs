//! The remains of a module of SPIR-V, and what takes the place of the rest.

use boildown_document::writable_module::is_kept;

use super::flow::SpirvFlow;
use super::module::{InstructionIndex, SpirvFunction, SpirvHeaderSort, SpirvModule};
use crate::ir::LONGEST_CHAIN;

/// What takes the place of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpirvStandIn {
    /// An id: the mentioned one, or another of the same type.
    Id(usize),
    /// An undefined value of a type.
    Undefined(usize),
}

/// Which instructions are left.
pub(super) struct SpirvRemains<'a> {
    pub(super) module: &'a SpirvModule,
    pub(super) kept: &'a [bool],
    /// By instruction.
    pub(super) is_gone: Vec<bool>,
    /// By function: `None` for one without a body.
    pub(super) flows: Vec<Option<SpirvFlow>>,
}

impl<'a> SpirvRemains<'a> {
    pub(super) fn new(module: &'a SpirvModule, kept: &'a [bool]) -> Self {
        let gone = |index: usize| !is_kept(module.instructions[index].token, kept);
        let mut remains = Self {
            module,
            kept,
            is_gone: (0..module.instructions.len()).map(gone).collect(),
            flows: Vec::new(),
        };
        for function in &module.functions {
            let flow = remains.function(function);
            remains.flows.push(flow);
        }
        while remains.spread() {}
        remains.keep_linkage();
        remains
    }

    /// Keeps the capability of modules without entry points, if all of these are gone.
    fn keep_linkage(&mut self) {
        let module = self.module;
        let is_entry = |index| module.is(index, "OpEntryPoint") && !self.is_gone[index];
        if module.header.clone().any(is_entry) {
            return;
        }
        for index in module.header.clone() {
            if module.has_operand(index, "OpCapability", "Linkage") {
                self.is_gone[index] = false;
            }
        }
    }

    /// Marks what is deleted with a function, its body or a block.
    fn function(&mut self, function: &SpirvFunction) -> Option<SpirvFlow> {
        let inside = function.start + 1..function.end + 1;
        if self.is_gone[function.start] {
            self.is_gone[inside].fill(true);
            return None;
        }
        if !is_kept(function.body, self.kept) {
            if let Some(first) = function.blocks.first() {
                self.is_gone[first.label + 1..function.end].fill(true);
            }
            return None;
        }
        let flow = SpirvFlow::new(self.module, function, self.kept);
        for (index, block) in function.blocks.iter().enumerate() {
            // The label is written if anything names it.
            self.is_gone[block.label] = false;
            self.is_gone[block.end] = !flow.is_reached[index];
            if !flow.is_reached[index] {
                self.is_gone[block.instructions.clone()].fill(true);
            }
        }
        Some(flow)
    }

    /// Marks the instructions with an operand that nothing can take the place of. Returns whether
    /// there were any.
    fn spread(&mut self) -> bool {
        let mut has_changed = false;
        for index in 0..self.module.instructions.len() {
            if !self.is_gone[index] && !self.is_possible(index) {
                self.is_gone[index] = true;
                has_changed = true;
            }
        }
        has_changed
    }

    fn is_possible(&self, index: InstructionIndex) -> bool {
        let module = self.module;
        if module.header.contains(&index) {
            return match module.header_sort(index) {
                SpirvHeaderSort::Needed | SpirvHeaderSort::Value => true,
                SpirvHeaderSort::Annotation => self.is_there(index, 0),
                SpirvHeaderSort::Other if module.is(index, "OpEntryPoint") => {
                    self.is_there(index, 1)
                }
                SpirvHeaderSort::Other => self.has_operands(index),
            };
        }
        let is_end = |operation: &str| module.is(index, operation);
        let is_structure = ["OpFunction", "OpFunctionEnd", "OpLabel", "OpPhi"]
            .iter()
            .any(|operation| is_end(operation));
        let is_jump = [
            "OpBranch",
            "OpBranchConditional",
            "OpSwitch",
            "OpReturnValue",
        ]
        .iter()
        .any(|operation| is_end(operation));
        let is_merge = is_end("OpSelectionMerge") || is_end("OpLoopMerge");
        if module.is(index, "OpPhi") {
            let type_id = module.operand(index, 0);
            let values = module.operands(index).skip(1).step_by(2);
            let mut values = values.filter_map(|word| module.words[word].id);
            return type_id.is_some_and(|type_id| module.may_be_undefined(type_id))
                || values.all(|id| self.stand_in(id).is_some());
        }
        is_structure || is_jump || is_merge || self.has_operands(index)
    }

    fn is_there(&self, index: InstructionIndex, position: usize) -> bool {
        let id = self.module.operand(index, position);
        let definition = id.and_then(|id| self.module.definitions[id]);
        definition.is_none_or(|definition| !self.is_gone[definition])
    }

    fn has_operands(&self, index: InstructionIndex) -> bool {
        let words = self.operands(index).into_iter();
        words
            .filter_map(|word| self.module.words[word].id)
            .all(|id| self.stand_in(id).is_some())
    }

    /// Returns the operands of an instruction, without the arguments of deleted parameters.
    pub(super) fn operands(&self, index: InstructionIndex) -> Vec<usize> {
        let module = self.module;
        let words = module.operands(index);
        let callee = (module.is(index, "OpFunctionCall"))
            .then(|| module.operand(index, 1))
            .flatten();
        let definition = callee.and_then(|callee| module.definitions[callee]);
        let number = definition.and_then(|definition| module.functions_at.get(&definition));
        let Some(function) = number.map(|&number| &module.functions[number]) else {
            return words.collect();
        };
        let is_argument_of_gone = |word: usize| {
            let position = (word - words.start).checked_sub(2);
            let parameter = position.map(|position| function.parameters.start + position);
            parameter.is_some_and(|parameter| {
                function.parameters.contains(&parameter)
                    && !is_kept(module.instructions[parameter].token, self.kept)
            })
        };
        words
            .clone()
            .filter(|&word| !is_argument_of_gone(word))
            .collect()
    }

    /// Returns what takes the place of an id; `None` if nothing can.
    pub(super) fn stand_in(&self, id: usize) -> Option<SpirvStandIn> {
        self.follow(id, LONGEST_CHAIN)
    }

    fn follow(&self, id: usize, chain: usize) -> Option<SpirvStandIn> {
        let module = self.module;
        let Some(definition) = module.definitions[id] else {
            return Some(SpirvStandIn::Id(id));
        };
        if !self.is_gone[definition] {
            return Some(SpirvStandIn::Id(id));
        }
        if module.header.contains(&definition) || module.is(definition, "OpFunction") {
            return None;
        }
        let type_id = module.type_of(definition)?;
        let has_operands = !["OpPhi", "OpVariable", "OpFunctionParameter"]
            .iter()
            .any(|operation| module.is(definition, operation));
        if has_operands && chain > 0 {
            let is_alike = |operand: &usize| module.type_of_value(*operand) == Some(type_id);
            let operands: Vec<usize> = module.values_of(definition).collect();
            let alike = operands.iter().copied().filter(is_alike);
            // A part of what was made of parts may be one of them.
            let parts = operands
                .iter()
                .filter_map(|&operand| module.definitions[operand]);
            let parts = parts.filter(|&whole| module.is(whole, "OpCompositeConstruct"));
            let parts = parts.flat_map(|whole| module.values_of(whole).filter(is_alike));
            let mut found = alike.chain(parts);
            if let Some(found) = found.find_map(|operand| self.follow(operand, chain - 1)) {
                return Some(found);
            }
        }
        module
            .may_be_undefined(type_id)
            .then_some(SpirvStandIn::Undefined(type_id))
    }
}
