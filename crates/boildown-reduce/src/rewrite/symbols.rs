//! Rewritings of a symbol: its definitions change together with all of its uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_document::{Document, Language, steps::at_once};
use boildown_search::tree::{NodeId, Tree};

use super::built_in::{BuiltIn, BuiltIns};
use crate::edit_plan::{EditPlan, SiblingPosition, SiblingPositions, sibling_positions};
use crate::symbols::{Definition, Symbol, SymbolIndex};

/// Symbols with more mentions are left out: they are rarely part of a small group that can go.
const MENTIONS_LIMIT: usize = 40;

/// The largest number of other symbols that may be deleted with one.
const FOLLOWED_LIMIT: usize = 100;

impl BuiltIns<'_> {
    /// Proposes what to do with each symbol and its uses.
    pub(super) fn symbols(&mut self, language: &'static Language) {
        let index = at_once(SymbolIndex::new(self.document, language));
        let symbol_edits = SymbolEdits::new(self.document, &index);
        let frequent = self.frequent(&index);
        for symbol in &index.symbols {
            if symbol.definitions.len() + symbol.uses.len() > MENTIONS_LIMIT {
                continue;
            }
            for plan in symbol_edits.with_uses(symbol) {
                self.propose_plan(BuiltIn::WithUses, &symbol_edits, &plan);
            }
            if let Some(plan) = symbol_edits.blank(symbol) {
                self.propose_plan(BuiltIn::Blank, &symbol_edits, &plan);
            }
            for plan in symbol_edits.parameters(symbol, |node| self.minimal(node, 0)) {
                self.propose_plan(BuiltIn::Parameter, &symbol_edits, &plan);
            }
            for plan in symbol_edits.type_parameters(symbol) {
                self.propose_plan(BuiltIn::Parameter, &symbol_edits, &plan);
            }
            let Some(&first) = symbol.uses.first() else {
                continue;
            };
            for choice in 0..2 {
                let mut plan = symbol_edits.definitions(symbol);
                for mention in symbol_edits.uses_without_conditions(symbol, &mut plan) {
                    symbol_edits.by_minimal(mention, |node| self.minimal(node, choice), &mut plan);
                }
                self.propose_plan(BuiltIn::UsesByMinimal, &symbol_edits, &plan);
            }
            let others = frequent
                .get(&self.tree.nodes[first].kind)
                .into_iter()
                .flatten();
            for other in others.filter(|other| ***other != *symbol.text).take(2) {
                let mut plan = symbol_edits.definitions(symbol);
                for mention in symbol_edits.uses_without_conditions(symbol, &mut plan) {
                    plan.replace(mention, other);
                }
                self.propose_plan(BuiltIn::UsesByOther, &symbol_edits, &plan);
            }
        }
    }

    /// Returns the most frequent names, by the kind of their nodes.
    fn frequent(&self, index: &SymbolIndex<'_>) -> BTreeMap<u16, Vec<Arc<[u8]>>> {
        let mut symbols: Vec<&Symbol<'_>> = index.symbols.iter().collect();
        symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.uses.len()));
        let mut frequent: BTreeMap<u16, Vec<Arc<[u8]>>> = BTreeMap::new();
        for symbol in symbols {
            let defining = symbol.definitions.iter().map(|definition| definition.name);
            for mention in defining.chain(symbol.uses.iter().copied()) {
                let names = frequent.entry(self.tree.nodes[mention].kind).or_default();
                if names.len() < 3 && !names.iter().any(|text| **text == *symbol.text) {
                    names.push(symbol.text.into());
                }
            }
        }
        frequent
    }

    fn propose_plan(&mut self, source: BuiltIn, symbol_edits: &SymbolEdits<'_>, plan: &EditPlan) {
        let edits = plan.edits(self.document, &symbol_edits.sibling_positions);
        self.add(source, edits);
    }

    /// Returns a minimal replacement for a node: the first that fits or, if there is one, another.
    fn minimal(&self, node: NodeId, choice: usize) -> Option<&Arc<[u8]>> {
        let choices = &self.slots[self.tree.nodes[node].slot];
        let mut texts = choices.minimal().take(choice + 1);
        let first = texts.next();
        texts.last().or(first)
    }
}

