//! Conditions: the names that all have to be needed before a definition is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::steps::{Pace, pause};
use boildown_search::tree::NodeId;

use super::References;
use super::owners::Owners;
use crate::symbols::{Symbol, SymbolIndex};

/// A symbol, and the units that define it.
#[derive(Debug)]
pub(super) struct DefinedSymbol<'a> {
    pub(super) symbol: &'a Symbol<'a>,
    pub(super) definitions: Vec<UnitName>,
}

/// A definition of a symbol.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitName {
    pub(super) unit: usize,
    /// The node of the name.
    pub(super) name: NodeId,
}

/// A unit that is needed only where several symbols are.
#[derive(Debug)]
pub(super) struct ConditionalUnit {
    pub(super) unit: usize,
    /// The symbol that it defines, if any.
    pub(super) name: Option<usize>,
    /// These symbols, ascending, its own included.
    pub(super) conditions: Vec<usize>,
}

impl References {
    /// Returns the units that have conditions, ascending. Members of types have none.
    ///
    /// Many definitions share a name such as `swap`, and a mention of it may mean any of them. But
    /// who calls a function has values of the types of its parameters, and what makes these values
    /// mentions the types. So a definition is needed only if its own name is, and the names before
    /// and behind it (`a::b`, `f(c d)`, `c<a>`). An operator has no name: the names of the types of
    /// its parameters have to do.
    pub(super) async fn conditional(
        &self,
        index: &SymbolIndex<'_>,
        symbols: &[DefinedSymbol<'_>],
        types: &BTreeSet<usize>,
        owners: &Owners,
        operators: &BTreeMap<usize, Range<usize>>,
    ) -> Vec<ConditionalUnit> {
        let tree = self.document.tree();
        let token = |node: NodeId| tree.nodes[node].tokens().start;
        let mut mentions = Vec::new();
        let mut pace = Pace::default();
        for symbol in symbols {
            if pace.are_over(symbol.symbol.uses.len()) {
                pause().await;
            }
            mentions.push(self.mentions_elsewhere(symbol, owners));
        }
        let Heads {
            by_unit: mut heads,
            by_start,
        } = self.heads(index, symbols, types, operators);
        pause().await;
        for (number, symbol) in symbols.iter().enumerate() {
            if pace.are_over(symbol.symbol.uses.len()) {
                pause().await;
            }
            // Inside of a namespace, its members are called without its name, and a parameter means
            // nothing outside of its function.
            let mut names = symbol.definitions.iter().map(|own| own.name);
            if !names.any(|name| index.is_name_of_type_or_table(&self.document, name)) {
                continue;
            }
            let is_computed = self.computes_types(index, symbol);
            let mut in_heads: BTreeMap<usize, HeadMentions> = BTreeMap::new();
            for &mention in &symbol.symbol.uses {
                let at = token(mention);
                let last = by_start.range(..=at).next_back();
                if let Some((_, &(end, unit))) = last
                    && at < end
                {
                    let parameters = heads[&unit].parameters;
                    let is_value = at > parameters && self.document.token(parameters) == b"(";
                    in_heads.entry(unit).or_default().is_path |= !is_value;
                }
            }
            if in_heads.is_empty() {
                continue;
            }
            for &mention in &symbol.symbol.uses {
                let around = owners.of(mention).into_iter();
                for unit in around.flat_map(|unit| self.around(unit)) {
                    if let Some(in_head) = in_heads.get_mut(&unit) {
                        in_head.times += 1;
                    }
                }
            }
            for (unit, in_head) in in_heads {
                // A type that nothing else mentions is that of what the callers pass on.
                if mentions[number] > in_head.times
                    && symbol.definitions.iter().all(|own| own.unit != unit)
                    && let Some(head) = heads.get_mut(&unit)
                    && (head.name.is_none() || !is_computed)
                    // A name that few mention tells more than the types of its parameters.
                    && head.name.is_none_or(|name| in_head.is_path || mentions[number] < mentions[name])
                {
                    head.conditions.push(number);
                }
            }
        }
        let heads = heads.into_iter();
        let heads =
            heads.filter(|(_, head)| !head.has_several_names && !head.conditions.is_empty());
        heads
            .map(|(unit, head)| {
                let mut conditions = head.conditions;
                conditions.extend(head.name);
                conditions.sort_unstable();
                let name = head.name;
                ConditionalUnit {
                    unit,
                    name,
                    conditions,
                }
            })
            .collect()
    }

    /// Returns the heads of the units outside of types.
    fn heads(
        &self,
        index: &SymbolIndex<'_>,
        symbols: &[DefinedSymbol<'_>],
        types: &BTreeSet<usize>,
        operators: &BTreeMap<usize, Range<usize>>,
    ) -> Heads {
        let tree = self.document.tree();
        let mut heads: BTreeMap<usize, Head> = BTreeMap::new();
        let mut by_start: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (number, symbol) in symbols.iter().enumerate() {
            let definitions = symbol.definitions.iter();
            for &UnitName { unit, name } in
                definitions.filter(|own| !self.is_member(own.unit, types))
            {
                let head = heads.entry(unit).or_insert(Head::new(Some(number)));
                head.has_several_names |= head.name != Some(number);
                head.parameters = tree.nodes[name].tokens().end;
                let tokens = index.head(&self.document, name);
                by_start.insert(tokens.start, (tokens.end, unit));
            }
        }
        for (&unit, parameters) in operators {
            heads.insert(unit, Head::new(None));
            by_start.insert(parameters.start, (parameters.end, unit));
        }
        Heads {
            by_unit: heads,
            by_start,
        }
    }

    /// Returns whether a symbol stands for a type that depends on its arguments: `void_t<a>`.
    /// Values of that type are made without it.
    fn computes_types(&self, index: &SymbolIndex<'_>, symbol: &DefinedSymbol<'_>) -> bool {
        let mut definitions = symbol.definitions.iter();
        definitions.all(|own| {
            let unit = self.document.tree().nodes[self.units[own.unit].node].tokens();
            self.document.token(unit.start) == b"template"
                && index.is_kind(&self.document, index.parent(own.name), "alias")
        })
    }

    /// Returns the number of mentions of a symbol that are not inside of its own definitions.
    fn mentions_elsewhere(&self, symbol: &DefinedSymbol<'_>, owners: &Owners) -> usize {
        let mut own = symbol.units();
        own.sort_unstable();
        let is_own = |unit: usize| own.binary_search(&unit).is_ok();
        let is_elsewhere = |mention: &&NodeId| {
            !owners
                .of(**mention)
                .is_some_and(|unit| self.around(unit).any(is_own))
        };
        symbol.symbol.uses.iter().filter(is_elsewhere).count()
    }
}

impl<'a> DefinedSymbol<'a> {
    pub(super) fn new(symbol: &'a Symbol<'a>, units: &BTreeMap<NodeId, usize>) -> Self {
        let definitions = symbol.definitions.iter();
        let definitions = definitions.filter_map(|definition| {
            let unit = *units.get(&definition.unit)?;
            let name = definition.name;
            Some(UnitName { unit, name })
        });
        Self {
            symbol,
            definitions: definitions.collect(),
        }
    }

    /// Returns the units that define it.
    pub(super) fn units(&self) -> Vec<usize> {
        self.definitions.iter().map(|own| own.unit).collect()
    }
}

/// The names at the start of a definition.
#[derive(Debug)]
struct Head {
    /// The number of the symbol that it defines.
    name: Option<usize>,
    has_several_names: bool,
    /// The token where the parameters begin, if it has some.
    parameters: usize,
    /// The symbols that have to be needed too.
    conditions: Vec<usize>,
}

/// The heads of units.
#[derive(Debug)]
struct Heads {
    by_unit: BTreeMap<usize, Head>,
    /// The end of each head, and its unit, by its first token.
    by_start: BTreeMap<usize, (usize, usize)>,
}

/// The mentions of a symbol in a unit that has some in its head.
#[derive(Debug, Default)]
struct HeadMentions {
    times: usize,
    /// Whether one is part of the name that is defined.
    is_path: bool,
}

impl Head {
    fn new(name: Option<usize>) -> Self {
        Self {
            name,
            has_several_names: false,
            parameters: 0,
            conditions: Vec::new(),
        }
    }
}
