//! Emptied bodies: the pass that deletes what functions do, and leaves their heads.

mod constant;

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::{Document, Language};
use boildown_search::tree::NodeId;

use self::constant::ConstantHead;
use crate::edit::Edit;
use crate::grouped_edits::EditGroup;
use crate::symbols::parents;

/// Returns the edits that empty the bodies of functions, in braces. In a large program most text is
/// in bodies, and nearly all names are mentioned there. What only they mentioned is unused then.
///
/// Bodies that a compiler evaluates, or reads for a type, come last: without them, other code is
/// wrong. They lose `constexpr` with their statements, as a function that returns nothing cannot be
/// evaluated. All functions of one name lose it at once, as do their declarations: a compiler
/// refuses a declaration that says `constexpr` beside a definition that does not. Constructors keep
/// it: without statements they can still be evaluated, and constants may be of their types.
pub(crate) fn emptied(document: &Document, language: &'static Language) -> [EditGroup; 2] {
    let bodies = outermost(document, language);
    let insides: Vec<Range<usize>> = bodies.iter().map(|body| body.inside.clone()).collect();
    let constant = constant::heads(document, language, &CONSTANT, &insides);
    let (evaluated, run): (Vec<&Body>, _) = bodies.iter().partition(|body| body.is_evaluated);
    let run = (run.into_iter()).map(|body| vec![Edit::deletion(&body.inside)]);
    [run.collect(), of_constant(&evaluated, &constant)]
}

/// Returns what goes together when these bodies do: those of constant functions of one name, and
/// all words with this name; of the others, each alone.
fn of_constant(bodies: &[&Body], heads: &[ConstantHead<'_>]) -> EditGroup {
    let functions = heads.iter().map(|head| (head.function, head.name));
    let names: BTreeMap<NodeId, &[u8]> = functions.collect();
    let mut of_names: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut deletions: EditGroup = Vec::new();
    for body in bodies {
        let name = names.get(&body.function);
        let known = name.map(|name| *of_names.entry(name).or_insert(deletions.len()));
        match known.and_then(|known| deletions.get_mut(known)) {
            Some(deletion) => deletion.push(Edit::deletion(&body.inside)),
            None => deletions.push(vec![Edit::deletion(&body.inside)]),
        }
    }
    for head in heads {
        if let Some(&deletion) = of_names.get(head.name) {
            deletions[deletion].push(Edit::deletion(&(head.word..head.word + 1)));
        }
    }
    deletions
}

/// The tokens of a body that go together.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The node, with the braces.
    pub(crate) node: NodeId,
    /// What is inside of the braces.
    pub(crate) inside: Range<usize>,
    /// Whether others may need what is inside of it at compile time.
    pub(crate) is_evaluated: bool,
    /// What it is the body of.
    function: NodeId,
}

/// Bodies of up to this many tokens are not larger than what replaces them.
pub(crate) const SMALLEST_REPLACED: usize = 5;

/// Returns each body that is in no other one, in order.
pub(crate) fn outermost(document: &Document, language: &Language) -> Vec<Body> {
    let grammar = language.grammar();
    let Some(body) = grammar.field_id_for_name("body") else {
        return Vec::new();
    };
    let result = grammar.field_id_for_name("type").map_or(0, u16::from);
    let tree = document.tree();
    let kind = |node: NodeId| grammar.node_kind_for_id(tree.nodes[node].kind);
    let is_body = |node: NodeId| {
        let tokens = tree.nodes[node].tokens();
        document.field(node) == u16::from(body)
            && tokens.len() > 2
            && document.token(tokens.start) == b"{"
            && document.token(tokens.end - 1) == b"}"
            && kind(node).is_some_and(|kind| STATEMENTS.iter().any(|part| kind.contains(part)))
    };
    let parents = parents(tree);
    let mut bodies: Vec<Body> = Vec::new();
    for node in tree.nodes.ids().skip(1).filter(|&node| is_body(node)) {
        let start = tree.nodes[node].tokens().start;
        if (bodies.last()).is_none_or(|last| last.inside.end < start) {
            bodies.push(Body::new(document, node, parents[node], result));
        }
    }
    bodies
}

