//! The passes of the pipeline: their identities, and what each of them does.

use std::fmt;
use std::ops::Range;

use boildown_search::algorithms::Algorithm;

use crate::Language;
use crate::candidate::Check;
use crate::document::View;
use crate::rewrite::RewriteKind;

/// One pass of a pipeline.
///
/// Every pass of an order has an identity of its own. Some share the name under which users choose
/// them and see them in events: the same work done earlier for large deletions only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassId {
    /// Deletes whole folders and files of a folder. Then deletes the contents of files that cannot
    /// be deleted.
    Files,
    /// Deletes each file of a folder together with what mentions it in other files: `#include
    /// "a.h"`, `import a`, `a.o` in a Makefile.
    FilesWithMentions,
    /// Moves each file of a folder to where another one includes it, when that is smaller.
    /// `#include "a.h"` → `int a;`.
    InlinedFiles,
    /// Deletes runs of lines without looking at the syntax. Only for inputs that are too large to
    /// be parsed (8 MiB), which have to shrink first.
    Lines,
    /// Asks about a few texts that break many parsers in place of the whole input: `\r`, a NUL,
    /// `+`, `{`. Comes last, and its hits are not results, unless
    /// [trivial inputs](crate::TrivialInputs) are allowed.
    /// `int main() { return f(1); }` → `{`.
    RewritingWhole,
    /// Deletes line markers and comments, many at once, in deletions of at least 1/1000 of all
    /// tokens. For inputs from 64 KiB to 8 MiB. `# 1 "a.h"` and `/* a */` go.
    Comments,
    /// Dead-definition removal: deletes definitions that nothing refers to, together with
    /// everything only they use. Here in deletions of at least 1/100 of all tokens.
    /// `int g() {…} int f() { g(); } int main() {…}` → `int main() {…}`.
    UnusedLarge,
    /// Empties the bodies of functions, many at once, in deletions of at least 1/1000 of all
    /// tokens. For inputs from 64 KiB to 8 MiB. `int f() { g(); } int main() {…}` → `int f() {} …`.
    Bodies,
    /// Replaces the bodies of functions by stubs.
    RewritingBodies,
    /// Deletes what calls functions, and exports those that nothing calls any more.
    RewritingExports,
    /// Writes what a macro stands for where it is called, in place of all calls and the definition,
    /// if that is smaller.
    RewritingMacros,
    /// [`UnusedLarge`](Self::UnusedLarge) again, in deletions of at least 1/1000 of all tokens:
    /// the pass before deleted uses.
    UnusedAfterBodies,
    /// Deletes what has the largest expected gain (tokens removed times odds) anywhere in the
    /// tree, in deletions of at least 1/2000 of all tokens. For inputs from 64 KiB to 8 MiB: in
    /// smaller ones nearly every query has to be asked anyway, whatever the order.
    ExpectedGain,
    /// Deletes bracket groups, lines and words without looking at the syntax. In a language only
    /// where the grammar could not make sense of the input, and only deletions of at least 1/100
    /// of all tokens; for other texts, deletions of any size. `f(a) [b] c` → `[b] c`.
    Blocks,
    /// Deletes nodes of the syntax tree, in sibling lists, and replaces nodes by smaller ones
    /// inside them, from the root down. Here in deletions of at least 1/100 of all tokens.
    /// `if (a) { b(); c(); }` → `if (a) { c(); }` → `c();`.
    CoarseTree,
    /// [`UnusedLarge`](Self::UnusedLarge) again, in deletions of at least 1/1000 of all tokens:
    /// the pass before deleted uses.
    UnusedAfterCoarseTree,
    /// [`CoarseTree`](Self::CoarseTree), in deletions of at least 1/1000 of all tokens.
    FineTree,
    /// [`UnusedLarge`](Self::UnusedLarge) again, in deletions of at least 1/1000 of all tokens.
    UnusedAfterFineTree,
    /// [`CoarseTree`](Self::CoarseTree), in deletions of any size.
    Tree,
    /// Deletes every two neighbouring tokens, for those that can only go together.
    /// `a + b` → `a`.
    PairsOfTokens,
    /// Deletes every three neighbouring tokens, for those that can only go together. `f(a)` → `f`.
    TriplesOfTokens,
    /// Writes operations of MLIR in generic form in the form of their dialect.
    /// `%0 = "arith.addi"(%a, %b) : (i32, i32) -> i32` → `%0 = arith.addi %a, %b : i32`. Or writes
    /// instructions of WebAssembly without brackets. `(drop (local.get 0))` → `local.get 0 drop`.
    RewritingForms,
    /// Applies the rewrite rules of the language and replaces nodes by shorter texts of their
    /// kind. `do f(12); while (a);` → `while (a) f(0);`.
    Rewriting,
    /// Renames to a, b, c and so on. Only when names are to be canonical.
    /// `int total = count;` → `int a = b;`.
    RewritingNames,
    /// Deletes characters of words that are no names: of strings, numbers, comments.
    /// `"hello"` → `"h"`.
    RewritingLetters,
    /// Tidies white space: deletes blank lines, wide gaps and deep indentation, but no line break
    /// that separates two lines of text. `a;␤␤␤    b;` → `a;␤b;`.
    Layout,
    /// Deletes every byte of white space that is not needed. Only for a compact layout.
    /// `a = b;␤c();` → `a=b;c();`.
    Spaces,
    /// Deletes each node of the tree, alone and with a separator beside it, and in a text below
    /// 1,000 tokens replaces it by its nearest parts that fit. Part of the proof of 1-minimality.
    /// `[1, 2, 3]` → `[1, 3]`.
    Nodes,
    /// [`Nodes`](Self::Nodes), including deletions that break the syntax. For inputs below 128
    /// bytes.
    NodesUnparsed,
    /// [`Delimiters`](Self::Delimiters), although the rest does not look like a module. For inputs
    /// below 128 bytes.
    DelimitersUnparsed,
    /// Deletes lines, in sibling lists: a line goes with all lines inside it, by brackets or by
    /// indentation. Also replaces a line by lines inside it. For reductions by whole lines.
    NestedLines,
    /// Deletes runs of elements of a list, and elements inside of elements.
    Elements,
    /// Sorts the elements of a list, but for inversions that are needed. Only when orders are to be
    /// tried. `b␤a␤` → `a␤b␤`.
    Orders,
    /// Deletes each single element of a list. The proof of 1-minimality of reductions by elements.
    EachElement,
    /// Deletes each single line. The proof of 1-minimality of reductions by whole lines.
    EachLine,
    /// Deletes each pair of matching delimiters. `((a))` → `(a)`.
    Delimiters,
    /// Deletes each single token, whether the rest parses or not. Part of the proof of
    /// 1-minimality. `return a;` → `return;`.
    Tokens,
    /// Deletes the opening of a comment with some of the text before it, so that the inside of the
    /// comment becomes code. For inputs below 128 bytes. `a /* b` → `b`.
    CommentPrefixes,
    /// Makes tokens fewer while lines keep their width, for properties that depend on the width:
    /// those of formatters do. `f(a, b)` → `f_a__b_`.
    RewritingWidths,
    /// Joins two words: `0 AS` → `0AS`. In tiny texts, also makes a word as wide as a node that it
    /// deletes. Comes last, because such words cannot be told apart any more, and the rest need not
    /// parse.
    RewritingJoins,
    /// Deletes each single word or other visible character. Part of the proof of 1-minimality for
    /// texts in no language.
    Words,
    /// Deletes runs of bytes, white space included.
    Bytes,
    /// Deletes each single byte. Part of the proof of 1-minimality for texts in no language, and
    /// for binaries.
    EachByte,
    /// Deletes items of a module of WebAssembly: types, imports, functions, segments, exports. A
    /// function may also keep its type and lose its body. Indices are made right, and what mentions
    /// a deleted item goes with it or becomes a default value.
    ModuleItems,
    /// [`ModuleItems`](Self::ModuleItems), and instructions, parameters, results and local
    /// variables. A missing operand becomes the default value of its type. In deletions of at
    /// least 1/100 of all tokens.
    CoarseModule,
    /// [`CoarseModule`](Self::CoarseModule), in deletions of any size.
    Module,
    /// Deletes each node of a module.
    ModuleNodes,
    /// Deletes each single unit of a module.
    ModuleTokens,
    /// Deletes definitions, blocks, instructions and parameters of LLVM IR, MLIR or SPIR-V, or
    /// statements of RTLIL. Uses of a deleted value become one of its operands, `poison` or an
    /// undefined value, a function without a body becomes a declaration. In deletions of at least
    /// 1/100 of all units.
    CoarseInstructions,
    /// [`CoarseInstructions`](Self::CoarseInstructions), in deletions of any size.
    Instructions,
    /// Deletes what LLVM IR or SPIR-V does the same without, several at once: labels of blocks that
    /// only continue another one, and values that nothing uses.
    IdleInstructions,
    /// Deletes each single unit of LLVM IR, MLIR, SPIR-V or RTLIL.
    EachInstruction,
    /// Deletes each single unit of LLVM IR; uses of a deleted value become zero. A computation
    /// with `poison` is `poison`, and tools delete it.
    ZeroOperands,
    /// Deletes all parts of a binary but one: parts that depend on each other can only go
    /// together. A part is a stretch whose length the binary states: a chunk, a section. Lengths,
    /// counts and checksums are corrected.
    LoneParts,
    /// Deletes records of the directories of a binary with what only they describe, as a table of a
    /// font.
    Records,
    /// Deletes parts of a binary, and the content of parts in pieces of 4096 bytes.
    Parts,
    /// Deletes the parts at the same positions in lists of equal length: a function type and its
    /// body.
    ParallelParts,
    /// [`Parts`](Self::Parts), in pieces of 64 bytes.
    BlocksInParts,
    /// [`Parts`](Self::Parts), in single bytes.
    BytesInParts,
    /// Deletes blocks of 4096 bytes, wherever parts begin and end.
    Blocks4096,
    /// Deletes blocks of 64 bytes.
    Blocks64,
    /// Overwrites blocks of 64 bytes with zeros.
    ZeroBlocks,
    /// Overwrites single bytes with zeros.
    ZeroBytes,
    /// [`Blocks4096`](Self::Blocks4096) again: the passes before overwrote bytes.
    Blocks4096AfterZeros,
    /// [`Blocks64`](Self::Blocks64) again.
    Blocks64AfterZeros,
}

