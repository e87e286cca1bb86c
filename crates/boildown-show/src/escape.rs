//! Texts of inputs and programs, made visible: they may hold anything.

use std::fmt::Write as _;

/// Returns bytes as a text without control characters, invalid bytes and characters that change the
/// direction or are invisible; these are written as `\x1b`, `\xff` and `\u{202e}`. Line feeds and
/// tabs stay.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    each(bytes, |part| match part {
        Visible::Plain(plain) => text.push_str(plain),
        Visible::Escaped(escaped) => text.push_str(escaped),
    });
    text
}

/// Returns bytes as HTML. What is not visible is in elements of the class `x`.
pub(crate) fn html(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    each(bytes, |part| match part {
        Visible::Plain(plain) => push_escaped(plain, &mut text),
        Visible::Escaped(escaped) => {
            write!(text, "<span class=x>{escaped}</span>").ok();
        }
    });
    text
}

/// Returns a text of our own or of the user as HTML.
pub(crate) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    push_escaped(&visible(text.as_bytes()), &mut escaped);
    escaped
}

/// Returns JSON that may stand inside a `script` element.
pub(crate) fn json_in_html(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// A part of a text.
enum Visible<'a> {
    Plain(&'a str),
    Escaped(&'a str),
}

fn each(bytes: &[u8], mut push: impl FnMut(Visible<'_>)) {
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let mut from = 0;
        for (at, character) in valid.char_indices() {
            if !is_hidden(character) {
                continue;
            }
            push(Visible::Plain(&valid[from..at]));
            from = at + character.len_utf8();
            let code = u32::from(character);
            push(Visible::Escaped(&match code {
                0..0x80 => format!("\\x{code:02x}"),
                _ => format!("\\u{{{code:x}}}"),
            }));
        }
        push(Visible::Plain(&valid[from..]));
        for byte in chunk.invalid() {
            push(Visible::Escaped(&format!("\\x{byte:02x}")));
        }
    }
}

/// Returns whether a character would not be seen, or would change how others are seen.
fn is_hidden(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffc}'
                | '\u{e0000}'..='\u{e007f}'
                | '\u{fdd0}'..='\u{fdef}'
        )
        || u32::from(character) & 0xfffe == 0xfffe
}

fn push_escaped(plain: &str, text: &mut String) {
    for character in plain.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            character => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_made_visible() {
        let hostile = b"</script>\0\x1b[2J\xff\xe2\x80\xaea\tb\r\n";
        assert_eq!(
            visible(hostile),
            "</script>\\x00\\x1b[2J\\xff\\u{202e}a\tb\\x0d\n"
        );
        assert_eq!(
            html(b"<\0'\xfe\""),
            "&lt;<span class=x>\\x00</span>&#39;<span class=x>\\xfe</span>&quot;"
        );
        assert_eq!(text("a\u{200b}<b>"), "a\\u{200b}&lt;b&gt;");
        assert_eq!(
            json_in_html("[\"</script><!--&\"]"),
            "[\"\\u003c/script\\u003e\\u003c!--\\u0026\"]"
        );
    }
}
