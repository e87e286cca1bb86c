//! Names of programs in C and C++.

use super::language::CompiledLanguage;
use super::names::{Declarators, ProgramNames, add_elements};
use super::tokens::{Tokens, is_name};

/// Words after which a name is no declaration: it is a value, or a type.
const NO_TYPES: [&[u8]; 44] = [
    b"alignof",
    b"and",
    b"break",
    b"case",
    b"catch",
    b"co_await",
    b"co_return",
    b"co_yield",
    b"const",
    b"constexpr",
    b"continue",
    b"default",
    b"delete",
    b"do",
    b"else",
    b"explicit",
    b"extern",
    b"for",
    b"friend",
    b"goto",
    b"if",
    b"inline",
    b"mutable",
    b"new",
    b"not",
    b"or",
    b"private",
    b"protected",
    b"public",
    b"register",
    b"requires",
    b"restrict",
    b"return",
    b"sizeof",
    b"static",
    b"switch",
    b"this",
    b"throw",
    b"try",
    b"typedef",
    b"virtual",
    b"volatile",
    b"while",
    b"decltype",
];

/// Other words that are no names, among them those of types.
const WORDS: [&[u8]; 35] = [
    b"_Bool",
    b"_Complex",
    b"_Static_assert",
    b"auto",
    b"bool",
    b"char",
    b"char16_t",
    b"char32_t",
    b"class",
    b"const_cast",
    b"double",
    b"dynamic_cast",
    b"enum",
    b"false",
    b"final",
    b"float",
    b"int",
    b"long",
    b"namespace",
    b"noexcept",
    b"nullptr",
    b"operator",
    b"override",
    b"reinterpret_cast",
    b"short",
    b"signed",
    b"static_cast",
    b"struct",
    b"template",
    b"true",
    b"typename",
    b"union",
    b"unsigned",
    b"using",
    b"void",
];

/// Words whose brackets hold no names of the program.
const EXTENSIONS: [&[u8]; 6] = [
    b"__attribute__",
    b"__attribute",
    b"__declspec",
    b"__asm__",
    b"__asm",
    b"asm",
];

/// Words of C++ before a name that is declared.
const DECLARING: [&[u8]; 7] = [
    b"class",
    b"concept",
    b"namespace",
    b"struct",
    b"typename",
    b"union",
    b"using",
];

pub(super) fn read<'a>(
    language: CompiledLanguage,
    tokens: &Tokens<'a>,
    names: &mut ProgramNames<'a>,
) {
    let mut declarators = Declarators::default();
    let mut at = 0;
    while at < tokens.len() {
        let (this, last, next) = (tokens.at(at), tokens.before(at, 1), tokens.at(at + 1));
        declarators.step(this, last);
        match this {
            b"[" => {
                // A structured binding, or what a lambda captures.
                let may_declare = matches!(
                    last,
                    b"auto" | b"&" | b"&&" | b"=" | b"(" | b"," | b"return"
                );
                if language == CompiledLanguage::Cxx && may_declare {
                    add_elements(tokens, at + 1, tokens.end_of_brackets(at), names);
                }
            }
            b"enum" => add_constants(tokens, at + 1, names),
            _ if this.starts_with(b"#") => names.declared.extend(defined(this)),
            _ if EXTENSIONS.contains(&this) && next == b"(" => at = tokens.end_of_brackets(at + 1),
            _ if !is_plain(this) || matches!(last, b"." | b"->" | b"::") => {}
            b"struct" | b"union" => {}
            // Tags are names of their own.
            _ if language == CompiledLanguage::C
                && matches!(last, b"struct" | b"union" | b"enum") => {}
            _ if declares(language, tokens, at)
                || declarators.is_open() && ends_declarator(next) && follows_comma(tokens, at) =>
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
fn declares(language: CompiledLanguage, tokens: &Tokens<'_>, at: usize) -> bool {
    let (last, next) = (tokens.before(at, 1), tokens.at(at + 1));
    let is_cxx = language == CompiledLanguage::Cxx;
    if next == b"(" {
        // A function with its body, and a constructor.
        let after = tokens.at(tokens.end_of_brackets(at + 1) + 1);
        if after == b"{" || is_cxx && matches!(after, b":" | b"const" | b"noexcept") {
            return true;
        }
    }
    let ends = ends_declarator(next) || next == b"(" || is_cxx && matches!(next, b">" | b"{");
    match last {
        b"}" => matches!(next, b";" | b"," | b"[" | b"="),
        b"{" | b";" | b":" if next == b":" => true,
        b"*" if tokens.before(at, 2) == b"(" => next == b")" || next == b"[",
        b"*" => ends && follows_type(tokens, at),
        b"&" | b"&&" | b">" | b"..." => is_cxx && ends,
        _ if is_cxx && DECLARING.contains(&last) => true,
        _ => {
            ends && is_name(last) && !NO_TYPES.contains(&last)
            // `unsigned const x`, `extern x`
            || ends && next != b"(" && matches!(last, b"const" | b"volatile" | b"restrict" | b"register" | b"static" | b"extern")
        }
    }
}

/// Returns whether the stars before a name follow a word that may be a type.
fn follows_type(tokens: &Tokens<'_>, at: usize) -> bool {
    let mut back = 1;
    while matches!(
        tokens.before(at, back),
        b"*" | b"const" | b"volatile" | b"restrict" | b"__restrict"
    ) {
        back += 1;
    }
    let word = tokens.before(at, back);
    let begins = tokens.before(at, back + 1);
    WORDS.contains(&word) && is_name(word)
        || word == b">"
        || word == b"}"
        || is_name(word)
            && !NO_TYPES.contains(&word)
            && (is_name(begins) && begins != b"return"
                || matches!(
                    begins,
                    b"" | b";" | b"{" | b"}" | b"(" | b"," | b")" | b":" | b"::"
                )
                || begins.starts_with(b"#"))
}

/// Returns whether a name follows a comma, with or without stars.
fn follows_comma(tokens: &Tokens<'_>, at: usize) -> bool {
    let mut back = 1;
    while matches!(tokens.before(at, back), b"*" | b"&" | b"const") {
        back += 1;
    }
    tokens.before(at, back) == b","
}

/// Returns whether a token may follow the name of a variable where it is declared.
fn ends_declarator(next: &[u8]) -> bool {
    matches!(next, b";" | b"=" | b"," | b"[" | b")" | b":") || EXTENSIONS.contains(&next)
}

/// Returns the name that a directive defines.
fn defined(directive: &[u8]) -> Option<&[u8]> {
    let rest = directive[1..].trim_ascii_start().strip_prefix(b"define")?;
    let name = rest.trim_ascii_start();
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    Some(&name[..name.iter().take_while(is_letter).count()])
}

/// Adds the constants of an enum, whose name or block stands at a place.
fn add_constants<'a>(tokens: &Tokens<'a>, from: usize, names: &mut ProgramNames<'a>) {
    let mut begin = from;
    while begin < from + 6 && !matches!(tokens.at(begin), b"{" | b";" | b"}" | b"") {
        begin += 1;
    }
    if tokens.at(begin) == b"{" {
        add_elements(tokens, begin + 1, tokens.end_of_brackets(begin), names);
    }
}
