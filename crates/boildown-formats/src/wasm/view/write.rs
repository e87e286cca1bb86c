//! Writing the sections of a module.

use std::borrow::Cow;

use boildown_document::writable_module::WritableModule;
use wasm_encoder::reencode::Reencode as _;
use wasm_encoder::{ConstExpr, Elements, Encode as _, Instruction, RawSection, Section as _};
use wasmparser::{
    BinaryReader, Data, DataKind, Element, ElementItems, ElementKind, Export, ExternalKind,
    FromReader, Global, Imports, MemoryType, RecGroup, Table, TableInit, TagType, TypeRef, ValType,
};

use super::code::CodeWriter;
use super::feature_list;
use super::link::Linker;
use super::mentions::{Mention, Space, position};
use super::module::{ItemPart, Module, ModuleItem, ModuleSection};
use super::names;
use super::older_types::to_older;

impl WritableModule for Module {
    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let module = match kept.iter().all(|&kept| kept) {
            true => self.bytes.to_vec(),
            false => self.write_current(kept),
        };
        match self.has_older_types {
            true => to_older(module),
            false => module,
        }
    }

    /// Returns whether a candidate is worth a test: it is valid, or this module is not either.
    fn accepts(&self, bytes: &[u8]) -> bool {
        !self.is_valid || Self::is_valid(bytes)
    }
}

impl Module {
    /// Returns the module that consists of the kept tokens, in the encoding of today.
    fn write_current(&self, kept: &[bool]) -> Vec<u8> {
        let linker = Linker::new(self, kept);
        let mut out = Vec::with_capacity(self.bytes.len());
        out.extend_from_slice(&self.bytes[..8]);
        for section in &self.sections {
            // A section of names mentions the variables of functions.
            let is_custom = section.id == 0;
            let is_same = linker.is_same()
                && linker.keeps(&section.tokens)
                && !(is_custom && linker.has_other_bodies());
            match is_same {
                true => out.extend_from_slice(&self.bytes[section.bytes.clone()]),
                false => linker.section(section, &mut out),
            }
        }
        out
    }
}

/// Reads an item again.
fn read<'a, T: FromReader<'a>>(bytes: &'a [u8]) -> Option<T> {
    T::from_reader(&mut BinaryReader::new(bytes, 0)).ok()
}

/// The items of a section that is being written.
#[derive(Default)]
struct SectionItems {
    count: u32,
    content: Vec<u8>,
}

impl SectionItems {
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.content);
        self.count += 1;
    }

    /// Appends the section, unless it is empty.
    fn write(self, id: u8, out: &mut Vec<u8>) {
        if self.count == 0 {
            return;
        }
        let mut data = Vec::with_capacity(self.content.len() + 5);
        self.count.encode(&mut data);
        data.extend_from_slice(&self.content);
        RawSection { id, data: &data }.append_to(out);
    }
}

impl<'a> Linker<'a> {
    fn section(&self, section: &'a ModuleSection, out: &mut Vec<u8>) {
        match section.id {
            0 => return self.custom(section, out),
            3 => return self.functions(out),
            8 => {
                for item in self.items(section) {
                    if let Some(function) = item.mentions.first().and_then(|&at| self.new_index(at))
                    {
                        let mut data = Vec::new();
                        function.encode(&mut data);
                        RawSection { id: 8, data: &data }.append_to(out);
                    }
                }
                return;
            }
            10 => return self.code(out),
            12 => {
                if section.token.is_in(self.kept) || self.needs_data_count() {
                    let mut data = Vec::new();
                    self.renumbering.count(Space::Data).encode(&mut data);
                    RawSection {
                        id: 12,
                        data: &data,
                    }
                    .append_to(out);
                }
                return;
            }
            _ => {}
        }
        let mut items = SectionItems::default();
        for item in self.items(section) {
            if section.id == 1 && !self.is_left(Space::Type, item.first as usize) {
                continue;
            }
            let mut written = Vec::new();
            if self.item(section.id, item, &mut written).is_some() {
                items.add(|content| content.extend_from_slice(&written));
            }
        }
        if section.id == 1 {
            self.new_types(&mut items);
        }
        items.write(section.id, out);
    }

    fn new_index(&self, mention: Mention) -> Option<u32> {
        self.renumbering.get(mention)
    }

