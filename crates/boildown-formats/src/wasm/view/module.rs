//! A module as read: its sections, their items, and the entities that have indices.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use wasm_encoder::reencode::Reencode as _;
use wasmparser::{
    BinaryReader, ElementItems, ElementKind, Export, ExternalKind, FromReader, FuncToValidate,
    FunctionBody, Parser, Payload, SectionLimited, TableInit, TypeRef, ValType, ValidPayload,
    Validator, ValidatorResources, WasmFeatures,
};

use super::body::{BodyShape, CodeBody};
use super::feature_list;
use super::mentions::{Mention, Mentions, SPACES, Space, Token, position};
use super::older_types::from_older;

/// A module of WebAssembly.
///
/// A valid module is read completely. Of another one, the functions that are not valid are read as
/// sequences of instructions without operands.
#[derive(Debug)]
pub(crate) struct Module {
    /// In the encoding of today.
    pub(super) bytes: Arc<[u8]>,
    /// Whether the types of references are written in the older encoding.
    pub(super) has_older_types: bool,
    pub(super) sections: Vec<ModuleSection>,
    /// The function type at each type index; `None` for other types, and for types that are in a
    /// group or have a supertype.
    pub(super) function_types: Vec<Option<wasmparser::FuncType>>,
    /// The token of each entity, by index space.
    pub(super) entities: [Vec<Token>; SPACES],
    /// All functions, imported ones first.
    pub(super) functions: Vec<FunctionInfo>,
    pub(super) imported_functions: usize,
    pub(super) bodies: Vec<CodeBody>,
    pub(super) is_valid: bool,
}

/// A section, in the order of the file.
#[derive(Debug)]
pub(super) struct ModuleSection {
    pub(super) id: u8,
    /// With the header.
    pub(super) bytes: Range<usize>,
    pub(super) content: Range<usize>,
    pub(super) items: Vec<ModuleItem>,
    /// The token of a section that has no items.
    pub(super) token: Token,
    /// The tokens of the section and its items.
    pub(super) tokens: Range<usize>,
}

/// An item of a section.
#[derive(Debug)]
pub(super) struct ModuleItem {
    pub(super) bytes: Range<usize>,
    pub(super) token: Token,
    pub(super) mentions: Vec<Mention>,
    /// The space of the entities that it defines.
    pub(super) space: Space,
    /// The first entity that it defines.
    pub(super) first: u32,
    /// How many it defines: more than one for a group of types.
    pub(super) count: u32,
    /// The expression that it begins with: an initial value, or the offset of a segment.
    pub(super) value: Option<ItemPart>,
    /// The elements or the content of a segment.
    pub(super) parts: Vec<ItemPart>,
}

/// A part of an item that can go alone.
#[derive(Debug)]
pub(super) struct ItemPart {
    pub(super) bytes: Range<usize>,
    pub(super) token: Token,
    /// What the part mentions, if it is an element of a segment.
    pub(super) mentions: Vec<Mention>,
}

/// A function: its type, and the tokens of its parameters and results.
#[derive(Debug)]
pub(super) struct FunctionInfo {
    pub(super) type_index: u32,
    pub(super) parameters: Vec<Token>,
    pub(super) results: Vec<Token>,
}

/// Returns the features of modules that are understood: all.
pub(super) fn features() -> WasmFeatures {
    WasmFeatures::all()
}

impl Module {
    /// Reads a module. `None` if a section cannot be read, or the input is no module.
    pub(crate) fn read(bytes: &Arc<[u8]>) -> Option<Self> {
        let module = Self::read_current(bytes);
        if module.as_ref().is_some_and(|module| module.is_valid) {
            return module;
        }
        let older = from_older(bytes).filter_map(|bytes| Self::read_current(&bytes.into()));
        let older = older.min_by_key(Self::unread).map(|older| Self {
            has_older_types: true,
            ..older
        });
        // Of two that are not valid, the one of which more can be read.
        module.into_iter().chain(older).min_by_key(Self::unread)
    }

