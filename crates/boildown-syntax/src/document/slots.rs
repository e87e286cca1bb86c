//! What a grammar lets stand in a place, read from its list of node types.

use std::collections::HashMap;

use boildown_search::tree::Slot;
use serde_json::Value;

use crate::Language;

/// The kinds that fit the places of a language.
///
/// The list of node types says for each kind of node what its fields and its other children may be, in terms of kinds
/// and of supertypes, which stand for several kinds.
pub(super) struct Slots {
    /// By kind of the parent and field; the field is empty for children without one.
    places: HashMap<(u16, String), Slot>,
    /// The slots in use, and where each stands, by parent, field and the kind that stands there.
    used: Vec<Slot>,
    index: HashMap<(u16, u16, u16), usize>,
}

impl Slots {
    pub(super) fn of(language: &Language) -> Self {
        let grammar = language.grammar();
        let types: Vec<Value> = serde_json::from_str(language.node_types).unwrap_or_default();
        let supertypes: HashMap<&str, &Value> = types
            .iter()
            .filter_map(|kind| Some((kind["type"].as_str()?, kind.get("subtypes")?)))
            .collect();
        let mut places = HashMap::new();
        for kind in &types {
            let Some(parent) = kind_id(&grammar, kind) else {
                continue;
            };
            if let Some(fields) = kind.get("fields").and_then(Value::as_object) {
                for (field, place) in fields {
                    places.insert((parent, field.clone()), slot(&grammar, &supertypes, place));
                }
            }
            if let Some(place) = kind.get("children") {
                places.insert((parent, String::new()), slot(&grammar, &supertypes, place));
            }
        }
        Self {
            places,
            used: Vec::new(),
            index: HashMap::new(),
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

fn kind_id(grammar: &tree_sitter::Language, kind: &Value) -> Option<u16> {
    let id = grammar.id_for_node_kind(kind["type"].as_str()?, kind["named"].as_bool()?);
    (id != 0).then_some(id)
}

fn slot(
    grammar: &tree_sitter::Language,
    supertypes: &HashMap<&str, &Value>,
    place: &Value,
) -> Slot {
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
            None => slot.kinds.extend(kind_id(grammar, kind)),
        }
    }
    slot.kinds.sort_unstable();
    slot.kinds.dedup();
    slot
}
