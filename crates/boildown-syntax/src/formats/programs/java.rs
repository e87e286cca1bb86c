//! Names of programs in Java.

use super::names::{Declarators, ProgramNames, add_elements};
use super::tokens::{Tokens, is_name};

/// Words after which a name is no declaration: it is a value, or a type.
const NO_TYPES: [&[u8]; 41] = [
    b"abstract",
    b"assert",
    b"break",
    b"case",
    b"catch",
    b"continue",
    b"default",
    b"do",
    b"else",
    b"extends",
    b"final",
    b"finally",
    b"for",
    b"if",
    b"implements",
    b"import",
    b"instanceof",
    b"native",
    b"new",
    b"non",
    b"package",
    b"permits",
    b"private",
    b"protected",
    b"public",
    b"return",
    b"sealed",
    b"static",
    b"strictfp",
    b"super",
    b"switch",
    b"synchronized",
    b"this",
    b"throw",
    b"throws",
    b"transient",
    b"try",
    b"volatile",
    b"when",
    b"while",
    b"yield",
];

/// Other words that are no names.
const WORDS: [&[u8]; 15] = [
    b"boolean",
    b"byte",
    b"char",
    b"class",
    b"double",
    b"enum",
    b"false",
    b"float",
    b"int",
    b"interface",
    b"long",
    b"null",
    b"short",
    b"true",
    b"void",
];

pub(super) fn read<'a>(tokens: &Tokens<'a>, names: &mut ProgramNames<'a>) {
    let mut declarators = Declarators::default();
    let mut at = 0;
    while at < tokens.len() {
        let (this, last, next) = (tokens.at(at), tokens.before(at, 1), tokens.at(at + 1));
        declarators.step(this, last);
        match this {
            b"(" => {
                let end = tokens.end_of_brackets(at);
                if tokens.at(end + 1) == b"->" {
                    add_elements(tokens, at + 1, end, names);
                }
            }
            b"import" | b"package" => at = read_import(tokens, at, names),
            b"enum" if is_name(next) => add_constants(tokens, at + 2, names),
            b"<" if begins_type_parameters(tokens, at) => {
                add_elements(tokens, at + 1, tokens.end_of_brackets(at), names);
            }
            b"record" if is_name(next) => {}
            _ if !is_plain(this) || matches!(last, b"." | b"::") => {}
            _ if declares(tokens, at)
                || last == b"," && declarators.is_open() && ends_declarator(next) =>
            {
                names.declared.insert(this);
                declarators.declare();
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
    is_name(token) && !WORDS.contains(&token) && !NO_TYPES.contains(&token)
}

/// Returns whether a name is declared, by the tokens beside it.
fn declares(tokens: &Tokens<'_>, at: usize) -> bool {
    let (last, next) = (tokens.before(at, 1), tokens.at(at + 1));
    let follows_type =
        matches!(last, b">" | b"]" | b"...") || is_name(last) && !NO_TYPES.contains(&last);
    match last {
        b"class" | b"interface" | b"enum" | b"record" => true,
        b"." | b"::" => false,
        _ if next == b"->" => true,
        b"{" | b"}" | b";" if next == b":" => true,
        // A constructor.
        _ if next == b"(" => {
            let end = tokens.end_of_brackets(at + 1);
            follows_type || last != b"new" && tokens.at(end + 1) == b"{"
        }
        _ => follows_type && ends_declarator(next),
    }
}

/// Returns whether a token may follow the name of a variable where it is declared.
fn ends_declarator(next: &[u8]) -> bool {
    matches!(
        next,
        b";" | b"=" | b"," | b"[" | b")" | b":" | b"&&" | b"?" | b"|"
    )
}

/// Reads an import, which declares its last name, or a package. Returns the place of its end.
fn read_import<'a>(tokens: &Tokens<'a>, from: usize, names: &mut ProgramNames<'a>) -> usize {
    let mut end = from + 1;
    while end < tokens.len() && tokens.at(end) != b";" {
        end += 1;
    }
    let last = tokens.before(end, 1);
    if tokens.at(from) == b"import" && is_name(last) {
        names.declared.insert(last);
    }
    end
}

/// Adds the constants of the enum whose name stands before a place.
fn add_constants<'a>(tokens: &Tokens<'a>, from: usize, names: &mut ProgramNames<'a>) {
    let mut begin = from;
    while begin < tokens.len() && !matches!(tokens.at(begin), b"{" | b";" | b"}") {
        begin += 1;
    }
    let close = tokens.end_of_brackets(begin);
    let mut end = begin + 1;
    while end < close && tokens.at(end) != b";" {
        end = match tokens.at(end) {
            b"(" | b"{" => tokens.end_of_brackets(end) + 1,
            _ => end + 1,
        };
    }
    add_elements(tokens, begin + 1, end.min(close), names);
}

/// Returns whether the angle bracket at a place begins a list of parameters that are declared.
fn begins_type_parameters(tokens: &Tokens<'_>, at: usize) -> bool {
    let declares_type = matches!(tokens.before(at, 2), b"class" | b"interface" | b"record");
    let is_modifier = |word: &[u8]| {
        NO_TYPES.contains(&word) && !matches!(word, b"new" | b"return" | b"this" | b"super")
    };
    declares_type
        || matches!(tokens.before(at, 1), b"{" | b"}" | b";")
        || is_modifier(tokens.before(at, 1))
}