/// Makes edit plans for the symbols of a document.
struct SymbolEdits<'a> {
    document: &'a Document,
    tree: &'a Tree,
    index: &'a SymbolIndex<'a>,
    sibling_positions: SiblingPositions,
    /// The symbol that each defining name belongs to.
    defined: BTreeMap<NodeId, usize>,
    /// The symbol that each other mention belongs to.
    used: BTreeMap<NodeId, usize>,
}

impl<'a> SymbolEdits<'a> {
    fn new(document: &'a Document, index: &'a SymbolIndex<'a>) -> Self {
        let symbols = index.symbols.iter().enumerate();
        let uses = symbols.clone();
        Self {
            document,
            tree: document.tree(),
            index,
            sibling_positions: sibling_positions(document.tree()),
            defined: symbols
                .flat_map(|(symbol, of)| {
                    let definitions = of.definitions.iter();
                    definitions.map(move |definition| (definition.name, symbol))
                })
                .collect(),
            used: uses
                .flat_map(|(symbol, of)| of.uses.iter().map(move |&mention| (mention, symbol)))
                .collect(),
        }
    }

    /// Deletes the definitions of a symbol.
    fn definitions(&self, symbol: &Symbol<'_>) -> EditPlan {
        let mut plan = EditPlan::default();
        for definition in &symbol.definitions {
            plan.delete(definition.unit);
        }
        plan
    }

    /// Deletes a symbol with everything that mentions it, and with everything that mentions what is
    /// deleted with that. Two plans: one deletes the smallest units, the other units outside of
    /// parentheses, such as statements.
    fn with_uses(&self, symbol: &Symbol<'_>) -> Vec<EditPlan> {
        if symbol.uses.is_empty() && symbol.definitions.len() < 2 {
            return Vec::new();
        }
        let small = self.closure(symbol, |node| self.index.unit(node));
        let large = self.closure(symbol, |node| self.statement(node));
        [small, large].into_iter().flatten().collect()
    }

    /// Deletes the statements that use a symbol, and renames it to `_` where it is defined together
    /// with others: `a, b := f()` → `_, b := f()`. Languages that require every variable to be used
    /// make an exception for that name.
    fn blank(&self, symbol: &Symbol<'_>) -> Option<EditPlan> {
        let &[Definition { name, unit }] = symbol.definitions.as_slice() else {
            return None;
        };
        let mut within = self.defined.range(unit..self.tree.nodes[unit].end);
        let is_one_of_several = within.any(|(&other, &symbol)| {
            let definitions = &self.index.symbols[symbol].definitions;
            other != name
                && definitions
                    .iter()
                    .any(|of| of.name == other && of.unit == unit)
        });
        let mut plan = EditPlan::default();
        plan.replace(name, &Arc::from(*b"_"));
        for &mention in &symbol.uses {
            plan.delete(self.statement(mention)?);
        }
        (is_one_of_several && !symbol.uses.is_empty()).then_some(plan)
    }

    /// Returns the smallest unit around a node that is not between parentheses.
    fn statement(&self, node: NodeId) -> Option<NodeId> {
        let mut unit = self.index.unit(node)?;
        loop {
            let parent = self.index.parent(unit);
            if self.document.token(self.tree.nodes[parent].tokens().start) != b"(" {
                return Some(unit);
            }
            unit = self.index.unit(parent)?;
        }
    }

    fn closure(
        &self,
        symbol: &Symbol<'_>,
        unit: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Option<EditPlan> {
        let mut plan = self.definitions(symbol);
        let mut new: Vec<NodeId> = (symbol.definitions.iter())
            .map(|definition| definition.unit)
            .collect();
        for &mention in &symbol.uses {
            let unit = unit(mention)?;
            plan.delete(unit);
            new.push(unit);
        }
        let mut followed = 0;
        while let Some(gone) = new.pop() {
            for (_, &other) in self.defined.range(gone..self.tree.nodes[gone].end) {
                let other = &self.index.symbols[other];
                let is_gone = (other.definitions.iter())
                    .all(|definition| plan.deletes(self.tree, definition.name));
                if !is_gone {
                    continue;
                }
                followed += 1;
                if followed > FOLLOWED_LIMIT {
                    return None;
                }
                for &mention in &other.uses {
                    if !plan.deletes(self.tree, mention) {
                        let unit = unit(mention)?;
                        plan.delete(unit);
                        new.push(unit);
                    }
                }
            }
        }
        Some(plan)
    }

    /// Puts a minimal replacement in the place of a use; an assignment to the symbol is deleted.
    fn by_minimal<'t>(
        &self,
        mention: NodeId,
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
        plan: &mut EditPlan,
    ) {
        let whole = self.whole(mention);
        if self.is_assigned(whole)
            && let Some(unit) = self.statement(whole)
        {
            plan.delete(unit);
        } else if let Some(text) = text(whole) {
            plan.replace(whole, text);
        }
    }

