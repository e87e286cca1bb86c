//! The identities of the passes.

use std::fmt;

/// One pass of a pipeline.
///
/// Every pass of an order has an identity of its own. Some share the name under which users choose
/// them and see them in events: the same work done earlier for large deletions only. They differ in
/// their turn. Formats have passes of their own beside those here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassId {
    name: &'static str,
    /// Which of the passes of this name it is.
    turn: u8,
}

impl PassId {
    /// Returns the identity of a pass: its name, and which of the passes of this name it is.
    pub const fn new(name: &'static str, turn: u8) -> Self {
        Self { name, turn }
    }

    /// Returns the name for users. Where it has spaces, `--passes` takes hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The passes that are not about a format.
impl PassId {
    /// Deletes whole folders and files of a folder. Then deletes the contents of files that cannot
    /// be deleted.
    pub const FILES: Self = Self::new("files", 0);

    /// Deletes each file of a folder together with what mentions it in other files: `#include
    /// "a.h"`, `import a`, `a.o` in a Makefile.
    pub const FILES_WITH_MENTIONS: Self = Self::new("files", 1);

    /// Moves each file of a folder to where another one includes it, when that is smaller.
    /// `#include "a.h"` → `int a;`.
    pub const INLINED_FILES: Self = Self::new("files", 2);

    /// Deletes runs of lines without looking at the syntax. Only for inputs that are too large to
    /// be parsed (8 MiB), which have to shrink first.
    pub const LINES: Self = Self::new("lines", 0);

    /// Asks about a few texts that break many parsers in place of the whole input: `\r`, a NUL,
    /// `+`, `{`. Comes last, and its hits are not results, unless
    /// [trivial inputs](crate::TrivialInputs) are allowed.
    /// `int main() { return f(1); }` → `{`.
    pub const REWRITING_WHOLE: Self = Self::new("rewriting whole", 0);

    /// Deletes everything but the lines of the input that the output of its failure reports, and
    /// what these refer to. `in.c:1:9: internal error`: `int f() {…} int g() {…}` → `int f() {…}`.
    pub const REPORTED: Self = Self::new("reported lines", 0);

    /// Deletes line markers and comments, many at once, in deletions of at least 1/1000 of all
    /// tokens. For inputs from 64 KiB to 8 MiB. `# 1 "a.h"` and `/* a */` go.
    pub const COMMENTS: Self = Self::new("comments", 0);

    /// Dead-definition removal: deletes definitions that nothing refers to, together with
    /// everything only they use. Here in deletions of at least 1/100 of all tokens.
    /// `int g() {…} int f() { g(); } int main() {…}` → `int main() {…}`.
    pub const UNUSED_LARGE: Self = Self::new("unused", 0);

    /// Empties the bodies of functions, many at once, in deletions of at least 1/1000 of all
    /// tokens. For inputs from 64 KiB to 8 MiB. `int f() { g(); } int main() {…}` → `int f() {} …`.
    pub const BODIES: Self = Self::new("bodies", 0);

    /// Replaces the bodies of functions by stubs.
    pub const REWRITING_BODIES: Self = Self::new("rewriting bodies", 0);

    /// Deletes what calls functions, and exports those that nothing calls any more.
    pub const REWRITING_EXPORTS: Self = Self::new("rewriting exports", 0);

    /// Writes what a macro stands for where it is called, in place of all calls and the definition,
    /// if that is smaller.
    pub const REWRITING_MACROS: Self = Self::new("rewriting macros", 0);

    /// [`UNUSED_LARGE`](Self::UNUSED_LARGE) again, in deletions of at least 1/1000 of all tokens:
    /// the pass before deleted uses.
    pub const UNUSED_AFTER_BODIES: Self = Self::new("unused", 1);

    /// Deletes what has the largest expected gain (tokens removed times odds) anywhere in the
    /// tree, in deletions of at least 1/2000 of all tokens. For inputs from 64 KiB to 8 MiB: in
    /// smaller ones nearly every query has to be asked anyway, whatever the order.
    pub const EXPECTED_GAIN: Self = Self::new("promising", 0);

    /// Deletes bracket groups, lines and words without looking at the syntax. In a language only
    /// where the grammar could not make sense of the input, and only deletions of at least 1/100
    /// of all tokens; for other texts, deletions of any size. `f(a) [b] c` → `[b] c`.
    pub const BLOCKS: Self = Self::new("blocks", 0);

    /// Deletes nodes of the syntax tree, in sibling lists, and replaces nodes by smaller ones
    /// inside them, from the root down. Here in deletions of at least 1/100 of all tokens.
    /// `if (a) { b(); c(); }` → `if (a) { c(); }` → `c();`.
    pub const COARSE_TREE: Self = Self::new("coarse tree", 0);

