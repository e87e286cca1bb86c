//! Shields: the scanners of some grammars are shown altered bytes.
//!
//! Scanners are third-party C code, and some crash, or read beyond a buffer, on unusual input.
//! Others fail on constructs that are common. Such input is masked before it is parsed. The masked
//! bytes are as many as the real ones and are used for the tree only; documents are rendered from
//! the real ones.

use std::borrow::Cow;

use crate::Language;
use shown_bytes::ShownBytes;

mod cxx;
mod shown_bytes;
mod tags;
mod wgsl;

/// The bytes of which a scanner must not see too many in a row.
#[derive(Debug)]
pub(crate) struct Shield {
    language: &'static str,
    /// `None` if no byte is.
    is_risky: Option<fn(u8) -> bool>,
    /// This many in a row are harmless.
    harmless: usize,
    /// The byte that the others are replaced by.
    replacement: u8,
    /// Returns the positions of further bytes, which are replaced by spaces.
    positions: fn(&[u8]) -> Vec<usize>,
    /// Returns what is shown in the place of words.
    words: fn(&[u8]) -> Vec<ShownBytes>,
    /// Whether the state of the scanner holds every open tag. It is copied for each token.
    keeps_tags: bool,
}

static SHIELDS: [Shield; 8] = [
    // Calls `isdigit` on any character: that reads up to two megabytes beyond a table of 256
    // entries.
    Shield {
        language: "Bash",
        is_risky: Some(|byte| !byte.is_ascii()),
        harmless: 0,
        replacement: b'_',
        positions: |_| Vec::new(),
        words: |_| Vec::new(),
        keeps_tags: false,
    },
    // The grammar makes errors of what standard libraries are full of.
    Shield {
        language: "C++",
        is_risky: None,
        harmless: 0,
        replacement: b' ',
        positions: cxx::hidden,
        words: cxx::shown_words,
        keeps_tags: false,
    },
    Shield {
        language: "D",
        is_risky: Some(|byte| !byte.is_ascii()),
        harmless: 0,
        replacement: b'_',
        positions: |_| Vec::new(),
        words: |_| Vec::new(),
        keeps_tags: false,
    },
    Shield {
        language: "HTML",
        is_risky: None,
        harmless: 0,
        replacement: b' ',
        positions: |_| Vec::new(),
        words: |_| Vec::new(),
        keeps_tags: true,
    },
    // Stores the length of the delimiter of a here-document in one byte.
    Shield {
        language: "Ruby",
        is_risky: Some(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()),
        harmless: 200,
        replacement: b' ',
        positions: here_documents,
        words: |_| Vec::new(),
        keeps_tags: false,
    },
    // The grammar is older than the standard.
    Shield {
        language: "WGSL",
        is_risky: None,
        harmless: 0,
        replacement: b' ',
        positions: |_| Vec::new(),
        words: wgsl::masked_words,
        keeps_tags: false,
    },
    Shield {
        language: "XML",
        is_risky: None,
        harmless: 0,
        replacement: b' ',
        positions: |_| Vec::new(),
        words: |_| Vec::new(),
        keeps_tags: true,
    },
    // From 254 levels on, the state is larger than its buffer. A level takes a byte and a space, or
    // some indentation.
    Shield {
        language: "YAML",
        is_risky: Some(|byte| b" \t-?:".contains(&byte)),
        harmless: 120,
        replacement: b'_',
        positions: |_| Vec::new(),
        words: |_| Vec::new(),
        keeps_tags: false,
    },
];

/// Returns the positions of quotes that begin a delimiter of a here-document of more than 200
/// bytes, or one that never ends.
fn here_documents(text: &[u8]) -> Vec<usize> {
    let begins = text.windows(2).enumerate();
    let begins = begins
        .filter(|(_, pair)| *pair == b"<<")
        .map(|(at, _)| at + 2);
    let quotes = begins.filter_map(|at| {
        let at = at + usize::from(matches!(text.get(at), Some(b'-' | b'~')));
        let quote = text.get(at).filter(|byte| b"\"'`".contains(byte))?;
        let end = text.iter().skip(at + 1).take(200).any(|byte| byte == quote);
        (!end).then_some(at)
    });
    quotes.collect()
}

impl Shield {
    pub(crate) fn for_language(language: &Language) -> Option<&'static Self> {
        (SHIELDS.iter()).find(|shield| shield.language == language.name)
    }

    /// Returns whether the scanner would spend its time on copies of its state.
    pub(crate) fn is_too_deep(&self, text: &[u8]) -> bool {
        self.keeps_tags && tags::copies(text) > tags::MOST_COPIES
    }

    pub(crate) fn mask<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut shown = Cow::Borrowed(text);
        for at in (self.positions)(text) {
            shown.to_mut()[at] = b' ';
        }
        for (at, word) in (self.words)(text) {
            shown.to_mut()[at..at + word.len()].copy_from_slice(word);
        }
        let Some(is_risky) = self.is_risky else {
            return shown;
        };
        let mut run = 0;
        for (at, &byte) in text.iter().enumerate() {
            run = if is_risky(byte) { run + 1 } else { 0 };
            if run > self.harmless {
                shown.to_mut()[at] = self.replacement;
            }
        }
        shown
    }
}

#[cfg(all(test, feature = "all-languages"))]
mod tests {
    use super::*;
    use crate::parse::Parser;
    use crate::steps::at_once;

