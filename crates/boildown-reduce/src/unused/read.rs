//! The reading of the graph: which definitions and statements there are, and what they refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Document, Language,
    steps::{Pace, pause},
};
use boildown_search::tree::{Gaps, NodeId};

use super::conditions::{ConditionalUnit, DefinedSymbol, UnitName};
use super::owners::Owners;
use super::{DefinitionUnit, References, STATEMENTS_FROM};
use crate::bodies::{Body, outermost};
use crate::edit_plan::SiblingPosition;
use crate::symbols::{Symbol, SymbolIndex};

impl References {
    pub(super) async fn new(document: &Arc<Document>, language: &'static Language) -> Self {
        Self::with(document, language, Vec::new()).await
    }

    /// Returns the graph in which these nodes are units too.
    pub(super) async fn with(
        document: &Arc<Document>,
        language: &'static Language,
        others: Vec<NodeId>,
    ) -> Self {
        let index = SymbolIndex::new(document, language).await;
        let bodies = outermost(document, language);
        let mut statements = statements(document, language, &index, &bodies);
        statements.extend(others.into_iter().filter(|&node| index.is_unit(node)));
        let mut nodes = Self::nodes_of_units(document, &index, statements);
        let mut strays = stray_bodies(document, language, &index);
        strays.retain(|stray| nodes.contains(&stray.head));
        nodes.extend(strays.iter().map(|stray| stray.body));
        let numbers = nodes.into_iter().enumerate();
        let by_node: BTreeMap<NodeId, usize> = numbers.map(|(unit, node)| (node, unit)).collect();
        pause().await;
        let unit = |&node: &NodeId| DefinitionUnit {
            node,
            ..DefinitionUnit::default()
        };
        let mut units: Vec<DefinitionUnit> = by_node.keys().map(unit).collect();
        let owners = Owners::new(document, &index, &by_node);
        for unit in &mut units {
            unit.outer = owners.of(index.parent(unit.node));
        }
        pause().await;
        let symbols: Vec<DefinedSymbol<'_>> = declared(&index)
            .map(|symbol| DefinedSymbol::new(symbol, &by_node))
            .collect();
        let definitions = symbols.iter().map(DefinedSymbol::units).collect();
        let mut references = Self {
            document: Arc::clone(document),
            users: vec![Vec::new(); symbols.len()],
            units,
            conditional: vec![Vec::new(); symbols.len()],
            definitions,
            roots: Vec::new(),
            sources: Vec::new(),
        };
        let types = types(document, &index, &symbols, &references.units);
        let operators = operators(document, language, &index, &by_node);
        let heads = (index.anonymous.iter())
            .filter_map(|&node| Some((*by_node.get(&node)?, end_of_head(document, node))))
            .filter(|(unit, _)| !operators.contains_key(unit))
            .collect();
        references
            .find_needs(&symbols, &owners, &types, &heads)
            .await;
        references.let_values_need_their_types(&index, &symbols);
        let conditional = references.conditional(&index, &symbols, &types, &owners, &operators);
        let mut conditional = conditional.await;
        // Where it is known, a local name means one thing.
        conditional.retain(|of| !is_inside(document, &bodies, references.units[of.unit].node));
        for conditional in conditional {
            references.set_conditions(conditional);
        }
        for StrayBody { head, body } in strays {
            references.units[by_node[&head]]
                .anonymous
                .push(by_node[&body]);
        }
        references.join_inline_namespaces(&index, &symbols);
        references.find_members(&index, &symbols, &types);
        references.find_positions(&owners);
        pause().await;
        references.find_users();
        references.find_sources();
        references
    }

