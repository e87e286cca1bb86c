//! Exported functions: the pass that deletes the callers of functions, and exports these.

use std::collections::BTreeMap;
use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Language, Substitutes, words};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::tree::{IdVec, NodeId};
use boildown_search::{AnyListSearch, Query, Search, Subset, Verdict};

use super::References;
use crate::bodies::outermost;
use crate::symbols::parents;

/// Keeps some functions with everything they need, and exports those that nothing calls any more:
/// in a program of which only `f` is public,
///
/// ```text
/// fn g() {…}   fn h() { g() }   pub fn f() { h() }
/// ```
///
/// becomes `#[no_mangle] fn g() {…}`. A compiler that generates code only for what is reachable
/// from outside generates none for `g` when `f` goes, and `h` cannot go before `f`.
///
/// The elements of the list algorithm are functions, and calls of macros outside of functions. A
/// candidate consists of some of them, of what they need, and of all text that defines nothing.
///
/// # Guarantee
/// Ends with an interesting candidate.
/// # Cost
/// That of the list algorithm. A candidate is linear in the number of names.
/// # Units
/// Elements of candidates are tokens of the document. The first token of an exported function is
/// replaced by the mark and itself.
/// # Source
/// Our own. Whole-program slicers keep what one function needs, but leave it as visible as it is.
#[derive(Debug, Clone)]
pub(crate) struct Exported {
    program: Arc<Program>,
    list: AnyListSearch,
    /// The functions that are still to be tried alone, that with the smallest candidate last.
    alone: Vec<usize>,
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    best: Candidate,
    /// The number of tokens of the best candidate, those of marks included.
    size: usize,
    next: Option<Query<Candidate>>,
}

/// The list algorithm drops at least one in this many elements at once.
const SMALLEST_GROUP: usize = 32;

/// The most functions of which each is tried alone.
const ALONE_LIMIT: usize = 64;

impl Exported {
    /// Starts a search; `None` for a language without a mark.
    pub(crate) async fn new(
        document: &Arc<Document>,
        language: &'static Language,
        algorithm: Algorithm,
        smallest: usize,
        check: Check,
    ) -> Option<Self> {
        let mark = language.export_mark?.as_bytes();
        let program = Program::new(document, language, mark, check).await;
        let tree = document.tree();
        let weights = program.elements.iter().map(|element| {
            let tokens = tree.nodes[program.references.units[element.unit].node].tokens();
            u32::try_from(tokens.len()).unwrap_or(u32::MAX)
        });
        let list = algorithm.on(List::weighted(weights));
        let alone = program.each_alone();
        let everything = Subset::full(document.len());
        let mut search = Self {
            program: Arc::new(program),
            alone,
            list,
            smallest: smallest.max(1),
            size: document.len(),
            best: Candidate::new(Arc::clone(document), everything, Check::Nothing),
            next: None,
        };
        search.advance();
        Some(search)
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        self.next = None;
        while let Some(query) = self.list.ask() {
            // Not one candidate for each of thousands of functions.
            let gone = self.list.best().count() - query.candidate.count();
            if gone * SMALLEST_GROUP < self.program.elements.len() {
                self.list.skip();
                continue;
            }
            let kept = self.program.keep(&query.candidate);
            if kept.size + self.smallest <= self.size {
                self.next = Some(query.map(|_| self.program.candidate(kept, self.program.check)));
                return;
            }
            self.list.skip();
        }
        while let Some(&function) = self.alone.last() {
            let kept = self.program.keep_alone(function);
            if kept.size + self.smallest <= self.size {
                let candidate = self.program.candidate(kept, self.program.check);
                let odds = 0.1;
                self.next = Some(Query { candidate, odds });
                return;
            }
            self.alone.pop();
        }
    }
}

impl Search for Exported {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        let found = if self.list.ask().is_some() {
            self.list.tell(verdict);
            (verdict.is_interesting()).then(|| self.program.keep(&self.list.best()))
        } else {
            let function = self.alone.pop();
            let function = function.filter(|_| verdict.is_interesting());
            function.map(|function| self.program.keep_alone(function))
        };
        if let Some(kept) = found {
            self.size = kept.size;
            self.best = self.program.candidate(kept, Check::Nothing);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if self.list.ask().is_some() {
            self.list.skip();
        } else {
            self.alone.pop();
        }
        self.advance();
    }

