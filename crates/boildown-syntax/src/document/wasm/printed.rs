//! Modules in text as binaries, and binaries as text.

use wasmprinter::PrintFmtWrite;
use wast::Wat;
use wast::parser::{self, ParseBuffer};

use super::unfolded::unfold;

/// Returns the binary that a text stands for; `None` if it is no single module.
pub(super) fn binary(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    encode(text).or_else(|| encode(&unfold(text)?))
}

fn encode(text: &str) -> Option<Vec<u8>> {
    let buffer = ParseBuffer::new(text).ok()?;
    parser::parse::<Wat<'_>>(&buffer).ok()?.encode().ok()
}

/// Prints a module without comments.
pub(super) fn print(binary: &[u8]) -> Option<Vec<u8>> {
    let mut text = String::new();
    let mut out = PrintFmtWrite(&mut text);
    wasmprinter::Config::new().print(binary, &mut out).ok()?;
    let text = String::from_utf8(without_comments(text.as_bytes())).ok()?;
    Some(without_types(&text).unwrap_or(text).into_bytes())
}

/// Removes the definitions of types if nothing but functions, which tell their parameters and
/// results anyway, mentions them. The types are then defined by these.
fn without_types(text: &str) -> Option<String> {
    const DEFINITION: &str = "  (type ";
    const FUNCTION: &str = "  (func ";
    // A type may be mentioned in other ways than `(type 0)`, or be no function.
    let is_mention = |word: &&str| text.contains(*word);
    let others = ["(sub ", "(rec", "(ref ", "call_ref", "ref.null", "cont."];
    if others.iter().any(is_mention) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut mentions = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(DEFINITION) {
            if !line.contains("(func") || !line.ends_with(")))\n") && !line.ends_with("(func))\n") {
                return None;
            }
            mentions += 1;
            continue;
        }
        let mention = line.find(" (type ").filter(|_| line.starts_with(FUNCTION));
        let end = mention.and_then(|start| Some(start + line[start..].find(')')? + 1));
        match mention.zip(end) {
            Some((start, end)) => {
                mentions += 1;
                out.push_str(&line[..start]);
                out.push_str(&line[end..]);
            }
            None => out.push_str(line),
        }
    }
    (mentions == text.matches("(type ").count()).then_some(out)
}

/// Removes the comments that the printer writes, with the white space before them: none is nested,
/// and none has a line break. In strings it writes quotes as numbers.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut is_string = false;
    while let Some((&byte, after)) = rest.split_first() {
        let ends_with = |end: &[u8]| rest.windows(2).position(|window| window == end);
        let length = match rest.get(..2) {
            _ if is_string => None,
            Some(b";;") => Some(rest.iter().position(|&byte| byte == b'\n')),
            Some(b"(;") => Some(ends_with(b";)").map(|end| end + 2)),
            _ => None,
        };
        if let Some(length) = length {
            while out.last() == Some(&b' ') {
                out.pop();
            }
            rest = &rest[length.unwrap_or(rest.len())..];
            continue;
        }
        out.push(byte);
        rest = after;
        is_string ^= byte == b'"';
    }
    out
}
