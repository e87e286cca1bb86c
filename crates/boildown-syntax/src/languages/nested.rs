//! Nested languages: nodes of one language that contain text in another.

use super::Language;

/// The language of a nested text.
#[derive(Debug, Clone, Copy)]
enum Inner {
    /// This one.
    Named(&'static str),
    /// The one that the line before it names: the first line of a fenced code block.
    Announced,
}

/// A kind of node that contains text in another language: the outer language, the kind of the
/// node's parent ("" for any), the kind of the node, the inner language.
struct Nested {
    outer: &'static str,
    parent: &'static str,
    kind: &'static str,
    inner: Inner,
}

const fn nested(
    outer: &'static str,
    parent: &'static str,
    kind: &'static str,
    inner: Inner,
) -> Nested {
    Nested {
        outer,
        parent,
        kind,
        inner,
    }
}

const NESTED: [Nested; 9] = [
    nested(
        "HTML",
        "script_element",
        "raw_text",
        Inner::Named("JavaScript"),
    ),
    nested("HTML", "style_element", "raw_text", Inner::Named("CSS")),
    nested("Markdown", "", "code_fence_content", Inner::Announced),
    nested("Markdown", "", "html_block", Inner::Named("HTML")),
    nested("Markdown", "", "minus_metadata", Inner::Named("YAML")),
    nested("PHP", "", "text", Inner::Named("HTML")),
    nested("JavaScript", "", "regex_pattern", Inner::Named("Regex")),
    nested("TypeScript", "", "regex_pattern", Inner::Named("Regex")),
    nested("TSX", "", "regex_pattern", Inner::Named("Regex")),
];

impl Language {
    /// Returns the language of the text in a node of this kind. `around` returns the kind of its
    /// parent; `before` is all of the input before it. `None` when the text is in this language.
    pub(crate) fn inside<'a>(
        &self,
        kind: &str,
        around: impl FnOnce() -> &'a str,
        before: &[u8],
    ) -> Option<&'static Self> {
        let mut nested = NESTED
            .iter()
            .filter(|nested| nested.kind == kind && nested.outer == self.name)
            .peekable();
        let around = nested.peek().map(|_| around())?;
        let nested = nested.find(|nested| nested.parent.is_empty() || nested.parent == around)?;
        match nested.inner {
            Inner::Named(name) => Self::named(name),
            Inner::Announced => Self::named(announced(before)?),
        }
    }
}

/// Returns the first word after the fence in the last line of a text.
fn announced(text: &[u8]) -> Option<&str> {
    let line = text.trim_ascii_end().rsplit(|&byte| byte == b'\n').next()?;
    let fence = line.iter().rposition(|byte| b"`~".contains(byte))?;
    let line = str::from_utf8(&line[fence + 1..]).ok()?;
    let mut words = line.split([' ', '\t', ',', '{', '}', '.']);
    words.find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nested_language_and_kind_exists() {
        for Nested {
            outer,
            parent,
            kind,
            inner,
        } in NESTED
        {
            let Some(language) = Language::named(outer) else {
                continue;
            };
            let grammar = language.grammar();
            for kind in [parent, kind].iter().filter(|kind| !kind.is_empty()) {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{outer}: {kind}");
            }
            if let (Inner::Named(name), true) = (inner, cfg!(feature = "all-languages")) {
                assert!(Language::named(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn a_fence_names_the_language_of_its_code() {
        assert_eq!(announced(b"text\n\n```js\n"), Some("js"));
        assert_eq!(announced(b"~~~ rust,ignore\n"), Some("rust"));
        assert_eq!(announced(b"   ```{.python title=x}\r\n"), Some("python"));
        assert_eq!(announced(b"js\n```\n"), None);
        assert_eq!(announced(b""), None);
    }
}
