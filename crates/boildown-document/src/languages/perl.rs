//! The grammar of Perl, with a scanner that ends at the end of the text.
//!
//! The scanner waits for the end of a line inside a here-document. The last line may have none:
//! then it reads the end of the text for ever, where no time limit of the parser reaches it. Ours
//! shows it a line feed there.
#![expect(
    unsafe_code,
    reason = "a scanner is a C function, and the language a C structure that names it"
)]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::LazyLock;

use tree_sitter_language::LanguageFn;

use super::grammar::{self, Advance, GeneratedGrammar, Lexer};

/// As often as this in one call of the scanner the end of the text may be passed.
const HARMLESS: u32 = 100;

// SAFETY: the function returns the language of a generated grammar, with another scanner.
pub(super) const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(language) };

/// Their language, with our scanner.
static OURS: LazyLock<GeneratedGrammar> = LazyLock::new(|| {
    // SAFETY: it is a generated grammar.
    let mut grammar = unsafe { grammar::copy(theirs()) };
    grammar.scanner.scan = Some(scan);
    grammar
});

thread_local! {
    /// What the lexer does, while [`scan`] runs, and how often the end was passed.
    static ADVANCE: Cell<(Option<Advance>, u32)> = const { Cell::new((None, 0)) };
}

fn theirs() -> *const GeneratedGrammar {
    // SAFETY: the function is generated, without arguments, and returns a constant.
    unsafe { ts_parser_perl::LANGUAGE.into_raw()() }.cast()
}

extern "C" fn language() -> *const () {
    ptr::from_ref(&*OURS).cast()
}

/// Scans as the scanner of the grammar does, with [`advance`] in place of the lexer's own.
unsafe extern "C" fn scan(payload: *mut c_void, lexer: *mut Lexer, valid: *const bool) -> bool {
    // SAFETY: every version of a grammar has a scanner, or null in its place.
    let Some(scan) = (unsafe { (*theirs()).scanner.scan }) else {
        return false;
    };
    // SAFETY: tree-sitter passes its lexer, which nothing else uses during the call.
    let own = unsafe { (*lexer).advance };
    ADVANCE.set((own, 0));
    // SAFETY: as above.
    unsafe { (*lexer).advance = Some(advance) };
    // SAFETY: the arguments are those of tree-sitter.
    let found = unsafe { scan(payload, lexer, valid) };
    // SAFETY: as above.
    unsafe { (*lexer).advance = own };
    if ADVANCE.get().1 > HARMLESS {
        // What the lexer itself shows at the end. SAFETY: as above.
        unsafe { (*lexer).lookahead = 0 };
    }
    found
}

/// Advances by one character. At the end of the text, there is a line feed after a while.
unsafe extern "C" fn advance(lexer: *mut Lexer, skip: bool) {
    let (own, passed) = ADVANCE.get();
    // SAFETY: the scanner passes the lexer that it got.
    let end = unsafe { (*lexer).eof.is_some_and(|eof| eof(lexer)) };
    if !end {
        if let Some(own) = own {
            // SAFETY: as above.
            unsafe { own(lexer, skip) };
        }
        return;
    }
    ADVANCE.set((own, passed.saturating_add(1)));
    if passed >= HARMLESS {
        // SAFETY: as above.
        unsafe { (*lexer).lookahead = i32::from(b'\n') };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::parse::Parser;
    use crate::steps::at_once;

    #[test]
    fn a_here_document_without_an_end_is_read_to_the_end_of_the_text() {
        let perl = Language::named("Perl").expect("the grammar is built");
        for text in [
            "print <<~E\ncount{$_",
            "print \"n\\}<<~E\ncount{$_",
            "print <<E\n${x",
            "print <<E\n@{[\n$a",
        ] {
            let tree = at_once(Parser::new(perl).parse(text.as_bytes()));
            assert!(tree.is_some(), "{text}");
        }
    }

    #[test]
    fn the_scanner_is_that_of_the_grammar_elsewhere() {
        let text = "print <<A, <<~'B';\na $b @{[ 1 ]}\nA\n  c\n  B\nmy $x = q{a} x3;\n";
        let parse = |language: &tree_sitter::Language| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(language).expect("the versions fit");
            let tree = parser.parse(text, None).expect("there is no limit");
            tree.root_node().to_sexp()
        };
        let perl = Language::named("Perl").expect("the grammar is built");
        let tree = parse(&perl.grammar());
        assert_eq!(tree, parse(&grammar::language(ts_parser_perl::LANGUAGE)));
        assert!(tree.contains("heredoc_content"), "{tree}");
    }
}