    /// Returns the expression that a name is the head of: `f(1)` for `f`, `*p` for `p`, `a[i].x`
    /// for `a` (but not `a + b` for `a`), and `x.f` for `f`.
    fn whole(&self, mention: NodeId) -> NodeId {
        let tree = self.tree;
        let token = |at: usize| -> &[u8] {
            if at < self.document.len() {
                self.document.token(at)
            } else {
                b""
            }
        };
        let mut node = mention;
        loop {
            let parent = self.index.parent(node);
            let (inner, outer) = (tree.nodes[node].tokens(), tree.nodes[parent].tokens());
            let goes_on = inner.start == outer.start
                && matches!(token(inner.end), b"(" | b"[" | b"." | b"->" | b"?." | b"::");
            let before = inner.start.checked_sub(1).map_or(&b""[..], token);
            let is_prefixed = inner.start == outer.start + 1
                && inner.end == outer.end
                && matches!(
                    before,
                    b"*" | b"&" | b"struct" | b"union" | b"enum" | b"class"
                );
            let is_part = inner.end == outer.end
                && inner.start > outer.start
                && matches!(before, b"." | b"->" | b"?." | b"::");
            if self.index.is_unit(node)
                || parent == NodeId::ROOT
                || !(goes_on || is_prefixed || is_part)
            {
                return node;
            }
            node = parent;
        }
    }

    /// Returns whether a node is assigned to, judging by the token after it.
    fn is_assigned(&self, node: NodeId) -> bool {
        let at = self.tree.nodes[node].tokens().end;
        at < self.document.len()
            && match self.document.token(at) {
                b"==" | b"!=" | b"<=" | b">=" | b"===" | b"!==" | b"=>" => false,
                b"++" | b"--" => true,
                text => text.last() == Some(&b'='),
            }
    }