    /// Returns the items that are left. Types may be left although their tokens are not kept.
    fn items(&self, section: &'a ModuleSection) -> impl Iterator<Item = &'a ModuleItem> {
        let is_type = section.id == 1;
        let kept = self.kept;
        let items = section.items.iter();
        items.filter(move |item| is_type || item.token.is_in(kept))
    }

    /// Writes an item; `None` if it goes with what it mentions.
    fn item(&self, section: u8, item: &ModuleItem, out: &mut Vec<u8>) -> Option<()> {
        let bytes = &self.module.bytes[item.bytes.clone()];
        let mut renumbering = &self.renumbering;
        match section {
            1 => {
                let mut types = wasm_encoder::TypeSection::new();
                let group: RecGroup = read(bytes)?;
                renumbering
                    .parse_recursive_type_group(types.ty(), group)
                    .ok()?;
                body_of(&types, out);
            }
            2 => {
                let Imports::Single(_, import) = read(bytes)? else {
                    return None;
                };
                let mut imports = wasm_encoder::ImportSection::new();
                let ty = match import.ty {
                    TypeRef::Func(_) => {
                        let ty = *self.types.get(item.first as usize)?;
                        wasm_encoder::EntityType::Function(ty)
                    }
                    ty => renumbering.entity_type(ty).ok()?,
                };
                imports.import(import.module, import.name, ty);
                body_of(&imports, out);
            }
            4 => {
                let table: Table<'_> = read(bytes)?;
                let mut tables = wasm_encoder::TableSection::new();
                let ty = renumbering.table_type(table.ty).ok()?;
                match table.init {
                    TableInit::RefNull => tables.table(ty),
                    TableInit::Expr(init) => match renumbering.const_expr(init) {
                        Ok(init) => tables.table_with_init(ty, &init),
                        Err(_) => tables.table(ty),
                    },
                };
                body_of(&tables, out);
            }
            5 => {
                let memory: MemoryType = read(bytes)?;
                let mut memories = wasm_encoder::MemorySection::new();
                memories.memory(renumbering.memory_type(memory).ok()?);
                body_of(&memories, out);
            }
            6 => {
                let global: Global<'_> = read(bytes)?;
                let mut globals = wasm_encoder::GlobalSection::new();
                let init = self.value(
                    item.value.as_ref(),
                    global.init_expr,
                    global.ty.content_type,
                )?;
                globals.global(renumbering.global_type(global.ty).ok()?, &init);
                body_of(&globals, out);
            }
            7 => self.export(item, out)?,
            9 => self.element(item, out)?,
            11 => self.data(item, out)?,
            13 => {
                let tag: TagType = read(bytes)?;
                let mut tags = wasm_encoder::TagSection::new();
                tags.tag(renumbering.tag_type(tag).ok()?);
                body_of(&tags, out);
            }
            _ => return None,
        }
        Some(())
    }

    fn export(&self, item: &ModuleItem, out: &mut Vec<u8>) -> Option<()> {
        let export: Export<'_> = read(&self.module.bytes[item.bytes.clone()])?;
        let index = self.new_index(*item.mentions.first()?)?;
        let kind = match export.kind {
            ExternalKind::Func => wasm_encoder::ExportKind::Func,
            ExternalKind::Table => wasm_encoder::ExportKind::Table,
            ExternalKind::Memory => wasm_encoder::ExportKind::Memory,
            ExternalKind::Global => wasm_encoder::ExportKind::Global,
            ExternalKind::Tag => wasm_encoder::ExportKind::Tag,
            ExternalKind::FuncExact => return None,
        };
        let mut exports = wasm_encoder::ExportSection::new();
        exports.export(export.name, kind, index);
        body_of(&exports, out);
        Some(())
    }

    /// Returns an expression, or the default value if it is gone or mentions what is gone.
    fn value(
        &self,
        part: Option<&ItemPart>,
        expression: wasmparser::ConstExpr<'_>,
        ty: ValType,
    ) -> Option<ConstExpr> {
        let is_kept = part.is_none_or(|part| part.token.is_in(self.kept));
        let mut renumbering = &self.renumbering;
        let kept = is_kept.then(|| renumbering.const_expr(expression).ok());
        match kept.flatten() {
            Some(expression) => Some(expression),
            None => Some(ConstExpr::extended([self.default_of(ty)?])),
        }
    }

    /// Returns an offset, or zero.
    fn offset(&self, item: &ModuleItem, offset: wasmparser::ConstExpr<'_>) -> Option<ConstExpr> {
        // `i64.const`: of a memory or table with 64-bit indices.
        let is_wide = matches!(offset.get_binary_reader().read_u8(), Ok(0x42));
        let ty = match is_wide {
            true => ValType::I64,
            false => ValType::I32,
        };
        self.value(item.value.as_ref(), offset, ty)
    }

    fn element(&self, item: &ModuleItem, out: &mut Vec<u8>) -> Option<()> {
        if !self.is_left(Space::Element, item.first as usize) {
            return None;
        }
        let element: Element<'_> = read(&self.module.bytes[item.bytes.clone()])?;
        let is_left = |part: &&ItemPart| {
            part.token.is_in(self.kept) && self.renumbering.has_all(&part.mentions)
        };
        let mut renumbering = &self.renumbering;
        let elements = match element.items {
            ElementItems::Functions(_) => {
                let left = item.parts.iter().filter(is_left);
                let left = left.filter_map(|part| self.new_index(*part.mentions.first()?));
                Elements::Functions(Cow::Owned(left.collect()))
            }
            ElementItems::Expressions(ty, expressions) => {
                let left = item.parts.iter().zip(expressions);
                let left = left.filter(|(part, _)| is_left(part));
                let left = left.filter_map(|(_, value)| renumbering.const_expr(value.ok()?).ok());
                let left = left.collect();
                Elements::Expressions(renumbering.ref_type(ty).ok()?, Cow::Owned(left))
            }
        };
        let mut section = wasm_encoder::ElementSection::new();
        match element.kind {
            ElementKind::Active {
                table_index,
                offset_expr,
            } => {
                let space = Space::Table;
                let index = table_index.unwrap_or(0);
                let new = self.new_index(Mention { space, index })?;
                let table = Some(new).filter(|&new| table_index.is_some() || new != 0);
                let offset = self.offset(item, offset_expr)?;
                section.active(table, &offset, elements);
            }
            ElementKind::Passive => {
                section.passive(elements);
            }
            ElementKind::Declared => {
                section.declared(elements);
            }
        }
        body_of(&section, out);
        Some(())
    }

    fn data(&self, item: &ModuleItem, out: &mut Vec<u8>) -> Option<()> {
        if !self.is_left(Space::Data, item.first as usize) {
            return None;
        }
        let data: Data<'_> = read(&self.module.bytes[item.bytes.clone()])?;
        let left = item.parts.iter().filter(|part| part.token.is_in(self.kept));
        let content: Vec<u8> = left
            .flat_map(|part| self.module.bytes[part.bytes.clone()].iter().copied())
            .collect();
        let mut section = wasm_encoder::DataSection::new();
        match data.kind {
            DataKind::Passive => {
                section.passive(content);
            }
            DataKind::Active {
                memory_index: index,
                offset_expr,
            } => {
                let space = Space::Memory;
                let memory = self.new_index(Mention { space, index })?;
                let offset = self.offset(item, offset_expr)?;
                section.active(memory, &offset, content);
            }
        }
        body_of(&section, out);
        Some(())
    }

    fn new_types(&self, items: &mut SectionItems) {
        for (parameters, results) in &self.new_types {
            let mut renumbering = &self.renumbering;
            let mut convert = |types: &[ValType]| -> Option<Vec<wasm_encoder::ValType>> {
                let types = types.iter().map(|&ty| renumbering.val_type(ty).ok());
                types.collect()
            };
            if let (Some(parameters), Some(results)) = (convert(parameters), convert(results)) {
                let mut types = wasm_encoder::TypeSection::new();
                types.ty().function(parameters, results);
                items.add(|content| body_of(&types, content));
            }
        }
    }

    fn functions(&self, out: &mut Vec<u8>) {
        let mut items = SectionItems::default();
        let first = self.module.imported_functions;
        for (index, &ty) in self.types.iter().enumerate().skip(first) {
            if self.is_left(Space::Function, index) {
                items.add(|content| ty.encode(content));
            }
        }
        items.write(3, out);
    }

    fn code(&self, out: &mut Vec<u8>) {
        let mut items = SectionItems::default();
        let first = self.module.imported_functions;
        for (index, body) in self.module.bodies.iter().enumerate() {
            if !self.is_left(Space::Function, first + index) {
                continue;
            }
            items.add(|content| match self.is_same_body(body) {
                true => content.extend_from_slice(&self.module.bytes[body.bytes.clone()]),
                false => CodeWriter::new(self, body, first + index).write(content),
            });
        }
        items.write(10, out);
    }

    fn custom(&self, section: &ModuleSection, out: &mut Vec<u8>) {
        if !section.token.is_in(self.kept) {
            return;
        }
        if !section.items.is_empty() {
            let left = self.items(section);
            let features = left.map(|item| &self.module.bytes[item.bytes.clone()]);
            let data = &feature_list::content_of(features)[..];
            return RawSection { id: 0, data }.append_to(out);
        }
        let content = &self.module.bytes[section.content.clone()];
        match names::renumbered(content, self) {
            Some(names) => names.append_to(out),
            None => out.extend_from_slice(&self.module.bytes[section.bytes.clone()]),
        }
    }

    /// Returns the instruction that makes the default value of a type; `None` without one.
    pub(super) fn default_of(&self, ty: ValType) -> Option<Instruction<'static>> {
        Some(match ty {
            ValType::I32 => Instruction::I32Const(0),
            ValType::I64 => Instruction::I64Const(0),
            ValType::F32 => Instruction::F32Const(0.0_f32.into()),
            ValType::F64 => Instruction::F64Const(0.0_f64.into()),
            ValType::V128 => Instruction::V128Const(0),
            ValType::Ref(ty) => {
                let mut renumbering = &self.renumbering;
                let heap = renumbering.heap_type(ty.heap_type()).ok()?;
                Some(Instruction::RefNull(heap)).filter(|_| ty.is_nullable())?
            }
        })
    }
}

/// Appends the only item of a section.
fn body_of(section: &impl wasm_encoder::Encode, out: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    section.encode(&mut bytes);
    // The size of the section, and the number of items: 1.
    let mut reader = BinaryReader::new(&bytes, 0);
    let _size = reader.read_var_u32();
    let _count = reader.read_var_u32();
    let start = position(reader.original_position());
    out.extend_from_slice(bytes.get(start..).unwrap_or_default());
}