    /// [`UNUSED_LARGE`](Self::UNUSED_LARGE) again, in deletions of at least 1/1000 of all tokens:
    /// the pass before deleted uses.
    pub const UNUSED_AFTER_COARSE_TREE: Self = Self::new("unused", 2);

    /// Deletes all tokens of the same text at once, such as all separators of a list of which only
    /// the number of elements is needed.
    pub const EQUAL_TOKENS: Self = Self::new("equal tokens", 0);

    /// Deletes columns of tables: elements at one position of all lists of one length, and cells at
    /// one position of all lines with as many separators. `a,b,c/d,e,f` → `a,c/d,f`.
    pub const COLUMNS: Self = Self::new("columns", 0);

    /// Deletes pieces of long words, which a grammar does not divide: of encoded data, of text
    /// without spaces.
    pub const LONG_WORDS: Self = Self::new("long words", 0);

    /// [`COARSE_TREE`](Self::COARSE_TREE), in deletions of at least 1/1000 of all tokens.
    pub const FINE_TREE: Self = Self::new("fine tree", 0);

    /// [`UNUSED_LARGE`](Self::UNUSED_LARGE) again, in deletions of at least 1/1000 of all tokens.
    pub const UNUSED_AFTER_FINE_TREE: Self = Self::new("unused", 3);

    /// [`COARSE_TREE`](Self::COARSE_TREE), in deletions of any size.
    pub const TREE: Self = Self::new("tree", 0);

    /// Deletes two and three neighbouring parts of a node, for those that can only go together, and
    /// delimiters between two blocks. In a text below 1,000 tokens also replaces nodes by their
    /// nearest parts that fit.
    /// `{ a(); } { b(); }` → `{ a(); b(); }`.
    pub const NEIGHBOURS: Self = Self::new("neighbours", 0);

    /// Writes operations of MLIR in generic form in the form of their dialect.
    /// `%0 = "arith.addi"(%a, %b) : (i32, i32) -> i32` → `%0 = arith.addi %a, %b : i32`. Or writes
    /// instructions of WebAssembly without brackets. `(drop (local.get 0))` → `local.get 0 drop`.
    pub const REWRITING_FORMS: Self = Self::new("rewriting forms", 0);

    /// Applies the rewrite rules of the language and replaces nodes by shorter texts of their
    /// kind. `do f(12); while (a);` → `while (a) f(0);`.
    pub const REWRITING: Self = Self::new("rewriting", 0);

    /// Renames to a, b, c and so on. Only when names are to be canonical.
    /// `int total = count;` → `int a = b;`.
    pub const REWRITING_NAMES: Self = Self::new("rewriting names", 0);

    /// Deletes characters of words that are no names: of strings, numbers, comments.
    /// `"hello"` → `"h"`.
    pub const REWRITING_LETTERS: Self = Self::new("rewriting letters", 0);

    /// Tidies white space: deletes blank lines, wide gaps and deep indentation, but no line break
    /// that separates two lines of text. `a;␤␤␤    b;` → `a;␤b;`.
    pub const LAYOUT: Self = Self::new("layout", 0);

    /// Replaces names, words of strings and comments, paths and numbers by ones that say nothing.
    /// Only when the result is redacted.
    /// `open("/home/ann")` → `a("/b/c")`.
    pub const REDACTION: Self = Self::new("redaction", 0);

    /// Deletes every byte of white space that is not needed. Only for a compact layout.
    /// `a = b;␤c();` → `a=b;c();`.
    pub const SPACES: Self = Self::new("spaces", 0);

    /// Deletes each node of the tree, alone and with a separator beside it. Part of the proof of
    /// 1-minimality.
    /// `[1, 2, 3]` → `[1, 3]`.
    pub const NODES: Self = Self::new("nodes", 0);

    /// [`NODES`](Self::NODES), including deletions that break the syntax. For inputs below 128
    /// bytes.
    pub const NODES_UNPARSED: Self = Self::new("nodes", 1);

    /// Deletes lines, in sibling lists: a line goes with all lines inside it, by brackets or by
    /// indentation. Also replaces a line by lines inside it. For reductions by whole lines.
    pub const NESTED_LINES: Self = Self::new("nested lines", 0);

    /// Deletes runs of elements of a list, and elements inside of elements.
    pub const ELEMENTS: Self = Self::new("elements", 0);

    /// Sorts the elements of a list, but for inversions that are needed. Only when orders are to be
    /// tried. `b␤a␤` → `a␤b␤`.
    pub const ORDERS: Self = Self::new("orders", 0);

    /// Deletes runs of two to four elements of a list, and two elements near each other: `begin`
    /// and its `end`. `a␤begin␤end␤` → `a␤`.
    pub const ELEMENT_GROUPS: Self = Self::new("element groups", 0);

