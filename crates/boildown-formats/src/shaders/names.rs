//! Names of shaders in GLSL and WGSL that are mentioned without being declared.

use std::collections::{BTreeMap, BTreeSet};

/// The language of a shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShaderLanguage {
    Glsl,
    Wgsl,
}

/// Returns the names that a shader mentions without declaring them, among them all built-in ones;
/// for each call of one of its functions with a wrong number of arguments, the name with a bracket;
/// and `#version`, if a shader in GLSL has no such line.
///
/// What is declared anywhere counts as declared everywhere: scopes are not known. Names after a
/// dot and in attributes, qualifiers of the layout and directives are no mentions.
pub(super) fn undeclared(language: ShaderLanguage, text: &[u8]) -> BTreeSet<Box<[u8]>> {
    let tokens = tokens(text);
    let mut shader = ShaderNames::default();
    match language {
        ShaderLanguage::Glsl => shader.read_glsl(&tokens),
        ShaderLanguage::Wgsl => shader.read_wgsl(&tokens),
    }
    shader.undeclared()
}

/// What a shader declares and mentions.
#[derive(Debug, Default)]
struct ShaderNames<'a> {
    declared: BTreeSet<&'a [u8]>,
    mentioned: BTreeSet<&'a [u8]>,
    /// The functions with their numbers of parameters; overloaded ones have several.
    functions: BTreeMap<&'a [u8], BTreeSet<usize>>,
    /// The calls with their numbers of arguments.
    calls: BTreeSet<(&'a [u8], usize)>,
}

/// Words before a name that is a type, or of a statement, so that the name is not declared.
#[rustfmt::skip]
const NO_TYPES: [&[u8]; 39] = [
    b"return", b"else", b"do", b"case", b"const", b"in", b"out", b"inout", b"uniform", b"buffer",
    b"shared", b"attribute", b"varying", b"flat", b"smooth", b"noperspective", b"centroid",
    b"sample", b"patch", b"invariant", b"precise", b"highp", b"mediump", b"lowp", b"readonly",
    b"writeonly", b"coherent", b"volatile", b"restrict", b"subroutine", b"precision", b"discard",
    b"break", b"continue", b"if", b"for", b"while", b"switch", b"default",
];

/// Words of WGSL before a name that is declared.
#[rustfmt::skip]
const DECLARING: [&[u8]; 8] = [
    b"let", b"var", b"const", b"override", b"fn", b"struct", b"alias", b"type",
];

/// Words that are no names. `void` may take the place of any type.
#[rustfmt::skip]
const WORDS: [&[u8]; 19] = [
    b"void", b"true", b"false", b"layout", b"struct", b"enable", b"requires", b"diagnostic",
    b"loop", b"continuing", b"else", b"if", b"for", b"while", b"switch", b"return", b"_",
    b"discard", b"break",
];

impl<'a> ShaderNames<'a> {
    fn undeclared(self) -> BTreeSet<Box<[u8]>> {
        let names = self.mentioned.difference(&self.declared);
        let names = names.map(|&name| Box::from(name));
        let calls = self.calls.iter().filter(|(name, count)| {
            let known = self.functions.get(name);
            known.is_some_and(|known| !known.contains(count))
        });
        let calls = calls.map(|(name, _)| [name, &b"("[..]].concat().into());
        names.chain(calls).collect()
    }

