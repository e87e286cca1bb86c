//! The symbol index: which names an input defines, and where they are used.
//!
//! Reads the tree of any grammar, without rules for particular languages.

mod anonymous;
mod kinds;
mod names;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    CLAUSE, Document, ERROR, Language, UNPARSED, is_word,
    steps::{Pace, pause},
};
use boildown_search::tree::{IdVec, NodeId, Tree};

use self::kinds::KindClass;
use self::names::KindNames;
use crate::comments::is_for_compiler;

/// The symbols of a document.
///
/// A name is defined where the fields of the grammar say so (`name`, `declarator`, `pattern`, …),
/// within the function or block around it; if nowhere, where it is assigned to; if nowhere, where
/// it is mentioned first. Identifiers with the same spelling in a scope are treated as one symbol;
/// there is no type information.
///
/// In `int f(int a) { return a; } int b = f(1);` the symbols are `f`, defined by the whole function
/// and used once, `a`, defined by `int a` and used once, and `b`.
#[derive(Debug)]
pub(crate) struct SymbolIndex<'a> {
    pub(crate) symbols: Vec<Symbol<'a>>,
    /// The nodes that declare or define something without a name of its own, outside of functions
    /// and types, and can be deleted: `impl Clone for A {}`. Nothing can refer to them.
    pub(crate) anonymous: Vec<NodeId>,
    /// The parent of each node.
    parents: IdVec<NodeId, NodeId>,
    /// The smallest removable node around each node, or itself; the root when there is none.
    units: IdVec<NodeId, NodeId>,
    /// Whether a child of each node is its body.
    has_body: IdVec<NodeId, bool>,
    names: Arc<KindNames>,
}

/// The symbol that a name stands for within a scope.
#[derive(Debug)]
pub(crate) struct Symbol<'a> {
    pub(crate) text: &'a [u8],
    /// Whether the grammar tells what defines it. Else the first mention is taken for a definition.
    pub(crate) is_defined_by_grammar: bool,
    /// The tokens in which the name has this meaning, but for inner scopes.
    pub(crate) scope: Range<usize>,
    /// Its definitions and declarations, in order; at least one.
    pub(crate) definitions: Vec<Definition>,
    /// All other mentions, in order, and those definitions that need another one: `void a::b() {}`,
    /// `template<> struct c<int> {};`.
    pub(crate) uses: Vec<NodeId>,
}

impl<'a> Symbol<'a> {
    fn new(text: &'a [u8], scope: Range<usize>) -> Self {
        Self {
            text,
            is_defined_by_grammar: true,
            scope,
            definitions: Vec::new(),
            uses: Vec::new(),
        }
    }
}

/// A mention that defines a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    /// The node of the name.
    pub(crate) name: NodeId,
    /// The smallest removable node that contains the definition: one of several declarators, a
    /// parameter, a statement, a function.
    pub(crate) unit: NodeId,
}

/// The signs that a mention defines a name; the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// The grammar calls it a declaration.
    Declared,
    /// It is assigned to. That defines a name in languages without declarations.
    Assigned,
}

struct FoundDefinition {
    evidence: Evidence,
    name: NodeId,
    /// Whether it can only define what is declared elsewhere, because the name has a qualifier or
    /// template arguments.
    is_qualified: bool,
    /// The node that declares the name and nothing else. The removable unit is this or around it.
    inner: NodeId,
    /// The tokens in which the name has this meaning.
    scope: Range<usize>,
}

