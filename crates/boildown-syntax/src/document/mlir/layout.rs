//! The tokens and nodes of a module of MLIR.

use std::sync::Arc;

use boildown_search::tree::IdVec;

use super::module::MlirModule;
use crate::document::builder::{Builder, NodePosition};
use crate::document::module_text::UnitToken;
use crate::document::{Document, View, flat};

/// Reads a module; an input that is none becomes a single token.
pub(in crate::document) fn read(bytes: &Arc<[u8]>) -> Document {
    let view = View::Mlir;
    let Some(mut module) = MlirModule::read(bytes) else {
        return Document {
            view,
            ..flat::pieces(bytes, usize::MAX)
        };
    };
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    let mut layout = MlirLayout {
        builder,
        module: &mut module,
    };
    for operation in layout.module.top.clone() {
        layout.operation(operation, false);
    }
    let mut builder = layout.builder;
    builder.close();
    Document {
        ir: Some(Arc::new(module)),
        ..builder.finish(view, IdVec::default())
    }
}

struct MlirLayout<'a> {
    builder: Builder,
    module: &'a mut MlirModule,
}

impl MlirLayout<'_> {
    fn open(&mut self) {
        self.builder.open(1, NodePosition::default());
    }

    fn token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        self.builder.token(self.module.words[word].bytes.clone());
        Some(token)
    }

    fn leaf(&mut self, word: usize) -> UnitToken {
        self.open();
        let token = self.token(word);
        self.builder.close();
        token
    }

    fn operation(&mut self, index: usize, is_last: bool) {
        let of = &self.module.operations[index];
        let (start, targets) = (of.words.start, of.targets.len());
        let is_end = is_last && self.module.is_end(index);
        // An alias is needed where it is used.
        let is_alias = self.module.is(start, "#") || self.module.is(start, "!");
        if is_alias || is_end && targets == 0 {
            return;
        }
        self.open();
        self.module.operations[index].token = self.token(start);
        if self.module.has_free_parameters(index) {
            self.open();
            for parameter in 0..self.module.operations[index].parameters.len() {
                let word = self.module.operations[index].parameters[parameter]
                    .words
                    .start;
                let token = self.leaf(word);
                self.module.operations[index].parameters[parameter].token = token;
            }
            self.builder.close();
        }
        if targets > 1 {
            for target in 0..targets {
                let word = self.module.operations[index].targets[target].words.start;
                let token = self.leaf(word);
                self.module.operations[index].targets[target].token = token;
            }
        }
        for region in self.module.operations[index].regions.clone() {
            self.open();
            for block in self.module.regions[region].blocks.clone() {
                self.block(index, region, block);
            }
            self.builder.close();
        }
        self.builder.close();
    }

    fn block(&mut self, operation: usize, region: usize, block: usize) {
        self.open();
        let label = self.module.blocks[block].label.clone();
        let is_first = block == self.module.regions[region].blocks.start;
        if is_first {
            // The token of a body stands for all blocks.
            let open = self.module.regions[region].words.start;
            if self.module.is_function(operation) {
                self.module.regions[region].token = self.token(open);
            }
        } else if !label.is_empty() {
            self.module.blocks[block].token = self.token(label.start);
            self.open();
            for parameter in 0..self.module.blocks[block].parameters.len() {
                let word = self.module.blocks[block].parameters[parameter].words.start;
                let token = self.leaf(word);
                self.module.blocks[block].parameters[parameter].token = token;
            }
            self.builder.close();
        }
        let operations = self.module.blocks[block].operations.clone();
        for (position, &inner) in operations.iter().enumerate() {
            self.operation(inner, position + 1 == operations.len());
        }
        self.builder.close();
    }
}
