//! Dead-definition removal: the pass that deletes definitions that nothing refers to.

mod conditions;
mod exported;
mod owners;
mod reach;
mod read;
mod reported;
mod sources;

use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{Halving, HalvingOptions, HalvingOrder, List, ListAlgorithm as _};
use boildown_search::tree::NodeId;
use boildown_search::{AnyListSearch, Query, Search, Subset, Verdict};

pub(crate) use exported::Exported;
pub(crate) use reported::needed_by;

use boildown_document::{Document, Language, steps::pause};

use crate::edit_plan::SiblingPosition;

/// Deletes definitions that nothing refers to, together with everything only they use.
///
/// The definitions and the references between them are a graph. A *source* is a definition that no
/// other needs. The elements of a list algorithm are the sources: a candidate consists of some of
/// them, of everything they need, and of all text that is no definition. So a candidate defines
/// what it uses, however much of the input it deletes. In
///
/// ```text
/// int a() {}   int b() { a(); }   int c() {}   int d() { c(); }   int main() {}
/// ```
///
/// the sources are `b`, `d` and `main`; a candidate without `b` is without `a` too, whether `d`
/// stays or not.
///
/// There is no type information, and a mention of a name need not mean each definition of it. A
/// member is needed if its name is and the type around it, a function if its name is and the names
/// in its head (see `conditions`). In a large document, statements of functions are sources too.
///
/// # Guarantee
/// Ends with an interesting set. No definition that nothing refers to can go alone, except for
/// definitions that refer to each other.
/// # Cost
/// That of the list algorithm over the sources. A candidate is linear in the number of names, a
/// skipped one in what is deleted with it.
/// # Units
/// Elements of candidates are tokens of the document.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019: candidates
/// are closed under what they need. Differs from it: only sources are chosen, by a list algorithm,
/// because other passes delete the uses of definitions that are needed.
#[derive(Debug, Clone)]
pub(crate) struct Unused {
    references: Arc<References>,
    /// The search over the sources.
    sources: AnyListSearch,
    /// Queries that would delete fewer tokens are skipped, except for a few.
    smallest: usize,
    /// The number of exceptions that missed, and the most there may be.
    little_misses: usize,
    most_little_misses: usize,
    /// Whether the next query is such an exception.
    is_little: bool,
    best: Subset,
    /// The units that the best candidate keeps.
    reached: Arc<[bool]>,
    next: Option<Query<Subset>>,
}

impl Unused {
    /// Returns the algorithm that suits a document. In a large one few sources are needed: breadth
    /// first, each miss about one half comes with a hit about the other one, and the tests get
    /// shorter from the first hit on.
    pub(crate) fn algorithm(document: &Document) -> Algorithm {
        let mut options = HalvingOptions::DEFAULT;
        if document.len() >= STATEMENTS_FROM {
            options.order = HalvingOrder::Breadth;
        }
        Algorithm::with::<Halving>(options)
    }

    pub(crate) async fn new(
        document: &Arc<Document>,
        language: &'static Language,
        algorithm: Algorithm,
        smallest: usize,
    ) -> Self {
        let references = References::new(document, language).await;
        pause().await;
        let tree = document.tree();
        let weights = references.sources.iter().map(|&source| {
            let tokens = tree.nodes[references.units[source].node].tokens();
            u32::try_from(tokens.len()).unwrap_or(u32::MAX)
        });
        let sources = algorithm.on(List::weighted(weights));
        let reached = references.reach_from(&sources.best());
        let mut unused = Self {
            best: references.tokens(&reached),
            reached: reached.into(),
            references: Arc::new(references),
            sources,
            smallest: smallest.max(1),
            little_misses: 0,
            most_little_misses: if document.len() < STATEMENTS_FROM {
                0
            } else {
                LITTLE_MISSES
            },
            is_little: false,
            next: None,
        };
        unused.advance();
        unused
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        let best = self.best.count();
        let mut sources = self.sources.best();
        loop {
            let Some(query) = self.sources.ask() else {
                self.next = None;
                return;
            };
            let base = KeptUnits {
                sources: &sources,
                reached: &self.reached,
            };
            let kept = &query.candidate;
            let most = self.references.most_deleted(self.smallest, base, kept);
            let opens =
                self.little_misses < self.most_little_misses && most.with_others >= self.smallest;
            if most.alone >= self.smallest || opens {
                let next = query.map(|kept| self.references.keep(&kept));
                let is_little = next.candidate.count() + self.smallest > best;
                let is_empty = next.candidate.count() == best;
                self.next = Some(next);
                self.is_little = is_little;
                if !is_little || opens && !is_empty {
                    return;
                }
            }
            self.sources.skip();
            sources = self.sources.best();
        }
    }
}

