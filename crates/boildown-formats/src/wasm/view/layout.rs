//! The tokens and nodes of a module.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Document,
    builder::{Builder, NodePosition},
    module_layout::{UNSET, no_module},
};
use boildown_search::tree::{IdVec, Slot, SlotId};
use wasmparser::ValType;

use super::body::{BodyShape, CodeBody, CodeKind};
use super::mentions::{Space, Token};
use super::module::{FunctionInfo, Module, ModuleItem, ModuleSection};
use super::script_parts::{PartContent, ScriptPart};
use super::units::ModuleUnits;

/// The kinds of nodes. A value has the kind of its type, a statement `STATEMENT`.
const SECTION: u16 = 1;
const ITEM: u16 = 2;
const PART: u16 = 3;
const STATEMENT: u16 = 4;
const KINDS: u16 = 12;

/// The pieces that the content of a segment is divided into.
const PIECES: usize = 64;

/// Reads a module; an input that is none becomes a single token.
pub(crate) fn read(bytes: &Arc<[u8]>, units: ModuleUnits) -> Document {
    let Some(module) = Module::read(bytes) else {
        return no_module(bytes);
    };
    let (module, mut document) = document(module, units);
    // Of a module in an older encoding, what was laid out is the one of today.
    place_in_text(
        &mut document.tokens,
        &(0..module.bytes.len()),
        &(0..bytes.len()),
    );
    document.of_module(bytes, module)
}

/// Lays out a module: returns it with its tokens, and the document that they are in.
pub(super) fn document(module: Module, units: ModuleUnits) -> (Module, Document) {
    let mut layout = ModuleLayout {
        builder: Builder::new(Arc::clone(&module.bytes)),
        units,
        start: 0,
    };
    let module = layout.module(module);
    (module, layout.builder.finish(UNSET, slots()))
}

/// Lays out a script. Each module is a node with the commands after it, which mostly are about it.
pub(super) fn script(text: &[u8], parts: &mut [ScriptPart], units: ModuleUnits) -> Document {
    // One after another: the binary of each module, the text of each other part.
    let mut joined = Vec::with_capacity(text.len());
    let mut places = Vec::with_capacity(parts.len());
    for part in &*parts {
        let start = joined.len();
        joined.extend_from_slice(match &part.content {
            PartContent::Module(module) => &module.bytes,
            _ => &text[part.bytes.clone()],
        });
        places.push(start..joined.len());
    }
    let mut layout = ModuleLayout {
        builder: Builder::new(joined.into()),
        units,
        start: 0,
    };
    layout.open(0);
    let mut is_inside = false;
    for (part, place) in parts.iter_mut().zip(&places) {
        if !matches!(part.content, PartContent::Command(_)) || !is_inside {
            if is_inside {
                layout.builder.close();
            }
            layout.open(SECTION);
            is_inside = true;
        }
        layout.part(part, place.clone());
    }
    layout.builder.close();
    layout.builder.close();
    let mut document = layout.builder.finish(UNSET, slots());
    for (part, place) in parts.iter().zip(&places) {
        place_in_text(
            &mut document.tokens[part.tokens.clone()],
            place,
            &part.bytes,
        );
    }
    document
}

/// Gives tokens the places in a text that they have about in a binary: their share of it.
pub(super) fn place_in_text(tokens: &mut [Range<u32>], binary: &Range<usize>, text: &Range<usize>) {
    let scale = |at: &mut u32| {
        let inside = (*at as usize - binary.start) as u64 * text.len() as u64;
        let inside = inside / binary.len().max(1) as u64;
        *at = u32::try_from(text.start as u64 + inside).unwrap_or(u32::MAX);
    };
    for token in tokens {
        scale(&mut token.start);
        scale(&mut token.end);
    }
}

/// Returns the slots of all kinds of nodes.
fn slots() -> IdVec<SlotId, Slot> {
    (0..KINDS).map(slot).collect()
}

/// Returns the slot of nodes of this kind: what may stand in their place. A value may be replaced
/// by one of its type, a statement by any instructions.
fn slot(kind: u16) -> Slot {
    match kind {
        STATEMENT => Slot {
            kinds: (STATEMENT..KINDS).collect(),
            many: true,
        },
        kind if kind > STATEMENT => Slot {
            kinds: vec![kind],
            many: false,
        },
        _ => Slot::default(),
    }
}

