//! The tokens and nodes of a module of LLVM IR.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::IdVec;

use super::module::{IrBlock, IrFunction, IrModule, IrParameter, IrSort};
use crate::document::builder::{Builder, NodePosition};
use crate::document::module_text::UnitToken;
use crate::document::{Document, View, flat};

/// Reads a module; an input that is none becomes a single token.
pub(in crate::document) fn read(bytes: &Arc<[u8]>) -> Document {
    let view = View::LlvmIr;
    let Some(mut module) = IrModule::read(bytes) else {
        return Document {
            view,
            ..flat::pieces(bytes, usize::MAX)
        };
    };
    let mut layout = IrLayout {
        builder: Builder::new(Arc::clone(bytes)),
        words: module.words.iter().map(|word| word.bytes.clone()).collect(),
        end: 0,
    };
    layout.definitions(&mut module);
    Document {
        ir: Some(Arc::new(module)),
        ..layout.builder.finish(view, IdVec::default())
    }
}

struct IrLayout {
    builder: Builder,
    /// The bytes of each word.
    words: Vec<Range<usize>>,
    /// The end of the last token.
    end: usize,
}

impl IrLayout {
    fn open(&mut self) {
        self.builder.open(1, NodePosition::default());
    }

    /// Adds a token of a word. In a broken text units may overlap; then the token is empty.
    fn token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let bytes = &self.words[word];
        let end = bytes.end.max(self.end);
        self.builder.token(bytes.start.max(self.end)..end);
        self.end = end;
        Some(token)
    }

    fn leaf(&mut self, word: usize) -> UnitToken {
        self.open();
        let token = self.token(word);
        self.builder.close();
        token
    }

    fn definitions(&mut self, module: &mut IrModule) {
        self.builder.open(0, NodePosition::default());
        let mut definitions = std::mem::take(&mut module.definitions);
        for definition in &mut definitions {
            let is_free = definition.name.is_some_and(|name| match &definition.sort {
                IrSort::Function(IrFunction { parameters, .. })
                | IrSort::Declaration(parameters) => module.has_free_parameters(name, parameters),
                _ => false,
            });
            self.open();
            definition.token = self.token(definition.words.start);
            match &mut definition.sort {
                IrSort::Function(function) => self.function(function, is_free),
                IrSort::Declaration(parameters) if is_free => self.parameters(parameters),
                IrSort::Variable {
                    init: Some(init),
                    token,
                } => *token = self.leaf(init.start),
                _ => {}
            }
            self.builder.close();
        }
        self.builder.close();
        module.definitions = definitions;
    }

    fn parameters(&mut self, parameters: &mut [IrParameter]) {
        self.open();
        for parameter in parameters {
            parameter.token = self.leaf(parameter.words.start);
        }
        self.builder.close();
    }

    fn function(&mut self, function: &mut IrFunction, is_free: bool) {
        if is_free {
            self.parameters(&mut function.parameters);
        }
        self.open();
        function.token = self.token(function.body);
        for block in &mut function.blocks {
            self.block(block);
        }
        self.builder.close();
    }

    fn block(&mut self, block: &mut IrBlock) {
        self.open();
        if !block.label.is_empty() {
            block.token = self.token(block.label.start);
        }
        for instruction in &mut block.instructions {
            if instruction.is_needed {
                continue;
            }
            self.open();
            instruction.token = self.token(instruction.words.start);
            if instruction.targets.len() > 1 {
                for target in &mut instruction.targets {
                    target.token = self.leaf(target.word);
                }
            }
            self.builder.close();
        }
        self.builder.close();
    }
}