    /// Returns how much of a module is not understood.
    fn unread(&self) -> (bool, usize) {
        let is_opaque = |body: &&CodeBody| body.shape == BodyShape::Opaque;
        let opaque = self.bodies.iter().filter(is_opaque);
        (!self.is_valid, opaque.count())
    }

    fn read_current(bytes: &Arc<[u8]>) -> Option<Self> {
        if !bytes.starts_with(b"\0asm\x01\0\0\0") {
            return None;
        }
        let mut reading = Reading {
            module: Self {
                bytes: Arc::clone(bytes),
                has_older_types: false,
                sections: Vec::new(),
                function_types: Vec::new(),
                entities: Default::default(),
                functions: Vec::new(),
                imported_functions: 0,
                bodies: Vec::new(),
                is_valid: true,
            },
            validator: Validator::new_with_features(features()),
            end: 8,
        };
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.ok()?;
            let function = match reading.module.is_valid {
                true => reading.validate(&payload),
                false => None,
            };
            reading.payload(payload, function)?;
        }
        let module = reading.module;
        (module.imported_functions + module.bodies.len() == module.functions.len())
            .then_some(module)
    }

    /// Returns whether a module is valid, in the encoding of today or the older one.
    pub(super) fn is_valid(bytes: &[u8]) -> bool {
        let is_valid = |bytes: &[u8]| {
            let mut validator = Validator::new_with_features(features());
            validator.validate_all(bytes).is_ok()
        };
        is_valid(bytes) || from_older(bytes).any(|bytes| is_valid(&bytes))
    }

    /// Returns the function type at a type index.
    pub(super) fn function_type(&self, index: u32) -> Option<&wasmparser::FuncType> {
        self.function_types.get(index as usize)?.as_ref()
    }

    /// Returns what the module exports: the index of a function, nothing of others.
    pub(super) fn exports(&self) -> BTreeMap<&str, Option<u32>> {
        let items = self.sections.iter().filter(|section| section.id == 7);
        let items = items.flat_map(|section| &section.items);
        let exports = items.filter_map(|item| {
            let mut reader = BinaryReader::new(&self.bytes[item.bytes.clone()], 0);
            let export = Export::from_reader(&mut reader).ok()?;
            let function = (export.kind == ExternalKind::Func).then_some(export.index);
            Some((export.name, function))
        });
        exports.collect()
    }

    /// Returns the types of the parameters and results of a function.
    pub(super) fn signature(&self, function: u32) -> Option<(&[ValType], &[ValType])> {
        let info = self.functions.get(function as usize)?;
        let ty = self.function_type(info.type_index)?;
        Some((ty.params(), ty.results()))
    }
}

/// A module that is being read.
struct Reading {
    module: Module,
    validator: Validator,
    /// The end of the section before.
    end: usize,
}

impl Reading {
    /// Validates a payload; returns the validator of a function.
    fn validate(&mut self, payload: &Payload<'_>) -> Option<FuncToValidate<ValidatorResources>> {
        match self.validator.payload(payload) {
            Ok(ValidPayload::Func(function, _)) => Some(function),
            Ok(_) => None,
            Err(_) => {
                self.module.is_valid = false;
                None
            }
        }
    }

