//! Holders: the symbols that definitions go with when their own names say little.

use std::collections::{BTreeMap, BTreeSet};

use boildown_search::tree::{IdVec, NodeId};

use super::References;
use crate::steps::{Pace, pause};
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

/// A unit that goes with its holder.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldUnit {
    pub(super) unit: usize,
    /// The symbol that it defines.
    pub(super) name: usize,
    /// The symbol that stands for what it needs.
    pub(super) holder: usize,
}

impl References {
    /// Returns the holders of units that have one, ascending. Members of types have none.
    ///
    /// Many definitions share a name such as `swap`, and a mention of it may mean any of them. But
    /// who calls a function has values of the types of its parameters, and what makes these values
    /// mentions the types. So a definition is needed only if its own name is, and the names before
    /// and behind it (`a::b`, `f(c d)`, `c<a>`). Of these, the name that the fewest places mention
    /// stands for all: if that is not its own name, it is its holder.
    pub(super) async fn holders(
        &self,
        index: &SymbolIndex<'_>,
        symbols: &[DefinedSymbol<'_>],
        types: &BTreeSet<usize>,
        owners: &IdVec<NodeId, Option<usize>>,
    ) -> Vec<HeldUnit> {
        let tree = self.document.tree();
        let token = |node: NodeId| tree.nodes[node].tokens.start;
        let mut mentions = Vec::new();
        let mut pace = Pace::default();
        for symbol in symbols {
            if pace.are_over(symbol.symbol.uses.len()) {
                pause().await;
            }
            mentions.push(self.mentions_elsewhere(symbol, owners));
        }
        let mut heads: BTreeMap<usize, Head> = BTreeMap::new();
        let mut heads_at: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (number, symbol) in symbols.iter().enumerate() {
            let definitions = symbol.definitions.iter();
            for &UnitName { unit, name } in
                definitions.filter(|own| !self.is_member(own.unit, types))
            {
                let head = heads.entry(unit).or_insert(Head::new(number));
                head.has_several_names |= head.name != number;
                let head = index.head(&self.document, name);
                heads_at.insert(head.start, (head.end, unit));
            }
        }
        pause().await;
        for (number, symbol) in symbols.iter().enumerate() {
            if pace.are_over(symbol.symbol.uses.len()) {
                pause().await;
            }
            let mut in_heads: BTreeMap<usize, usize> = BTreeMap::new();
            for &mention in &symbol.symbol.uses {
                let last = heads_at.range(..=token(mention)).next_back();
                if let Some((_, &(end, unit))) = last
                    && token(mention) < end
                {
                    *in_heads.entry(unit).or_default() += 1;
                }
            }
            for (unit, times) in in_heads {
                // A type that nothing else mentions is that of what the callers pass on.
                if mentions[number] > times
                    && symbol.definitions.iter().all(|own| own.unit != unit)
                    && let Some(head) = heads.get_mut(&unit)
                {
                    head.consider(mentions[number], number);
                }
            }
        }
        let held = heads
            .into_iter()
            .filter(|(_, head)| !head.has_several_names);
        held.filter_map(|(unit, head)| {
            let (times, holder) = head.holder?;
            let name = head.name;
            (times < mentions[name]).then_some(HeldUnit { unit, name, holder })
        })
        .collect()
    }

    /// Returns the number of mentions of a symbol that are not inside of its own definitions.
    fn mentions_elsewhere(
        &self,
        symbol: &DefinedSymbol<'_>,
        owners: &IdVec<NodeId, Option<usize>>,
    ) -> usize {
        let mut own = symbol.units();
        own.sort_unstable();
        let is_own = |unit: usize| own.binary_search(&unit).is_ok();
        let is_elsewhere = |mention: &&NodeId| {
            !owners[**mention].is_some_and(|unit| self.around(unit).any(is_own))
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
    name: usize,
    has_several_names: bool,
    /// The holder that is mentioned least, and how often.
    holder: Option<(usize, usize)>,
}

impl Head {
    fn new(name: usize) -> Self {
        Self {
            name,
            has_several_names: false,
            holder: None,
        }
    }

    fn consider(&mut self, mentions: usize, holder: usize) {
        if self.holder.is_none_or(|(least, _)| mentions < least) {
            self.holder = Some((mentions, holder));
        }
    }
}