    fn best(&self) -> Candidate {
        self.best.clone()
    }
}

/// A program of which some functions can be kept.
#[derive(Debug)]
struct Program {
    document: Arc<Document>,
    references: References,
    elements: Vec<Element>,
    /// The sources of `references` that are in a candidate where what is around them is.
    inside: Subset,
    mark: &'static [u8],
    words_of_mark: usize,
    check: Check,
}

/// What a candidate keeps or not.
#[derive(Debug)]
struct Element {
    unit: usize,
    /// Its first token without attributes, if it can be exported.
    function: Option<usize>,
    /// Whether it is in the implementation of a trait, which needs all functions in it.
    is_required: bool,
}

/// What a candidate keeps.
#[derive(Debug)]
struct KeptFunctions {
    tokens: Subset,
    marked: Vec<usize>,
    /// The number of tokens, those of marks included.
    size: usize,
}

impl Program {
    async fn new(
        document: &Arc<Document>,
        language: &'static Language,
        mark: &'static [u8],
        check: Check,
    ) -> Self {
        let shape = Shape::new(document, language);
        let calls = shape.calls_of_macros();
        let references = References::with(document, language, calls.clone()).await;
        let units = references.units.iter().enumerate();
        let units: BTreeMap<NodeId, usize> = units.map(|(unit, of)| (of.node, unit)).collect();
        let calls = calls.into_iter().map(|node| (node, false));
        let functions = shape.functions().into_iter().map(|node| (node, true));
        let elements = calls.chain(functions).filter_map(|(node, is_function)| {
            let attributed = shape.parents[node];
            let unit = units.get(&node).or_else(|| units.get(&attributed))?;
            Some(Element {
                unit: *unit,
                function: (is_function && !shape.is_generic(node))
                    .then(|| document.tree().nodes[node].tokens().start),
                is_required: shape.is_required(node),
            })
        });
        let mut elements: Vec<Element> = elements.collect();
        elements.sort_by_key(|element| element.unit);
        elements.dedup_by_key(|element| element.unit);
        let is_chosen = |unit: usize| {
            let found = elements.binary_search_by_key(&unit, |element| element.unit);
            found.is_ok_and(|element| !elements[element].is_required)
        };
        let chosen = (references.sources.iter().enumerate())
            .filter(|(_, source)| is_chosen(**source))
            .map(|(source, _)| source..source + 1);
        Self {
            document: Arc::clone(document),
            inside: Subset::full(references.sources.len()).without(chosen),
            references,
            elements,
            mark,
            words_of_mark: words(mark, 0..mark.len()).count(),
            check,
        }
    }

    /// Returns the functions that can be exported, that which needs least last; none if there are
    /// too many.
    fn each_alone(&self) -> Vec<usize> {
        let elements = self.elements.iter().enumerate();
        let functions = elements.filter(|(_, element)| element.function.is_some());
        let mut functions: Vec<usize> = functions.map(|(function, _)| function).collect();
        if functions.len() > ALONE_LIMIT {
            return Vec::new();
        }
        functions.sort_by_cached_key(|&function| std::cmp::Reverse(self.keep_alone(function).size));
        functions
    }

    fn keep_alone(&self, function: usize) -> KeptFunctions {
        let all = Subset::full(self.elements.len());
        self.keep(&all.without([0..function, function + 1..self.elements.len()]))
    }

    /// Returns the candidate with these elements.
    fn keep(&self, kept: &Subset) -> KeptFunctions {
        let elements = self.elements.iter().enumerate();
        let kept = elements.filter(|(index, _)| kept.contains(*index));
        let kept: Vec<&Element> = kept.map(|(_, element)| element).collect();
        let units = kept.iter().map(|element| element.unit).collect();
        let required = kept.iter().filter(|element| element.is_required);
        let required = required.flat_map(|element| &self.references.units[element.unit].defines);
        let reached = self.references.reached_with(units, required, &self.inside);
        let marked = kept.iter().filter_map(|element| {
            let is_marked = !self.is_called(element.unit, &reached.units);
            is_marked.then_some(element.function)?
        });
        let marked: Vec<usize> = marked.collect();
        let reached = reached.units;
        let tokens = self.references.tokens(&reached);
        KeptFunctions {
            size: tokens.count() + marked.len() * self.words_of_mark,
            tokens,
            marked,
        }
    }