    fn payload(
        &mut self,
        payload: Payload<'_>,
        function: Option<FuncToValidate<ValidatorResources>>,
    ) -> Option<()> {
        match payload {
            Payload::TypeSection(section) => self.types(section),
            Payload::ImportSection(section) => self.imports(section),
            Payload::FunctionSection(section) => self.functions(section),
            Payload::TableSection(section) => self.tables(section),
            Payload::MemorySection(section) => self.memories(section),
            Payload::TagSection(section) => self.tags(section),
            Payload::GlobalSection(section) => self.globals(section),
            Payload::ExportSection(section) => self.exports(section),
            Payload::StartSection { func, range } => {
                let mention = Mention {
                    space: Space::Function,
                    index: func,
                };
                let item = item(range.clone(), vec![mention]);
                self.section(8, range, vec![item])
            }
            Payload::ElementSection(section) => self.elements(section),
            Payload::DataCountSection { range, .. } => self.section(12, range, Vec::new()),
            Payload::DataSection(section) => self.data(section),
            Payload::CodeSectionStart {
                unchecked_range, ..
            } => self.section(10, unchecked_range, Vec::new()),
            Payload::CodeSectionEntry(body) => self.body(&body, function),
            Payload::CustomSection(section) => self.custom(section.range()),
            Payload::Version { .. } | Payload::End(_) => Some(()),
            _ => None,
        }
    }

    fn section(&mut self, id: u8, content: Range<u64>, items: Vec<ModuleItem>) -> Option<()> {
        let content = position(content.start)..position(content.end);
        if content.start < self.end || content.end > self.module.bytes.len() {
            return None;
        }
        self.module.sections.push(ModuleSection {
            id,
            bytes: self.end..content.end,
            content: content.clone(),
            items,
            token: Token::NONE,
            tokens: 0..0,
        });
        self.end = content.end;
        Some(())
    }

    fn custom(&mut self, content: Range<u64>) -> Option<()> {
        let start = position(content.start);
        let bytes = self.module.bytes.get(start..position(content.end))?;
        let features = feature_list::features(bytes).unwrap_or_default();
        let items = features.into_iter().map(|feature| ModuleItem {
            bytes: start + feature.start..start + feature.end,
            ..defining(Space::Function, 0, 0, Vec::new())
        });
        let items = items.collect();
        self.section(0, content, items)
    }

    fn define(&mut self, space: Space, count: u32) -> u32 {
        let entities = &mut self.module.entities[space as usize];
        let first = entities.len();
        entities.resize(first + count as usize, Token::NONE);
        u32::try_from(first).unwrap_or(u32::MAX)
    }

    /// Reads a section item by item.
    fn each<'a, T: FromReader<'a>>(
        &mut self,
        id: u8,
        section: SectionLimited<'a, T>,
        mut read: impl FnMut(&mut Self, T) -> Option<ModuleItem>,
    ) -> Option<()> {
        let content = section.range();
        let mut items: Vec<ModuleItem> = Vec::new();
        for entry in section.into_iter_with_offsets() {
            let (start, entry) = entry.ok()?;
            let start = position(start);
            if let Some(before) = items.last_mut() {
                before.bytes.end = start;
            }
            let mut item = read(self, entry)?;
            item.bytes = start..position(content.end);
            items.push(item);
        }
        self.section(id, content, items)
    }

    fn types(&mut self, section: wasmparser::TypeSectionReader<'_>) -> Option<()> {
        self.each(1, section, |reading, group| {
            let mut mentions = Mentions::default();
            let mut count = 0;
            let is_single = !group.is_explicit_rec_group();
            for ty in group.types() {
                mentions.sub_type(ty.clone()).ok()?;
                let is_plain = is_single && ty.is_final && ty.supertype_idxs.is_empty();
                let function = match &ty.composite_type.inner {
                    wasmparser::CompositeInnerType::Func(function)
                        if is_plain && !ty.composite_type.shared =>
                    {
                        Some(function.clone())
                    }
                    _ => None,
                };
                reading.module.function_types.push(function);
                count += 1;
            }
            let first = reading.define(Space::Type, count);
            Some(defining(Space::Type, first, count, mentions.0))
        })
    }

