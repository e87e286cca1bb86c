//! What grammars let stand in a place, read from their lists of node types.

use std::collections::HashMap;

use boildown_search::tree::Slot;
use serde_json::Value;
use tree_sitter::Node;

use super::syntax::UNPARSED;
use crate::Language;

/// The kinds that fit the places of some languages.
///
/// The list of node types says for each kind of node what its fields and its other children may be, in terms of kinds
/// and of supertypes, which stand for several kinds.
#[derive(Default)]
pub(super) struct Slots {
    /// By kind of the parent and field; the field is empty for children without one.
    places: HashMap<(u16, String), Slot>,
    /// The slots in use, and where each stands, by parent, field and the kind that stands there.
    used: Vec<Slot>,
    index: HashMap<(u16, u16, u16), usize>,
}

impl Slots {
    /// Adds the places of a language, the kinds of which are these.
    pub(super) fn add(&mut self, language: &Language, kinds: &Kinds) {
        let types: Vec<Value> = serde_json::from_str(language.node_types).unwrap_or_default();
        let supertypes: HashMap<&str, &Value> = types
            .iter()
            .filter_map(|kind| Some((kind["type"].as_str()?, kind.get("subtypes")?)))
            .collect();
        for kind in &types {
            let Some(parent) = kinds.of_type(kind) else {
                continue;
            };
            if let Some(fields) = kind.get("fields").and_then(Value::as_object) {
                for (field, place) in fields {
                    let slot = slot(kinds, &supertypes, place);
                    self.places.insert((parent, field.clone()), slot);
                }
            }
            if let Some(place) = kind.get("children") {
                let slot = slot(kinds, &supertypes, place);
                self.places.insert((parent, String::new()), slot);
            }
        }
    }

    /// Returns the slot of a node of this kind, in this field (0: none) of a parent of that kind. Its own kind always fits.
    pub(super) fn of_place(&mut self, parent: u16, field: (u16, &str), kind: u16) -> usize {
        *self
            .index
            .entry((parent, field.0, kind))
            .or_insert_with(|| {
                let mut slot = self
                    .places
                    .get(&(parent, field.1.to_owned()))
                    .cloned()
                    .unwrap_or_default();
                if let Err(place) = slot.kinds.binary_search(&kind) {
                    slot.kinds.insert(place, kind);
                }
                self.used.push(slot);
                self.used.len() - 1
            })
    }

    pub(super) fn into_used(self) -> Vec<Slot> {
        self.used
    }
}

/// The numbers of a language's kinds of nodes in a document: those of its grammar, after those of the languages before it.
pub(super) struct Kinds {
    grammar: tree_sitter::Language,
    offset: u16,
}

/// What did not parse, in any language.
pub(crate) const ERROR: u16 = u16::MAX;

impl Kinds {
    /// The kinds of a language after so many of others. `None` when there are too many.
    pub(super) fn after(offset: u16, language: &Language) -> Option<Self> {
        let kinds = Self {
            grammar: language.grammar(),
            offset,
        };
        (kinds.end()? < UNPARSED).then_some(kinds)
    }

    /// The number after the last of them.
    pub(super) fn end(&self) -> Option<u16> {
        let count = u16::try_from(self.grammar.node_kind_count()).ok()?;
        self.offset.checked_add(count)
    }

    pub(super) fn of(&self, node: Node<'_>) -> u16 {
        match node.kind_id() {
            ERROR => ERROR,
            id => self.offset + id,
        }
    }

    /// Returns what the grammar calls a kind, when it is one of these.
    pub(super) fn name(&self, kind: u16) -> Option<&str> {
        self.grammar
            .node_kind_for_id(kind.checked_sub(self.offset)?)
    }

    fn of_type(&self, kind: &Value) -> Option<u16> {
        let (name, is_named) = (kind["type"].as_str()?, kind["named"].as_bool()?);
        let id = self.grammar.id_for_node_kind(name, is_named);
        (id != 0).then(|| self.offset + id)
    }
}

fn slot(kinds: &Kinds, supertypes: &HashMap<&str, &Value>, place: &Value) -> Slot {
    let mut slot = Slot {
        kinds: Vec::new(),
        many: place["multiple"].as_bool().unwrap_or(false),
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut pending: Vec<&Value> = place["types"].as_array().into_iter().flatten().collect();
    while let Some(kind) = pending.pop() {
        match kind["type"]
            .as_str()
            .and_then(|name| Some((name, *supertypes.get(name)?)))
        {
            Some((name, _)) if seen.contains(&name) => {}
            Some((name, subtypes)) => {
                seen.push(name);
                pending.extend(subtypes.as_array().into_iter().flatten());
            }
            None => slot.kinds.extend(kinds.of_type(kind)),
        }
    }
    slot.kinds.sort_unstable();
    slot.kinds.dedup();
    slot
}