    /// Returns the masked text, after a parser has read it without crashing.
    fn shown(language: &str, text: &str) -> String {
        let language = Language::named(language).expect("the grammar is built");
        at_once(Parser::new(language).parse(text.as_bytes()));
        let shown = Shield::for_language(language)
            .expect("the language has a shield")
            .mask(text.as_bytes());
        assert_eq!(shown.len(), text.len());
        String::from_utf8_lossy(&shown).into_owned()
    }

    #[test]
    fn a_namespace_with_an_attribute_is_masked() {
        let attribute = "__attribute__ ((b (\"c\")))";
        let text = format!("namespace a {attribute} {{ int d __attribute__((e)); }}");
        let want = text.replace(attribute, &" ".repeat(attribute.len()));
        assert_eq!(shown("C++", &text), want);
        let open = "namespace __attribute__((a";
        assert_eq!(shown("C++", open), open);
    }

    #[test]
    fn an_extern_template_is_shown_as_a_declaration() {
        assert_eq!(
            shown(
                "C++",
                "extern template class a<int>; template class a<int>;"
            ),
            "extern          class a<int>; template class a<int>;"
        );
    }

    #[test]
    fn what_standard_libraries_of_cxx_are_full_of_is_no_error() {
        let cxx = Language::named("C++").expect("the grammar is built");
        for (text, want) in [
            (
                "__extension__ template<> struct a<b> { };",
                "template              <> struct a<b> { };",
            ),
            ("struct a<t u::*> { };", "struct a<t    *> { };"),
            ("int a = (b->*c)() + d.*e;", "int a = (b-> c)() + d. e;"),
            ("void a(void*) = delete;", "void a(void*)         ;"),
            (
                "template<class t, typename u = t&&> struct a;",
                "template<class t, typename u = t  > struct a;",
            ),
            ("typedef _Complex float a;", "typedef          float a;"),
            ("struct a<b(c... ...)> { };", "struct a<b(c...    )> { };"),
            (
                "struct a { [[bb]] friend int c(a); };",
                "struct a { friend        int c(a); };",
            ),
            (
                "int a() { return typename b::c(1); }",
                "int a() { return          b::c(1); }",
            ),
            ("typedef __decltype(a) b;", "typedef decltype  (a) b;"),
            ("extern __typeof(a) b;", "extern decltype(a) b;"),
            (
                "int a = b.operator()(c) + d->operator->();",
                "int a = b.operator__(c) + d->operator__();",
            ),
            (
                "using a = b<c,\nd\n# 9 \"e.h\" 3\n>;\n# 12 \"e.h\" 3\nint f;",
                "using a = b<c,\nd\n           \n>;\n# 12 \"e.h\" 3\nint f;",
            ),
        ] {
            assert_eq!(shown("C++", text), want);
            assert_eq!(cxx.errors(text.as_bytes()), 0, "{text}");
        }
        assert_eq!(shown("C++", "a = b * c::d * e...;"), "a = b * c::d * e...;");
    }

    #[test]
    fn words_of_wgsl_that_the_grammar_does_not_know_are_shown_as_others() {
        let text = "\
alias A = f32; // const b = 2;  c();
const d = array<A, 2>(1.0, 2.0);
var<workgroup> e: atomic<u32>;
fn f() {
    const g = array(1, 2);
    // A comment, and a call.
    atomicAdd(&e, 1u);
    if (true) { return; }
    for (var i = 0; i < 3;  i++) { h(i); }
}
";
        let want = text
            .replace("alias", "type ")
            .replace("const d", "let   d")
            .replace("const g = array", "let   g = Array")
            .replace("atomic<", "array <")
            .replace("  atomicAdd", "_=atomicAdd");
        assert_eq!(shown("WGSL", text), want);
        assert_eq!(shown("WGSL", "a(1);"), "a(1);");
        let wgsl = Language::named("WGSL").expect("the grammar is built");
        assert_eq!(wgsl.errors(text.replace(" h(i);", "\nh(i);").as_bytes()), 1);
        assert_eq!(
            wgsl.errors(text.replace(" h(i);", "\n h(i);").as_bytes()),
            0
        );
    }

    #[test]
    fn non_ascii_characters_are_masked_from_scanners_that_use_lookup_tables() {
        let texts = [
            ("Bash", "{\u{e2720}", "{____"),
            ("D", "\u{6b63c} a", "____ a"),
        ];
        for (language, text, want) in texts {
            assert_eq!(shown(language, text), want);
        }
    }

    #[test]
    fn scanners_with_a_fixed_buffer_for_levels_do_not_overflow() {
        let lines = |line: &str| -> String {
            (0..600)
                .map(|depth| format!("{}{line}\n", " ".repeat(depth)))
                .collect()
        };
        let dashes = "- ".repeat(1500);
        for text in [
            lines("a:"),
            lines("- a:"),
            format!("'x' {dashes}"),
            dashes,
            "? ".repeat(1500),
        ] {
            shown("YAML", &text);
        }
        let usual = "a:\n  - b: c\n    d: |\n      text\n";
        assert_eq!(shown("YAML", usual), usual);
        shown("Ruby", &format!("x = <<{}\n", "E".repeat(300)));
        for start in ["x = <<\"", "x = <<~'", "log <<-`", "<<\"E\" <<~\""] {
            let body = "a b, c\n".repeat(60);
            for end in ["", "\"", "'", "`", "\"\nE\n"] {
                shown("Ruby", &format!("{start}{body}{end}\n"));
            }
        }
        let usual = "x = <<~\"END\"\n  text\nEND\n";
        assert_eq!(shown("Ruby", usual), usual);
    }
}