    /// Deletes each single element of a list. The proof of 1-minimality of reductions by elements.
    pub const EACH_ELEMENT: Self = Self::new("each element", 0);

    /// Deletes each single line. The proof of 1-minimality of reductions by whole lines.
    pub const EACH_LINE: Self = Self::new("each line", 0);

    /// Deletes each pair of matching delimiters. `((a))` → `(a)`.
    pub const DELIMITERS: Self = Self::new("delimiters", 1);

    /// Deletes each single token, whether the rest parses or not. Part of the proof of
    /// 1-minimality. `return a;` → `return;`.
    pub const TOKENS: Self = Self::new("tokens", 0);

    /// Deletes the opening of a comment with some of the text before it, so that the inside of the
    /// comment becomes code. For inputs below 128 bytes. `a /* b` → `b`.
    pub const COMMENT_PREFIXES: Self = Self::new("openings", 0);

    /// Makes tokens fewer while lines keep their width, for properties that depend on the width:
    /// those of formatters do. `f(a, b)` → `f_a__b_`.
    pub const REWRITING_WIDTHS: Self = Self::new("rewriting widths", 0);

    /// Joins two words: `0 AS` → `0AS`. In tiny texts, also makes a word as wide as a node that it
    /// deletes. Comes last, because such words cannot be told apart any more, and the rest need not
    /// parse.
    pub const REWRITING_JOINS: Self = Self::new("rewriting joins", 0);

    /// Deletes each single word or other visible character. Part of the proof of 1-minimality for
    /// texts in no language.
    pub const WORDS: Self = Self::new("words", 0);

    /// Deletes runs of bytes, white space included.
    pub const BYTES: Self = Self::new("bytes", 0);

    /// Deletes each single byte. Part of the proof of 1-minimality for texts in no language, and
    /// for binaries.
    pub const EACH_BYTE: Self = Self::new("each byte", 0);

    /// Lowers a small number near the front of a binary and deletes as many elements of a list that
    /// fills the rest. `02 a a b b` → `01 a a`.
    pub const COUNTS: Self = Self::new("counts", 0);

    /// Lowers bytes near the front of a binary: what they count is not looked at any more then.
    pub const LOWERED_BYTES: Self = Self::new("lowered bytes", 0);

    /// Deletes long runs of zeros and lowers the offsets of what is behind them.
    pub const OFFSETS: Self = Self::new("offsets", 0);

    /// Deletes runs of 32, 16 and 8 bytes of a binary, and of 4 and 2 bytes of up to 128. Only for
    /// inputs below 1 KiB.
    pub const RUNS_OF_BYTES: Self = Self::new("runs of bytes", 0);

    /// Deletes all parts of a binary but one: parts that depend on each other can only go
    /// together. A part is a stretch whose length the binary states: a chunk, a section. Lengths,
    /// counts and checksums are corrected.
    pub const LONE_PARTS: Self = Self::new("lone parts", 0);

    /// Deletes records of the directories of a binary with what only they describe, as a table of a
    /// font.
    pub const RECORDS: Self = Self::new("records", 0);

    /// Deletes parts of a binary, and the content of parts in pieces of 4096 bytes.
    pub const PARTS: Self = Self::new("parts", 0);

    /// Deletes the parts at the same positions in lists of equal length: a function type and its
    /// body.
    pub const PARALLEL_PARTS: Self = Self::new("parallel parts", 0);

    /// [`PARTS`](Self::PARTS), in pieces of 64 bytes.
    pub const BLOCKS_IN_PARTS: Self = Self::new("blocks in parts", 0);

    /// [`PARTS`](Self::PARTS), in single bytes.
    pub const BYTES_IN_PARTS: Self = Self::new("bytes in parts", 0);

    /// Deletes blocks of 4096 bytes, wherever parts begin and end.
    pub const BLOCKS_4096: Self = Self::new("blocks of 4096 bytes", 0);

    /// Deletes blocks of 64 bytes.
    pub const BLOCKS_64: Self = Self::new("blocks of 64 bytes", 0);

    /// Overwrites blocks of 64 bytes with zeros.
    pub const ZERO_BLOCKS: Self = Self::new("zero blocks", 0);

    /// Overwrites single bytes with zeros.
    pub const ZERO_BYTES: Self = Self::new("zero bytes", 0);

    /// [`BLOCKS_4096`](Self::BLOCKS_4096) again: the passes before overwrote bytes.
    pub const BLOCKS_4096_AFTER_ZEROS: Self = Self::new("blocks of 4096 bytes", 1);

    /// [`BLOCKS_64`](Self::BLOCKS_64) again.
    pub const BLOCKS_64_AFTER_ZEROS: Self = Self::new("blocks of 64 bytes", 1);
}