impl<'a> SymbolIndex<'a> {
    pub(crate) async fn new(document: &'a Document, language: &Language) -> Self {
        let tree = document.tree();
        let parents = parents(tree);
        let mut units = IdVec::filled(NodeId::ROOT, tree.nodes.len());
        let grammar = language.grammar();
        let names = KindNames::of(language);
        let mut pace = Pace::default();
        for node in tree.nodes.ids().skip(1) {
            if pace.is_over() {
                pause().await;
            }
            let parent = parents[node];
            units[node] = if is_unit(document, &names, parent, node) {
                node
            } else {
                units[parent]
            };
        }
        let body = grammar.field_id_for_name("body").map_or(0, u16::from);
        let mut has_body = IdVec::filled(false, tree.nodes.len());
        let is_body = |node: &NodeId| body != 0 && document.field(*node) == body;
        for node in tree.nodes.ids().skip(1).filter(is_body) {
            has_body[parents[node]] = true;
        }
        let mut index = Self {
            symbols: Vec::new(),
            anonymous: Vec::new(),
            parents,
            units,
            has_body,
            names,
        };
        let reader = SymbolReader {
            index: &index,
            grammar,
            document,
            tree,
        };
        let mut symbols = Vec::new();
        for (text, mentions) in reader.mentions().await {
            if pace.are_over(mentions.len()) {
                pause().await;
            }
            reader.bind(text, &mentions, &mut symbols);
        }
        pause().await;
        let anonymous = reader.anonymous(&symbols);
        (index.symbols, index.anonymous) = (symbols, anonymous);
        index
    }

    /// Returns the parent of a node.
    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.parents[node]
    }

    /// Returns a node and its ancestors, inner before outer, without the root.
    pub(crate) fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let up = |&node: &NodeId| Some(self.parents[node]);
        std::iter::successors(Some(node), up).take_while(|&node| node != NodeId::ROOT)
    }

    /// Returns the smallest removable node around a node, or itself.
    pub(crate) fn unit(&self, node: NodeId) -> Option<NodeId> {
        Some(self.units[node]).filter(|&unit| unit != NodeId::ROOT)
    }

    /// Returns whether a name is that of a type whose members are behind it: no enumeration.
    pub(crate) fn is_name_of_type(&self, document: &Document, name: NodeId) -> bool {
        let nodes = &document.tree().nodes;
        let is_type = |node: &NodeId| {
            self.has_body[*node] && self.names.is(nodes[*node].kind, KindClass::Holding)
        };
        // Template arguments may be between.
        self.around(name).skip(1).take(2).any(|node| is_type(&node))
    }

    /// Returns whether a name is that of a type, of another name for one, or of a table.
    pub(crate) fn is_name_of_type_or_table(&self, document: &Document, name: NodeId) -> bool {
        let kind = |node: NodeId| document.tree().nodes[node].kind;
        let is = |class: KindClass| {
            let mut around = self.around(name).skip(1).take(2);
            around.any(|node| self.names.is(kind(node), class))
        };
        (is(KindClass::Type) || is(KindClass::Named)) && !is(KindClass::Param)
    }

    /// Returns whether a name is that of a field: no function has it.
    pub(crate) fn is_field(&self, document: &Document, name: NodeId) -> bool {
        let nodes = &document.tree().nodes;
        let unit = self.units[name];
        let kind = self.names.kind(nodes[unit].kind);
        let after = nodes[name].tokens().end;
        let is_called = after < document.len() && document.token(after) == b"(";
        !is_called && kind.contains("field")
    }

    /// Returns the tokens of a name with its qualifiers and with the brackets behind it:
    /// `a::b<c>` and `f(d e)`.
    pub(crate) fn head(&self, document: &Document, name: NodeId) -> Range<usize> {
        let tree = document.tree();
        let is_path = |node: &NodeId| self.names.is(tree.nodes[*node].kind, KindClass::Path);
        let path = self
            .around(name)
            .skip(1)
            .take_while(is_path)
            .last()
            .unwrap_or(name);
        let Range { start, end } = tree.nodes[path].tokens();
        let is_bracket = end < document.len() && matches!(document.token(end), b"(" | b"<");
        let mut around = self.around(path).skip(1).take(2).filter(|_| is_bracket);
        let bracket = around.find_map(|node| {
            let mut behind = tree.children(node).map(|child| tree.nodes[child].tokens());
            behind.find(|tokens| tokens.start == end)
        });
        start..bracket.map_or(end, |bracket| bracket.end)
    }

    /// Returns whether the kind of a node has this word in its name.
    pub(crate) fn is_kind(&self, document: &Document, node: NodeId, part: &str) -> bool {
        let kind = self.names.kind(document.tree().nodes[node].kind);
        kind.contains(part)
    }

    /// Returns whether a node can be removed from its sibling list.
    pub(crate) fn is_unit(&self, node: NodeId) -> bool {
        self.units[node] == node
    }
}

