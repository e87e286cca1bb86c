//! What a parser is shown of a text that would kill it, and us, or that its grammar would make nothing of.
//!
//! The scanners of grammars are C of others. What is shown is as long as the text, and differs only where the text is odd. It is only read for
//! its tree: what is rendered is the text itself.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::Language;

/// Bytes that a scanner must not see too many of in a row.
#[derive(Debug)]
pub(crate) struct Shield {
    language: &'static str,
    is_risky: fn(u8) -> bool,
    /// So many in a row are harmless.
    most: usize,
    /// What the others are shown as.
    instead: u8,
    /// Which bytes are shown as spaces besides.
    besides: fn(&[u8]) -> Vec<usize>,
}

static SHIELDS: [Shield; 5] = [
    // `isdigit` of any character: it looks up to two megabytes beyond a table of 256 entries.
    Shield {
        language: "Bash",
        is_risky: |byte| !byte.is_ascii(),
        most: 0,
        instead: b'_',
        besides: |_| Vec::new(),
    },
    // All of a standard library stands in such namespaces, and none of them would be one.
    Shield {
        language: "C++",
        is_risky: |_| false,
        most: 0,
        instead: b' ',
        besides: attributes_of_namespaces,
    },
    Shield {
        language: "D",
        is_risky: |byte| !byte.is_ascii(),
        most: 0,
        instead: b'_',
        besides: |_| Vec::new(),
    },
    // The end of a here-document has its length in one byte.
    Shield {
        language: "Ruby",
        is_risky: |byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii(),
        most: 200,
        instead: b' ',
        besides: here_documents,
    },
    // From 254 levels on, what it remembers of them is longer than the room for it. A level takes a byte and a space, or some indentation.
    Shield {
        language: "YAML",
        is_risky: |byte| b" \t-?:".contains(&byte),
        most: 120,
        instead: b'_',
        besides: |_| Vec::new(),
    },
];

/// The quotes that begin a here-document's end of more than 200 bytes, or an endless one.
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

/// `__attribute__((…))` after the name of a namespace.
fn attributes_of_namespaces(text: &[u8]) -> Vec<usize> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?-u)namespace\s+\w*\s*(__attribute__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))",
        )
        .expect("a test reads with it")
    });
    let found = PATTERN.captures_iter(text).filter_map(|found| found.get(1));
    let places = found.flat_map(|attribute| attribute.range());
    places.filter(|&at| text[at] != b'\n').collect()
}

impl Shield {
    pub(crate) fn of(language: &Language) -> Option<&'static Self> {
        (SHIELDS.iter()).find(|shield| shield.language == language.name)
    }

    pub(crate) fn applied_to<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut shown = Cow::Borrowed(text);
        let mut run = 0;
        for at in (self.besides)(text) {
            shown.to_mut()[at] = b' ';
        }
        for (at, &byte) in text.iter().enumerate() {
            run = if (self.is_risky)(byte) { run + 1 } else { 0 };
            if run > self.most {
                shown.to_mut()[at] = self.instead;
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Parser;

    /// What is shown of a text, after a parser has survived it.
    fn shown(language: &str, text: &str) -> Option<String> {
        let language = Language::named(language)?;
        Parser::new(language).parse(text.as_bytes());
        let shown = Shield::of(language)?.applied_to(text.as_bytes());
        assert_eq!(shown.len(), text.len());
        Some(String::from_utf8_lossy(&shown).into_owned())
    }

    #[test]
    fn a_namespace_with_an_attribute_is_one() {
        let attribute = "__attribute__ ((b (\"c\")))";
        let text = format!("namespace a {attribute} {{ int d __attribute__((e)); }}");
        let want = text.replace(attribute, &" ".repeat(attribute.len()));
        assert!(shown("C++", &text).is_none_or(|shown| shown == want));
        let open = "namespace __attribute__((a";
        assert!(shown("C++", open).is_none_or(|shown| shown == open));
    }

    #[test]
    fn scanners_that_look_characters_up_in_a_table_see_none_beyond_its_end() {
        let texts = [
            ("Bash", "{\u{e2720}", "{____"),
            ("D", "\u{6b63c} a", "____ a"),
        ];
        for (language, text, want) in texts {
            assert!(shown(language, text).is_none_or(|shown| shown == want));
        }
    }

    #[test]
    fn scanners_that_remember_all_levels_see_no_more_than_they_can_remember() {
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
        assert!(shown("YAML", usual).is_none_or(|shown| shown == usual));
        shown("Ruby", &format!("x = <<{}\n", "E".repeat(300)));
        for start in ["x = <<\"", "x = <<~'", "log <<-`", "<<\"E\" <<~\""] {
            let body = "a b, c\n".repeat(60);
            for end in ["", "\"", "'", "`", "\"\nE\n"] {
                shown("Ruby", &format!("{start}{body}{end}\n"));
            }
        }
        let usual = "x = <<~\"END\"\n  text\nEND\n";
        assert!(shown("Ruby", usual).is_none_or(|shown| shown == usual));
    }
}
