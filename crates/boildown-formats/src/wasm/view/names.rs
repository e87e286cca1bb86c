//! The names of a module, with new indices.

use wasm_encoder::{CustomSection, IndirectNameMap, NameMap, NameSection};
use wasmparser::{BinaryReader, Name};

use super::link::{Linker, Renumbering};
use super::mentions::{Mention, Space};

/// A section of names that is ready to be written.
pub(super) struct RenumberedNames(NameSection);

impl RenumberedNames {
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        use wasm_encoder::Section as _;
        let custom: CustomSection<'_> = self.0.as_custom();
        custom.append_to(out);
    }
}

/// Returns the names of what is left; `None` if the custom section holds something else or cannot
/// be read. Functions that have changed lose the names of their local variables and labels.
pub(super) fn renumbered(content: &[u8], linker: &Linker<'_>) -> Option<RenumberedNames> {
    let renumbering = &linker.renumbering;
    let any = |_: u32| true;
    let unchanged = |function: u32| {
        let imported = linker.module.imported_functions;
        let body = (function as usize).checked_sub(imported);
        let body = body.and_then(|index| linker.module.bodies.get(index));
        body.is_none_or(|body| linker.is_same_body(body))
    };
    let mut reader = BinaryReader::new(content, 0);
    if reader.read_string().ok()? != "name" {
        return None;
    }
    let mut names = NameSection::new();
    for subsection in wasmparser::NameSectionReader::new(reader) {
        let map = |names, space| name_map(names, space, renumbering);
        let indirect = |names, space| indirect_map(names, space, renumbering, any);
        let inside = |names| indirect_map(names, Space::Function, renumbering, unchanged);
        match subsection.ok()? {
            Name::Module { name, .. } => names.module(name),
            Name::Function(entries) => names.functions(&map(entries, Space::Function)?),
            Name::Local(entries) => names.locals(&inside(entries)?),
            Name::Label(entries) => names.labels(&inside(entries)?),
            Name::Type(entries) => names.types(&map(entries, Space::Type)?),
            Name::Table(entries) => names.tables(&map(entries, Space::Table)?),
            Name::Memory(entries) => names.memories(&map(entries, Space::Memory)?),
            Name::Global(entries) => names.globals(&map(entries, Space::Global)?),
            Name::Element(entries) => names.elements(&map(entries, Space::Element)?),
            Name::Data(entries) => names.data(&map(entries, Space::Data)?),
            Name::Field(entries) => names.fields(&indirect(entries, Space::Type)?),
            Name::Tag(entries) => names.tags(&map(entries, Space::Tag)?),
            Name::Parameter(entries) => names.parameters(&indirect(entries, Space::Type)?),
            Name::TagParameter(entries) => names.tag_parameters(&indirect(entries, Space::Tag)?),
            Name::Unknown { ty, data, .. } => names.raw(ty, data),
        }
    }
    Some(RenumberedNames(names))
}

fn name_map(
    names: wasmparser::NameMap<'_>,
    space: Space,
    renumbering: &Renumbering,
) -> Option<NameMap> {
    let mut map = NameMap::new();
    for naming in names {
        let naming = naming.ok()?;
        let index = naming.index;
        if let Some(index) = renumbering.get(Mention { space, index }) {
            map.append(index, naming.name);
        }
    }
    Some(map)
}

fn indirect_map(
    names: wasmparser::IndirectNameMap<'_>,
    space: Space,
    renumbering: &Renumbering,
    has_names: impl Fn(u32) -> bool,
) -> Option<IndirectNameMap> {
    let mut map = IndirectNameMap::new();
    for naming in names {
        let naming = naming.ok()?;
        let index = naming.index;
        let is_named = has_names(index);
        let new = renumbering.get(Mention { space, index });
        let Some(index) = new.filter(|_| is_named) else {
            continue;
        };
        let mut inner = NameMap::new();
        for name in naming.names {
            let name = name.ok()?;
            inner.append(name.index, name.name);
        }
        map.append(index, &inner);
    }
    Some(map)
}
