//! Slots: the kinds of nodes that grammars accept in a field or as a child, from their lists of
//! node types.

use std::collections::HashMap;

use boildown_search::tree::{IdVec, Slot, SlotId};
use serde_json::Value;

use super::kinds::KindNumbers;
use crate::Language;

/// The slots of some languages.
///
/// The list of node types tells for each kind of node which kinds its fields and its other children
/// may have. Supertypes in it stand for several kinds.
#[derive(Default)]
pub(super) struct Slots {
    /// By the kind of the parent and the field; the field is empty for children without one.
    by_field: HashMap<(u16, String), Slot>,
    /// The slots in use, and the id of each, by parent, field and the kind that stands there.
    used: IdVec<SlotId, Slot>,
    ids: HashMap<(u16, u16, u16), SlotId>,
}

/// A field of a grammar.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Field<'a> {
    /// The grammar's number; 0 for none.
    pub(super) number: u16,
    /// Empty for none.
    pub(super) name: &'a str,
}

impl Slots {
    /// Adds the slots of a language whose kinds have these numbers.
    pub(super) fn add(&mut self, language: &Language, kinds: &KindNumbers) {
        let types: Vec<Value> = serde_json::from_str(language.node_types).unwrap_or_default();
        let supertypes: HashMap<&str, &Value> = types
            .iter()
            .filter_map(|kind| Some((kind["type"].as_str()?, kind.get("subtypes")?)))
            .collect();
        for kind in &types {
            let Some(parent) = kinds.number_of_type(kind) else {
                continue;
            };
            if let Some(fields) = kind.get("fields").and_then(Value::as_object) {
                for (field, types) in fields {
                    let slot = slot(kinds, &supertypes, types);
                    self.by_field.insert((parent, field.clone()), slot);
                }
            }
            if let Some(types) = kind.get("children") {
                let slot = slot(kinds, &supertypes, types);
                self.by_field.insert((parent, String::new()), slot);
            }
        }
    }

    /// Returns the slot of a node of this kind in a field of a parent of that kind. The node's own
    /// kind always fits.
    pub(super) fn slot_for(&mut self, parent: u16, field: Field<'_>, kind: u16) -> SlotId {
        *self
            .ids
            .entry((parent, field.number, kind))
            .or_insert_with(|| {
                let mut slot = self
                    .by_field
                    .get(&(parent, field.name.to_owned()))
                    .cloned()
                    .unwrap_or_default();
                if let Err(index) = slot.kinds.binary_search(&kind) {
                    slot.kinds.insert(index, kind);
                }
                self.used.push(slot)
            })
    }

    /// Returns a slot in which no node may replace another.
    pub(super) fn rigid(&mut self) -> SlotId {
        self.used.push(Slot::default())
    }

    pub(super) fn into_used(self) -> IdVec<SlotId, Slot> {
        self.used
    }
}

fn slot(kinds: &KindNumbers, supertypes: &HashMap<&str, &Value>, types: &Value) -> Slot {
    let mut slot = Slot {
        kinds: Vec::new(),
        many: types["multiple"].as_bool().unwrap_or(false),
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut pending: Vec<&Value> = types["types"].as_array().into_iter().flatten().collect();
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
            None => slot.kinds.extend(kinds.number_of_type(kind)),
        }
    }
    slot.kinds.sort_unstable();
    slot.kinds.dedup();
    slot
}