    /// Deletes each parameter of a function with its arguments, and all parameters at once.
    /// Statements that use the parameter are deleted too, or use something else.
    fn parameters<'t>(
        &self,
        symbol: &Symbol<'_>,
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
    ) -> Vec<EditPlan> {
        let mut plans = Vec::new();
        let lists = |names: &mut dyn Iterator<Item = NodeId>| -> Vec<&[NodeId]> {
            names
                .filter_map(|name| self.arguments(name, b"("))
                .collect()
        };
        let defined = lists(&mut symbol.definitions.iter().map(|definition| definition.name));
        let called = lists(&mut symbol.uses.iter().copied());
        let Some(most) = defined.iter().map(|list| list.len()).max() else {
            return plans;
        };
        if called.is_empty() && defined.len() < 2 {
            return plans;
        }
        for at in (0..most).map(Some).chain((most > 1).then_some(None)) {
            let mut plan = EditPlan::default();
            let mut gone = Vec::new();
            for (list, is_definition) in defined
                .iter()
                .map(|list| (list, true))
                .chain(called.iter().map(|list| (list, false)))
            {
                // Counted from the end, since a method may have an additional parameter in front.
                let from_end = at.map(|at| most - at);
                let items = match from_end {
                    None => *list,
                    Some(from_end) if from_end <= list.len() => {
                        let at = list.len() - from_end;
                        &list[at..=at]
                    }
                    Some(_) => &[],
                };
                for &part in items {
                    plan.delete(part);
                    if is_definition {
                        gone.push(part);
                    }
                }
            }
            self.delete_type_parameters_of(&gone, &symbol.uses, &mut plan);
            plans.extend(self.without_uses(plan, &gone, &text));
        }
        plans
    }

    /// Deletes the type parameters that only these parameters mention, with their conditions and
    /// their arguments in calls, because without a use a type parameter cannot be deduced:
    /// `fn f<T>(a: T) {} f::<u8>(1)` → `fn f() {} f()`.
    fn delete_type_parameters_of(&self, gone: &[NodeId], calls: &[NodeId], plan: &mut EditPlan) {
        let inside =
            (gone.iter()).flat_map(|&part| self.used.range(part..self.tree.nodes[part].end));
        let symbols: BTreeSet<usize> = inside.map(|(_, &symbol)| symbol).collect();
        for symbol in symbols {
            let symbol = &self.index.symbols[symbol];
            let [definition] = &symbol.definitions[..] else {
                continue;
            };
            let Some(position) = self.type_parameter_position(definition) else {
                continue;
            };
            let uses = symbol.uses.iter().copied();
            let others = uses.filter(|&mention| !plan.deletes(self.tree, mention));
            let conditions = others.map(|mention| self.condition(mention));
            let Some(conditions) = conditions.collect::<Option<Vec<NodeId>>>() else {
                continue;
            };
            conditions.into_iter().for_each(|unit| plan.delete(unit));
            plan.delete(definition.unit);
            let from_end =
                self.tree.elements(&self.tree.lists[position.list]).len() - position.index;
            for list in (calls.iter()).filter_map(|&name| self.arguments(name, b"<")) {
                if let Some(at) = list.len().checked_sub(from_end) {
                    plan.delete(list[at]);
                }
            }
        }
    }

    /// Returns the uses of a symbol. Conditions on a type parameter, `T: a` in `where T: a, U: b`,
    /// are no uses: they are deleted.
    fn uses_without_conditions(&self, symbol: &Symbol<'_>, plan: &mut EditPlan) -> Vec<NodeId> {
        let mut definitions = symbol.definitions.iter();
        let is_type_parameter = definitions.any(|it| self.type_parameter_position(it).is_some());
        let mut uses = symbol.uses.clone();
        uses.retain(|&mention| match self.condition(mention) {
            Some(condition) if is_type_parameter => {
                plan.delete(condition);
                false
            }
            _ => true,
        });
        uses
    }

    /// Returns the condition that a name is in, if it is one of several: the only one cannot go
    /// without `where`.
    fn condition(&self, mention: NodeId) -> Option<NodeId> {
        let unit = self.index.unit(mention)?;
        self.position_in_list_after(b"where", unit)?;
        Some(unit)
    }

    /// Returns the place of a definition if it is one of a list of type parameters.
    fn type_parameter_position(&self, definition: &Definition) -> Option<SiblingPosition> {
        self.position_in_list_after(b"<", definition.unit)
    }

    /// Returns the place of a node in a list that comes right after this token.
    fn position_in_list_after(&self, token: &[u8], node: NodeId) -> Option<SiblingPosition> {
        let position = self.sibling_positions.get(&node)?;
        let first = self
            .tree
            .elements(&self.tree.lists[position.list])
            .first()?;
        let before = self.tree.nodes[*first].tokens().start.checked_sub(1)?;
        (self.document.token(before) == token).then_some(*position)
    }

    /// Returns variants of a plan that deletes parameters: statements that use them are deleted, or
    /// a minimal replacement or another parameter takes their place.
    fn without_uses<'t>(
        &self,
        plan: EditPlan,
        gone: &[NodeId],
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
    ) -> Vec<EditPlan> {
        let uses: Vec<NodeId> = (gone.iter())
            .flat_map(|&part| self.defined.range(part..self.tree.nodes[part].end))
            .flat_map(|(_, &symbol)| self.index.symbols[symbol].uses.iter().copied())
            .collect();
        if uses.is_empty() {
            return vec![plan];
        }
        let mut with_statements = plan.clone();
        let mut by_minimal = plan.clone();
        for &mention in &uses {
            if let Some(unit) = self.statement(mention) {
                with_statements.delete(unit);
            }
            self.by_minimal(mention, &text, &mut by_minimal);
        }
        let mut others = (gone.iter()).filter_map(|&part| {
            let list = self.sibling_positions.get(&part)?.list;
            let siblings = self.tree.elements(&self.tree.lists[list]);
            let other = siblings.iter().find(|other| !gone.contains(other))?;
            let (&name, _) = self
                .defined
                .range(*other..self.tree.nodes[*other].end)
                .next()?;
            Some(self.document.text(self.tree.nodes[name].tokens()))
        });
        let mut plans = vec![with_statements, by_minimal];
        if let Some(other) = others.next_back() {
            let other: Arc<[u8]> = other.into();
            let mut stand_in = plan;
            for &mention in &uses {
                stand_in.replace(mention, &other);
            }
            plans.push(stand_in);
        }
        plans
    }

    /// Deletes each type parameter with its arguments. The first argument takes the place of its
    /// uses: `struct a<T> { b: T } impl<T> a<T> {} fn c(d: a<u8>)` → `struct a { b: u8 } …`.
    fn type_parameters(&self, symbol: &Symbol<'_>) -> Vec<EditPlan> {
        let between = |name| self.arguments(name, b"<");
        let definitions = symbol.definitions.iter();
        let defined: Vec<&[NodeId]> = definitions
            .filter_map(|definition| between(definition.name))
            .collect();
        let called: Vec<&[NodeId]> = symbol.uses.iter().copied().filter_map(between).collect();
        let most = defined.iter().map(|list| list.len()).max().unwrap_or(0);
        let places = (1..=most).rev();
        places
            .filter_map(|from_end| self.without_type_parameter(&defined, &called, from_end))
            .collect()
    }

    /// Deletes the type parameter at one place, counted from the end.
    fn without_type_parameter(
        &self,
        defined: &[&[NodeId]],
        called: &[&[NodeId]],
        from_end: usize,
    ) -> Option<EditPlan> {
        let at = |list: &&[NodeId]| Some(list[list.len().checked_sub(from_end)?]);
        let mut plan = EditPlan::default();
        let mut gone: Vec<NodeId> = defined.iter().filter_map(at).collect();
        let mut argument = None;
        for item in called.iter().filter_map(at) {
            plan.delete(item);
            // A parameter of an implementation, `T` in `impl<T> a<T>`, serves nothing else.
            match self.type_parameter(item) {
                Some(parameter) => gone.push(parameter),
                None if argument.is_none() => argument = Some(item),
                None => {}
            }
        }
        let argument = self.document.text(self.tree.nodes[argument?].tokens());
        if argument.starts_with(b"'") {
            // A lifetime.
            return None;
        }
        let argument: Arc<[u8]> = argument.into();
        for &part in &gone {
            plan.delete(part);
            for (_, &symbol) in self.defined.range(part..self.tree.nodes[part].end) {
                for &mention in &self.index.symbols[symbol].uses {
                    plan.replace(mention, &argument);
                }
            }
        }
        Some(plan)
    }

    /// Returns the definition of the type parameter that a type consists of.
    fn type_parameter(&self, node: NodeId) -> Option<NodeId> {
        let inside = self.used.range(node..self.tree.nodes[node].end);
        let (&mention, &symbol) = inside.take(1).next()?;
        let is_whole = self.tree.nodes[mention].tokens() == self.tree.nodes[node].tokens();
        let definition = self.index.symbols[symbol].definitions.first()?;
        self.type_parameter_position(definition)?;
        is_whole.then_some(definition.unit)
    }

    /// Returns what stands in brackets right after a name, or after `::` there. Type arguments may
    /// come between a name and parentheses: `f<T>(a)`, `f::<u8>(1)`.
    fn arguments(&self, name: NodeId, open: &[u8]) -> Option<&'a [NodeId]> {
        let types = (open == b"(").then(|| self.brackets_after(name, b"<"));
        let list = self.brackets_after(types.flatten().unwrap_or(name), open)?;
        let lists = self.tree.nodes[list].lists.clone();
        Some(match &self.tree.lists[lists] {
            [] => &[],
            [first, ..] => self.tree.elements(first),
        })
    }

    /// Returns the node in brackets right after a node, or after `::` there.
    fn brackets_after(&self, node: NodeId, open: &[u8]) -> Option<NodeId> {
        let after = self.tree.nodes[node].tokens().end;
        let is_at =
            |at: usize, text: &[u8]| at < self.document.len() && self.document.token(at) == text;
        let start = after + usize::from(open == b"<" && is_at(after, b"::"));
        if !is_at(start, open) {
            return None;
        }
        let ends_there = |node: &NodeId| self.tree.nodes[*node].tokens().end == after;
        let callee = self.index.around(node).take_while(ends_there).last()?;
        let mut siblings = self.tree.children(self.index.parent(callee));
        siblings.find(|&node| self.tree.nodes[node].tokens().start == start)
    }
}