impl PassId {
    /// Returns the name for users. Where it has spaces, `--passes` takes hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files | Self::FilesWithMentions | Self::InlinedFiles => "files",
            Self::Lines => "lines",
            Self::RewritingWhole => "rewriting whole",
            Self::UnusedLarge
            | Self::UnusedAfterBodies
            | Self::UnusedAfterCoarseTree
            | Self::UnusedAfterFineTree => "unused",
            Self::Bodies => "bodies",
            Self::Comments => "comments",
            Self::RewritingBodies => "rewriting bodies",
            Self::RewritingExports => "rewriting exports",
            Self::RewritingMacros => "rewriting macros",
            Self::ExpectedGain => "promising",
            Self::Blocks => "blocks",
            Self::CoarseTree => "coarse tree",
            Self::FineTree => "fine tree",
            Self::Tree => "tree",
            Self::PairsOfTokens => "pairs of tokens",
            Self::TriplesOfTokens => "triples of tokens",
            Self::RewritingForms => "rewriting forms",
            Self::Rewriting => "rewriting",
            Self::RewritingNames => "rewriting names",
            Self::RewritingLetters => "rewriting letters",
            Self::Layout => "layout",
            Self::Spaces => "spaces",
            Self::Nodes | Self::NodesUnparsed => "nodes",
            Self::NestedLines => "nested lines",
            Self::Elements => "elements",
            Self::Orders => "orders",
            Self::EachElement => "each element",
            Self::EachLine => "each line",
            Self::Delimiters | Self::DelimitersUnparsed => "delimiters",
            Self::Tokens => "tokens",
            Self::CommentPrefixes => "openings",
            Self::RewritingWidths => "rewriting widths",
            Self::RewritingJoins => "rewriting joins",
            Self::Words => "words",
            Self::Bytes => "bytes",
            Self::EachByte => "each byte",
            Self::ModuleItems => "module items",
            Self::CoarseModule => "coarse module",
            Self::Module => "module",
            Self::ModuleNodes => "module nodes",
            Self::ModuleTokens => "module tokens",
            Self::CoarseInstructions => "coarse instructions",
            Self::Instructions => "instructions",
            Self::IdleInstructions => "idle instructions",
            Self::EachInstruction => "each instruction",
            Self::ZeroOperands => "zero operands",
            Self::LoneParts => "lone parts",
            Self::Records => "records",
            Self::Parts => "parts",
            Self::ParallelParts => "parallel parts",
            Self::BlocksInParts => "blocks in parts",
            Self::BytesInParts => "bytes in parts",
            Self::Blocks4096 | Self::Blocks4096AfterZeros => "blocks of 4096 bytes",
            Self::Blocks64 | Self::Blocks64AfterZeros => "blocks of 64 bytes",
            Self::ZeroBlocks => "zero blocks",
            Self::ZeroBytes => "zero bytes",
        }
    }
}

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One pass, as data.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) id: PassId,
    /// The view under which the pass reads the input.
    pub(crate) view: View,
    pub(crate) method: Method,
    /// Whether its candidates have to parse.
    pub(crate) check: Check,
    /// The sizes of inputs, in bytes, for which the pass is worth its time.
    pub(crate) sizes: Range<usize>,
    /// Whether a later pass sweeps what this one works on one by one, so that it is not needed
    /// again.
    pub(crate) is_swept: bool,
}

