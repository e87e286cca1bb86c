//! Which names a text defines, and where they are used, read off the tree of any grammar.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_search::tree::{NodeId, Tree};

use crate::document::{ERROR, is_word};
use crate::{Document, Language};

/// The things with names of a document.
///
/// A name is defined where the grammar's fields say so (`name`, `declarator`, `pattern`, …), within the function or block around it; else
/// where it is assigned to, else where it stands first. Names that are alike within one scope are one thing, whatever they name: types are not known.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    pub(crate) things: Vec<Thing<'a>>,
    /// What declares or defines something without a name of its own, outside of functions and types, and can go: nothing can refer to
    /// it.
    pub(crate) nameless: Vec<NodeId>,
    /// For each node the one around it.
    parents: Vec<NodeId>,
    /// For each node the smallest unit around it, or itself; 0 when there is none.
    units: Vec<NodeId>,
    /// Whether a part of each node is its body.
    has_body: Vec<bool>,
}

/// What a name stands for in a part of the text.
#[derive(Debug)]
pub(crate) struct Thing<'a> {
    pub(crate) text: &'a [u8],
    /// Whether the grammar tells what defines it; else the first mention is taken for a definition.
    pub(crate) is_told: bool,
    /// Where it is defined or declared, in order; at least one place.
    pub(crate) definitions: Vec<Definition>,
    /// All other places, in order, and those definitions that need another: `void a::b() {}`, `template<> struct c<int> {};`.
    pub(crate) uses: Vec<NodeId>,
}

impl<'a> Thing<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            is_told: true,
            definitions: Vec::new(),
            uses: Vec::new(),
        }
    }
}

/// A place that defines a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    /// The name.
    pub(crate) name: NodeId,
    /// The smallest node that can go with it: a declarator of several, a parameter, a statement, a function.
    pub(crate) unit: NodeId,
}

/// How sure it is that a place defines a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sureness {
    /// The grammar calls it a declaration.
    Declared,
    /// It is assigned to, which defines a name in languages without declarations.
    Assigned,
}

struct Found {
    sureness: Sureness,
    name: NodeId,
    /// Whether it can only define what is declared elsewhere.
    is_further: bool,
    /// What can go with it is this or around it.
    inner: NodeId,
    /// The atoms in which the name means this.
    scope: Range<usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(document: &'a Document, language: &Language) -> Self {
        let tree = document.tree();
        let parents = parents(tree);
        let mut units = vec![0; tree.nodes.len()];
        let grammar = language.grammar();
        for node in 1..tree.nodes.len() {
            let parent = parents[node];
            units[node] = if is_unit(document, &grammar, parent, node) {
                node
            } else {
                units[parent]
            };
        }
        let body = grammar.field_id_for_name("body").map_or(0, u16::from);
        let mut has_body = vec![false; tree.nodes.len()];
        for node in (1..tree.nodes.len()).filter(|&node| body != 0 && document.field(node) == body)
        {
            has_body[parents[node]] = true;
        }
        let mut names = Self {
            things: Vec::new(),
            nameless: Vec::new(),
            parents,
            units,
            has_body,
        };
        let reader = Reader {
            names: &names,
            grammar,
            document,
            tree,
        };
        let mut things = Vec::new();
        for (text, mentions) in reader.mentions() {
            reader.bind(text, &mentions, &mut things);
        }
        let nameless = reader.nameless(&things);
        (names.things, names.nameless) = (things, nameless);
        names
    }

    /// The node around a node.
    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.parents[node]
    }

    /// The nodes around a node, itself first, without the root.
    pub(crate) fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let up = |&node: &NodeId| Some(self.parents[node]);
        std::iter::successors(Some(node), up).take_while(|&node| node != 0)
    }

    /// The smallest node around a node, or itself, that can go from the row it stands in.
    pub(crate) fn unit(&self, node: NodeId) -> Option<NodeId> {
        Some(self.units[node]).filter(|&unit| unit != 0)
    }

    /// Whether a node can go from the row it stands in.
    pub(crate) fn is_unit(&self, node: NodeId) -> bool {
        self.units[node] == node
    }
}