/// Returns the kind of an instruction that leaves these values.
fn kind(results: &[ValType]) -> u16 {
    match results {
        [] => STATEMENT,
        [ValType::I32] => 5,
        [ValType::I64] => 6,
        [ValType::F32] => 7,
        [ValType::F64] => 8,
        [ValType::V128] => 9,
        [ValType::Ref(_)] => 10,
        _ => 11,
    }
}

struct ModuleLayout {
    builder: Builder,
    units: ModuleUnits,
    /// Where the module begins among the bytes of the document.
    start: usize,
}

impl ModuleLayout {
    fn open(&mut self, kind: u16) {
        let slot = SlotId::new(kind.into());
        let position = NodePosition::in_slot(slot);
        self.builder.open(kind, position);
    }

    fn token(&mut self, bytes: Range<usize>) -> Token {
        let token = Token::new(self.builder.count());
        let bytes = self.start + bytes.start..self.start + bytes.end;
        self.builder.token(bytes);
        token
    }

    /// Adds a node of one token.
    fn leaf(&mut self, kind: u16, bytes: Range<usize>) -> Token {
        self.open(kind);
        let token = self.token(bytes);
        self.builder.close();
        token
    }

    /// Lays out a module or a command of a script.
    fn part(&mut self, part: &mut ScriptPart, place: Range<usize>) {
        let first = self.builder.count();
        self.open(ITEM);
        self.start = place.start;
        part.content = match std::mem::replace(&mut part.content, PartContent::Unread) {
            PartContent::Module(module) => {
                part.token = self.token(0..0);
                PartContent::Module(Box::new(self.module(*module)))
            }
            content => {
                part.token = self.token(0..place.len());
                content
            }
        };
        self.builder.close();
        part.tokens = first..self.builder.count();
    }

    fn module(&mut self, mut module: Module) -> Module {
        self.open(0);
        let mut sections = std::mem::take(&mut module.sections);
        for section in &mut sections {
            let first = self.builder.count();
            self.open(SECTION);
            match section.id {
                3 => {}
                10 => self.bodies(&mut module),
                0 | 12 => {
                    let first = section.items.first().map(|item| item.bytes.start);
                    let end = first.unwrap_or(section.bytes.end);
                    section.token = self.token(section.bytes.start..end);
                    for item in &mut section.items {
                        item.token = self.leaf(ITEM, item.bytes.clone());
                    }
                }
                _ => self.items(section, &mut module),
            }
            self.builder.close();
            section.tokens = first..self.builder.count();
        }
        self.builder.close();
        module.sections = sections;
        for section in &module.sections {
            let Some(space) = super::link::space_of(section.id) else {
                continue;
            };
            for item in &section.items {
                let entities = &mut module.entities[space as usize];
                let defined = item.first as usize..(item.first + item.count) as usize;
                for entity in entities.get_mut(defined).into_iter().flatten() {
                    *entity = item.token;
                }
            }
        }
        self.entities(&mut module);
        module
    }

    /// Gives functions and imports the tokens of their items.
    fn entities(&self, module: &mut Module) {
        let imports = module.sections.iter().filter(|section| section.id == 2);
        let imported: Vec<(Space, u32, Token)> = imports
            .flat_map(|section| &section.items)
            .map(|item| (item.space, item.first, item.token))
            .collect();
        for (space, index, token) in imported {
            module.entities[space as usize][index as usize] = token;
        }
        let first = module.imported_functions;
        for (index, body) in module.bodies.iter().enumerate() {
            module.entities[Space::Function as usize][first + index] = body.token;
        }
    }

    fn items(&mut self, section: &mut ModuleSection, module: &mut Module) {
        for item in &mut section.items {
            self.open(ITEM);
            let value = item.value.iter().map(|value| value.bytes.start);
            let parts = item.parts.iter().map(|part| part.bytes.start);
            let end = value.chain(parts).next().unwrap_or(item.bytes.end);
            item.token = self.token(item.bytes.start..end);
            if let Some(value) = &mut item.value {
                value.token = self.leaf(PART, value.bytes.clone());
            }
            if section.id == 11 {
                self.pieces(item);
            }
            self.open(PART);
            for part in &mut item.parts {
                part.token = self.leaf(PART, part.bytes.clone());
            }
            self.builder.close();
            if section.id == 2
                && item.space == Space::Function
                && let Some(function) = module.functions.get_mut(item.first as usize)
            {
                self.signature(function, item.bytes.end);
            }
            self.builder.close();
        }
    }