/// The search that a pass runs over its view of the input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Method {
    /// The schedule that the user chose for trees, over deletions of at least this size.
    Tree(SmallestDeletion),
    /// The schedule that the user chose for trees, over the elements of a list: few of them are
    /// needed as a rule.
    Elements,
    /// Other orders of the elements of a list.
    Orders,
    /// The tree search that asks about the largest expected gain first.
    ExpectedGain(SmallestDeletion),
    /// A list algorithm over the tokens: this one unless the user chose another.
    List(Algorithm),
    /// One query for each window of this many neighbouring tokens.
    Window(usize),
    /// One query for each node, and one for each node with a separator; in a small text also one
    /// for each part that fits the place of a node.
    Nodes,
    /// One query for each pair of matching delimiters.
    Delimiters,
    /// Files of a joined text, each with what mentions it elsewhere.
    FilesWithMentions,
    /// One query for each part of the outermost sibling list: all parts but this one go.
    AllButOne,
    /// Runs of records of directories, with their contents.
    Records,
    /// Parts at the same positions of sibling lists of equal length.
    Parallel,
    /// Definitions that nothing refers to, with what only they refer to.
    Unused(SmallestDeletion),
    /// What functions do.
    Bodies(SmallestDeletion),
    /// Line markers and comments, many at once.
    Comments(SmallestDeletion),
    /// What functions do, if a stub can stand for it.
    Stubs(SmallestDeletion),
    /// What calls functions, which are exported.
    Exported(SmallestDeletion),
    /// Every proposal of this kind.
    Rewrites(RewriteKind),
    /// The units that a module does the same without, class by class.
    IdleUnits,
    /// Characters of words that are no names.
    Letters,
    /// White space that has no meaning.
    Layout,
    /// Openings of comments, with some of the text before them.
    CommentPrefixes(&'static Language),
}