/// Returns whether the slot of a node accepts any number of nodes, including none.
fn is_unit(document: &Document, names: &KindNames, parent: NodeId, node: NodeId) -> bool {
    let tree = document.tree();
    let is_in_error = parent != NodeId::ROOT && tree.nodes[parent].kind == ERROR;
    let (tokens, outer) = (tree.nodes[node].tokens(), tree.nodes[parent].tokens());
    let is_one_of_several = || {
        let field = document.field(node);
        let alike = (tree.children(parent)).filter(|&other| document.field(other) == field);
        let kinds = alike.map(|other| tree.nodes[other].kind);
        let mut wholes = kinds.filter(|&kind| {
            names.known_kind(kind).is_some() && !names.is(kind, KindClass::Annotation)
        });
        wholes.nth(1).is_some()
    };
    // An only child outside brackets is needed there, such as the only declarator of a declaration.
    tree.slots[tree.nodes[node].slot].many
        && !is_in_error
        && (parent == NodeId::ROOT
            || document.is_whole_file(parent)
            || tokens.start > outer.start && is_opening(document.token(outer.start))
            || is_one_of_several())
}

fn is_opening(token: &[u8]) -> bool {
    matches!(token, b"(" | b"[" | b"{" | b"<")
}

/// Returns the parent of each node.
pub(crate) fn parents(tree: &Tree) -> IdVec<NodeId, NodeId> {
    let mut parents = IdVec::filled(NodeId::ROOT, tree.nodes.len());
    let mut open: Vec<NodeId> = Vec::new();
    for id in tree.nodes.ids() {
        while open.last().is_some_and(|&last| tree.nodes[last].end <= id) {
            open.pop();
        }
        parents[id] = open.last().copied().unwrap_or(NodeId::ROOT);
        open.push(id);
    }
    parents
}

struct SymbolReader<'a, 'b> {
    index: &'b SymbolIndex<'a>,
    grammar: tree_sitter::Language,
    document: &'a Document,
    tree: &'a Tree,
}