/// Whether there may be any number of nodes where this one stands, none included.
fn is_unit(
    document: &Document,
    grammar: &tree_sitter::Language,
    parent: NodeId,
    node: NodeId,
) -> bool {
    let tree = document.tree();
    let is_in_error = parent != 0 && tree.nodes[parent].kind == ERROR;
    let (atoms, outer) = (&tree.nodes[node].atoms, &tree.nodes[parent].atoms);
    let is_one_of_several = || {
        let field = document.field(node);
        let alike = (tree.children(parent)).filter(|&other| document.field(other) == field);
        let kinds = alike.filter_map(|other| grammar.node_kind_for_id(tree.nodes[other].kind));
        let mut wholes = kinds.filter(|kind| !REMARKS.iter().any(|part| kind.contains(part)));
        wholes.nth(1).is_some()
    };
    // What is alone and not within brackets, as the only declarator of a declaration, is needed there.
    tree.slots[tree.nodes[node].slot].many
        && !is_in_error
        && (parent == 0
            || atoms.start > outer.start && opens(document.atom(outer.start))
            || is_one_of_several())
}

fn opens(atom: &[u8]) -> bool {
    matches!(atom, b"(" | b"[" | b"{" | b"<")
}

/// For each node the one around it.
fn parents(tree: &Tree) -> Vec<NodeId> {
    let mut parents = vec![0; tree.nodes.len()];
    let mut open: Vec<NodeId> = Vec::new();
    for (id, parent) in parents.iter_mut().enumerate() {
        while open.last().is_some_and(|&last| tree.nodes[last].end <= id) {
            open.pop();
        }
        *parent = open.last().copied().unwrap_or(0);
        open.push(id);
    }
    parents
}

struct Reader<'a, 'b> {
    names: &'b Names<'a>,
    grammar: tree_sitter::Language,
    document: &'a Document,
    tree: &'a Tree,
}

