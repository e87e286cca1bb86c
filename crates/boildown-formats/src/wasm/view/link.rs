//! Writing what is kept of a module: which entities are left, and their new indices.

use std::ops::Range;

use wasm_encoder::reencode::{self, Reencode};
use wasmparser::ValType;

use super::body::{BodyShape, CodeBody, CodeKind};
use super::mentions::{Mention, SPACES, Space, Token};
use super::module::{FunctionInfo, Module};

/// The new index of an entity that is gone.
pub(super) const GONE: u32 = u32::MAX;

/// Something mentions an entity that is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gone;

/// The new index of each entity.
#[derive(Debug)]
pub(super) struct Renumbering {
    /// By space and old index.
    new: [Vec<u32>; SPACES],
    /// The first index in each space that has changed.
    pub(super) unchanged: [u32; SPACES],
}

impl Renumbering {
    /// Numbers the entities that are left.
    fn new(is_left: &[Vec<bool>; SPACES]) -> Self {
        let mut renumbering = Self {
            new: Default::default(),
            unchanged: [u32::MAX; SPACES],
        };
        for (space, is_left) in is_left.iter().enumerate() {
            let mut next = 0;
            for (&is_left, old) in is_left.iter().zip(0..) {
                if is_left {
                    renumbering.new[space].push(next);
                    next += 1;
                } else {
                    renumbering.new[space].push(GONE);
                    let unchanged = &mut renumbering.unchanged[space];
                    *unchanged = old.min(*unchanged);
                }
            }
        }
        renumbering
    }

    /// Returns the new index of an entity; `None` if it is gone. An index that no entity has stays.
    pub(super) fn get(&self, mention: Mention) -> Option<u32> {
        let new = self.new[mention.space as usize].get(mention.index as usize);
        let new = new.copied().unwrap_or(mention.index);
        (new != GONE).then_some(new)
    }

    /// Returns whether all these entities are left.
    pub(super) fn has_all(&self, mentions: &[Mention]) -> bool {
        mentions.iter().all(|&mention| self.get(mention).is_some())
    }

    /// Returns whether all these entities keep their indices.
    pub(super) fn keeps(&self, mentions: &[Mention]) -> bool {
        let keeps = |&mention: &Mention| mention.index < self.unchanged[mention.space as usize];
        mentions.iter().all(keeps)
    }

    fn index(&self, space: Space, index: u32) -> Result<u32, reencode::Error<Gone>> {
        let new = self.get(Mention { space, index });
        new.ok_or(reencode::Error::UserError(Gone))
    }

    /// Returns how many entities of a space are left.
    pub(super) fn count(&self, space: Space) -> u32 {
        let left = self.new[space as usize].iter();
        u32::try_from(left.filter(|&&new| new != GONE).count()).unwrap_or(u32::MAX)
    }
}

impl Reencode for &Renumbering {
    type Error = Gone;

    fn type_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Type, index)
    }

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Function, index)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Table, index)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Memory, index)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Global, index)
    }

    fn tag_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Tag, index)
    }

    fn data_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Data, index)
    }

    fn element_index(&mut self, index: u32) -> Result<u32, reencode::Error<Gone>> {
        self.index(Space::Element, index)
    }
}

/// Returns the space of what the items of a section define.
pub(super) fn space_of(section: u8) -> Option<Space> {
    Some(match section {
        1 => Space::Type,
        4 => Space::Table,
        5 => Space::Memory,
        6 => Space::Global,
        9 => Space::Element,
        11 => Space::Data,
        13 => Space::Tag,
        _ => return None,
    })
}

/// What is kept of a module, ready to be written.
#[derive(Debug)]
pub(super) struct Linker<'a> {
    pub(super) module: &'a Module,
    pub(super) kept: &'a [bool],
    pub(super) renumbering: Renumbering,
    /// The new type of each function, by old index.
    pub(super) types: Vec<u32>,
    /// Whether parameters or results of the function are gone.
    pub(super) is_changed: Vec<bool>,
    /// Whether that is so for any function.
    has_changes: bool,
    /// Types that the module has no equal of, to be added after its own.
    pub(super) new_types: Vec<(Vec<ValType>, Vec<ValType>)>,
}