/// The smallest deletion that a pass asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SmallestDeletion {
    /// One of this many tokens of the input, so 1 % for 100.
    OneIn(usize),
    /// A single token.
    OneToken,
    /// Two tokens: single ones are left to a sweep.
    TwoTokens,
}

impl SmallestDeletion {
    /// Returns it in tokens, for an input of this many.
    pub(crate) fn tokens(self, all: usize) -> usize {
        match self {
            Self::OneIn(part) => all / part,
            Self::OneToken => 0,
            Self::TwoTokens => 2,
        }
    }
}

impl Pass {
    /// Returns a pass over inputs of any size whose candidates need not parse.
    pub(crate) fn new(id: PassId, view: View, method: Method) -> Self {
        Self {
            id,
            view,
            method,
            check: Check::Nothing,
            sizes: 0..usize::MAX,
            is_swept: false,
        }
    }

    /// Marks a pass that a sweep over the same units follows.
    pub(crate) fn swept(self) -> Self {
        Self {
            is_swept: true,
            ..self
        }
    }

    /// Restricts the candidates to those that parse.
    pub(crate) fn parsed(self) -> Self {
        Self {
            check: Check::Parses,
            ..self
        }
    }

    /// Restricts the pass to inputs of fewer bytes than this.
    pub(crate) fn below(self, size: usize) -> Self {
        Self {
            sizes: self.sizes.start..size,
            ..self
        }
    }