    fn read_glsl(&mut self, tokens: &[&'a [u8]]) {
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let mut depth = 0_usize;
        // Within a declaration, the depth at which a comma is followed by another name.
        let mut declaring = None;
        let mut at = 0;
        if tokens.iter().all(|token| !token.starts_with(b"#version")) {
            self.mentioned.insert(b"#version");
        }
        while at < tokens.len() {
            let this = token(at);
            let last = at.checked_sub(1).map_or(&b""[..], token);
            let next = token(at + 1);
            match this {
                b"(" | b"[" => depth += 1,
                b")" | b"]" => depth = depth.saturating_sub(1),
                b"{" if last == b"=" => depth += 1,
                b"{" | b"}" | b";" => declaring = None,
                b"layout" if next == b"(" => at = end_of_brackets(tokens, at + 1),
                _ if this.starts_with(b"#define") => self.declared.extend(defined(this)),
                _ if !is_name(this) || last == b"." => {}
                _ if declares_in_glsl(last, next)
                    || last == b"," && declaring == Some(depth) && ends_declarator(next) =>
                {
                    self.declared.insert(this);
                    declaring = Some(depth);
                    if next == b"(" {
                        let count = arguments(tokens, at + 1);
                        let count = if token(at + 2) == b"void" { 0 } else { count };
                        self.functions.entry(this).or_default().insert(count);
                    }
                }
                _ => {
                    self.mentioned.insert(this);
                    if next == b"(" {
                        self.calls.insert((this, arguments(tokens, at + 1)));
                    }
                }
            }
            at += 1;
        }
    }

    fn read_wgsl(&mut self, tokens: &[&'a [u8]]) {
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let mut is_case = false;
        let mut at = 0;
        while at < tokens.len() {
            let this = token(at);
            let last = at.checked_sub(1).map_or(&b""[..], token);
            let next = token(at + 1);
            match this {
                b"case" => is_case = true,
                b"{" | b"}" | b";" => is_case = false,
                b"@" => {
                    at += 1;
                    if token(at + 1) == b"(" {
                        at = end_of_brackets(tokens, at + 1);
                    }
                }
                b"var" if next == b"<" => {
                    while at + 1 < tokens.len() && token(at) != b">" {
                        at += 1;
                    }
                    self.declared.insert(token(at + 1));
                    at += 1;
                }
                _ if !is_name(this) || last == b"." => {}
                _ if DECLARING.contains(&last) || next == b":" && !is_case => {
                    self.declared.insert(this);
                    if last == b"fn" {
                        let count = parameters(tokens, at + 1);
                        self.functions.entry(this).or_default().insert(count);
                    }
                }
                _ if DECLARING.contains(&this) => {}
                _ => {
                    self.mentioned.insert(this);
                    let end = end_of_brackets(tokens, at + 1);
                    // Commas within `<…>` may be those of a type.
                    let has_types = tokens[at..end.min(tokens.len())].contains(&&b"<"[..]);
                    if next == b"(" && !has_types {
                        self.calls.insert((this, arguments(tokens, at + 1)));
                    }
                }
            }
            at += 1;
        }
    }
}

/// Returns whether a name of GLSL is declared, by the tokens beside it: it follows a type, a word
/// for a struct, or what is in a block.
fn declares_in_glsl(last: &[u8], next: &[u8]) -> bool {
    let follows_type = is_name(last) && !NO_TYPES.contains(&last) && !WORDS.contains(&last)
        || matches!(last, b"]" | b"void");
    match last {
        b"struct" => true,
        b"}" => matches!(next, b";" | b"["),
        _ if next == b"{" => true,
        _ => follows_type && (ends_declarator(next) || next == b"("),
    }
}

/// Returns whether a token may follow the name of a variable where it is declared.
fn ends_declarator(next: &[u8]) -> bool {
    matches!(next, b";" | b"=" | b"," | b"[" | b")" | b":")
}

/// Returns the name that a directive defines.
fn defined(directive: &[u8]) -> Option<&[u8]> {
    let name = directive.strip_prefix(b"#define")?.trim_ascii_start();
    let length = name.iter().take_while(|&&byte| is_letter(byte)).count();
    Some(&name[..length])
}

/// Returns the place of the bracket that closes the one at a place, or the end.
fn end_of_brackets(tokens: &[&[u8]], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, &token) in tokens.iter().enumerate().skip(from) {
        match token {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Returns the number of elements of the list in the brackets at a place.
fn arguments(tokens: &[&[u8]], from: usize) -> usize {
    if tokens.get(from + 1) == Some(&&b")"[..]) {
        return 0;
    }
    1 + at_first_depth(tokens, from, b",")
}

/// Returns the number of parameters of WGSL in the brackets at a place: each has a type.
fn parameters(tokens: &[&[u8]], from: usize) -> usize {
    at_first_depth(tokens, from, b":")
}

/// Returns how often a token stands in the brackets at a place, but not in others within these.
fn at_first_depth(tokens: &[&[u8]], from: usize, wanted: &[u8]) -> usize {
    let end = end_of_brackets(tokens, from).min(tokens.len());
    let mut depth = 0_usize;
    let mut count = 0;
    for &token in tokens.iter().take(end).skip(from) {
        match token {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
            _ if depth == 1 && token == wanted => count += 1,
            _ => {}
        }
    }
    count
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_name(token: &[u8]) -> bool {
    let is_word = |first: &u8| is_letter(*first) && !first.is_ascii_digit();
    token.first().is_some_and(is_word) && !WORDS.contains(&token) && !NO_TYPES.contains(&token)
}

/// Divides a text into names and numbers, signs, and directives as a whole. Comments are left out.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let line = || {
            rest.iter()
                .position(|&byte| byte == b'\n')
                .unwrap_or(rest.len())
        };
        let length = match rest {
            [b'/', b'/', ..] => line(),
            [b'/', b'*', ..] => {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                end.map_or(rest.len(), |end| end + 4)
            }
            [first, ..] if first.is_ascii_whitespace() => 1,
            [b'#', ..] => {
                tokens.push(&rest[..line()]);
                line()
            }
            [first, ..] => {
                let is_number = first.is_ascii_digit();
                let is_part = |byte: &&u8| is_letter(**byte) || is_number && **byte == b'.';
                let length = rest.iter().take_while(is_part).count().max(1);
                tokens.push(&rest[..length]);
                length
            }
            [] => break,
        };
        at += length;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(language: ShaderLanguage, text: &str) -> Vec<String> {
        let names = undeclared(language, text.as_bytes()).into_iter();
        names
            .map(|name| String::from_utf8_lossy(&name).into_owned())
            .collect()
    }

    const GLSL: &str = "\
#version 450
#define LOW 2
layout(location = 0) in vec3 v_pos;
struct Light { vec4 color, pos; float r[3]; };
layout(std430, binding = 1) buffer Data { Light lights[]; } data;
uniform Block { int steps; };
const float A = 1.0, B = LOW;
float f(float a, inout vec2 b) { return a + b.x; }
float g(void) { return f(A, vec2(B)); }
void main() {
  float[2] x = { A, B }; // y
  for (int i = 0, j = 1; i < steps; i++) x[j] = g();
  Light light = data.lights[0];
  gl_Position = light.pos;
}
";

    #[test]
    fn built_in_names_of_glsl_are_all_that_is_not_declared() {
        let expected = ["float", "gl_Position", "int", "vec2", "vec3", "vec4"];
        assert_eq!(names(ShaderLanguage::Glsl, GLSL), expected);
    }

    #[test]
    fn a_deleted_declaration_of_glsl_leaves_its_name_undeclared() {
        let glsl = |from: &str, to: &str| {
            assert!(GLSL.contains(from), "{from}");
            let known = names(ShaderLanguage::Glsl, GLSL);
            let mut left = names(ShaderLanguage::Glsl, &GLSL.replace(from, to));
            left.retain(|name| !known.contains(name));
            left
        };
        assert_eq!(glsl("#version 450\n", ""), ["#version"]);
        assert_eq!(glsl("#define LOW 2\n", ""), ["LOW"]);
        assert_eq!(glsl(", B = LOW", ""), ["B"]);
        assert_eq!(glsl(", j = 1", ""), ["j"]);
        assert_eq!(glsl("uniform Block { int steps; };\n", ""), ["steps"]);
        assert_eq!(glsl(" data;", ";"), ["data"]);
        assert_eq!(glsl("struct Light", "struct"), ["Light"]);
        assert_eq!(glsl("Light light = data.lights[0];", ""), ["light"]);
        assert_eq!(glsl("float a, inout vec2 b", "float a"), ["b", "f("]);
        assert_eq!(glsl("f(A, vec2(B))", "f(A)"), ["f("]);
        assert_eq!(
            glsl("float f(float a, inout vec2 b) { return a + b.x; }\n", ""),
            ["f"]
        );
        assert_eq!(glsl("int i = 0", "int 0"), ["i", "j"]);
        assert_eq!(glsl("vec4 color, pos;", "vec4 color;"), [""; 0]);
    }

    const WGSL: &str = "\
struct Light { pos: vec4<f32>, @align(16) r: array<f32, 3>, }
@group(0) @binding(0) var<uniform> light: Light;
const A: f32 = 1.0;
override size = 4u;
fn f(a: f32, b: array<f32, 3>,) -> f32 { return a + b[0]; }
fn g(p: ptr<function, f32>) { *p = f(A, light.r); }
@compute @workgroup_size(size)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var x = f(A, array<f32, 3>());
  switch id.x { case size: { g(&x); } default: { return; } }
}
";

    #[test]
    fn a_deleted_declaration_of_wgsl_leaves_its_name_undeclared() {
        let known = names(ShaderLanguage::Wgsl, WGSL);
        let built_in = ["array", "f32", "function", "ptr", "u32", "vec3", "vec4"];
        assert_eq!(known, built_in);
        let wgsl = |from: &str, to: &str| {
            assert!(WGSL.contains(from), "{from}");
            let mut left = names(ShaderLanguage::Wgsl, &WGSL.replace(from, to));
            left.retain(|name| !known.contains(name));
            left
        };
        assert_eq!(wgsl("var<uniform> light: Light;", ""), ["light"]);
        assert_eq!(wgsl("var x =", "_ ="), ["x"]);
        assert_eq!(wgsl("override size = 4u;", ""), ["size"]);
        assert_eq!(
            wgsl("@builtin(global_invocation_id) id: vec3<u32>", ""),
            ["id"]
        );
        assert_eq!(wgsl("f(A, light.r)", "f(A)"), ["f("]);
        assert_eq!(wgsl("p: ptr<function, f32>", ""), ["g(", "p"]);
        assert_eq!(wgsl("light.r", "light"), [""; 0]);
    }
}
