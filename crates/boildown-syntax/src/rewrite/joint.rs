//! What can become of all the places that mention a name, together.

use std::collections::BTreeMap;
use std::sync::Arc;

use boildown_search::tree::{NodeId, Tree};

use super::ideas::{BLANK, DEFAULT, Ideas, PARAMETER, STAND_IN, WITH_ALL};
use crate::names::{Definition, Names, Thing};
use crate::plan::{Places, Plan, places};
use crate::{Document, Language};

/// Names that stand in more places are none of a few things that hang together.
const MENTIONED: usize = 40;

/// So many things are followed from one that goes.
const FOLLOWED: usize = 100;

impl Ideas<'_> {
    /// Proposes what can become of what mentions a name.
    pub(super) fn names(&mut self, language: &'static Language) {
        let names = Names::of(self.document, language);
        let joint = Joint::new(self.document, &names);
        let frequent = self.frequent(&names);
        for thing in &names.things {
            if thing.definitions.len() + thing.uses.len() > MENTIONED {
                continue;
            }
            for plan in joint.with_all(thing) {
                self.make(WITH_ALL, &joint, &plan);
            }
            if let Some(plan) = joint.blank(thing) {
                self.make(BLANK, &joint, &plan);
            }
            for plan in joint.parameters(thing, |node| self.default(node, 0)) {
                self.make(PARAMETER, &joint, &plan);
            }
            let Some(&first) = thing.uses.first() else {
                continue;
            };
            for way in 0..2 {
                let mut plan = joint.definitions(thing);
                for &mention in &thing.uses {
                    joint.by_default(mention, |node| self.default(node, way), &mut plan);
                }
                self.make(DEFAULT, &joint, &plan);
            }
            let others = frequent
                .get(&self.tree.nodes[first].kind)
                .into_iter()
                .flatten();
            for other in others.filter(|other| ***other != *thing.text).take(2) {
                let mut plan = joint.definitions(thing);
                for &mention in &thing.uses {
                    plan.replace(mention, other);
                }
                self.make(STAND_IN, &joint, &plan);
            }
        }
    }

    /// The names that are used most, by the kind of node.
    fn frequent(&self, names: &Names<'_>) -> BTreeMap<u16, Vec<Arc<[u8]>>> {
        let mut things: Vec<&Thing<'_>> = names.things.iter().collect();
        things.sort_by_key(|thing| std::cmp::Reverse(thing.uses.len()));
        let mut frequent: BTreeMap<u16, Vec<Arc<[u8]>>> = BTreeMap::new();
        for thing in things {
            let defining = thing.definitions.iter().map(|definition| definition.name);
            for mention in defining.chain(thing.uses.iter().copied()) {
                let row = frequent.entry(self.tree.nodes[mention].kind).or_default();
                if row.len() < 3 && !row.iter().any(|text| **text == *thing.text) {
                    row.push(thing.text.into());
                }
            }
        }
        frequent
    }

    fn make(&mut self, idea: usize, joint: &Joint<'_>, plan: &Plan) {
        let edits = plan.edits(self.tree, &joint.places);
        self.add(idea, edits);
    }

    /// The least text for a node, or another.
    fn default(&self, node: NodeId, way: usize) -> Option<&Arc<[u8]>> {
        let choices = &self.slots[self.tree.nodes[node].slot];
        let mut least = choices.least().take(way + 1);
        let first = least.next();
        least.last().or(first)
    }
}

/// A document and its names, to make plans of.
struct Joint<'a> {
    document: &'a Document,
    tree: &'a Tree,
    names: &'a Names<'a>,
    places: Places,
    /// Which thing each defining place is of.
    defined: BTreeMap<NodeId, usize>,
}

impl<'a> Joint<'a> {
    fn new(document: &'a Document, names: &'a Names<'a>) -> Self {
        let things = names.things.iter().enumerate();
        Self {
            document,
            tree: document.tree(),
            names,
            places: places(document.tree()),
            defined: things
                .flat_map(|(thing, of)| {
                    let definitions = of.definitions.iter();
                    definitions.map(move |definition| (definition.name, thing))
                })
                .collect(),
        }
    }