impl Body {
    /// The body that is this node, of this function. `result` is the field of its result.
    fn new(document: &Document, node: NodeId, function: NodeId, result: u16) -> Self {
        let tree = document.tree();
        let tokens = tree.nodes[node].tokens();
        let head = tree.nodes[function].tokens().start..tokens.start;
        let has_one_of = |words: &[&[u8]]| {
            let mut head = head.clone();
            head.any(|token| words.contains(&document.token(token)))
        };
        // A constructor returns nothing, with a body or without.
        let mut parts = tree.children(function);
        let returns =
            parts.any(|part| document.field(part) == result) || has_one_of(&[b"operator"]);
        Self {
            node,
            inside: tokens.start + 1..tokens.end - 1,
            is_evaluated: returns && (has_one_of(&CONSTANT) || has_one_of(&DEDUCED)),
            function,
        }
    }
}

/// Words of the head of a function that is evaluated at compile time.
const CONSTANT: [&[u8]; 2] = [b"constexpr", b"consteval"];

/// Words of the head of a function whose type may be that of what it returns.
const DEDUCED: [&[u8]; 2] = [b"auto", b"decltype"];

/// Parts of the kinds of bodies that hold statements. Those of classes hold declarations.
const STATEMENTS: [&str; 4] = ["compound", "block", "function_body", "constructor_body"];

#[cfg(test)]
mod tests {
    use boildown_document::Check;
    use boildown_search::algorithms::Algorithm;

    use super::*;
    use crate::grouped_edits::GroupedEdits;
    use crate::reduced_text::{program, reduced};

    /// Returns the result, and the number of queries, when these words have to stay.
    fn run(text: &str, words: &[&str], smallest: usize) -> (String, usize) {
        let (document, language) = program(text);
        let bodies = emptied(&document, language);
        let check = Check::Nothing;
        let bodies = GroupedEdits::new(&document, bodies, &Algorithm::default(), smallest, check);
        reduced(bodies, words)
    }

    const PROGRAM: &str = "\
        namespace n { struct a { int f() { if (b) { c(); } return 1; } int d; }; }\n\
        int g() { for (;;) { h(); } }\nint main() { return g(); }\n";

    #[test]
    fn all_bodies_go_at_once_and_heads_and_members_stay() {
        let (result, queries) = run(PROGRAM, &["int f()", "int d;", "int g()"], 1);
        assert_eq!(queries, 1);
        let words: Vec<&str> = result.split_whitespace().collect();
        let expected = "namespace n { struct a { int f() {} int d; }; } int g() {} int main() {}";
        assert_eq!(words.concat(), expected.replace(' ', ""));
    }

    #[test]
    fn what_declares_a_function_loses_the_word_with_its_body() {
        let text = "namespace n { struct a { constexpr a(int); constexpr int f() const; \
            static constexpr int b = 1; friend constexpr a *operator+(a &, int); }; } \
            constexpr n::a::a(int) : c(2) { 1; } constexpr int n::a::f() const { return 1; } \
            template <class t> consteval a *operator+(t &, int) { return 0; } \
            constexpr int g() {} constexpr int h(int) { return 2; }";
        let (result, queries) = run(text, &["h(int) { return 2; }"], 1);
        let left: String = result.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "namespace n { struct a { constexpr a(int); int f() const; \
            static constexpr int b = 1; friend a *operator+(a &, int); }; } \
            constexpr n::a::a(int) : c(2) { } int n::a::f() const { } \
            template <class t> a *operator+(t &, int) { } constexpr int g() {} constexpr int h(int) { return 2; }";
        assert_eq!((left.as_str(), queries), (expected, 6));
    }

    #[test]
    fn a_body_that_is_needed_stays_whole() {
        let (result, _) = run(PROGRAM, &["h();"], 1);
        assert!(result.contains("int g() { for (;;) { h(); } }"), "{result}");
        assert!(!result.contains("return"), "{result}");
    }

    #[test]
    fn bodies_that_a_compiler_evaluates_come_last_and_lose_the_word() {
        let text = "constexpr int f() { return 1; } void g() { f(); } auto h() { return 2; }";
        let (result, _) = run(text, &["constexpr"], 1);
        assert_eq!(
            result.split_whitespace().collect::<Vec<_>>().concat(),
            "constexprintf(){return1;}voidg(){}autoh(){}"
        );
        let (result, queries) = run(text, &[], 1);
        assert_eq!(queries, 2);
        assert!(!result.contains("constexpr"), "{result}");
    }

    #[test]
    fn small_bodies_are_not_asked_about() {
        let (result, queries) = run(PROGRAM, &[], 1000);
        assert_eq!((result.as_str(), queries), (PROGRAM, 0));
    }
}
