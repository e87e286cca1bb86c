//! The names of a module, with new indices.

use wasm_encoder::{CustomSection, IndirectNameMap, NameMap, NameSection};
use wasmparser::{BinaryReader, KnownCustom, Name};

use super::link::Renumbering;
use super::module::{Mention, Space};

/// A section of names that is ready to be written.
pub(super) struct Names(NameSection);

impl Names {
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        use wasm_encoder::Section as _;
        let custom: CustomSection<'_> = self.0.as_custom();
        custom.append_to(out);
    }
}

/// Returns the names of what is left; `None` if the custom section holds something else or cannot
/// be read.
pub(super) fn renumbered(content: &[u8], renumbering: &Renumbering) -> Option<Names> {
    let mut reader = BinaryReader::new(content, 0);
    if reader.read_string().ok()? != "name" {
        return None;
    }
    let mut names = NameSection::new();
    for subsection in wasmparser::NameSectionReader::new(reader) {
        let map = |names, space| name_map(names, space, renumbering);
        let indirect = |names, space| indirect_map(names, space, renumbering);
        match subsection.ok()? {
            Name::Module { name, .. } => names.module(name),
            Name::Function(map_) => names.functions(&map(map_, Space::Function)?),
            Name::Local(map_) => names.locals(&indirect(map_, Space::Function)?),
            Name::Label(map_) => names.labels(&indirect(map_, Space::Function)?),
            Name::Type(map_) => names.types(&map(map_, Space::Type)?),
            Name::Table(map_) => names.tables(&map(map_, Space::Table)?),
            Name::Memory(map_) => names.memories(&map(map_, Space::Memory)?),
            Name::Global(map_) => names.globals(&map(map_, Space::Global)?),
            Name::Element(map_) => names.elements(&map(map_, Space::Element)?),
            Name::Data(map_) => names.data(&map(map_, Space::Data)?),
            Name::Field(map_) => names.fields(&indirect(map_, Space::Type)?),
            Name::Tag(map_) => names.tags(&map(map_, Space::Tag)?),
            Name::Parameter(map_) => names.parameters(&indirect(map_, Space::Type)?),
            Name::TagParameter(map_) => names.tag_parameters(&indirect(map_, Space::Tag)?),
            Name::Unknown { ty, data, .. } => names.raw(ty, data),
        }
    }
    let _known = std::marker::PhantomData::<KnownCustom<'_>>;
    Some(Names(names))
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
) -> Option<IndirectNameMap> {
    let mut map = IndirectNameMap::new();
    for naming in names {
        let naming = naming.ok()?;
        let index = naming.index;
        let Some(index) = renumbering.get(Mention { space, index }) else {
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
