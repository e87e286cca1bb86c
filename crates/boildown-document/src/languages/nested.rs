//! Nested languages: nodes of one language that contain text in another.

/// The language of a nested text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Inner {
    /// This one.
    Named(&'static str),
    /// The one that the line before it names: the first line of a fenced code block.
    Announced,
}

/// A kind of node that contains text in another language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nested {
    /// The kind of the node's parent; empty for any.
    pub(crate) parent: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) inner: Inner,
}

/// Returns the first word after the fence in the last line of a text.
pub(super) fn announced(text: &[u8]) -> Option<&str> {
    let line = text.trim_ascii_end().rsplit(|&byte| byte == b'\n').next()?;
    let fence = line.iter().rposition(|byte| b"`~".contains(byte))?;
    let line = str::from_utf8(&line[fence + 1..]).ok()?;
    let mut words = line.split([' ', '\t', ',', '{', '}', '.']);
    words.find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn every_nested_language_and_kind_exists() {
        for language in Language::all() {
            let grammar = language.grammar();
            for Nested {
                parent,
                kind,
                inner,
            } in language.nested
            {
                for kind in [parent, kind].iter().filter(|kind| !kind.is_empty()) {
                    let number = grammar.id_for_node_kind(kind, true);
                    assert_ne!(number, 0, "{}: {kind}", language.name);
                }
                if let (Inner::Named(name), true) = (inner, cfg!(feature = "all-languages")) {
                    assert!(Language::named(name).is_some(), "{name}");
                }
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
