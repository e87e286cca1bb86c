//! The tokens and nodes of a module of SPIR-V.

use std::sync::Arc;

use boildown_document::{
    Document,
    module_layout::{UnitLayout, document},
    writable_module::UnitToken,
};

use super::module::{InstructionIndex, SpirvHeaderSort, SpirvModule};

/// Reads a module in text; an input that is none becomes a single token.
pub(super) fn read(bytes: &Arc<[u8]>) -> Document {
    let module = SpirvModule::read(bytes);
    document(bytes, module, |units, module| {
        let only_entry = module.only_entry_point();
        let mut layout = SpirvLayout {
            units,
            module,
            only_entry,
            interface: None,
        };
        layout.header();
        for function in 0..layout.module.functions.len() {
            layout.function(function);
        }
    })
}

struct SpirvLayout<'a> {
    units: &'a mut UnitLayout,
    module: &'a mut SpirvModule,
    /// The entry point that the module cannot do without.
    only_entry: Option<InstructionIndex>,
    /// The token of all instructions about the interface.
    interface: UnitToken,
}

impl SpirvLayout<'_> {
    fn instruction(&mut self, index: InstructionIndex) {
        let word = self.module.instructions[index].words.start;
        self.module.instructions[index].token = self.units.leaf(word);
    }

    /// Lays out the instructions before the first function: a node for each run of annotations, and
    /// one for each run of others.
    fn header(&mut self) {
        let used = self.used_values();
        let mut open = None;
        for index in self.module.header.clone() {
            let sort = self.module.header_sort(index);
            let is_used = |id: usize| used[id];
            let result = self.module.instructions[index].result;
            let is_unit = match sort {
                SpirvHeaderSort::Needed => false,
                SpirvHeaderSort::Value => !result.is_some_and(is_used),
                SpirvHeaderSort::Annotation => {
                    !self.module.is_layout(index) && !self.module.is_import(index)
                }
                SpirvHeaderSort::Other => true,
            };
            if !is_unit || self.module.is_demanded(index) {
                continue;
            }
            if open != Some(sort) {
                if open.is_some() {
                    self.units.close();
                }
                self.units.open();
                open = Some(sort);
            }
            if self.module.is(index, "OpEntryPoint") {
                self.entry_point(index);
            } else if self.module.is_interface(index) {
                if self.interface.is_none() {
                    self.instruction(index);
                    self.interface = self.module.instructions[index].token;
                }
                self.module.instructions[index].token = self.interface;
            } else {
                self.instruction(index);
            }
        }
        if open.is_some() {
            self.units.close();
        }
    }

    /// Lays out an entry point, and in it its name, which may become empty.
    fn entry_point(&mut self, index: InstructionIndex) {
        let word = self.module.instructions[index].words.start;
        self.units.open();
        if self.only_entry != Some(index) {
            self.module.instructions[index].token = self.units.token(word);
        }
        let is_name = |word: &usize| matches!(self.module.word(*word), [b'"', _, _, ..]);
        if let Some(name) = self.module.operands(index).find(is_name) {
            let token = self.units.leaf(name);
            self.module.entry_names.insert(name, token);
        }
        self.units.close();
    }

    /// Returns by id whether something mentions it that does not only describe it.
    fn used_values(&self) -> Vec<bool> {
        let module = &*self.module;
        let mut used = vec![false; module.definitions.len()];
        for index in 0..module.instructions.len() {
            if module.is_annotation(index) {
                continue;
            }
            for word in module.operands(index) {
                if let Some(id) = module.words[word].id {
                    used[id] = true;
                }
            }
        }
        used
    }

    fn function(&mut self, number: usize) {
        let function = &self.module.functions[number];
        let (start, parameters) = (function.start, function.parameters.clone());
        self.units.open();
        let word = self.module.instructions[start].words.start;
        let entry = (self.only_entry).and_then(|entry| self.module.operand(entry, 1));
        // Without it, the entry point would have to go too.
        if entry.is_none() || entry != self.module.instructions[start].result {
            self.module.instructions[start].token = self.units.token(word);
        }
        self.units.open();
        for index in parameters {
            self.instruction(index);
        }
        self.units.close();
        self.units.open();
        for block in 0..self.module.functions[number].blocks.len() {
            self.units.open();
            self.block(number, block);
            self.units.close();
        }
        self.units.close();
        if self.module.may_be_inlined(number) || self.module.may_be_entered(number) {
            let end = self.module.functions[number].end;
            let word = self.module.instructions[end].words.start;
            self.module.functions[number].end_token = self.units.leaf(word);
        }
        self.units.close();
    }

    fn block(&mut self, number: usize, block_number: usize) {
        let block = &self.module.functions[number].blocks[block_number];
        let (label, end) = (block.label, block.end);
        let (instructions, merge) = (block.instructions.clone(), block.merge);
        let word = self.module.instructions[label].words.start;
        if block_number == 0 {
            // The token of the body stands for all blocks.
            self.module.functions[number].body = self.units.token(word);
        } else {
            self.module.instructions[label].token = self.units.token(word);
        }
        for index in instructions {
            if merge == Some(index) && self.module.is(index, "OpSelectionMerge") {
                continue;
            }
            self.instruction(index);
        }
        let words: Vec<usize> = (self.module.functions[number].blocks[block_number].targets)
            .iter()
            .map(|target| target.word)
            .collect();
        if words.is_empty() {
            return;
        }
        self.units.open();
        let word = self.module.instructions[end].words.start;
        self.module.instructions[end].token = self.units.token(word);
        if words.len() > 1 {
            for (position, word) in words.into_iter().enumerate() {
                let token = self.units.leaf(word);
                let block = &mut self.module.functions[number].blocks[block_number];
                block.targets[position].token = token;
            }
        }
        self.units.close();
    }
}