    fn imports(&mut self, section: wasmparser::ImportSectionReader<'_>) -> Option<()> {
        self.each(2, section, |reading, import| {
            let wasmparser::Imports::Single(_, import) = import else {
                return None;
            };
            let mut mentions = Mentions::default();
            mentions.entity_type(import.ty).ok()?;
            let space = match import.ty {
                TypeRef::Func(index) => {
                    reading.module.imported_functions += 1;
                    reading.function(index);
                    Space::Function
                }
                TypeRef::Table(_) => Space::Table,
                TypeRef::Memory(_) => Space::Memory,
                TypeRef::Global(_) => Space::Global,
                TypeRef::Tag(_) => Space::Tag,
                TypeRef::FuncExact(_) => return None,
            };
            let first = reading.define(space, 1);
            Some(defining(space, first, 1, mentions.0))
        })
    }

    fn function(&mut self, type_index: u32) {
        let ty = self.module.function_type(type_index);
        let (parameters, results) = ty.map_or((0, 0), |ty| (ty.params().len(), ty.results().len()));
        self.module.functions.push(FunctionInfo {
            type_index,
            parameters: vec![Token::NONE; parameters],
            results: vec![Token::NONE; results],
        });
    }

    fn functions(&mut self, section: wasmparser::FunctionSectionReader<'_>) -> Option<()> {
        self.each(3, section, |reading, index| {
            reading.function(index);
            let first = reading.define(Space::Function, 1);
            Some(defining(Space::Function, first, 1, Vec::new()))
        })
    }

    fn tables(&mut self, section: wasmparser::TableSectionReader<'_>) -> Option<()> {
        self.each(4, section, |reading, table| {
            let mut mentions = Mentions::default();
            mentions.table_type(table.ty).ok()?;
            if let TableInit::Expr(init) = table.init {
                mentions.const_expr(init).ok()?;
            }
            let first = reading.define(Space::Table, 1);
            Some(defining(Space::Table, first, 1, mentions.0))
        })
    }

    fn memories(&mut self, section: wasmparser::MemorySectionReader<'_>) -> Option<()> {
        self.each(5, section, |reading, _| {
            let first = reading.define(Space::Memory, 1);
            Some(defining(Space::Memory, first, 1, Vec::new()))
        })
    }

    fn tags(&mut self, section: wasmparser::TagSectionReader<'_>) -> Option<()> {
        self.each(13, section, |reading, tag| {
            let mut mentions = Mentions::default();
            mentions.tag_type(tag).ok()?;
            let first = reading.define(Space::Tag, 1);
            Some(defining(Space::Tag, first, 1, mentions.0))
        })
    }

    fn globals(&mut self, section: wasmparser::GlobalSectionReader<'_>) -> Option<()> {
        self.each(6, section, |reading, global| {
            let mut mentions = Mentions::default();
            mentions.global_type(global.ty).ok()?;
            let value = expression(global.init_expr)?;
            let first = reading.define(Space::Global, 1);
            Some(ModuleItem {
                value: Some(value),
                ..defining(Space::Global, first, 1, mentions.0)
            })
        })
    }

    fn exports(&mut self, section: wasmparser::ExportSectionReader<'_>) -> Option<()> {
        self.each(7, section, |_, export| {
            let space = match export.kind {
                ExternalKind::Func => Space::Function,
                ExternalKind::Table => Space::Table,
                ExternalKind::Memory => Space::Memory,
                ExternalKind::Global => Space::Global,
                ExternalKind::Tag => Space::Tag,
                ExternalKind::FuncExact => return None,
            };
            let index = export.index;
            Some(defining(space, 0, 0, vec![Mention { space, index }]))
        })
    }