impl<'a> SymbolReader<'a, '_> {
    /// Returns the mentions of every word that may be a name, by their texts.
    async fn mentions(&self) -> BTreeMap<&'a [u8], Vec<NodeId>> {
        let document = self.document;
        let mut mentions: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
        let mut pace = Pace::default();
        let mut end_of_directive = NodeId::ROOT;
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            if pace.is_over() {
                pause().await;
            }
            if is_for_compiler(document, &self.grammar, id) {
                end_of_directive = node.end;
            }
            if id < end_of_directive {
                continue;
            }
            let is_leaf = node.tokens().len() == 1 && node.end == id.next();
            let text = document.text(node.tokens());
            let is_name = is_leaf
                && text.iter().all(|&byte| is_word(byte))
                && !text[0].is_ascii_digit()
                && (self.importing(id).is_some() || self.is_name(id, text));
            if is_name {
                mentions.entry(text).or_default().push(id);
            }
        }
        mentions
    }

    fn is_name(&self, node: NodeId, text: &[u8]) -> bool {
        let kind = self.kind(node);
        // C's grammar calls the types of its library primitive, but they are defined somewhere.
        let is_of_library = || kind == "primitive_type" && text.ends_with(b"_t");
        !kind.is_empty() && !self.is(node, KindClass::NotName) || is_of_library()
    }

    /// Returns the import whose path ends with this word, when the path is a string: the package of
    /// `"net/http"` is known as `http`.
    fn importing(&self, word: NodeId) -> Option<NodeId> {
        let after = self.tree.nodes[word].tokens().end;
        let is_last =
            after < self.document.len() && matches!(self.document.token(after), b"\"" | b"`");
        let mut around = self.index.around(word).skip(1).take(3);
        around.find(|&node| is_last && self.is(node, KindClass::Import))
    }

    fn kind(&self, node: NodeId) -> &str {
        let kind = self.tree.nodes[node].kind;
        self.index.names.kind(kind)
    }

    /// Returns whether the kind of a node is of a class.
    fn is(&self, node: NodeId, class: KindClass) -> bool {
        self.index.names.is(self.tree.nodes[node].kind, class)
    }

    fn field(&self, node: NodeId) -> &str {
        let field = self.document.field(node);
        self.index.names.field(field)
    }

    /// Returns whether a node has a child in this field.
    fn has_field(&self, node: NodeId, name: &str) -> bool {
        (self.tree.children(node)).any(|child| self.field(child) == name)
    }

    /// Divides the mentions of one text into symbols, by scope.
    fn bind(&self, text: &'a [u8], mentions: &[NodeId], symbols: &mut Vec<Symbol<'a>>) {
        let mut found: Vec<FoundDefinition> = (mentions.iter())
            .filter_map(|&name| self.definition(name))
            .collect();
        let strongest = found.iter().map(|found| found.evidence).min();
        let Some(strongest) = strongest.filter(|_| !self.is_keyword(text)) else {
            return self.bind_to_first(text, mentions, symbols);
        };
        found.retain(|found| found.evidence == strongest);
        // Outer scopes before inner ones.
        found.sort_by_key(|found| (found.scope.start, Reverse(found.scope.end), found.name));
        let mut scopes: Vec<Symbol<'a>> = Vec::new();
        let further = found.iter().filter(|found| found.is_qualified);
        let further: BTreeSet<NodeId> = further.map(|found| found.name).collect();
        for FoundDefinition {
            name, inner, scope, ..
        } in found
        {
            let Some(unit) = self.index.unit(inner) else {
                continue;
            };
            if scopes.last().is_none_or(|last| last.scope != scope) {
                scopes.push(Symbol::new(text, scope));
            }
            if let Some(symbol) = scopes.last_mut() {
                symbol.definitions.push(Definition { name, unit });
            }
        }
        let mut next = 0;
        let mut open: Vec<usize> = Vec::new();
        for &mention in mentions {
            let at = self.tree.nodes[mention].tokens().start;
            let ends_by = |scopes: &[Symbol<'_>], last: Option<&usize>, at: usize| {
                last.is_some_and(|&last| scopes[last].scope.end <= at)
            };
            while let Some(begun) = scopes.get(next).filter(|begun| begun.scope.start <= at) {
                while ends_by(&scopes, open.last(), begun.scope.start) {
                    open.pop();
                }
                open.push(next);
                next += 1;
            }
            while ends_by(&scopes, open.last(), at) {
                open.pop();
            }
            let Some(&innermost) = open.last() else {
                continue;
            };
            let symbol = &mut scopes[innermost];
            if further.contains(&mention)
                || !(symbol.definitions.iter()).any(|definition| definition.name == mention)
            {
                symbol.uses.push(mention);
            }
            // `using a::b;` in a function defines `b` there, and means the one outside.
            if let [.., outer, _] = open[..]
                && further.contains(&mention)
            {
                scopes[outer].uses.push(mention);
            }
        }
        symbols.extend(scopes);
    }

    /// Returns whether the grammar has a token that is this word. Where such a word is taken for a
    /// name, it stands beside a construct that the grammar does not know: `a() noexcept(b) {}`.
    fn is_keyword(&self, word: &[u8]) -> bool {
        let word = std::str::from_utf8(word).unwrap_or("");
        self.index.names.has_token(word)
    }

    /// Adds the symbol whose definition is the first mention. Used where the grammar tells nothing.
    fn bind_to_first(&self, text: &'a [u8], mentions: &[NodeId], symbols: &mut Vec<Symbol<'a>>) {
        if let Some((&name, uses)) = mentions.split_first()
            && let Some(unit) = self.index.unit(name)
        {
            symbols.push(Symbol {
                text,
                is_defined_by_grammar: false,
                scope: 0..self.document.len(),
                definitions: vec![Definition { name, unit }],
                uses: uses.to_vec(),
            });
        }
    }

    /// Returns what a mention defines, if anything.
    fn definition(&self, name: NodeId) -> Option<FoundDefinition> {
        let path = self.path(name);
        let (evidence, inner) = self.declares(path)?;
        // Another name for a table or value of SQL is known within its statement.
        let statement = (self.index.around(inner)).find(|&node| self.kind(node) == "statement");
        let scope = (statement.filter(|_| self.field(path) == "alias"))
            .unwrap_or_else(|| self.scope(inner, evidence));
        Some(FoundDefinition {
            evidence,
            name,
            is_qualified: self.tree.nodes[path].tokens().len() > 1,
            inner,
            scope: self.tree.nodes[scope].tokens(),
        })
    }

    /// Returns the largest qualified or templated name that this name ends or begins (of `b`,
    /// `b<int>` and `a::b`), if it stands where a plain name could.
    fn path(&self, name: NodeId) -> NodeId {
        let mut node = name;
        loop {
            let parent = self.index.parent(node);
            if self.field(node) != "name" || !self.is(parent, KindClass::Path) {
                return node;
            }
            node = parent;
        }
    }

    /// Returns whether a type is only announced: `struct a;`.
    fn is_alone(&self, node: NodeId) -> bool {
        let around = self.index.parent(node);
        around == NodeId::ROOT
            || self.is_between_statements(node)
            || self.is(around, KindClass::DeclarationList)
            || self.is(around, KindClass::AnyDeclaration)
                && !self.is(around, KindClass::Friend)
                && !self.has_field(around, "declarator")
    }

    /// Returns whether a node is all that stands between two ends of statements.
    fn is_between_statements(&self, node: NodeId) -> bool {
        let Range { start, end } = self.tree.nodes[node].tokens();
        let token = |at: usize| (at < self.document.len()).then(|| self.document.token(at));
        let before = start.checked_sub(1).and_then(token);
        matches!(before, None | Some(b";" | b"{" | b"}")) && token(end) == Some(b";")
    }

    /// Returns the node that declares a name and nothing else, when the mention is part of a
    /// declaration.
    fn declares(&self, name: NodeId) -> Option<(Evidence, NodeId)> {
        if let Some(import) = self.importing(name) {
            return Some((Evidence::Declared, import));
        }
        let mut node = name;
        loop {
            let parent = self.index.parent(node);
            let is = |class| self.is(parent, class);
            let declared = Some((Evidence::Declared, parent));
            match self.field(node) {
                "declarator" if is(KindClass::Declarator) => {}
                "declarator" => return Some((Evidence::Declared, node)),
                "pattern" | "alias" => return declared,
                "name" if is(KindClass::Mention) => return None,
                "name" if is(KindClass::Import) => return Some((Evidence::Declared, node)),
                "name" if is(KindClass::Specifier) => {
                    return declared
                        .filter(|_| self.index.has_body[parent] || self.is_alone(parent));
                }
                "name" => return declared.filter(|_| is(KindClass::Declaration)),
                "" if is(KindClass::Creation) && !is(KindClass::Index) => {
                    return declared.filter(|_| self.is_first(node));
                }
                "" if matches!(self.tree.nodes[parent].kind, UNPARSED | CLAUSE) => {
                    return Some((Evidence::Declared, self.created_by(node)?));
                }
                "left" if is(KindClass::Binding) => return declared,
                "left" if is(KindClass::Assignment) => return Some((Evidence::Assigned, parent)),
                // `using a::b;` makes `b` known; `using namespace a;` makes nothing known that has
                // a name here.
                "" if is(KindClass::Using) => {
                    return declared.filter(|_| self.kind(node).contains("qualified"));
                }
                "" if is(KindClass::Bringing) => {
                    return Some((Evidence::Declared, node));
                }
                // What a pointer to a member begins with is a mention: `int (a::*)()`.
                "" if is(KindClass::Pattern) && !self.kind(node).starts_with("namespace") => {}
                _ => return None,
            }
            node = parent;
        }
    }

    /// Returns whether a node is the first of its kind among its siblings.
    fn is_first(&self, node: NodeId) -> bool {
        let kind = self.tree.nodes[node].kind;
        let mut alike = self.tree.children(self.index.parent(node));
        alike.find(|&other| self.tree.nodes[other].kind == kind) == Some(node)
    }

    /// Returns the statement of SQL that does not parse and creates what has this name.
    fn created_by(&self, name: NodeId) -> Option<NodeId> {
        let is_unparsed = |node: &NodeId| self.tree.nodes[*node].kind == UNPARSED;
        let statement = self.index.around(name).find(is_unparsed)?;
        let parent = self.index.parent(name);
        let begins = |node: NodeId| self.tree.nodes[node].tokens().start;
        let is_creation = (self.document.token(begins(statement))).eq_ignore_ascii_case(b"create");
        (is_creation && begins(parent) == begins(statement) && self.is_first(name))
            .then_some(statement)
    }

    /// Returns the node within which a declaration holds.
    fn scope(&self, inner: NodeId, evidence: Evidence) -> NodeId {
        let parent = self.index.parent(inner);
        let is_parameter =
            self.is(inner, KindClass::Parameter) || self.is(parent, KindClass::Parameter);
        // A parameter of a template can be a name and nothing else: `class a`.
        let is_all = is_parameter && self.index.is_unit(parent);
        let whole = match self.field(inner) {
            "declarator" => parent,
            _ if is_all => parent,
            _ => inner,
        };
        let is_parameter = is_parameter || self.is(self.index.parent(whole), KindClass::Parameter);
        let around = self.index.around(whole).skip(1);
        let mut found = around.filter(|&node| {
            let is = |class| self.is(node, class);
            let is_function = self.index.has_body[node] && !is(KindClass::Transparent);
            match evidence {
                Evidence::Declared if is_parameter => is_function || self.index.is_unit(node),
                Evidence::Declared => is_function || is(KindClass::Block) && !self.is_stray(node),
                Evidence::Assigned => is_function && is(KindClass::Callable),
            }
        });
        found.next().unwrap_or(NodeId::ROOT)
    }

    /// Returns whether a block stands where declarations do: the grammar did not understand what it
    /// is the body of.
    fn is_stray(&self, block: NodeId) -> bool {
        let around = self.index.parent(block);
        around == NodeId::ROOT || self.is(around, KindClass::Stray)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use boildown_document::{View, steps::at_once};

    use super::*;

    /// Compares the symbols of a text: each with the texts of its definitions and the number of its
    /// uses.
    #[track_caller]
    fn check(language: &str, text: &str, want: &str) {
        let language = Language::named(language).expect("the grammar is built");
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let document = Document::new(&bytes, View::Syntax(language));
        let mut seen = String::new();
        let index = at_once(SymbolIndex::new(&document, language));
        for symbol in index
            .symbols
            .iter()
            .filter(|symbol| symbol.is_defined_by_grammar)
        {
            let units: Vec<_> = (symbol.definitions.iter())
                .map(|definition| {
                    let tokens = document.tree().nodes[definition.unit].tokens();
                    String::from_utf8_lossy(document.text(tokens))
                })
                .collect();
            let (name, uses) = (String::from_utf8_lossy(symbol.text), symbol.uses.len());
            writeln!(seen, "{name}: {} ({uses})", units.join(" | ")).expect("writing to a string");
        }
        let want: Vec<&str> = want.lines().map(str::trim).collect();
        let seen: Vec<&str> = seen.lines().map(str::trim).collect();
        assert_eq!(seen, want, "{}", seen.join("\n"));
    }

    #[test]
    fn a_definition_of_what_is_declared_elsewhere_is_also_a_use() {
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
    fn definitions_without_a_name_are_found_outside_of_types() {
        let anonymous = |language, text: &str| {
            let language = Language::named(language).expect("the grammar is built");
            let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
            let text = |&node: &NodeId| {
                let tokens = document.tree().nodes[node].tokens();
                String::from_utf8_lossy(document.text(tokens)).into_owned()
            };
            let index = at_once(SymbolIndex::new(&document, language));
            index.anonymous.iter().map(text).collect::<Vec<_>>()
        };
        let cpp = "struct a { bool operator!(); }; bool operator==(a, a) { int b; return b; }";
        let want = ["bool operator==(a, a) { int b; return b; }"];
        assert_eq!(anonymous("C++", cpp), want);
        let rust = "struct A; impl Clone for A { fn clone(&self) -> A { A } }";
        let want = ["impl Clone for A { fn clone(&self) -> A { A } }"];
        assert_eq!(anonymous("Rust", rust), want);
    }

    #[test]
    fn an_import_defines_the_last_word_of_its_path() {
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
    fn assignments_define_names_that_nothing_else_defines() {
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