    /// What defines a thing goes.
    fn definitions(&self, thing: &Thing<'_>) -> Plan {
        let mut plan = Plan::default();
        for definition in &thing.definitions {
            plan.delete(definition.unit);
        }
        plan
    }

    /// All that mentions a thing goes, and all that mentions what goes with it: in the smallest units, or in those that are not
    /// between parentheses.
    fn with_all(&self, thing: &Thing<'_>) -> Vec<Plan> {
        if thing.uses.is_empty() && thing.definitions.len() < 2 {
            return Vec::new();
        }
        let small = self.closure(thing, |node| self.names.unit(node));
        let large = self.closure(thing, |node| self.statement(node));
        [small, large].into_iter().flatten().collect()
    }

    /// All that mentions a thing goes, and one of several names that are defined together is blank: what need not be used in
    /// languages where everything else has to.
    fn blank(&self, thing: &Thing<'_>) -> Option<Plan> {
        let &[Definition { name, unit }] = thing.definitions.as_slice() else {
            return None;
        };
        let mut within = self.defined.range(unit..self.tree.nodes[unit].end);
        let is_one_of_several = within.any(|(&other, &thing)| {
            let definitions = &self.names.things[thing].definitions;
            other != name
                && definitions
                    .iter()
                    .any(|of| of.name == other && of.unit == unit)
        });
        let mut plan = Plan::default();
        plan.replace(name, &Arc::from(*b"_"));
        for &mention in &thing.uses {
            plan.delete(self.statement(mention)?);
        }
        (is_one_of_several && !thing.uses.is_empty()).then_some(plan)
    }

    /// The smallest unit around a node that is not between parentheses.
    fn statement(&self, node: NodeId) -> Option<NodeId> {
        let mut unit = self.names.unit(node)?;
        loop {
            let parent = self.names.parent(unit);
            if self.document.atom(self.tree.nodes[parent].atoms.start) != b"(" {
                return Some(unit);
            }
            unit = self.names.unit(parent)?;
        }
    }