    /// Divides the content of a data segment.
    fn pieces(&self, item: &mut ModuleItem) {
        let Some(content) = item.parts.pop() else {
            return;
        };
        let size = match self.units {
            ModuleUnits::Items => usize::MAX,
            ModuleUnits::Instructions => content.bytes.len().div_ceil(PIECES).max(1),
        };
        let end = content.bytes.end;
        let pieces = content.bytes.step_by(size).map(|start| {
            let bytes = start..end.min(start.saturating_add(size));
            super::module::part(bytes)
        });
        item.parts = pieces.collect();
    }

    fn signature(&mut self, function: &mut FunctionInfo, at: usize) {
        if self.units == ModuleUnits::Items {
            return;
        }
        for list in [&mut function.parameters, &mut function.results] {
            self.open(PART);
            for token in list {
                *token = self.leaf(PART, at..at);
            }
            self.builder.close();
        }
    }

    fn bodies(&mut self, module: &mut Module) {
        let functions = module.functions.iter_mut().skip(module.imported_functions);
        for (body, function) in module.bodies.iter_mut().zip(functions) {
            self.open(ITEM);
            let first = self.builder.count();
            let inside = body.bytes.start + 1;
            body.token = self.token(body.bytes.start..inside);
            if self.units == ModuleUnits::Items {
                let token = self.leaf(PART, inside..body.bytes.end);
                body.set_all_tokens(token);
            } else {
                self.signature(function, inside);
                self.body(body, inside);
            }
            self.builder.close();
            body.tokens = first..self.builder.count();
        }
    }

    fn body(&mut self, body: &mut CodeBody, start: usize) {
        self.open(PART);
        for local in &mut body.locals {
            local.token = self.leaf(PART, start..start);
        }
        self.builder.close();
        self.open(PART);
        match body.shape {
            BodyShape::Tree => {
                let roots = std::mem::take(&mut body.roots);
                self.sequence(body, &roots);
                body.roots = roots;
            }
            BodyShape::Sequence => self.flat(body),
            BodyShape::Opaque => body.code_token = self.token(start..body.bytes.end),
        }
        self.builder.close();
    }

    fn sequence(&mut self, body: &mut CodeBody, items: &[u32]) {
        for &item in items {
            self.instruction(body, item as usize);
        }
    }

    fn instruction(&mut self, body: &mut CodeBody, index: usize) {
        self.open(kind(&body.instructions[index].results));
        let operands = std::mem::take(&mut body.instructions[index].operands);
        self.sequence(body, &operands);
        let bytes = body.instructions[index].bytes.clone();
        let token = self.token(bytes);
        let placeholder = CodeKind::Plain;
        let mut kind = std::mem::replace(&mut body.instructions[index].kind, placeholder);
        match &mut kind {
            CodeKind::Block { inside, .. } => self.sequence(body, inside),
            CodeKind::If { then, otherwise } => {
                self.sequence(body, then);
                if let Some(otherwise) = otherwise {
                    self.open(PART);
                    otherwise.token = self.token(otherwise.bytes.clone());
                    self.sequence(body, &otherwise.inside);
                    self.builder.close();
                }
            }
            _ => {}
        }
        let instruction = &mut body.instructions[index];
        (instruction.kind, instruction.operands, instruction.token) = (kind, operands, token);
        self.builder.close();
    }

    /// Lays out instructions that are no tree: blocks are nodes up to their ends.
    fn flat(&mut self, body: &mut CodeBody) {
        let mut depth = 0_usize;
        for instruction in &mut body.instructions {
            let bytes = instruction.bytes.clone();
            match instruction.kind {
                CodeKind::Block { .. } => {
                    self.open(STATEMENT);
                    instruction.token = self.token(bytes);
                    depth += 1;
                }
                CodeKind::End if depth > 0 => {
                    instruction.token = self.token(bytes);
                    self.builder.close();
                    depth -= 1;
                }
                CodeKind::End => {}
                _ => instruction.token = self.leaf(STATEMENT, bytes),
            }
        }
        for _ in 0..depth {
            self.builder.close();
        }
    }
}
