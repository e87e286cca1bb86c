//! Modules in text as binaries, and binaries as text.

use wasmprinter::PrintFmtWrite;
use wast::Wat;
use wast::parser::{self, ParseBuffer};

use super::forms::words;
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

/// How the instructions of a module in text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InstructionForm {
    /// One after another: `local.get 0 drop`. It has the fewest words.
    Sequence,
    /// In brackets, with operands inside: `(drop (local.get 0))`. Some tools read nothing else.
    Brackets,
}

impl InstructionForm {
    /// Returns the form in a text: in brackets if some instruction in it has operands in brackets,
    /// and none stands without.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut before: &[u8] = b"";
        let mut has_brackets = false;
        for word in words(text) {
            let is_open = before == b"(";
            before = word;
            if !is_instruction(word) {
                continue;
            }
            if !is_open {
                return Self::Sequence;
            }
            // Offsets of data, and values of global variables, are in brackets anyway.
            let is_value = word.ends_with(b".const") || word == b"global.get";
            has_brackets |= !is_value && !word.starts_with(b"ref.");
        }
        match has_brackets {
            true => Self::Brackets,
            false => Self::Sequence,
        }
    }
}

/// Returns whether a word of a text is an instruction, of those that most functions have one of.
fn is_instruction(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const PLAIN: [&[u8]; 11] = [
        b"block", b"br", b"br_if", b"call", b"drop", b"end", b"if", b"loop", b"nop", b"return",
        b"unreachable",
    ];
    let is_letter = word.first().is_some_and(u8::is_ascii_lowercase);
    let has_dot = || word.contains(&b'.') && !word.contains(&b'=');
    is_letter && (PLAIN.contains(&word) || has_dot())
}

/// Returns a module in text with its instructions one after another, if they are in brackets.
pub(super) fn in_sequence(text: &[u8]) -> Option<Vec<u8>> {
    let is_in_brackets = InstructionForm::of(text) == InstructionForm::Brackets;
    print(
        &is_in_brackets.then(|| binary(text))??,
        InstructionForm::Sequence,
    )
}

/// Prints a module without comments.
pub(super) fn print(binary: &[u8], form: InstructionForm) -> Option<Vec<u8>> {
    let mut text = String::new();
    let mut out = PrintFmtWrite(&mut text);
    wasmprinter::Config::new()
        .fold_instructions(form == InstructionForm::Brackets)
        .print(binary, &mut out)
        .ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_instructions_is_that_of_all_of_them() {
        let form = |text: &str| InstructionForm::of(text.as_bytes());
        for text in [
            "(func $drop (drop (i32.const 1)))",
            "(func (param $i32.a i32) (call $f)) (export \"drop\" (func $end)) ;; nop",
        ] {
            assert_eq!(form(text), InstructionForm::Brackets, "{text}");
        }
        for text in [
            "(func (i32.const 1) drop)",
            "(func i32.const 1 (drop))",
            "(data (i32.const 1) \"\") (global i32 (global.get 0)) (func)",
        ] {
            assert_eq!(form(text), InstructionForm::Sequence, "{text}");
        }
    }

    #[test]
    fn instructions_are_printed_in_both_forms() {
        let text = b"(module (func (drop (i32.const 1))))";
        let module = binary(text).expect("a module");
        let printed = |form| String::from_utf8(print(&module, form).unwrap()).unwrap();
        let brackets = printed(InstructionForm::Brackets);
        assert!(
            brackets.contains("(drop\n      (i32.const 1))"),
            "{brackets}"
        );
        let sequence = printed(InstructionForm::Sequence);
        assert!(sequence.contains("i32.const 1\n    drop"), "{sequence}");
        assert_eq!(in_sequence(text), Some(sequence.clone().into_bytes()));
        assert_eq!(in_sequence(sequence.as_bytes()), None);
    }
}