impl<'a> Linker<'a> {
    pub(super) fn new(module: &'a Module, kept: &'a [bool]) -> Self {
        let mut is_left: [Vec<bool>; SPACES] = Default::default();
        for (space, entities) in module.entities.iter().enumerate() {
            is_left[space] = entities.iter().map(|token| token.is_in(kept)).collect();
        }
        let is_changed: Vec<bool> = (module.functions.iter())
            .map(|function| {
                let tokens = function.parameters.iter().chain(&function.results);
                tokens.clone().any(|token| !token.is_in(kept))
            })
            .collect();
        for section in &module.sections {
            let Some(space @ (Space::Data | Space::Element)) = space_of(section.id) else {
                continue;
            };
            // A segment goes with its memory or table.
            for item in &section.items {
                let has_home = item.mentions.iter().all(|mention| {
                    mention.space == Space::Type
                        || is_left[mention.space as usize]
                            .get(mention.index as usize)
                            .is_none_or(|&is_left| is_left)
                });
                let entity = is_left[space as usize].get_mut(item.first as usize);
                if let (Some(entity), false) = (entity, has_home) {
                    *entity = false;
                }
            }
        }
        if is_left[Space::Type as usize].contains(&false) {
            keep_used_types(module, kept, &is_changed, &mut is_left);
        }
        let mut linker = Self {
            module,
            kept,
            renumbering: Renumbering::new(&is_left),
            types: Vec::new(),
            has_changes: is_changed.contains(&true),
            is_changed,
            new_types: Vec::new(),
        };
        linker.choose_types();
        linker
    }

    /// Chooses the type of each function: its own, or one without the parameters and results that
    /// are gone.
    fn choose_types(&mut self) {
        for (index, function) in self.module.functions.iter().enumerate() {
            let chosen = match self.is_changed[index] {
                _ if !self.is_left(Space::Function, index) => None,
                false => self.renumbering.get(Mention {
                    space: Space::Type,
                    index: function.type_index,
                }),
                true => self.changed_type(function),
            };
            self.types.push(chosen.unwrap_or(0));
        }
    }

    fn changed_type(&mut self, function: &FunctionInfo) -> Option<u32> {
        let ty = self.module.function_type(function.type_index)?;
        let parameters = self.left(ty.params(), &function.parameters);
        let results = self.left(ty.results(), &function.results);
        let types = self.module.function_types.iter().zip(0..);
        for (ty, index) in types {
            let space = Space::Type;
            if let Some(ty) = ty
                && ty.params() == parameters
                && ty.results() == results
                && let Some(index) = self.renumbering.get(Mention { space, index })
            {
                return Some(index);
            }
        }
        let wanted = (parameters, results);
        let position = self.new_types.iter().position(|ty| *ty == wanted);
        let position = position.unwrap_or_else(|| {
            self.new_types.push(wanted);
            self.new_types.len() - 1
        });
        let position = u32::try_from(position).ok()?;
        Some(self.renumbering.count(Space::Type) + position)
    }

    fn left(&self, types: &[ValType], tokens: &[Token]) -> Vec<ValType> {
        let types = types.iter().zip(tokens);
        let types = types.filter(|(_, token)| token.is_in(self.kept));
        types.map(|(&ty, _)| ty).collect()
    }

    /// Returns whether an instruction is left that needs the number of data segments to be known
    /// before the code is read.
    pub(super) fn needs_data_count(&self) -> bool {
        let bodies = self.module.bodies.iter();
        let bodies = bodies.filter(|body| body.bounds[Space::Data as usize] > 0);
        let mut bodies = bodies.filter(|body| body.token.is_in(self.kept));
        bodies.any(|body| {
            body.instructions.iter().any(|instruction| {
                let mentions = &body.mentions[instruction.mentions.clone()];
                instruction.token.is_in(self.kept)
                    && mentions.iter().any(|mention| mention.space == Space::Data)
                    && self.renumbering.has_all(mentions)
            })
        })
    }