    /// Returns whether something refers to a function that is reached and not inside of it.
    fn is_called(&self, unit: usize, reached: &[bool]) -> bool {
        let references = &self.references;
        let is_outside =
            |&user: &usize| reached[user] && !references.around(user).any(|around| around == unit);
        let defines = &references.units[unit].defines;
        (defines.iter()).any(|&symbol| references.users[symbol].iter().any(is_outside))
    }

    fn candidate(&self, kept: KeptFunctions, check: Check) -> Candidate {
        let marks = kept.marked.into_iter().map(|token| {
            let text = [self.mark, b" ", self.document.token(token)].concat();
            (token, text.into())
        });
        let marks: Substitutes = marks.collect();
        Candidate::new(Arc::clone(&self.document), kept.tokens, check).with(Arc::new(marks))
    }
}

/// The kinds of the nodes of a program.
struct Shape<'a> {
    document: &'a Document,
    language: &'static Language,
    grammar: tree_sitter::Language,
    parents: IdVec<NodeId, NodeId>,
}

impl<'a> Shape<'a> {
    fn new(document: &'a Document, language: &'static Language) -> Self {
        let parents = parents(document.tree());
        Self {
            document,
            language,
            grammar: language.grammar(),
            parents,
        }
    }

    fn kind(&self, node: NodeId) -> &str {
        let kind = self.document.tree().nodes[node].kind;
        let name = self.grammar.node_kind_for_id(kind);
        name.unwrap_or_default()
    }