impl Search for Unused {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.little_misses += usize::from(self.is_little && !verdict.is_interesting());
        self.sources.tell(verdict);
        if verdict.is_interesting() {
            let reached = self.references.reach_from(&self.sources.best());
            self.best = self.references.tokens(&reached);
            self.reached = reached.into();
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.sources.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

/// The graph of definitions and of the references between them.
#[derive(Debug)]
struct References {
    document: Arc<Document>,
    /// In the order of their nodes, so that a unit comes before those inside it.
    units: Vec<DefinitionUnit>,
    /// The units that define each symbol. A name such as `std` may have hundreds of definitions and
    /// be used by nearly every unit.
    definitions: Vec<Vec<usize>>,
    /// The units that are needed where each symbol is, and others are too.
    conditional: Vec<Vec<usize>>,
    /// The units that refer to each symbol themselves.
    users: Vec<Vec<usize>>,
    /// The symbols that text outside of all units refers to. Their definitions are in every
    /// candidate.
    roots: Vec<usize>,
    /// The units that no unit but one of these needs, ascending: the elements of the search.
    sources: Vec<usize>,
}

/// Many sources may need the same: alone, none of them deletes much. In a large document, this
/// number of queries that delete little, but with others would delete enough, may miss.
const LITTLE_MISSES: usize = 32;

/// From this number of tokens on, statements can go with all that only they refer to.
pub(crate) const STATEMENTS_FROM: usize = 20_000;

/// A node that defines something and can be deleted, or a statement.
#[derive(Debug, Default)]
struct DefinitionUnit {
    node: NodeId,
    /// The unit around it.
    outer: Option<usize>,
    /// The same, if that is a type: a mention of a member's name means it only where the type is.
    type_around: Option<usize>,
    /// Whether it is a field of a type, so that values consist of it.
    is_field: bool,
    /// Of a type: its members.
    members: Vec<usize>,
    /// The symbols that it refers to itself, each once, not counting references of units inside it.
    needs: Vec<usize>,
    /// The anonymous units that go with it.
    anonymous: Vec<usize>,
    /// The sources directly inside it.
    inside: Vec<usize>,
    /// The symbols that it defines.
    defines: Vec<usize>,
    /// The symbols that all have to be needed before it is; none if one that it defines is enough.
    conditions: Vec<usize>,
    /// The units that it is anonymous beside.
    heads: Vec<usize>,
    /// All units directly inside it.
    inner: Vec<usize>,
    /// Its position in `sources`.
    source: Option<usize>,
    /// `None` if it is no element of a list.
    position: Option<SiblingPosition>,
    /// The most tokens that are deleted with it, separators included.
    most: usize,
}

/// What is reached from some units.
#[derive(Debug)]
struct Reached {
    /// For each unit, whether it is reached.
    units: Vec<bool>,
    /// For each symbol, whether a unit that is reached refers to it, or a root.
    symbols: Vec<bool>,
}

/// The units of a candidate.
#[derive(Debug, Clone, Copy)]
struct KeptUnits<'a> {
    /// The sources that it keeps.
    sources: &'a Subset,
    /// All units that it keeps.
    reached: &'a [bool],
}

/// How many tokens can go with some sources at most.
#[derive(Debug, Clone, Copy)]
struct MostDeleted {
    /// When only they go.
    alone: usize,
    /// When all others go too that need the same.
    with_others: usize,
}

#[cfg(test)]
mod tests {
    use boildown_document::steps::at_once;