    /// Notes which symbols each unit refers to. `heads` has the ends of the heads of anonymous
    /// definitions.
    async fn find_needs(
        &mut self,
        symbols: &[DefinedSymbol<'_>],
        owners: &Owners,
        types: &BTreeSet<usize>,
        heads: &BTreeMap<usize, usize>,
    ) {
        let document = Arc::clone(&self.document);
        let mut head_references: BTreeMap<usize, HeadReference> = BTreeMap::new();
        let mut pace = Pace::default();
        for (
            number,
            DefinedSymbol {
                symbol,
                definitions,
            },
        ) in symbols.iter().enumerate()
        {
            if pace.are_over(symbol.uses.len()) {
                pause().await;
            }
            // A member is rarely what a head is about: a parameter may have its name.
            let are_members = definitions
                .iter()
                .all(|own| self.is_member(own.unit, types));
            for &mention in symbol.uses.iter().filter(|_| !definitions.is_empty()) {
                let owner = owners.of(mention);
                let needs = owner.map_or(&mut self.roots, |owner| &mut self.units[owner].needs);
                if needs.last() != Some(&number) {
                    needs.push(number);
                }
                let Some(owner) = owner else {
                    continue;
                };
                let token = document.tree().nodes[mention].tokens().start;
                let uses = symbol.uses.len();
                let known = head_references.get(&owner);
                if !are_members
                    && heads.get(&owner).is_some_and(|&end| token < end)
                    && known.is_none_or(|known| uses < known.uses)
                {
                    let symbol = number;
                    head_references.insert(owner, HeadReference { uses, symbol });
                }
            }
        }
        // Nothing can refer to an anonymous definition such as `impl Clone for A {}`. It goes with
        // the symbol of its head that has the fewest uses.
        for (unit, head) in head_references {
            self.attach(unit, head.symbol);
        }
    }

    /// Lets the values of an enumeration need its name: functions of values of this type are meant
    /// where one of them is mentioned, although the name is not.
    fn let_values_need_their_types(
        &mut self,
        index: &SymbolIndex<'_>,
        symbols: &[DefinedSymbol<'_>],
    ) {
        let mut types: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, symbol) in symbols.iter().enumerate() {
            for unit in symbol.units() {
                types.entry(unit).or_default().push(number);
            }
        }
        let definitions = symbols.iter().flat_map(|symbol| &symbol.definitions);
        let values = definitions
            .filter(|own| index.is_kind(&self.document, index.parent(own.name), "enumerator"));
        for UnitName { unit, .. } in values {
            let named = (self.units[*unit].outer).and_then(|outer| types.get(&outer));
            self.units[*unit].needs.extend(named.into_iter().flatten());
        }
    }

    /// Lets a unit go with the definitions of a symbol.
    fn attach(&mut self, unit: usize, symbol: usize) {
        for &definition in &self.definitions[symbol] {
            self.units[definition].anonymous.push(unit);
        }
    }

    /// Lets a unit be needed only where all of these symbols are.
    fn set_conditions(&mut self, conditional: ConditionalUnit) {
        let unit = conditional.unit;
        if let Some(name) = conditional.name {
            self.definitions[name].retain(|&other| other != unit);
        }
        for &symbol in &conditional.conditions {
            self.conditional[symbol].push(unit);
        }
        self.units[unit].conditions = conditional.conditions;
    }

    /// Lets the first part of a namespace that says `inline` go with those in the same namespace
    /// that do not say it.
    fn join_inline_namespaces(&mut self, index: &SymbolIndex<'_>, symbols: &[DefinedSymbol<'_>]) {
        let document = Arc::clone(&self.document);
        let numbered = symbols.iter().enumerate();
        let names_of: BTreeMap<usize, usize> = numbered
            .flat_map(|(number, symbol)| symbol.units().into_iter().map(move |unit| (unit, number)))
            .collect();
        let mut joined = Vec::new();
        for symbol in symbols {
            let parts = symbol.definitions.iter().map(|own| own.unit);
            let parts =
                parts.filter(|&unit| index.is_kind(&document, self.units[unit].node, "namespace"));
            let start = |unit: usize| document.tree().nodes[self.units[unit].node].tokens().start;
            let is_inline = |unit: &usize| document.token(start(*unit)) == b"inline";
            let (inline, others): (Vec<usize>, Vec<usize>) = parts.partition(is_inline);
            let names = |unit: usize| {
                let around = self.around(unit).skip(1);
                around
                    .map(|unit| names_of.get(&unit).copied())
                    .collect::<Vec<_>>()
            };
            let mut first: BTreeMap<Vec<Option<usize>>, usize> = BTreeMap::new();
            for &part in &inline {
                first.entry(names(part)).or_insert(part);
            }
            let pairs = others
                .iter()
                .filter_map(|&part| Some((part, *first.get(&names(part))?)));
            joined.extend(pairs);
        }
        for (part, first) in joined {
            self.units[part].anonymous.push(first);
        }
    }

    /// Returns whether a unit is directly inside of a type.
    pub(super) fn is_member(&self, unit: usize, types: &BTreeSet<usize>) -> bool {
        self.type_around(unit, types).is_some()
    }

