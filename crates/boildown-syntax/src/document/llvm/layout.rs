//! The tokens and nodes of a module of LLVM IR.

use std::sync::Arc;

use super::module::{IrBlock, IrDefinition, IrFunction, IrModule, IrParameter, IrSort};
use crate::document::module_layout::{UnitLayout, document};
use crate::document::{Document, View};

/// Reads a module; an input that is none becomes a single token.
pub(in crate::document) fn read(bytes: &Arc<[u8]>) -> Document {
    let module = IrModule::read(bytes);
    document(bytes, View::LlvmIr, module, |units, module| {
        IrLayout { units }.definitions(module);
    })
}

struct IrLayout<'a> {
    units: &'a mut UnitLayout,
}

impl IrLayout<'_> {
    fn definitions(&mut self, module: &mut IrModule) {
        let unit = module.only_compile_unit();
        let mut definitions = std::mem::take(&mut module.definitions);
        let has_version = |definition: &IrDefinition| match definition.sort {
            IrSort::NamedMetadata => definition.words.clone().skip(1).any(|word| {
                let index = module.names.get(module.text(word));
                index.is_some_and(|&index| module.is_debug_version(&definitions[index]))
            }),
            _ => module.is_debug_version(definition),
        };
        let goes_with_unit: Vec<bool> = match unit {
            Some(_) => definitions.iter().map(has_version).collect(),
            None => vec![false; definitions.len()],
        };
        for (definition, goes_with_unit) in definitions.iter_mut().zip(goes_with_unit) {
            if goes_with_unit {
                continue;
            }
            let is_free = definition.name.is_some_and(|name| match &definition.sort {
                IrSort::Function(IrFunction { parameters, .. })
                | IrSort::Declaration(parameters) => module.has_free_parameters(name, parameters),
                _ => false,
            });
            self.units.open();
            definition.token = self.units.token(definition.words.start);
            if let Some(place) = module.place_of_optional(definition) {
                definition.optional = self.units.leaf(place);
            }
            match &mut definition.sort {
                IrSort::Function(function) => {
                    if function.has_names() {
                        function.names = self.units.leaf(function.brackets.start);
                    }
                    self.function(function, is_free);
                }
                IrSort::Declaration(parameters) if is_free => self.parameters(parameters),
                IrSort::Variable {
                    init: Some(init),
                    token,
                } => *token = self.units.leaf(init.start),
                _ => {}
            }
            self.units.close();
        }
        module.definitions = definitions;
    }

    fn parameters(&mut self, parameters: &mut [IrParameter]) {
        self.units.open();
        for parameter in parameters {
            parameter.token = self.units.leaf(parameter.words.start);
        }
        self.units.close();
    }

    fn function(&mut self, function: &mut IrFunction, is_free: bool) {
        if is_free {
            self.parameters(&mut function.parameters);
        }
        self.units.open();
        function.token = self.units.token(function.body);
        for (index, block) in function.blocks.iter_mut().enumerate() {
            self.block(block, index == 0);
        }
        self.units.close();
    }

    fn block(&mut self, block: &mut IrBlock, is_first: bool) {
        self.units.open();
        if !block.label.is_empty() {
            block.token = self.units.token(block.label.start);
        } else if !is_first && let Some(first) = block.instructions.first() {
            // An empty token before that of the instruction.
            block.token = self.units.empty_token(first.words.start);
        }
        for instruction in &mut block.instructions {
            if instruction.is_needed {
                continue;
            }
            self.units.open();
            instruction.token = self.units.token(instruction.words.start);
            if instruction.targets.len() > 1 {
                for target in &mut instruction.targets {
                    target.token = self.units.leaf(target.word);
                }
            }
            self.units.close();
        }
        self.units.close();
    }
}