    /// Restricts the pass to inputs of at least this many bytes.
    pub(crate) fn starting_at(self, size: usize) -> Self {
        Self {
            sizes: size..self.sizes.end,
            ..self
        }
    }

    /// Restricts the candidates of passes to those that parse, but for those of a compact layout,
    /// which joins lines.
    pub(crate) fn checked(passes: Vec<Self>) -> Vec<Self> {
        let passes = passes.into_iter().map(|pass| match pass.id {
            PassId::RewritingWhole | PassId::Spaces => pass,
            _ => pass.parsed(),
        });
        passes.collect()
    }

    /// Returns whether the pass only keeps the width of a text, or joins its words.
    pub(crate) fn is_of_columns(&self) -> bool {
        matches!(self.id, PassId::RewritingWidths | PassId::RewritingJoins)
    }

    /// Returns whether the pass is one of those that together prove 1-minimality.
    pub(crate) fn is_proof(&self) -> bool {
        matches!(self.method, Method::Window(1) | Method::Nodes)
    }

    /// Returns whether only the schedule of boildown has a use for the pass: other schedules know
    /// neither a smallest deletion nor expected gains.
    pub(crate) fn needs_own_schedule(&self) -> bool {
        matches!(
            self.method,
            Method::Tree(SmallestDeletion::OneIn(_)) | Method::ExpectedGain(_)
        )
    }

    /// Returns whether the pass is repeated right after a hit, until it has none.
    pub(crate) fn is_repeated(&self) -> bool {
        let is_sweep = self.view == View::Mlir && self.id == PassId::EachInstruction;
        is_sweep || matches!(self.view, View::Letters(_) | View::Spaces(_))
    }

    /// Returns whether the pass is repeated after it has deleted at least an eighth of a large
    /// input. What many definitions need that do not deserve a test each goes with all of them
    /// then.
    pub(crate) fn is_repeated_in_large_inputs(&self) -> bool {
        matches!(self.method, Method::Unused(_))
    }

    /// Returns whether a hit of the pass is no reason to run all the others again: they find no
    /// more than before, except for the proof. Of zeros in a module, others have made the
    /// instructions, and of words of MLIR, those that make the operations have come before.
    pub(crate) fn is_final(&self) -> bool {
        let is_checked = self.check == Check::Parses;
        let is_about_details = match self.view {
            View::Zeros(_) => true,
            View::Syntax(language) => language.name == "MLIR",
            _ => false,
        };
        self.is_repeated() || is_checked && is_about_details
    }
}