    /// Returns the nodes around a node, from the inside, without the whole program.
    fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next = |&node: &NodeId| Some(self.parents[node]).filter(|&outer| outer != NodeId::ROOT);
        std::iter::successors(next(&node), next)
    }

    /// Returns the parts of a function and of what it is in, but not its neighbours.
    fn parts_around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = std::iter::once(node).chain(self.around(node));
        let items = nodes.filter(|&node| self.kind(node) != "declaration_list");
        items.flat_map(|node| self.document.tree().children(node))
    }

    /// Returns the functions in no other one, in order.
    fn functions(&self) -> Vec<NodeId> {
        let bodies = outermost(self.document, self.language).into_iter();
        bodies.map(|body| self.parents[body.node]).collect()
    }

    /// Returns the calls of macros that are no part of a function, in order.
    fn calls_of_macros(&self) -> Vec<NodeId> {
        let nodes = self.document.tree().nodes.ids().skip(1);
        let calls = nodes.filter(|&node| {
            let around = || self.around(node).filter(|&around| around != NodeId::ROOT);
            matches!(self.kind(node), "expression_statement" | "macro_invocation")
                && around()
                    .all(|around| matches!(self.kind(around), "mod_item" | "declaration_list"))
        });
        calls.collect()
    }

    /// Returns whether a function or what it is in has parameters that are types or constants: code
    /// is generated for arguments only.
    fn is_generic(&self, node: NodeId) -> bool {
        let tree = self.document.tree();
        let mut parameters = self
            .parts_around(node)
            .filter(|&part| self.kind(part) == "type_parameters");
        parameters.any(|part| {
            let mut each = tree.children(part);
            each.any(|one| !self.kind(one).starts_with("lifetime"))
        })
    }

    /// Returns whether a function is in the implementation of a trait, which needs all of them.
    fn is_required(&self, node: NodeId) -> bool {
        let field = self.grammar.field_id_for_name("trait").map_or(0, u16::from);
        let mut parts = self.parts_around(node);
        field != 0 && parts.any(|part| self.document.field(part) == field)
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::steps::at_once;

    use super::*;
    use crate::reduced_text::program_in;

    /// Returns the words of the result when the text has to have a property, and the number of
    /// queries.
    fn left(text: &str, property: impl Fn(&str) -> bool) -> (String, usize) {
        let (document, rust) = program_in("Rust", text);
        let search = Exported::new(&document, rust, Algorithm::default(), 1, Check::Nothing);
        let mut search = at_once(search).expect("Rust has a mark");
        let mut queries = 0;
        while let Some(query) = search.ask() {
            queries += 1;
            let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
            search.tell(match property(&text) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        let text = String::from_utf8_lossy(search.best().bytes()).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        (words.join(" "), queries)
    }

    /// Returns whether code is generated for what has this text: it is exported, or public.
    fn is_generated(text: &str, needed: &str) -> bool {
        text.contains(needed) && (text.contains("#[no_mangle]") || text.contains("pub fn f"))
    }

    #[test]
    fn the_callers_of_a_function_go_and_it_is_exported() {
        let text = "fn g(a: u8) -> u8 { if a > 7 { 1 } else { 2 } } fn h(a: u8) -> u8 { g(a) + 3 } \
            fn i(a: u8) -> u8 { a + 4 } pub fn f(a: u8) -> u8 { i(h(a)) }";
        let (result, queries) = left(text, |text| is_generated(text, "a > 7"));
        let expected = "#[no_mangle] fn g(a: u8) -> u8 { if a > 7 { 1 } else { 2 } }";
        assert_eq!(result, expected);
        assert_eq!(queries, 6);
    }

    #[test]
    fn a_function_is_kept_with_what_it_needs_though_half_of_all_would_not_do() {
        let text = "struct A { b: u8 } pub struct B; impl B { fn unused(&self) -> u8 { 5 } } \
            fn g(a: A) -> u8 { h(a.b) } fn i(a: u8) -> u8 { a + 4 } fn h(a: u8) -> u8 { a } \
            pub fn f(a: u8) -> u8 { i(g(A { b: a })) }";
        // Two of the functions are fewer than half, and not in one half.
        let (result, _) = left(text, |text| {
            is_generated(text, "h(a.b)") && (text.contains("B;") || !text.contains("fn i"))
        });
        let expected = "struct A { b: u8 } #[no_mangle] fn g(a: A) -> u8 { h(a.b) } \
            fn h(a: u8) -> u8 { a }";
        assert_eq!(result, expected);
    }

    #[test]
    fn a_method_of_a_trait_stays_with_the_trait() {
        let text = "trait T { fn g(&self) -> u8; fn h(&self) -> u8; } struct A; \
            impl T for A { #[inline] fn g(&self) -> u8 { 7 } fn h(&self) -> u8 { self.g() } } \
            fn i() -> u8 { 1 + 2 + 3 + 4 } pub fn f() -> u8 { i() + A.h() }";
        let (result, _) = left(text, |text| {
            is_generated(text, "{ 7 }") && text.contains("trait T")
        });
        let expected = "trait T { fn g(&self) -> u8; } struct A; impl T for A { #[inline] \
            #[no_mangle] fn g(&self) -> u8 { 7 } }";
        assert_eq!(result, expected);
    }

    #[test]
    fn of_many_functions_only_groups_are_dropped() {
        // Each is larger than the marks of all others.
        let sum = "1 + ".repeat(300);
        let text = (0..100).map(|at| format!("fn g{at}() -> u16 {{ {sum} {at} }} "));
        let (_, queries) = left(&text.collect::<String>(), |_| false);
        assert!((1..=64).contains(&queries), "{queries}");
    }

    #[test]
    fn for_types_as_arguments_nothing_is_exported() {
        let text = "fn g<T>(a: T) -> T { a } fn h<'a>(a: &'a u8) -> &'a u8 { a } \
            pub fn f(a: u8) -> u8 { g(*h(&a)) }";
        let exported = std::cell::RefCell::new(Vec::new());
        left(text, |text| {
            let marked = text.split("#[no_mangle] ").skip(1);
            let heads = marked.map(|function| function.chars().take(4).collect::<String>());
            exported.borrow_mut().extend(heads);
            false
        });
        let mut exported = exported.into_inner();
        exported.sort();
        exported.dedup();
        assert_eq!(exported, ["fn h"]);
    }
}
