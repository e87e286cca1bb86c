//! Texts with the colours of their language.

use std::fmt::Write as _;
use std::ops::Range;

use boildown_document::{ClassifiedToken, Language, TokenClass};

use crate::escape;

/// The largest text that is coloured, in bytes.
const LARGEST: usize = 512 << 10;

/// The colours of a text.
#[derive(Debug, Default)]
pub(crate) struct Colours(Vec<ClassifiedToken>);

impl Colours {
    /// Reads a text. Without a language, or in a large text, nothing has a colour.
    pub(crate) fn of(text: &[u8], language: Option<&Language>) -> Self {
        let language = language.filter(|_| text.len() <= LARGEST);
        Self(language.map_or_else(Vec::new, |language| language.classify(text)))
    }

    /// Returns the parts of a range, each with its class.
    pub(crate) fn parts(&self, range: Range<usize>) -> Vec<(Range<usize>, Option<&'static str>)> {
        let first = self
            .0
            .partition_point(|token| token.bytes.end <= range.start);
        let mut parts: Vec<(Range<usize>, Option<&str>)> = Vec::new();
        let mut from = range.start;
        let mut push = |to: usize, class| {
            if from < to {
                parts.push((from..to, class));
                from = to;
            }
        };
        let inside = self.0[first..]
            .iter()
            .take_while(|token| token.bytes.start < range.end);
        for token in inside.filter(|token| token.class != TokenClass::Sign) {
            push(token.bytes.start, None);
            push(token.bytes.end.min(range.end), Some(class(token.class)));
        }
        push(range.end, None);
        parts
    }

    /// Returns a range of the text as HTML.
    pub(crate) fn html(&self, text: &[u8], range: Range<usize>) -> String {
        let mut html = String::new();
        for (bytes, class) in self.parts(range) {
            let part = escape::html(&text[bytes]);
            match class {
                Some(class) => write!(html, "<i class={class}>{part}</i>").ok(),
                None => write!(html, "{part}").ok(),
            };
        }
        html
    }
}

/// Returns the class of the style sheet.
fn class(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Comment => "c",
        TokenClass::Text => "s",
        TokenClass::Number => "n",
        TokenClass::Keyword => "k",
        TokenClass::Type => "y",
        TokenClass::Sign => "p",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_colours_and_the_rest_has_none() {
        let text = b"int f(char *s) { return 12; } // <b>";
        let colours = Colours::of(text, Language::named("C"));
        assert_eq!(
            colours.html(text, 17..text.len()),
            "<i class=k>return</i> <i class=n>12</i>; } <i class=c>// &lt;b&gt;</i>"
        );
        assert_eq!(colours.html(text, 1..5), "<i class=y>nt</i> f");
        assert_eq!(Colours::default().html(text, 0..5), "int f");
    }
}