    fn elements(&mut self, section: wasmparser::ElementSectionReader<'_>) -> Option<()> {
        self.each(9, section, |reading, element| {
            let mut mentions = Mentions::default();
            let (mut value, mut parts) = (None, Vec::new());
            if let ElementKind::Active {
                table_index,
                offset_expr,
            } = element.kind
            {
                mentions.add(Space::Table, table_index.unwrap_or(0));
                value = Some(expression(offset_expr)?);
            }
            match element.items {
                ElementItems::Functions(functions) => {
                    for function in functions.into_iter_with_offsets() {
                        let (start, index) = function.ok()?;
                        let space = Space::Function;
                        parts.push(ItemPart {
                            mentions: vec![Mention { space, index }],
                            ..part(position(start)..position(start) + 1)
                        });
                    }
                }
                ElementItems::Expressions(ty, expressions) => {
                    mentions.ref_type(ty).ok()?;
                    for expression in expressions.into_iter_with_offsets() {
                        let (start, expression) = expression.ok()?;
                        let mut mentions = Mentions::default();
                        mentions.const_expr(expression).ok()?;
                        parts.push(ItemPart {
                            mentions: mentions.0,
                            ..part(position(start)..position(start) + 1)
                        });
                    }
                }
            }
            let first = reading.define(Space::Element, 1);
            Some(ModuleItem {
                value,
                parts,
                ..defining(Space::Element, first, 1, mentions.0)
            })
        })
    }

    fn data(&mut self, section: wasmparser::DataSectionReader<'_>) -> Option<()> {
        self.each(11, section, |reading, data| {
            let (mut value, mut mentions) = (None, Vec::new());
            if let wasmparser::DataKind::Active {
                memory_index,
                offset_expr,
            } = data.kind
            {
                let (space, index) = (Space::Memory, memory_index);
                mentions.push(Mention { space, index });
                value = Some(expression(offset_expr)?);
            }
            // The content is divided when the tokens are laid out.
            let end = position(data.range.end);
            let content = part(end.checked_sub(data.data.len())?..end);
            let first = reading.define(Space::Data, 1);
            Some(ModuleItem {
                value,
                parts: vec![content],
                ..defining(Space::Data, first, 1, mentions)
            })
        })
    }

    fn body(
        &mut self,
        body: &FunctionBody<'_>,
        function: Option<FuncToValidate<ValidatorResources>>,
    ) -> Option<()> {
        let index = self.module.imported_functions + self.module.bodies.len();
        let index = u32::try_from(index).ok()?;
        let parameters = (self.module.signature(index)).map(|(parameters, _)| parameters.to_vec());
        let range = body.range();
        let range = position(range.start)..position(range.end);
        let before = (self.module.bodies.last()).map(|body| body.bytes.end);
        let header = before.unwrap_or_else(|| self.code_start());
        let validator = function.map(|function| function.into_validator(Default::default()));
        let read = CodeBody::read(body, header..range.end, validator, parameters.as_deref());
        self.module.is_valid &= read.is_valid;
        self.module.bodies.push(read);
        Some(())
    }

    /// Returns where the first body of the code section begins.
    fn code_start(&self) -> usize {
        let content = self.module.sections.last().map(|section| &section.content);
        content.map_or(0, |content| {
            let mut reader = BinaryReader::new(&self.module.bytes[content.clone()], 0);
            let _count = reader.read_var_u32();
            content.start + position(reader.original_position())
        })
    }
}

fn item(bytes: Range<u64>, mentions: Vec<Mention>) -> ModuleItem {
    ModuleItem {
        bytes: position(bytes.start)..position(bytes.end),
        ..defining(Space::Function, 0, 0, mentions)
    }
}

fn defining(space: Space, first: u32, count: u32, mentions: Vec<Mention>) -> ModuleItem {
    ModuleItem {
        bytes: 0..0,
        token: Token::NONE,
        mentions,
        space,
        first,
        count,
        value: None,
        parts: Vec::new(),
    }
}

/// Reads what an expression mentions.
fn expression(expression: wasmparser::ConstExpr<'_>) -> Option<ItemPart> {
    let bytes = expression.get_binary_reader().range();
    let mut mentions = Mentions::default();
    mentions.const_expr(expression).ok()?;
    Some(ItemPart {
        mentions: mentions.0,
        ..part(position(bytes.start)..position(bytes.end))
    })
}

pub(super) fn part(bytes: Range<usize>) -> ItemPart {
    ItemPart {
        bytes,
        token: Token::NONE,
        mentions: Vec::new(),
    }
}