    use super::*;
    use crate::reduced_text::{program, program_in, reduced_tokens};

    /// Returns the words of the result when the program has to contain this text.
    fn left(text: &str, needed: &str) -> String {
        let (document, language) = program(text);
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        let (result, _) = reduced_tokens(&document, unused, &[needed]);
        result.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_type_goes_although_others_have_members_of_the_same_names() {
        let text = "struct a { int size() { return get(); } int get(); }; \
            struct b { int size(); }; int main() { b c; return c.size(); }";
        let expected = "struct b { int size(); }; int main() { b c; return c.size(); }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn a_function_goes_with_the_type_of_its_parameter() {
        let text = "struct a; struct b; void f(a *); void f(b *); template <> struct g<a> {}; \
            int main(b *c) { f(c); f(c); f(c); }";
        assert_eq!(
            left(text, "main"),
            "struct b; void f(b *); int main(b *c) { f(c); f(c); f(c); }"
        );
    }

    #[test]
    fn what_a_later_function_of_a_namespace_calls_goes_with_it() {
        let text = "namespace n { void a(); void b() { a(); } } int main() {}";
        assert_eq!(left(text, "main"), "int main() {}");
        assert_eq!(
            left(text, "void b"),
            "namespace n { void a(); void b() { a(); } }"
        );
        let (document, language) = program(text);
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        assert_eq!(unused.references.sources.len(), 3, "`n`, `b` and `main`");
    }

    /// Returns the result of a script of SQL, and the number of queries.
    fn left_of_script(script: &str, needed: &str) -> (String, usize) {
        let (document, language) = program_in("SQL", script);
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        let (result, queries) = reduced_tokens(&document, unused, &[needed]);
        let words: Vec<&str> = result.split_whitespace().collect();
        (words.join(" "), queries)
    }

    #[test]
    fn a_statement_of_sql_stays_with_the_tables_that_it_reads() {
        let script = "CREATE TABLE a (x INT); CREATE TABLE s.b (y INT); CREATE VIEW c AS SELECT x \
            FROM a; INSERT INTO a VALUES (1); SELECT e.y FROM s.b e; SELECT e.x FROM c e;";
        let (left, queries) = left_of_script(script, "FROM c e");
        let needed =
            "CREATE TABLE a (x INT); CREATE VIEW c AS SELECT x FROM a; SELECT e.x FROM c e;";
        assert_eq!((&*left, queries), (needed, 5));
        let (left, _) = left_of_script(script, "FROM s.b e");
        assert_eq!(left, "CREATE TABLE s.b (y INT); SELECT e.y FROM s.b e;");
    }

    #[test]
    fn statements_of_sql_that_do_not_parse_create_and_need_too() {
        let strange = "{} ".repeat(100);
        let script = format!(
            "CREATE MACRO f(x) AS {strange} 3; CREATE MACRO g(x) AS {strange} 4; \
             SELECT f(1) FROM {strange} 5; SELECT g(2) FROM {strange} 6;"
        );
        let (left, _) = left_of_script(&script, "6;");
        let is_gone = |part: &str| !left.contains(part);
        assert!(is_gone("f(x)") && is_gone("5;"), "{left}");
        assert!(left.contains("g(x)"), "{left}");
    }

    #[test]
    fn a_value_of_an_enumeration_needs_the_operators_of_its_type() {
        let text = "enum a { b, c }; enum d { e }; a operator|(a, d); d operator|(d, d); \
            int operator|(int *, int); int main() { a f = b; f = f | e; }";
        let expected = "enum a { b, c }; enum d { e }; a operator|(a, d); d operator|(d, d); \
            int main() { a f = b; f = f | e; }";
        let expected = expected.replace(", c }", "}");
        assert_eq!(left(text, "f = f | e"), expected);
    }

    #[test]
    fn a_pointer_to_a_member_mentions_its_type() {
        let text = "struct a { int b(); }; struct c {}; \
            int main() { using d = int (a::*)(); d e = 0; return !e; }";
        let (document, language) = program_in("C++", text);
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        let (result, _) = reduced_tokens(&document, unused, &["return !e"]);
        assert!(
            result.contains("struct a") && !result.contains("struct c"),
            "{result}"
        );
    }

    #[test]
    fn the_inline_part_of_a_namespace_is_that_of_the_namespace_around_it() {
        let text = "namespace m { inline namespace v {} } namespace n { inline namespace v {} } \
            namespace n { namespace v { struct a {}; } } int main() { n::a b; }";
        let expected = "namespace n { inline namespace v {} } \
            namespace n { namespace v { struct a {}; } } int main() { n::a b; }";
        assert_eq!(left(text, "n::a b"), expected);
    }

    #[test]
    fn a_specialization_for_functions_is_needed_where_its_template_is() {
        let text = "template <class t> class a; template <class r, class... p> class b {}; \
            template <class r, class... p> class a<r(p...)> : public b<r, p...> { r c(p...); }; \
            template <class r> struct d : b<r> {}; int main() { a<int(int)> e; }";
        let left = left(text, "a<int(int)> e");
        assert!(left.contains("class a<r(p...)>"), "{left}");
    }

    #[test]
    fn a_specialization_is_needed_although_its_head_computes_a_type() {
        let text = "template <class...> using v = void; template <class t> using w = t; \
            template <class t, class = void> struct a {}; struct c { using e = int; }; \
            template <class t> struct a<t, v<w<t>>> : w<t> {}; template <class t> struct b : t {}; \
            int main() { b<v<int>> d; a<c> f; }";
        let left = left(text, "a<c> f");
        assert!(left.contains("struct a<t, v<w<t>>>"), "{left}");
    }

    #[test]
    fn a_parameter_of_a_template_is_no_type_of_the_same_name() {
        let text = "template <class... t> struct a; template <class t, class u> struct c {}; \
            template <class t, class u> struct a<t, u> : public c<t, u>::type {}; \
            template <class t> struct d { struct u { t e; }; u *g, *h; }; u *i; \
            int main() { a<int, int> f; }";
        let left = left(text, "a<int, int> f");
        assert!(left.contains("struct a<t, u>"), "{left}");
    }

    #[test]
    fn an_explicit_instantiation_keeps_nothing() {
        let text = "namespace n { template <class t> struct a {}; \
            extern template struct a<int>; void b() noexcept(false) {} } int main() {}";
        assert_eq!(left(text, "main"), "int main() {}");
    }

    #[test]
    fn what_a_function_gives_a_shorter_name_stays() {
        let text = "namespace n { template <class t> constexpr bool a = false; } \
            bool main() { using n::a; return a<int>; }";
        assert_eq!(left(text, "main"), text);
    }

    #[test]
    fn a_definition_is_needed_only_where_all_names_of_its_head_are() {
        let text = "template <class t> struct h; struct a; struct b; template <> struct h<a> {}; \
            template <> struct h<b> {}; a *operator+(a &, int); b *operator+(b &, int); \
            void f(a *); void f(b *); template <class t> void b::f(t) {} void g(h<int> *); \
            int main() { new h<b>; new b; f(1); g(0); g(0); f(2); f(3); f(4); f(5); f(6); }";
        let expected = "template <class t> struct h; struct b; template <> struct h<b> {}; \
            b *operator+(b &, int); void f(b *); template <class t> void b::f(t) {} \
            void g(h<int> *); int main() { new h<b>; new b; f(1); g(0); g(0); f(2); f(3); f(4); f(5); f(6); }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn words_that_are_for_a_compiler_need_nothing() {
        let text = "# 1 \"vector/map.h\" 1 3\nint vector; int map; int push;\n\
            #pragma GCC visibility push(default)\n# 2 \"main.cpp\" 2\nint main() {}";
        let expected = "# 1 \"vector/map.h\" 1 3 #pragma GCC visibility push(default) \
            # 2 \"main.cpp\" 2 int main() {}";
        assert_eq!(left(text, "main()"), expected);
    }

    #[test]
    fn a_block_and_an_unnamed_type_go_with_all_that_is_in_them() {
        let text = "extern \"C\" { void a(); } enum { b }; extern \"C\" { int c(); } enum { d }; \
            int main() { return c() + d; }";
        let expected = "extern \"C\" { int c(); } enum { d }; int main() { return c() + d; }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn a_value_in_a_head_may_have_other_names() {
        let text = "const int k = 0; template <int i> struct g {}; template <> struct g<k> {}; \
            int h() { return k; } int main() { g<0> a; }";
        let expected = "const int k = 0; template <int i> struct g {}; template <> struct g<k> {}; \
            int main() { g<0> a; }";
        assert_eq!(left(text, "g<0> a"), expected);
    }

    #[test]
    fn what_is_announced_in_damaged_text_goes_alone() {
        for damage in [
            ") ",
            "constexpr c::c(const e &f) noexcept : d{f.d()} {} ",
            "} ",
            "int f( { ",
        ] {
            let text = format!(
                "namespace n {{ struct b; struct c {{}}; {damage} struct d; void g(); }} \
                int main() {{ n::g(); }}"
            );
            let left = left(&text, "main");
            assert!(!left.contains("struct"), "{damage}: {left}");
        }
    }

    #[test]
    fn a_name_with_a_path_at_the_end_of_a_text_is_read() {
        let (document, language) = program("struct a { int b; }; int a::b; int a::b");
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        assert!(unused.ask().is_some());
    }

    #[test]
    fn a_namespace_stays_inline() {
        let text = "namespace n { inline namespace m {} } namespace n { namespace m { struct a; } } \
            void f(n::a *); int main() { f(0); }";
        assert_eq!(left(text, "main"), text);
    }

    #[test]
    fn parts_of_a_namespace_that_say_inline_need_no_others() {
        let text = "namespace n { inline namespace m { struct b; } } \
            namespace n { inline namespace m { struct a; } } void f(n::a *); int main() { f(0); }";
        let expected = "namespace n { } namespace n { inline namespace m { struct a; } } \
            void f(n::a *); int main() { f(0); }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn a_local_name_means_its_definition() {
        let text = "struct u {}; struct t {}; int g(u); int f() { t e(u(1)); return e + e + e; } \
            int main() { f(); }";
        let expected = "struct u {}; struct t {}; int f() { t e(u(1)); return e + e + e; } \
            int main() { f(); }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn an_operator_of_literals_stays_with_a_literal_that_calls_it() {
        let text = "int operator\"\"_ms(long double a); int operator\"\"_us(long double a); \
            int main() { return 20_ms; }";
        let expected = "int operator\"\"_ms(long double a); int main() { return 20_ms; }";
        assert_eq!(left(text, "main"), expected);
    }

    #[test]
    fn a_body_that_does_not_belong_to_its_function_goes_with_it() {
        let text = "namespace n { #pragma x\nvoid f(); { g(); } } int main() {}";
        let (document, language) = program(text);
        let unused = at_once(Unused::new(&document, language, Algorithm::default(), 1));
        let (result, _) = reduced_tokens(&document, unused, &["namespace n", "main"]);
        assert!(!result.contains("g()"), "{result}");
    }

    #[test]
    fn a_statement_of_a_large_program_goes_with_what_only_it_needs() {
        let many: String = (0..4000).map(|n| format!("int v{n} = 1; ")).collect();
        let text = format!("{many} void a() {{ v7; }} int main() {{ a(); 5; }}");
        assert_eq!(left(&text, "5;"), "int main() { 5; }");
        assert_eq!(
            left("void a(); int main() { a(); 5; }", "5;"),
            "void a(); int main() { a(); 5; }"
        );
    }
}
