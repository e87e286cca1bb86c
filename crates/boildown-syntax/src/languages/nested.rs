//! Which nodes of a language hold texts in another.

use super::Language;

/// What language the text of a node is in.
#[derive(Debug, Clone, Copy)]
enum Inner {
    /// This one.
    Named(&'static str),
    /// The one that the line before it names, which is a fence.
    Announced,
}

/// A kind of node that holds a text in another language, by the names of the outer language, of the node around it ("" for any) and of
/// the node itself.
type Nested = (&'static str, &'static str, &'static str, Inner);

const NESTED: [Nested; 6] = [
    (
        "HTML",
        "script_element",
        "raw_text",
        Inner::Named("JavaScript"),
    ),
    ("HTML", "style_element", "raw_text", Inner::Named("CSS")),
    ("Markdown", "", "code_fence_content", Inner::Announced),
    ("Markdown", "", "html_block", Inner::Named("HTML")),
    ("Markdown", "", "minus_metadata", Inner::Named("YAML")),
    ("PHP", "", "text", Inner::Named("HTML")),
];

impl Language {
    /// Returns the language of the text in a node of a kind; `around` says the kind of the node around it, and `before` is all of the
    /// text before it. `None` when it is just a part of this language.
    pub(crate) fn inside<'a>(
        &self,
        kind: &str,
        around: impl FnOnce() -> &'a str,
        before: &[u8],
    ) -> Option<&'static Self> {
        let mut nested = NESTED
            .iter()
            .filter(|(outer, _, node, _)| *node == kind && *outer == self.name)
            .peekable();
        let around = nested.peek().map(|_| around())?;
        let (.., inner) = nested.find(|(_, parent, ..)| parent.is_empty() || *parent == around)?;
        match inner {
            Inner::Named(name) => Self::named(name),
            Inner::Announced => Self::named(announced(before)?),
        }
    }
}

/// The first word after the fence that the last line of a text begins with.
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
    fn every_nested_text_is_in_languages_that_there_are() {
        for (outer, parent, kind, inner) in NESTED {
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
    fn a_fence_announces_what_is_in_it() {
        assert_eq!(announced(b"text\n\n```js\n"), Some("js"));
        assert_eq!(announced(b"~~~ rust,ignore\n"), Some("rust"));
        assert_eq!(announced(b"   ```{.python title=x}\r\n"), Some("python"));
        assert_eq!(announced(b"js\n```\n"), None);
        assert_eq!(announced(b""), None);
    }
}