impl<'a> Reader<'a, '_> {
    /// The places of every word that may be a name, by its text.
    fn mentions(&self) -> BTreeMap<&'a [u8], Vec<NodeId>> {
        let document = self.document;
        let mut mentions: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let is_leaf = node.atoms.len() == 1 && node.end == id + 1;
            let text = document.text(node.atoms.clone());
            let is_name = is_leaf
                && text.iter().all(|&byte| is_word(byte))
                && !text[0].is_ascii_digit()
                && (self.importing(id).is_some() || self.is_name(self.kind(id), text));
            if is_name {
                mentions.entry(text).or_default().push(id);
            }
        }
        mentions
    }

    fn is_name(&self, kind: &str, text: &[u8]) -> bool {
        // C's grammar knows the types of its library, which are defined somewhere, like any others.
        let is_of_library = || kind == "primitive_type" && text.ends_with(b"_t");
        !kind.is_empty() && !NO_NAMES.iter().any(|no| kind.contains(no)) || is_of_library()
    }

    /// The import that a word ends the path of, when that is a string: `"net/http"` is known as `http`.
    fn importing(&self, word: NodeId) -> Option<NodeId> {
        let after = self.tree.nodes[word].atoms.end;
        let is_last =
            after < self.document.len() && matches!(self.document.atom(after), b"\"" | b"`");
        let mut around = self.names.around(word).skip(1).take(3);
        around.find(|&node| is_last && self.kind(node).contains("import"))
    }

    fn kind(&self, node: NodeId) -> &str {
        let kind = self.tree.nodes[node].kind;
        self.grammar.node_kind_for_id(kind).unwrap_or("")
    }

    fn field(&self, node: NodeId) -> &str {
        let field = self.document.field(node);
        self.grammar.field_name_for_id(field).unwrap_or("")
    }

    /// Whether a part of a node is called that.
    fn has_field(&self, node: NodeId, name: &str) -> bool {
        (self.tree.children(node)).any(|child| self.field(child) == name)
    }

    /// Divides the places of a text into things.
    fn bind(&self, text: &'a [u8], mentions: &[NodeId], things: &mut Vec<Thing<'a>>) {
        let mut found: Vec<Found> = (mentions.iter())
            .filter_map(|&name| self.definition(name))
            .collect();
        let Some(surest) = found.iter().map(|found| found.sureness).min() else {
            return self.bind_to_first(text, mentions, things);
        };
        found.retain(|found| found.sureness == surest);
        // An outer scope comes before the inner ones.
        found.sort_by_key(|found| (found.scope.start, Reverse(found.scope.end), found.name));
        let mut scopes: Vec<(Range<usize>, Thing<'a>)> = Vec::new();
        let further = found.iter().filter(|found| found.is_further);
        let further: BTreeSet<NodeId> = further.map(|found| found.name).collect();
        for Found {
            name, inner, scope, ..
        } in found
        {
            let Some(unit) = self.names.unit(inner) else {
                continue;
            };
            if scopes.last().is_none_or(|(last, _)| *last != scope) {
                scopes.push((scope, Thing::new(text)));
            }
            if let Some((_, thing)) = scopes.last_mut() {
                thing.definitions.push(Definition { name, unit });
            }
        }
        let mut next = 0;
        let mut open: Vec<usize> = Vec::new();
        for &mention in mentions {
            let at = self.tree.nodes[mention].atoms.start;
            while scopes.get(next).is_some_and(|(scope, _)| scope.start <= at) {
                open.push(next);
                next += 1;
            }
            while open.last().is_some_and(|&last| scopes[last].0.end <= at) {
                open.pop();
            }
            let Some(&innermost) = open.last() else {
                continue;
            };
            let thing = &mut scopes[innermost].1;
            if further.contains(&mention)
                || !(thing.definitions.iter()).any(|definition| definition.name == mention)
            {
                thing.uses.push(mention);
            }
        }
        things.extend(scopes.into_iter().map(|(_, thing)| thing));
    }

    /// Where nothing says what defines a name, it is the first mention, as it often is.
    fn bind_to_first(&self, text: &'a [u8], mentions: &[NodeId], things: &mut Vec<Thing<'a>>) {
        if let Some((&name, uses)) = mentions.split_first()
            && let Some(unit) = self.names.unit(name)
        {
            things.push(Thing {
                text,
                is_told: false,
                definitions: vec![Definition { name, unit }],
                uses: uses.to_vec(),
            });
        }
    }

    /// What a place defines, if it does.
    fn definition(&self, name: NodeId) -> Option<Found> {
        let path = self.path(name);
        let (sureness, inner) = self.declares(path)?;
        let scope = self.scope(inner, sureness);
        Some(Found {
            sureness,
            name,
            is_further: path != name,
            inner,
            scope: self.tree.nodes[scope].atoms.clone(),
        })
    }

    /// The largest of `b`, `b<int>` and `a::b` that a name ends, or begins, and that stands where a name alone could.
    fn path(&self, name: NodeId) -> NodeId {
        let mut node = name;
        loop {
            let parent = self.names.parent(node);
            let is = |parts: &[&str]| parts.iter().any(|part| self.kind(parent).contains(part));
            let is_path = is(&["qualified", "template_type", "template_function"]);
            if self.field(node) != "name" || !is_path {
                return node;
            }
            node = parent;
        }
    }

    /// Whether nothing is said of a type but that there is one: `struct a;`.
    fn is_alone(&self, node: NodeId) -> bool {
        let around = self.names.parent(node);
        let kind = self.kind(around);
        let is = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
        around == 0
            || is(&["declaration_list", "template_decl"])
            || is(&["declaration"])
                && !is(&["parameter", "friend"])
                && !self.has_field(around, "declarator")
    }

    /// What can go, declares or defines something, but defines none of these things.
    fn nameless(&self, things: &[Thing<'a>]) -> Vec<NodeId> {
        let definitions = things.iter().filter(|thing| thing.is_told);
        let defined: BTreeSet<NodeId> = definitions
            .flat_map(|thing| &thing.definitions)
            .map(|definition| definition.unit)
            .collect();
        let is_any = |node: NodeId, parts: &[&str]| {
            let kind = self.kind(node);
            parts.iter().any(|part| kind.contains(part))
        };
        let is_in_type = |node| (self.names.around(node).skip(1)).any(|node| is_any(node, MEMBERS));
        (1..self.tree.nodes.len())
            .filter(|&node| self.names.is_unit(node) && !defined.contains(&node))
            .filter(|&node| is_any(node, NAMELESS) && !is_any(node, REMARKS) && !is_in_type(node))
            .filter(|&node| self.scope(node, Sureness::Declared) == 0)
            .collect()
    }

    /// The node that declares a name and nothing besides, when this is where that happens.
    fn declares(&self, name: NodeId) -> Option<(Sureness, NodeId)> {
        if let Some(import) = self.importing(name) {
            return Some((Sureness::Declared, import));
        }
        let mut node = name;
        loop {
            let parent = self.names.parent(node);
            let kind = self.kind(parent);
            let is = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
            let declared = Some((Sureness::Declared, parent));
            match self.field(node) {
                "declarator" if is(&["declarator"]) => {}
                "declarator" => return Some((Sureness::Declared, node)),
                "pattern" | "alias" => return declared,
                "name" if is(NO_DECLARATIONS) => return None,
                "name" if is(&["import"]) => return Some((Sureness::Declared, node)),
                "name" if is(&["specifier"]) => {
                    return declared
                        .filter(|_| self.names.has_body[parent] || self.is_alone(parent));
                }
                "name" => return declared.filter(|_| is(DECLARATIONS)),
                "left" if is(&["short_var", "for", "let"]) => return declared,
                "left" if is(&["assign"]) => return Some((Sureness::Assigned, parent)),
                // `using a::b;` makes `b` known; `using namespace a;` makes nothing known that has a name here.
                "" if is(&["using"]) => {
                    return declared.filter(|_| self.kind(node).contains("qualified"));
                }
                "" if is(&["parameter", "import", "use_"]) => {
                    return Some((Sureness::Declared, node));
                }
                "" if is(&["pattern", "declarator", "_list", "dotted"]) => {}
                _ => return None,
            }
            node = parent;
        }
    }

    /// The node in which a declaration holds.
    fn scope(&self, inner: NodeId, sureness: Sureness) -> NodeId {
        let whole = match self.field(inner) {
            "declarator" => self.names.parent(inner),
            _ => inner,
        };
        let is_parameter = self.kind(whole).contains("parameter")
            || self.kind(self.names.parent(whole)).contains("parameter");
        let around = self.names.around(whole).skip(1);
        let mut found = around.filter(|&node| {
            let kind = self.kind(node);
            let is = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
            let is_function = self.names.has_body[node] && !is(TYPES);
            match sureness {
                Sureness::Declared if is_parameter => is_function || self.names.is_unit(node),
                Sureness::Declared => {
                    is_function || is(&["block", "compound"]) && !self.is_stray(node)
                }
                Sureness::Assigned => is_function && is(&["function", "method", "lambda"]),
            }
        });
        found.next().unwrap_or(0)
    }

    /// Whether a block stands where declarations do: what it is the body of has not been understood.
    fn is_stray(&self, block: NodeId) -> bool {
        let around = self.names.parent(block);
        around == 0
            || ["declaration_list", "ERROR"]
                .iter()
                .any(|part| self.kind(around).contains(part))
    }
}

/// Parts of the names of kinds that say something of the node beside them.
const REMARKS: &[&str] = &["requires", "attribute", "access_specifier"];

/// Parts of the names of kinds that are words, and no names.
const NO_NAMES: &[&str] = &[
    "keyword",
    "primitive",
    "predefined",
    "integral",
    "floating",
    "void",
    "bool",
    "true",
    "false",
    "null",
    "none",
    "this",
    "self",
    "super",
    "string",
    "comment",
    "char",
    "number",
    "text",
    "escape",
    "modifier",
    "qualifier",
    "storage",
];

/// Parts of the names of kinds whose `name` is declared there.
const DECLARATIONS: &[&str] = &[
    "declar",
    "defin",
    "_item",
    "_def",
    "enumerator",
    "variant",
    "param",
    "_spec",
    "signature",
    "function",
    "class",
    "method",
    "module",
    "import",
    "create",
    "binding",
    "alias",
];

/// Parts of the names of kinds that declare or define something even when they have no name.
const NAMELESS: &[&str] = &[
    "declar",
    "defin",
    "_item",
    "instantiation",
    "extension",
    "instance",
];

/// Parts of the names of kinds of which everything inside is a part, with a name or without.
const MEMBERS: &[&str] = &[
    "struct",
    "class",
    "union",
    "enum",
    "trait",
    "interface",
    "impl",
];

/// Parts of the names of kinds whose `name` is a mention, though they look like declarations.
const NO_DECLARATIONS: &[&str] = &[
    "call",
    "invocation",
    "access",
    "expression",
    "argument",
    "element",
    "attribute",
    "reference",
    "identifier",
    "template_type",
    "template_function",
    "template_method",
    "generic",
    "scoped",
    "macro_inv",
];

/// Parts of the names of kinds that have a body and are no scope: what they hold is seen from outside.
const TYPES: &[&str] = &[
    "struct",
    "class",
    "enum",
    "union",
    "impl",
    "trait",
    "mod",
    "interface",
    "namespace",
    "object",
    "package",
    "linkage",
    "extern",
];

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::View;

    /// Checks what defines each name, as the texts that go with it, and how often it is used.
    #[track_caller]
    fn check(language: &str, text: &str, want: &str) {
        let Some(language) = Language::named(language) else {
            return;
        };
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let document = Document::new(&bytes, View::Syntax(language));
        let mut seen = String::new();
        let names = Names::of(&document, language);
        for thing in names.things.iter().filter(|thing| thing.is_told) {
            let units: Vec<_> = (thing.definitions.iter())
                .map(|definition| {
                    let atoms = document.tree().nodes[definition.unit].atoms.clone();
                    String::from_utf8_lossy(document.text(atoms))
                })
                .collect();
            let (name, uses) = (String::from_utf8_lossy(thing.text), thing.uses.len());
            writeln!(seen, "{name}: {} ({uses})", units.join(" | ")).expect("writing to a string");
        }
        let want: Vec<&str> = want.lines().map(str::trim).collect();
        let seen: Vec<&str> = seen.lines().map(str::trim).collect();
        assert_eq!(seen, want, "{}", seen.join("\n"));
    }

    #[test]
    fn what_is_declared_elsewhere_is_defined_and_needed_too() {
        check(
            "C++",
            "struct a; struct a { void b(); }; void a::b() {} template<class T> struct c {};
            template<> struct c<int> {}; namespace d { int e; } using d::e; using namespace d;",
            "T: class T (0)
            a: struct a | struct a { void b(); } (1)
            b: void b(); | void a::b() {} (1)
            c: template<class T> struct c {}; | template<> struct c<int> {}; (1)
            d: namespace d { int e; } (2)
            e: int e; | using d::e; (1)",
        );
    }

    #[test]
    fn what_has_no_name_is_known_outside_of_types() {
        let nameless = |language, text: &str| {
            let language = Language::named(language)?;
            let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
            let text = |&node: &NodeId| {
                let atoms = document.tree().nodes[node].atoms.clone();
                String::from_utf8_lossy(document.text(atoms)).into_owned()
            };
            let names = Names::of(&document, language);
            Some(names.nameless.iter().map(text).collect::<Vec<_>>())
        };
        let cpp = "struct a { bool operator!(); }; bool operator==(a, a) { int b; return b; }";
        let want = ["bool operator==(a, a) { int b; return b; }"];
        assert!(nameless("C++", cpp).is_none_or(|nameless| nameless == want));
        let rust = "struct A; impl Clone for A { fn clone(&self) -> A { A } }";
        let want = ["impl Clone for A { fn clone(&self) -> A { A } }"];
        assert!(nameless("Rust", rust).is_none_or(|nameless| nameless == want));
    }

    #[test]
    fn the_path_of_an_import_ends_with_a_name() {
        check(
            "Go",
            "package p; import ( \"io\"; \"net/http\" ); import \"os\"; func f() { http.Get(os.Args, \"io\") }",
            "f: func f() { http.Get(os.Args, \"io\") } (0)
            http: \"net/http\" (1)
            io: \"io\" (0)
            os: import \"os\" (1)",
        );
    }

    #[test]
    fn declarators_define_names_in_their_scopes() {
        check(
            "C",
            "typedef int t; struct s { t a, *b; };
            t f(t x); t *f(t x) { t i = x, j[2]; { t i; i = 1; } return i + j[0]; }
            struct s v = { 1 }; enum e { A, B }; int main() { for (int k = A; k < 3; k++) f(v.a); }",
            "A: A (1)
            B: B (0)
            a: a (1)
            b: *b (0)
            e: enum e { A, B } (0)
            f: t f(t x); | t *f(t x) { t i = x, j[2]; { t i; i = 1; } return i + j[0]; } (1)
            i: i = x (1)
            i: t i; (1)
            j: j[2] (1)
            k: for (int k = A; k < 3; k++) f(v.a); (2)
            main: int main() { for (int k = A; k < 3; k++) f(v.a); } (0)
            s: struct s { t a, *b; } (1)
            t: typedef int t; (7)
            v: struct s v = { 1 }; (1)
            x: t x (0)
            x: t x (1)",
        );
    }

    #[test]
    fn assignments_define_names_where_nothing_else_does() {
        check(
            "Python",
            "from a import b, c as d
def f(x, y=1):
  z = x
  z = 2
  return z
class K:
  def m(self, q): return q
  n = f(1)
",
            "K: class K:
  def m(self, q): return q
  n = f(1) (0)
            b: b (0)
            c: c as d (0)
            d: c as d (0)
            f: def f(x, y=1):
  z = x
  z = 2
  return z (1)
            m: def m(self, q): return q (0)
            n: n = f(1) (0)
            q: q (1)
            self: self (0)
            x: x (1)
            y: y=1 (0)
            z: z = x | z = 2 (1)",
        );
    }

    #[test]
    fn items_patterns_and_fields_define_names() {
        check(
            "Rust",
            "use a::{b, c}; struct S { x: u8 } impl S { fn m(&self, q: u8) -> u8 { let z = q; z + self.x } }
            fn f(s: S) { s.m(1); let t = S { x: 1 }; }",
            "S: struct S { x: u8 } (3)
            b: b (0)
            c: c (0)
            f: fn f(s: S) { s.m(1); let t = S { x: 1 }; } (0)
            m: fn m(&self, q: u8) -> u8 { let z = q; z + self.x } (1)
            q: q: u8 (1)
            s: s: S (1)
            t: let t = S { x: 1 }; (0)
            x: x: u8 (2)
            z: let z = q; (1)",
        );
        check(
            "JavaScript",
            "import a, { b } from 'x'; function f(p, q) { let z = p, w = 1; return (u) => u + z; } var only = f(b);",
            "a: a (0)
            b: b (1)
            f: function f(p, q) { let z = p, w = 1; return (u) => u + z; } (1)
            only: var only = f(b); (0)
            p: p (1)
            q: q (0)
            u: u (1)
            w: w = 1 (0)
            z: z = p (1)",
        );
        check(
            "Go",
            "package p\ntype T struct { A int }\nfunc (t T) M(q int) int { z := q; var y, w int; return t.A + z + y }\n",
            "A: A int (1)
            M: func (t T) M(q int) int { z := q; var y, w int; return t.A + z + y } (0)
            T: type T struct { A int } (1)
            q: q int (1)
            t: t T (1)
            w: var y, w int (0)
            y: var y, w int (1)
            z: z := q (1)",
        );
        check(
            "Java",
            "import a.B; class C extends B { int x = 1, y; int m(int q) { int z = q; return m(z) + x; } }",
            "C: class C extends B { int x = 1, y; int m(int q) { int z = q; return m(z) + x; } } (0)
            m: int m(int q) { int z = q; return m(z) + x; } (1)
            q: int q (1)
            x: x = 1 (1)
            y: y (0)
            z: int z = q; (1)",
        );
    }
}
