//! Slots: the kinds of nodes that grammars accept in a field or as a child, from their lists of
//! node types.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use boildown_search::tree::{IdVec, Slot, SlotId};
use serde_json::Value;

use super::kinds::KindNumbers;
use crate::Language;

/// The slots of some languages.
#[derive(Default)]
pub(super) struct Slots {
    /// The languages, with the numbers of the first kind of each.
    tables: Vec<(u16, Arc<FieldTable>)>,
    /// The slots in use, and the id of each, by parent, field and the kind that stands there.
    used: IdVec<SlotId, Slot>,
    ids: HashMap<u64, SlotId, BuildHasherDefault<NumberHasher>>,
}

/// Hashes one number, which the grammars choose and no input: a slot is looked up for every node.
#[derive(Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // Spreads the bits, of which a table uses the highest and the lowest.
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The slots of a language, whose kinds have the grammar's own numbers.
///
/// The list of node types tells for each kind of node which kinds its fields and its other children
/// may have. Supertypes in it stand for several kinds.
#[derive(Debug, Default)]
struct FieldTable {
    /// By the kind of the parent and the number of the field; 0 for children without one.
    by_field: BTreeMap<(u16, u16), Slot>,
}

/// The tables that were read, by the name of the language: to read one takes milliseconds, as long
/// as to read many small inputs.
static TABLES: Mutex<BTreeMap<&'static str, Arc<FieldTable>>> = Mutex::new(BTreeMap::new());

impl FieldTable {
    fn of(language: &'static Language) -> Arc<Self> {
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let table = tables.entry(language.name);
        Arc::clone(table.or_insert_with(|| Arc::new(Self::read(language))))
    }

    fn read(language: &Language) -> Self {
        let grammar = language.grammar();
        let mut table = Self::default();
        let types: Vec<Value> = serde_json::from_str(language.node_types).unwrap_or_default();
        let supertypes: HashMap<&str, &Value> = types
            .iter()
            .filter_map(|kind| Some((kind["type"].as_str()?, kind.get("subtypes")?)))
            .collect();
        for kind in &types {
            let Some(parent) = number_of_type(&grammar, kind) else {
                continue;
            };
            if let Some(fields) = kind.get("fields").and_then(Value::as_object) {
                for (field, types) in fields {
                    let field = grammar.field_id_for_name(field).map_or(0, u16::from);
                    let slot = slot(&grammar, &supertypes, types);
                    table.by_field.insert((parent, field), slot);
                }
            }
            if let Some(types) = kind.get("children") {
                let slot = slot(&grammar, &supertypes, types);
                table.by_field.insert((parent, 0), slot);
            }
        }
        table.accept_bare_statements(&grammar, language);
        table
    }

    /// Adds to each slot for an expression statement what such a statement may be, in languages
    /// where nothing follows its expression: a statement can be replaced by an expression in it, as
    /// `return f(x)` by `f(x)`.
    fn accept_bare_statements(&mut self, grammar: &tree_sitter::Language, language: &Language) {
        if !language.has_bare_statements {
            return;
        }
        let statement = grammar.id_for_node_kind("expression_statement", true);
        let Some(bare) = self.by_field.get(&(statement, 0)) else {
            return;
        };
        let bare = bare.kinds.clone();
        for slot in self.by_field.values_mut() {
            if slot.accepts(statement) {
                slot.kinds.extend(&bare);
                slot.kinds.sort_unstable();
                slot.kinds.dedup();
            }
        }
    }
}

impl Slots {
    /// Adds the slots of a language whose kinds have these numbers, which come after those of the
    /// languages before it.
    pub(super) fn add(&mut self, language: &'static Language, kinds: &KindNumbers) {
        self.tables.push((kinds.offset(), FieldTable::of(language)));
    }

    /// Returns the slot of a node of this kind in a field, 0 for none, of a parent of that kind.
    /// The node's own kind always fits.
    pub(super) fn slot_for(&mut self, parent: u16, field: u16, kind: u16) -> SlotId {
        let tables = &self.tables;
        let key = [parent, field, kind].map(u64::from);
        *self
            .ids
            .entry(key[0] << 32 | key[1] << 16 | key[2])
            .or_insert_with(|| {
                let mut slot = listed_slot(tables, parent, field);
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

/// Returns the slot of a field as the list of node types has it.
fn listed_slot(tables: &[(u16, Arc<FieldTable>)], parent: u16, field: u16) -> Slot {
    let after = tables.partition_point(|(offset, _)| *offset <= parent);
    let Some((offset, table)) = after.checked_sub(1).map(|index| &tables[index]) else {
        return Slot::default();
    };
    let listed = table.by_field.get(&(parent - offset, field));
    let mut slot = listed.cloned().unwrap_or_default();
    for kind in &mut slot.kinds {
        *kind += offset;
    }
    slot
}

/// Returns the grammar's number of a kind in the list of node types.
fn number_of_type(grammar: &tree_sitter::Language, kind: &Value) -> Option<u16> {
    let (name, is_named) = (kind["type"].as_str()?, kind["named"].as_bool()?);
    let id = grammar.id_for_node_kind(name, is_named);
    (id != 0).then_some(id)
}

fn slot(
    grammar: &tree_sitter::Language,
    supertypes: &HashMap<&str, &Value>,
    types: &Value,
) -> Slot {
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
            None => slot.kinds.extend(number_of_type(grammar, kind)),
        }
    }
    slot.kinds.sort_unstable();
    slot.kinds.dedup();
    slot
}

#[cfg(all(test, feature = "lang-python", feature = "lang-c"))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, parent: &str, child: &str, fits: bool) {
        let language = Language::named(language).expect("the grammar is built");
        let grammar = language.grammar();
        let kind = |name| grammar.id_for_node_kind(name, true);
        let table = FieldTable::of(language);
        let slot = &table.by_field[&(kind(parent), 0)];
        assert_eq!(slot.accepts(kind(child)), fits, "{child} in {parent}");
    }

    #[test]
    fn an_expression_fits_where_a_statement_does_if_no_token_ends_statements() {
        check("Python", "block", "call", true);
        check("Python", "module", "subscript", true);
        check("Python", "block", "block", false);
        check("C", "compound_statement", "expression_statement", true);
        check("C", "compound_statement", "call_expression", false);
    }
}