    fn type_around(&self, unit: usize, types: &BTreeSet<usize>) -> Option<usize> {
        self.units[unit].outer.filter(|outer| types.contains(outer))
    }

    /// Notes the members of types.
    fn find_members(
        &mut self,
        index: &SymbolIndex<'_>,
        symbols: &[DefinedSymbol<'_>],
        types: &BTreeSet<usize>,
    ) {
        let mut fields = BTreeSet::new();
        for symbol in symbols {
            let own = symbol.definitions.iter();
            let own = own.filter(|own| index.is_field(&self.document, own.name));
            for unit in own.map(|own| own.unit) {
                if self.is_member(unit, types) {
                    self.units[unit].is_field = true;
                    if !symbol.symbol.uses.is_empty() {
                        fields.insert(unit);
                    }
                }
            }
        }
        for unit in 0..self.units.len() {
            let Some(outer) = self.type_around(unit, types) else {
                continue;
            };
            if fields.contains(&unit) {
                // What a value consists of matters even where nothing mentions it.
                self.units[outer].anonymous.push(unit);
            } else {
                self.units[unit].type_around = Some(outer);
                self.units[outer].members.push(unit);
            }
        }
        for definitions in &mut self.definitions {
            definitions.retain(|unit| !fields.contains(unit));
        }
    }

    /// Notes where the units are, and how many tokens are deleted with each.
    fn find_positions(&mut self, owners: &Owners) {
        let tree = self.document.tree();
        for unit in &mut self.units {
            unit.most = tree.nodes[unit.node].tokens().len();
        }
        for (list, siblings) in tree.lists.enumerate() {
            let tokens = |element: NodeId| tree.nodes[element].tokens();
            let elements = tree.elements(siblings);
            let ends = elements.iter().map(|&element| tokens(element).end);
            let starts = elements.iter().skip(1);
            let starts = starts
                .map(|&element| tokens(element).start)
                .chain([siblings.end()]);
            let widest = ends.zip(starts).map(|(end, start)| start - end).max();
            // With the last element, what is before it and what is after it may go.
            let separators = match siblings.gaps {
                Gaps::Separators => 2 * widest.unwrap_or(0),
                Gaps::Ends => widest.unwrap_or(0),
            };
            for (index, &element) in elements.iter().enumerate() {
                let Some(unit) = owners.of(element).map(|unit| &mut self.units[unit]) else {
                    continue;
                };
                if unit.node == element {
                    unit.position = Some(SiblingPosition { list, index });
                    unit.most += separators;
                }
            }
        }
    }

    /// Notes from where each unit can be reached.
    fn find_users(&mut self) {
        for unit in 0..self.units.len() {
            for &symbol in &self.units[unit].needs {
                self.users[symbol].push(unit);
            }
            for anonymous in self.units[unit].anonymous.clone() {
                self.units[anonymous].heads.push(unit);
            }
            if let Some(outer) = self.units[unit].outer {
                self.units[outer].inner.push(unit);
            }
        }
        for (symbol, definitions) in self.definitions.iter().enumerate() {
            for &unit in definitions {
                self.units[unit].defines.push(symbol);
            }
        }
    }

    /// Returns each node that defines something, with a name or without, and these statements.
    fn nodes_of_units(
        document: &Document,
        index: &SymbolIndex<'_>,
        statements: Vec<NodeId>,
    ) -> BTreeSet<NodeId> {
        // A parameter does not go without its arguments.
        let is_parameter = |node: NodeId| {
            let parent = &document.tree().nodes[index.parent(node)];
            matches!(document.token(parent.tokens().start), b"(" | b"<" | b"|")
        };
        declared(index)
            .flat_map(|symbol| &symbol.definitions)
            .map(|definition| definition.unit)
            .chain(index.anonymous.iter().copied())
            .filter(|&node| !is_parameter(node))
            .chain(statements)
            .collect()
    }
}

/// Returns the units that are types with members: what has their names, or fields, as a type does
/// that has another name only.
fn types(
    document: &Document,
    index: &SymbolIndex<'_>,
    symbols: &[DefinedSymbol<'_>],
    units: &[DefinitionUnit],
) -> BTreeSet<usize> {
    let definitions = || symbols.iter().flat_map(|symbol| &symbol.definitions);
    let named = definitions().filter(|own| index.is_name_of_type(document, own.name));
    let fields = definitions().filter(|own| index.is_field(document, own.name));
    let around = fields.filter_map(|own| units[own.unit].outer);
    named.map(|own| own.unit).chain(around).collect()
}

/// Returns the token at which the head of a definition ends: that of its first block.
fn end_of_head(document: &Document, node: NodeId) -> usize {
    let tokens = document.tree().nodes[node].tokens();
    let mut blocks = tokens
        .clone()
        .filter(|&token| document.token(token) == b"{");
    blocks.next().unwrap_or(tokens.end)
}

/// Returns the statements of a script, or those of functions in a large document that are not
/// inside of others.
fn statements(
    document: &Document,
    language: &Language,
    index: &SymbolIndex<'_>,
    bodies: &[Body],
) -> Vec<NodeId> {
    if language.is_script && !document.is_empty() {
        return document.tree().children(NodeId::ROOT).collect();
    }
    if document.len() < STATEMENTS_FROM {
        return Vec::new();
    }
    // What a compiler evaluates needs all of them.
    let bodies = bodies.iter().filter(|body| !body.is_evaluated);
    let statements = bodies.flat_map(|body| document.tree().children(body.node));
    statements.filter(|&node| index.is_unit(node)).collect()
}

/// Returns whether a node is inside of one of these bodies, which are in order.
pub(super) fn is_inside(document: &Document, bodies: &[Body], node: NodeId) -> bool {
    let start = document.tree().nodes[node].tokens().start;
    let after = bodies.partition_point(|body| body.inside.end <= start);
    (bodies.get(after)).is_some_and(|body| body.inside.start <= start)
}

/// The body of a function that the grammar takes for a block beside it, as it does behind
/// `requires requires { … }`.
#[derive(Debug, Clone, Copy)]
struct StrayBody {
    /// What the grammar takes for the function.
    head: NodeId,
    body: NodeId,
}

/// Returns the blocks outside of functions, where the languages of C have none.
fn stray_bodies(
    document: &Document,
    language: &Language,
    index: &SymbolIndex<'_>,
) -> Vec<StrayBody> {
    let grammar = language.grammar();
    let block = grammar.id_for_node_kind("compound_statement", true);
    if document.is_empty() || grammar.id_for_node_kind("translation_unit", true) == 0 {
        return Vec::new();
    }
    let tree = document.tree();
    let is_list = |&node: &NodeId| {
        let kind = grammar.node_kind_for_id(tree.nodes[node].kind);
        node == NodeId::ROOT || matches!(kind, Some("declaration_list" | "translation_unit"))
    };
    let lists = tree.nodes.ids().filter(is_list);
    let neighbours = lists.flat_map(|list| tree.children(list).zip(tree.children(list).skip(1)));
    let strays = neighbours.map(|(head, body)| StrayBody { head, body });
    strays
        .filter(|stray| tree.nodes[stray.body].kind == block && index.is_unit(stray.body))
        .collect()
}

/// Returns the parameters of each anonymous unit that is an operator.
fn operators(
    document: &Document,
    language: &Language,
    index: &SymbolIndex<'_>,
    by_node: &BTreeMap<NodeId, usize>,
) -> BTreeMap<usize, Range<usize>> {
    let grammar = language.grammar();
    let kind = grammar.id_for_node_kind("parameter_list", true);
    let tree = document.tree();
    let parameters = |node: NodeId| {
        let mut head = tree.nodes[node].tokens().start..end_of_head(document, node);
        let operator = head.find(|&token| document.token(token) == b"operator")?;
        let inside = std::iter::successors(Some(node), |node| Some(node.next()));
        let inside = inside.take_while(|&inside| inside < tree.nodes[node].end);
        let mut lists = inside.filter(|&node| kind != 0 && tree.nodes[node].kind == kind);
        let list = lists.find(|&list| tree.nodes[list].tokens().start > operator)?;
        Some(tree.nodes[list].tokens())
    };
    let units = index.anonymous.iter();
    units
        .filter_map(|node| Some((*by_node.get(node)?, parameters(*node)?)))
        .collect()
}

/// The names that anonymous definitions refer to in their heads.
#[derive(Debug)]
struct HeadReference {
    /// The number of uses of the symbol.
    uses: usize,
    /// The symbol.
    symbol: usize,
}

/// The symbols of which the grammar tells what defines them.
fn declared<'a>(index: &'a SymbolIndex<'a>) -> impl Iterator<Item = &'a Symbol<'a>> {
    let symbols = index.symbols.iter();
    symbols.filter(|symbol| symbol.is_defined_by_grammar)
}
