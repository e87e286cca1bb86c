//! The tokens and nodes of a module of MLIR.

use std::sync::Arc;

use boildown_document::{
    Document,
    module_layout::{UnitLayout, document},
};

use super::module::MlirModule;

/// Reads a module; an input that is none becomes a single token.
pub(crate) fn read(bytes: &Arc<[u8]>) -> Document {
    document(bytes, MlirModule::read(bytes), |units, module| {
        let mut layout = MlirLayout { units, module };
        for operation in layout.module.top.clone() {
            layout.operation(operation, false);
        }
    })
}

struct MlirLayout<'a> {
    units: &'a mut UnitLayout,
    module: &'a mut MlirModule,
}

impl MlirLayout<'_> {
    fn operation(&mut self, index: usize, is_last: bool) {
        let of = &self.module.operations[index];
        let (start, targets) = (of.words.start, of.targets.len());
        let is_end = is_last && self.module.is_end(index);
        // An alias is needed where it is used.
        let is_alias = self.module.is(start, "#") || self.module.is(start, "!");
        let is_needed = is_end && targets == 0 && !self.module.may_be_implicit(index);
        if is_alias || is_needed {
            return;
        }
        self.units.open();
        self.module.operations[index].token = self.units.token(start);
        if self.module.has_free_parameters(index) {
            self.units.open();
            for parameter in 0..self.module.operations[index].parameters.len() {
                let word = self.module.operations[index].parameters[parameter]
                    .words
                    .start;
                let token = self.units.leaf(word);
                self.module.operations[index].parameters[parameter].token = token;
            }
            self.units.close();
        }
        if self.module.has_free_results(index) {
            let arrow = self.module.operations[index].results.start;
            self.units.open();
            self.module.operations[index].results_token = self.units.token(arrow);
            for result in self.module.single_results(index) {
                let token = self.units.leaf(result.start);
                self.module.operations[index].result_tokens.push(token);
            }
            self.units.close();
        }
        for list in self.module.element_lists(index) {
            let token = self.units.leaf(list);
            self.module.lists.insert(list, token);
        }
        if targets > 1 && !self.module.has_fixed_targets(index) {
            for target in 0..targets {
                let word = self.module.operations[index].targets[target].words.start;
                let token = self.units.leaf(word);
                self.module.operations[index].targets[target].token = token;
            }
        }
        for region in self.module.operations[index].regions.clone() {
            self.units.open();
            for block in self.module.regions[region].blocks.clone() {
                self.block(index, region, block);
            }
            self.units.close();
        }
        self.units.close();
    }

    fn block(&mut self, operation: usize, region: usize, block: usize) {
        self.units.open();
        let label = self.module.blocks[block].label.clone();
        let is_first = block == self.module.regions[region].blocks.start;
        if is_first {
            // The token of a body stands for all blocks.
            let open = self.module.regions[region].words.start;
            if self.module.may_be_declared(operation) {
                self.module.regions[region].token = self.units.token(open);
            }
        } else if !label.is_empty() && self.module.has_free_blocks(region) {
            self.module.blocks[block].token = self.units.token(label.start);
            self.units.open();
            for parameter in 0..self.module.blocks[block].parameters.len() {
                let word = self.module.blocks[block].parameters[parameter].words.start;
                let token = self.units.leaf(word);
                self.module.blocks[block].parameters[parameter].token = token;
            }
            self.units.close();
        }
        let operations = self.module.blocks[block].operations.clone();
        for (position, &inner) in operations.iter().enumerate() {
            self.operation(inner, position + 1 == operations.len());
        }
        self.units.close();
    }
}
