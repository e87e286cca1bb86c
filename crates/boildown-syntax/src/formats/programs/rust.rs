//! Names of programs in Rust.

use super::names::{ProgramNames, add_elements};
use super::tokens::{Tokens, is_name};

/// Words before a name that is declared.
const DECLARING: [&[u8]; 12] = [
    b"fn", b"struct", b"enum", b"union", b"trait", b"type", b"const", b"static", b"mod", b"let",
    b"mut", b"ref",
];

/// Words that are no names.
const WORDS: [&[u8]; 42] = [
    b"_",
    b"as",
    b"async",
    b"await",
    b"box",
    b"break",
    b"const",
    b"continue",
    b"crate",
    b"dyn",
    b"else",
    b"enum",
    b"extern",
    b"false",
    b"fn",
    b"for",
    b"if",
    b"impl",
    b"in",
    b"let",
    b"loop",
    b"macro_rules",
    b"match",
    b"mod",
    b"move",
    b"mut",
    b"pub",
    b"ref",
    b"return",
    b"self",
    b"Self",
    b"static",
    b"struct",
    b"super",
    b"trait",
    b"true",
    b"type",
    b"union",
    b"unsafe",
    b"use",
    b"where",
    b"while",
];

/// The largest number of tokens of a pattern that are read: patterns do not nest.
const LONGEST_PATTERN: usize = 256;

pub(super) fn read<'a>(tokens: &Tokens<'a>, names: &mut ProgramNames<'a>) {
    let mut at = 0;
    while at < tokens.len() {
        let (this, last, next) = (tokens.at(at), tokens.before(at, 1), tokens.at(at + 1));
        match this {
            b"#" => at = read_attribute(tokens, at, names),
            b"use" => at = read_use(tokens, at, names),
            b"let" => add_pattern(
                tokens,
                at + 1,
                pattern_end(tokens, at + 1, &[b"=", b";"]),
                names,
            ),
            b"for" if next != b"<" => {
                let end = pattern_end(tokens, at + 1, &[b"in", b"{", b";"]);
                if tokens.at(end) == b"in" {
                    add_pattern(tokens, at + 1, end, names);
                }
            }
            b"=>" => add_pattern(tokens, arm_start(tokens, at), at, names),
            b"|" if begins_closure(last) => {
                let end = pattern_end(tokens, at + 1, &[b"|", b";"]);
                add_pattern(tokens, at + 1, end, names);
            }
            b"enum" => {
                let begin = pattern_end(tokens, at + 1, &[b"{", b";"]);
                add_elements(tokens, begin + 1, tokens.end_of_brackets(begin), names);
            }
            b"<" if begins_generics(tokens, at) => {
                add_elements(tokens, at + 1, tokens.end_of_brackets(at), names);
            }
            _ if !is_plain(this) || matches!(last, b"." | b"::" | b"$") => {}
            _ if declares(tokens, at) => {
                names.declared.insert(this);
            }
            _ => {
                names.mentioned.insert(this);
            }
        }
        at += 1;
    }
}

/// Returns whether a token is a name, and no word of the language.
fn is_plain(token: &[u8]) -> bool {
    is_name(token) && !WORDS.contains(&token)
}

/// Returns whether a name is declared, by the tokens beside it.
fn declares(tokens: &Tokens<'_>, at: usize) -> bool {
    let (last, next) = (tokens.before(at, 1), tokens.at(at + 1));
    let before = tokens.before(at, 2);
    match last {
        b"!" if before == b"macro_rules" => true,
        b"crate" if before == b"extern" => true,
        // `*const T` is a type.
        b"const" | b"mut" if matches!(before, b"*" | b"&") => false,
        // `let Some(a)` declares what is in the brackets.
        b"let" | b"mut" | b"ref" => !matches!(next, b"::" | b"(" | b"{" | b"<"),
        _ => DECLARING.contains(&last) || matches!(next, b":" | b"@"),
    }
}

/// Reads the attribute at a place, and returns the place of its end.
fn read_attribute<'a>(tokens: &Tokens<'a>, at: usize, names: &mut ProgramNames<'a>) -> usize {
    let is_inner = tokens.at(at + 1) == b"!";
    let begin = at + 1 + usize::from(is_inner);
    if tokens.at(begin) != b"[" {
        return at;
    }
    let end = tokens.end_of_brackets(begin);
    if !is_inner && matches!(tokens.at(end + 1), b"" | b"}" | b")") {
        names.mentioned.insert(tokens.at(at));
    }
    end
}

/// Reads an import, which declares its last names; the first ones are those of modules and crates.
/// Returns the place of its end.
fn read_use<'a>(tokens: &Tokens<'a>, from: usize, names: &mut ProgramNames<'a>) -> usize {
    let end = pattern_end(tokens, from + 1, &[b";"]);
    for at in from + 1..end {
        let (name, next) = (tokens.at(at), tokens.at(at + 1));
        if !is_name(name) {
            continue;
        }
        if matches!(next, b";" | b"," | b"}") {
            names.declared.insert(match name {
                b"self" => tokens.before(at, 3),
                _ => name,
            });
        }
    }
    end
}

/// Returns the place of the first of these tokens outside of brackets that begin after a place.
fn pattern_end(tokens: &Tokens<'_>, from: usize, ends: &[&[u8]]) -> usize {
    let mut at = from;
    while at < tokens.len() && !ends.contains(&tokens.at(at)) {
        at = match tokens.at(at) {
            b"(" | b"[" | b"{" => tokens.end_of_brackets(at) + 1,
            b")" | b"]" | b"}" => return at,
            _ => at + 1,
        };
    }
    at.min(tokens.len())
}

/// Returns where the arm of a match begins whose arrow stands at a place.
fn arm_start(tokens: &Tokens<'_>, arrow: usize) -> usize {
    let mut depth = 0_usize;
    for at in (arrow.saturating_sub(LONGEST_PATTERN)..arrow).rev() {
        match tokens.at(at) {
            // The end of the arm before.
            b"}" if depth == 0 && !matches!(tokens.at(at + 1), b"=>" | b"|" | b"if") => {
                return at + 1;
            }
            b")" | b"]" | b"}" => depth += 1,
            b"(" | b"[" | b"{" if depth == 0 => return at + 1,
            b"(" | b"[" | b"{" => depth -= 1,
            b"," | b";" | b"=>" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    arrow
}

/// Adds the names that the pattern in a range may declare: all but those of types and functions.
fn add_pattern<'a>(tokens: &Tokens<'a>, from: usize, end: usize, names: &mut ProgramNames<'a>) {
    for at in from..end.min(from + LONGEST_PATTERN) {
        let (name, last, next) = (tokens.at(at), tokens.before(at, 1), tokens.at(at + 1));
        if last == b"if" {
            return;
        }
        if is_plain(name)
            && !matches!(last, b"." | b"::")
            && !matches!(next, b"::" | b"(" | b"{" | b"!" | b"<")
        {
            names.declared.insert(name);
        }
    }
}

/// Returns whether a bar after a token begins the parameters of a closure.
fn begins_closure(last: &[u8]) -> bool {
    matches!(
        last,
        b"(" | b"," | b"=" | b"{" | b";" | b"=>" | b"move" | b"return" | b"else" | b""
    )
}

/// Returns whether the angle bracket at a place begins a list of parameters that are declared.
fn begins_generics(tokens: &Tokens<'_>, at: usize) -> bool {
    let declaring = [&b"fn"[..], b"struct", b"enum", b"union", b"trait", b"type"];
    tokens.before(at, 1) == b"impl" || declaring.contains(&tokens.before(at, 2))
}