    fn closure(&self, thing: &Thing<'_>, unit: impl Fn(NodeId) -> Option<NodeId>) -> Option<Plan> {
        let mut plan = self.definitions(thing);
        let mut new: Vec<NodeId> = (thing.definitions.iter())
            .map(|definition| definition.unit)
            .collect();
        for &mention in &thing.uses {
            let unit = unit(mention)?;
            plan.delete(unit);
            new.push(unit);
        }
        let mut followed = 0;
        while let Some(gone) = new.pop() {
            for (_, &other) in self.defined.range(gone..self.tree.nodes[gone].end) {
                let other = &self.names.things[other];
                let is_gone = (other.definitions.iter())
                    .all(|definition| plan.deletes(self.tree, definition.name));
                if !is_gone {
                    continue;
                }
                followed += 1;
                if followed > FOLLOWED {
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

    /// Puts a least text where a name is used; what is assigned to it goes.
    fn by_default<'t>(
        &self,
        mention: NodeId,
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
        plan: &mut Plan,
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

    /// The expression that a name is the head of: `f(1)` of `f`, `*p` of `p`, `a[i].x` of `a`, but not `a + b` of `a`; and `x.f` of `f`.
    fn whole(&self, mention: NodeId) -> NodeId {
        let tree = self.tree;
        let atom = |at: usize| -> &[u8] {
            if at < self.document.len() {
                self.document.atom(at)
            } else {
                b""
            }
        };
        let mut node = mention;
        loop {
            let parent = self.names.parent(node);
            let (inner, outer) = (&tree.nodes[node].atoms, &tree.nodes[parent].atoms);
            let goes_on = inner.start == outer.start
                && matches!(atom(inner.end), b"(" | b"[" | b"." | b"->" | b"?." | b"::");
            let before = inner.start.checked_sub(1).map_or(&b""[..], atom);
            let is_prefixed = inner.start == outer.start + 1
                && inner.end == outer.end
                && matches!(
                    before,
                    b"*" | b"&" | b"struct" | b"union" | b"enum" | b"class"
                );
            let is_part = inner.end == outer.end
                && inner.start > outer.start
                && matches!(before, b"." | b"->" | b"?." | b"::");
            if self.names.is_unit(node) || parent == 0 || !(goes_on || is_prefixed || is_part) {
                return node;
            }
            node = parent;
        }
    }

    /// Whether what follows a node says that it is assigned to.
    fn is_assigned(&self, node: NodeId) -> bool {
        let at = self.tree.nodes[node].atoms.end;
        at < self.document.len()
            && match self.document.atom(at) {
                b"==" | b"!=" | b"<=" | b">=" | b"===" | b"!==" | b"=>" => false,
                b"++" | b"--" => true,
                text => text.last() == Some(&b'='),
            }
    }

    /// Each parameter goes with its arguments, and all of them; a least text or nothing is where it was used.
    fn parameters<'t>(
        &self,
        thing: &Thing<'_>,
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
    ) -> Vec<Plan> {
        let mut plans = Vec::new();
        let rows = |names: &mut dyn Iterator<Item = NodeId>| -> Vec<&[NodeId]> {
            names.filter_map(|name| self.arguments(name)).collect()
        };
        let defined = rows(&mut thing.definitions.iter().map(|definition| definition.name));
        let called = rows(&mut thing.uses.iter().copied());
        let Some(most) = defined.iter().map(|row| row.len()).max() else {
            return plans;
        };
        if called.is_empty() && defined.len() < 2 {
            return plans;
        }
        for at in (0..most).map(Some).chain((most > 1).then_some(None)) {
            let mut plan = Plan::default();
            let mut gone = Vec::new();
            for (row, is_definition) in defined
                .iter()
                .map(|row| (row, true))
                .chain(called.iter().map(|row| (row, false)))
            {
                // Counted from the end, since a method may have one more in front.
                let from_end = at.map(|at| most - at);
                let parts = match from_end {
                    None => *row,
                    Some(from_end) if from_end <= row.len() => {
                        let at = row.len() - from_end;
                        &row[at..=at]
                    }
                    Some(_) => &[],
                };
                for &part in parts {
                    plan.delete(part);
                    if is_definition {
                        gone.push(part);
                    }
                }
            }
            plans.extend(self.without_uses(plan, &gone, &text));
        }
        plans
    }

    /// Plans by which parameters go: what uses them goes too, or uses something else.
    fn without_uses<'t>(
        &self,
        plan: Plan,
        gone: &[NodeId],
        text: impl Fn(NodeId) -> Option<&'t Arc<[u8]>>,
    ) -> Vec<Plan> {
        let uses: Vec<NodeId> = (gone.iter())
            .flat_map(|&part| self.defined.range(part..self.tree.nodes[part].end))
            .flat_map(|(_, &thing)| self.names.things[thing].uses.iter().copied())
            .collect();
        if uses.is_empty() {
            return vec![plan];
        }
        let mut with_all = plan.clone();
        let mut by_default = plan.clone();
        for &mention in &uses {
            if let Some(unit) = self.statement(mention) {
                with_all.delete(unit);
            }
            self.by_default(mention, &text, &mut by_default);
        }
        let mut others = (gone.iter()).filter_map(|&part| {
            let row = &self.tree.lists[self.places.get(&part)?.0].elements;
            let other = row.iter().find(|other| !gone.contains(other))?;
            let (&name, _) = self
                .defined
                .range(*other..self.tree.nodes[*other].end)
                .next()?;
            Some(self.document.text(self.tree.nodes[name].atoms.clone()))
        });
        let mut plans = vec![with_all, by_default];
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

    /// What stands between the parentheses right after a name.
    fn arguments(&self, name: NodeId) -> Option<&'a [NodeId]> {
        let after = self.tree.nodes[name].atoms.end;
        if after >= self.document.len() || self.document.atom(after) != b"(" {
            return None;
        }
        let ends_there = |node: &NodeId| self.tree.nodes[*node].atoms.end == after;
        let callee = self.names.around(name).take_while(ends_there).last()?;
        let parent = self.names.parent(callee);
        let mut siblings = self.tree.children(parent);
        let list = siblings.find(|&node| self.tree.nodes[node].atoms.start == after)?;
        let lists = self.tree.nodes[list].lists.clone();
        Some(match &self.tree.lists[lists] {
            [] => &[],
            [row, ..] => &row.elements,
        })
    }
}