    /// Returns whether an entity is left.
    pub(super) fn is_left(&self, space: Space, index: usize) -> bool {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.renumbering.get(Mention { space, index }).is_some()
    }

    /// Returns whether all tokens of a range are kept.
    pub(super) fn keeps(&self, tokens: &Range<usize>) -> bool {
        self.kept[tokens.clone()].iter().all(|&kept| kept)
    }

    /// Returns whether everything has the index that it had.
    pub(super) fn is_same(&self) -> bool {
        self.renumbering.unchanged == [u32::MAX; SPACES]
            && self.new_types.is_empty()
            && !self.has_changes
    }

    /// Returns whether the body of any function changes.
    pub(super) fn has_other_bodies(&self) -> bool {
        !(self.module.bodies.iter()).all(|body| self.is_same_body(body))
    }

    /// Returns whether a body can be copied: nothing in it or in what it mentions changes.
    pub(super) fn is_same_body(&self, body: &CodeBody) -> bool {
        let same = |(bound, unchanged): (&u32, &u32)| bound <= unchanged;
        let calls_changed = |mention: &Mention| {
            mention.space == Space::Function
                && self.is_changed.get(mention.index as usize) == Some(&true)
        };
        self.keeps(&body.tokens)
            && body
                .bounds
                .iter()
                .zip(&self.renumbering.unchanged)
                .all(same)
            && !(self.has_changes && body.mentions.iter().any(calls_changed))
    }
}

/// Keeps the types that are not kept by their own tokens but mentioned by what is left.
fn keep_used_types(
    module: &Module,
    kept: &[bool],
    is_changed: &[bool],
    is_left: &mut [Vec<bool>; SPACES],
) {
    let mut used: Vec<u32> = Vec::new();
    let mut mention = |mentions: &[Mention]| {
        let types = mentions
            .iter()
            .filter(|mention| mention.space == Space::Type);
        used.extend(types.map(|mention| mention.index));
    };
    for section in module.sections.iter().filter(|section| section.id != 1) {
        for item in section.items.iter().filter(|item| item.token.is_in(kept)) {
            let is_signature = section.id == 2 && item.space == Space::Function;
            if !is_signature {
                mention(&item.mentions);
            }
            for part in item.value.iter().chain(&item.parts) {
                mention(&part.mentions);
            }
        }
    }
    for (index, function) in module.functions.iter().enumerate() {
        if is_left[Space::Function as usize][index] && !is_changed[index] {
            let (space, index) = (Space::Type, function.type_index);
            mention(&[Mention { space, index }]);
        }
    }
    for body in module.bodies.iter().filter(|body| body.token.is_in(kept)) {
        if body.bounds[Space::Type as usize] == 0 {
            continue;
        }
        // Those of the local variables come last.
        let own = body.instructions.last().map_or(0, |last| last.mentions.end);
        mention(&body.mentions[own..]);
        for instruction in &body.instructions {
            if instruction.token.is_in(kept) || body.shape != BodyShape::Tree {
                mention(&body.mentions[instruction.mentions.clone()]);
            }
        }
    }
    let groups: Vec<_> = (module.sections.iter())
        .filter(|section| section.id == 1)
        .flat_map(|section| &section.items)
        .collect();
    for group in groups.iter().filter(|group| group.token.is_in(kept)) {
        used.extend(group.mentions.iter().map(|mention| mention.index));
    }
    let mut done = vec![false; groups.len()];
    while let Some(index) = used.pop() {
        let group = groups.partition_point(|group| group.first + group.count <= index);
        let Some(item) = groups.get(group) else {
            continue;
        };
        if !std::mem::replace(&mut done[group], true) {
            for index in item.first..item.first + item.count {
                is_left[Space::Type as usize][index as usize] = true;
            }
            used.extend(item.mentions.iter().map(|mention| mention.index));
        }
    }
}

/// Returns whether an instruction calls a function whose parameters or results have changed.
pub(super) fn changed_call(linker: &Linker<'_>, kind: &CodeKind) -> Option<u32> {
    match kind {
        CodeKind::Call(function) if linker.is_changed.get(*function as usize) == Some(&true) => {
            Some(*function)
        }
        _ => None,
    }
}
