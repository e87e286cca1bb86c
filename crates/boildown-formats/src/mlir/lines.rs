//! The shapes of the lines of a module of MLIR, the types in them, and the ends of its regions.

use std::collections::{BTreeMap, BTreeSet};

use boildown_document::hashing::{HASH_START, hash};

use super::view::ends_block;
use crate::ir::{is_number, is_sized_type, kind_of, kind_of_text};

/// Numbers for the shape of a line: first its own, then those of what it may become, and those of
/// its attributes.
///
/// The shape is the line without attributes, where names, types and numbers are alike. Most
/// operations have a fixed number of operands and types, and in lists that belong together, such as
/// operands and their types, no element can go alone. What begins with a word of its own may go:
/// `attributes {…}`, `iter_args(…)`.
pub(super) fn shapes(words: &[&[u8]]) -> LineShapes {
    let mut attributes = Vec::new();
    let elements = elements(words, &mut attributes);
    let name = words
        .get(name_of_operation(words))
        .copied()
        .unwrap_or_default();
    let keys = (attributes.iter()).map(|attribute| hash(attribute.key, name));
    let keys = keys.collect();
    let mut own: Vec<u64> = attributes.iter().map(|attribute| attribute.whole).collect();
    let number = |gone: std::ops::Range<usize>| {
        let kept = elements.iter().enumerate();
        let kept = kept.filter(|(index, _)| !gone.contains(index));
        let bytes = kept.flat_map(|(_, element)| element.kind.to_le_bytes());
        hash(HASH_START, &bytes.collect::<Vec<u8>>())
    };
    let mut others = Vec::new();
    for (index, element) in elements.iter().enumerate().skip(1) {
        if element.is_keyword {
            let next = elements.get(index + 1);
            if next.is_some_and(|next| next.is_group) {
                others.push(number(index..index + 2));
            } else if next.is_none_or(|next| !next.is_operand) && words[0] != b"}" {
                others.push(number(index..index + 1));
            }
        }
    }
    own.push(number(0..0));
    LineShapes {
        own,
        others,
        attributes: keys,
    }
}

/// The numbers of a line.
pub(super) struct LineShapes {
    /// Of its shape and its attributes.
    pub(super) own: Vec<u64>,
    /// Of what its shape may become.
    pub(super) others: Vec<u64>,
    /// Of its attributes, by the name of its operation and theirs.
    pub(super) attributes: Vec<u64>,
}

/// The numbers of an attribute.
struct LineAttribute {
    /// Of its name.
    key: u64,
    /// Of its name and the shape of its value.
    whole: u64,
}

/// A word, or brackets with all that is inside of them.
struct LineElement {
    kind: u64,
    is_group: bool,
    /// Whether it is a value or number, which belongs to the word before it.
    is_operand: bool,
    /// Whether it is a word that may begin an optional part.
    is_keyword: bool,
}

fn elements(words: &[&[u8]], attributes: &mut Vec<LineAttribute>) -> Vec<LineElement> {
    let name = name_of_operation(words);
    let is_affine = words
        .get(name)
        .is_some_and(|name| has_affine_operands(name));
    // The conditions of a set are a list of any length, and so are the members of a struct.
    let is_set = words[0].starts_with(b"#") && words.contains(&&b"affine_set"[..]);
    // In generic form, most attributes are required.
    let is_generic =
        words.get(name).is_some_and(|name| name[0] == b'"') || words.starts_with(&[b"}", b")"]);
    let mut elements = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        if let Some(end) = group_end(words, at) {
            // A list without attributes goes with its brackets.
            let is_empty = end == at + 2;
            if is_generic || is_empty || !read_attributes(&words[at..end], attributes) {
                let is_free = is_set || begins_llvm_parameters(words, at);
                elements.push(LineElement {
                    kind: match is_free {
                        true => hash(HASH_START, word),
                        false => kind_of_group(&words[at..end], is_affine, attributes),
                    },
                    is_group: true,
                    is_operand: false,
                    is_keyword: false,
                });
            }
            at = end;
            continue;
        }
        // The name of an operation in generic form is a string.
        elements.push(LineElement {
            kind: match at == name {
                true => hash(HASH_START, word),
                false => kind(word),
            },
            is_group: false,
            is_operand: word[0] == b'%' || word[0].is_ascii_digit(),
            is_keyword: at > name && word[0].is_ascii_alphabetic() && may_begin(words[at - 1]),
        });
        at += 1;
    }
    elements
}

/// Returns whether an optional part may begin after a word: not where a type or value is expected.
fn may_begin(before: &[u8]) -> bool {
    !matches!(before, b":" | b"," | b"=" | b">")
}

/// Returns whether operands in brackets may be numbers: subscripts of affine operations, offsets
/// and sizes of slices.
fn has_affine_operands(name: &[u8]) -> bool {
    let part = last_part(name);
    let is_about = |text: &[u8]| part.windows(text.len()).any(|window| window == text);
    name.starts_with(b"affine.")
        || [&b"slice"[..], b"subview", b"pad", b"reinterpret_cast"]
            .into_iter()
            .any(is_about)
}

/// Returns a number for what is inside of brackets, but for attributes. `is_affine` says whether
/// values and numbers are alike.
fn kind_of_group(words: &[&[u8]], is_affine: bool, attributes: &mut Vec<LineAttribute>) -> u64 {
    let mut number = HASH_START;
    let mut at = 0;
    let is_list = is_affine && words[0] == b"[";
    while at < words.len() {
        let is_parameters = begins_llvm_parameters(words, at);
        if let Some(end) = group_end(words, at).filter(|_| words[at] == b"{")
            && read_attributes(&words[at..end], attributes)
        {
            at = end;
            continue;
        }
        if is_parameters && let Some(end) = group_end(words, at) {
            at = end;
            continue;
        }
        let word = match words[at] {
            [b'%', ..] if is_list => b"0",
            word => word,
        };
        number = hash(number, &kind(word).to_le_bytes());
        at += 1;
    }
    number
}

/// Returns whether the parameters of a type of LLVM begin at a word: `!llvm.struct<(i32, i8)>`, in
/// which members may go.
fn begins_llvm_parameters(words: &[&[u8]], at: usize) -> bool {
    at > 0 && words[at] == b"<" && words[at - 1].starts_with(b"!llvm.")
}

/// Reads a list of attributes, `{a = 1 : i32, b}`. Returns `false` for other words. Attributes may
/// go as a whole.
fn read_attributes(words: &[&[u8]], attributes: &mut Vec<LineAttribute>) -> bool {
    if words[0] != b"{" {
        return false;
    }
    let inside = &words[1..words.len() - 1];
    let parts = split(inside, b",");
    let is_attribute = |part: &&[&[u8]]| match part {
        [key] | [key, b"=", _, ..] => key[0].is_ascii_alphabetic() || key[0] == b'"',
        _ => false,
    };
    let are_attributes = inside.is_empty() || parts.iter().all(is_attribute);
    if are_attributes && !inside.is_empty() {
        let number = |part: &&[&[u8]]| {
            let key = hash(HASH_START, part[0]);
            let whole = part[1..]
                .iter()
                .fold(key, |number, word| hash(number, &kind(word).to_le_bytes()));
            LineAttribute { key, whole }
        };
        attributes.extend(parts.iter().map(number));
    }
    are_attributes
}

/// Returns where the name of the operation of a line stands: after its results, if it has any.
fn name_of_operation(words: &[&[u8]]) -> usize {
    let equals = words.iter().position(|word| *word == b"=");
    equals
        .filter(|_| words[0][0] == b'%')
        .map_or(0, |at| at + 1)
}

/// Returns whether a word is the symbol that its line defines: the first one, after the name of
/// such an operation, as in `func.func private @f()`.
pub(super) fn defines_symbol(words: &[&[u8]], index: usize) -> bool {
    let name = last_part(words[0]);
    let is_definition =
        matches!(name, b"func" | b"module" | b"global" | b"metadata") || name.starts_with(b"tbaa");
    let is_before = |word: &&[u8]| matches!(word[0], b'@' | b'(' | b'{');
    is_definition && !words[..index].iter().any(is_before)
}

/// Returns the part of a name after its dialect.
fn last_part(name: &[u8]) -> &[u8] {
    let dot = name.iter().rposition(|&byte| byte == b'.');
    dot.map_or(name, |dot| &name[dot + 1..])
}

/// Returns the length of the rest of an exponent, `+01`, after the word `1.0e`.
pub(super) fn exponent(word: &[u8], rest: &[u8]) -> usize {
    let is_begun = word[0].is_ascii_digit()
        && word.contains(&b'.')
        && matches!(word.last(), Some(b'e' | b'E'));
    let digits = rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit());
    match (is_begun, rest.first()) {
        (true, Some(b'+' | b'-')) => 1 + digits.count(),
        _ => 0,
    }
}

/// Returns the end of the brackets that begin at a word and are closed on the same line.
fn group_end(words: &[&[u8]], start: usize) -> Option<usize> {
    let mut open: Vec<u8> = Vec::new();
    for at in start..words.len() {
        let is_arrow = at > 0 && words[at - 1] == b"-";
        match words[at] {
            _ if words.get(at + 1) == Some(&&b"="[..]) => {}
            b"(" => open.push(b')'),
            b"[" => open.push(b']'),
            b"{" => open.push(b'}'),
            b"<" => open.push(b'>'),
            b">" if is_arrow => {}
            &[close @ (b')' | b']' | b'}' | b'>')] if open.pop() != Some(close) => return None,
            _ => {}
        }
        if open.is_empty() {
            return (at > start).then_some(at + 1);
        }
    }
    None
}

/// Returns whether a line begins a function.
pub(super) fn begins_function(words: &[&[u8]]) -> bool {
    let is_function =
        |word: &&[u8]| *word == b"func" || word.ends_with(b".func") || *word == b"\"func.func\"";
    words[0] == b"define" || words.iter().take(2).any(is_function)
}

/// Returns a number for words of the same kind: names, types and numbers are alike.
fn kind(word: &[u8]) -> u64 {
    match word[0] {
        b'f' if is_sized_type(word) => kind_of(b"f"),
        b'!' => kind_of_text(word),
        // An empty string, and a number that ends in a dot, are no shorter in words.
        b'"' if word == b"\"\"" => kind_of_text(word),
        b'0'..=b'9' if word.ends_with(b".") => kind_of(word),
        _ if is_sized_type(word) => kind_of(b"i"),
        // A number without a digit is a dot.
        b'.' => kind_of(word),
        b'0'..=b'9' if word.contains(&b'.') => kind_of(b"0."),
        _ if is_number(word) => kind_of(b"0"),
        _ => kind_of(word),
    }
}

/// Follows the regions of a module, line by line: that of a function, or of an operation with
/// results, has to end in an operation that ends a block, and each of its blocks does.
#[derive(Debug, Default)]
pub(super) struct RegionEnds {
    /// The open regions.
    open: Vec<OpenRegion>,
    /// The line before.
    before: LineSort,
    is_broken: bool,
    /// Numbers of regions with the operations that end their blocks, and of functions with what is
    /// around them.
    pub(super) pairs: Vec<u64>,
    /// How many operations and labels there are.
    pub(super) operations: usize,
}

#[derive(Debug)]
struct OpenRegion {
    needs_end: bool,
    /// A number of the name of its operation.
    name: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineSort {
    /// A line that opens a region, or none.
    #[default]
    Opening,
    /// An operation that ends a block.
    End,
    Other,
}

impl RegionEnds {
    pub(super) fn line(&mut self, words: &[&[u8]]) {
        let name = words
            .get(name_of_operation(words))
            .copied()
            .unwrap_or(words[0]);
        // A module around others goes with nothing.
        let is_module = matches!(name, b"module" | b"builtin.module" | b"\"builtin.module\"");
        self.operations += usize::from(is_operation(name) && !is_module);
        let is_function = begins_function(words);
        let mut of = hash(HASH_START, name.strip_prefix(b"builtin.").unwrap_or(name));
        if is_function {
            // A module is around what is at the top.
            let module = hash(HASH_START, b"module");
            let around = self.open.last().map_or(module, |region| region.name);
            self.pairs.push(hash(hash(around, b" "), name));
        }
        let mut needs_end = is_function || words[0].starts_with(b"%");
        let is_needed = self.open.last().is_some_and(|region| region.needs_end);
        let is_label = words[0].starts_with(b"^");
        self.operations += usize::from(is_label);
        if words[0] == b"}" {
            let region = self.open.pop();
            self.is_broken |= is_needed && self.before != LineSort::End;
            needs_end |= is_needed;
            of = region.map_or(of, |region| region.name);
        } else if is_label {
            self.is_broken |= is_needed && self.before == LineSort::Other;
        } else {
            // Nothing comes after the end of a block.
            self.is_broken |= self.before == LineSort::End && is_operation(name);
        }
        let is_end = ends_block(name);
        self.before = if words.ends_with(&[b"{"]) {
            let name = of;
            self.open.push(OpenRegion { needs_end, name });
            LineSort::Opening
        } else if is_label {
            LineSort::Opening
        } else if words[0] != b"}" && is_end
            // The last line of a table of jumps, or of one with attributes.
            || words.ends_with(&[b"]"])
        {
            if let Some(region) = self.open.last().filter(|_| is_end) {
                self.pairs.push(hash(hash(region.name, b"}"), name));
            }
            LineSort::End
        } else {
            LineSort::Other
        };
    }

    /// Returns whether a block has no end.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_broken
    }
}

/// Returns whether a word at the beginning of a line, or after results, is the name of an
/// operation.
fn is_operation(name: &[u8]) -> bool {
    let is_short = matches!(name, b"return" | b"call" | b"module" | b"func");
    is_short || name[0] == b'"' || name[0].is_ascii_alphabetic() && name.contains(&b'.')
}

/// The types of values, as far as lists of operands say them: `(%a, %b : i32, f32)`, `%a: i32`.
#[derive(Debug, Default)]
pub(super) struct LineTypes {
    /// Numbers of the types with brackets, such as `tensor<2xf32>`.
    pub(super) known: BTreeSet<u64>,
    /// The same for types of dialects, such as `!llvm.struct<(i32)>`.
    pub(super) of_dialects: BTreeSet<u64>,
    /// By function and name.
    values: BTreeMap<(usize, Box<[u8]>), u64>,
    /// Whether the function that is being read has results.
    has_results: Option<bool>,
    is_broken: bool,
}

impl LineTypes {
    pub(super) fn line(&mut self, function: usize, words: &[&[u8]]) {
        self.returns(words);
        for at in 0..words.len() {
            let is_shaped = matches!(words[at], b"tensor" | b"memref" | b"vector");
            if is_shaped && let Some(end) = group_end(words, at + 1) {
                self.known.insert(number(&words[at..end]));
            }
            if words[at][0] == b'!'
                && words.get(at + 1) == Some(&&b"<"[..])
                && let Some(end) = group_end(words, at + 1)
            {
                self.of_dialects.insert(number(&words[at..end]));
            }
            if words[at] == b"("
                && let Some(end) = group_end(words, at)
            {
                self.group(function, &words[at + 1..end - 1]);
            }
        }
    }

    /// Compares whether a function has results with whether it returns any.
    fn returns(&mut self, words: &[&[u8]]) {
        if begins_function(words) {
            let open = words.iter().position(|word| *word == b"(");
            let end = open.and_then(|open| group_end(words, open));
            self.has_results = end.map(|end| words.get(end) == Some(&&b"-"[..]));
        } else if last_part(words[0]) == b"return" {
            let returns_any = words.len() > 1;
            self.is_broken |= self
                .has_results
                .is_some_and(|has_any| has_any != returns_any);
        }
    }

    /// Reads what is between parentheses.
    fn group(&mut self, function: usize, words: &[&[u8]]) {
        let parts = split(words, b":");
        if words.first().is_none_or(|word| word[0] != b'%') {
            return;
        }
        let [names, types] = &parts[..] else {
            return;
        };
        let (names, types) = (split(names, b","), split(types, b","));
        if names.iter().any(|name| name.len() > 1) {
            return;
        }
        self.is_broken |= names.len() != types.len() || types.iter().any(|of| of.is_empty());
        for (name, of) in names.iter().zip(&types) {
            let Some(name) = name.first() else {
                self.is_broken = true;
                continue;
            };
            let of = number(of);
            let known = self.values.entry((function, Box::from(*name)));
            self.is_broken |= *known.or_insert(of) != of;
        }
    }

    /// Returns whether a list of operands lacks a type, or a value has several.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_broken
    }
}

fn number(words: &[&[u8]]) -> u64 {
    let all = words.iter().copied();
    all.fold(HASH_START, |number, word| hash(hash(number, word), b" "))
}

/// Divides words at a sign outside of brackets.
fn split<'a, 'b>(words: &'a [&'b [u8]], sign: &[u8]) -> Vec<&'a [&'b [u8]]> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < words.len() {
        if words[at] == sign {
            parts.push(&words[start..at]);
            start = at + 1;
        }
        at = group_end(words, at).unwrap_or(at + 1);
    }
    parts.push(&words[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_search::Verdict;

    use crate::mlir::Mlir;
    use crate::testing::gate as gate_of;

    const MODULE: &str = "\
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>, %i: index) attributes {l} {
    %v = memref.load %a[%i] : memref<4xf32>
    affine.store %v, %a[%i] {l = 1, m} : memref<4xf32>
    gpu.return
  }
}
func.func private @g(i32) attributes {l}
func.func @f() {
  return
}
";

    fn admits(from: &str, to: &str) -> bool {
        let best: Arc<[u8]> = MODULE.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        assert!(MODULE.contains(from), "no {from:?}");
        gate.admits(MODULE.replacen(from, to, 1).as_bytes(), &best)
    }

    #[test]
    fn attributes_may_go() {
        assert!(admits("i32) attributes {l}", "i32)"));
        assert!(admits("{l = 1, m} ", ""));
        assert!(admits("l = 1, ", ""));
        assert!(!admits("= 1", "="));
    }

    #[test]
    fn a_word_stays_with_its_operand() {
        assert!(admits("private @g", "@g"));
        let best: Arc<[u8]> = b"scf.for %i = %a to %b step %c {\n} else {\n}\n"
            .as_slice()
            .into();
        let mut gate = gate_of(&Mlir, &best);
        for word in ["step ", "to ", "else "] {
            let text = String::from_utf8_lossy(&best).replace(word, "");
            let mut gate = gate.clone();
            assert!(!gate.admits(text.as_bytes(), &best), "{word}");
        }
        assert!(!gate.admits(b"scf.for %i = %a to %b {\n} else {\n}\n", &best));
    }

    #[test]
    fn subscripts_of_affine_operations_may_be_numbers() {
        assert!(admits("%v, %a[%i]", "%v, %a[0]"));
        assert!(!admits("load %a[%i]", "load %a[0]"));
        assert!(!admits("%v, %a[%i]", "%v, %a[]"));
    }

    #[test]
    fn types_of_dialects_change_everywhere() {
        let text = "func.func private @g(!llvm.array<2 x i8>, !llvm.array<2 x i8>, !llvm.ptr)\n";
        let best: Arc<[u8]> = text.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        assert!(!gate.admits(text.replacen("2 x", "", 1).as_bytes(), &best));
        assert!(gate.admits(text.replace("2 x", "").as_bytes(), &best));
        let mut gate = gate_of(&Mlir, &best);
        assert!(!gate.admits(text.replace("llvm.ptr", "llvm").as_bytes(), &best));
    }

    #[test]
    fn a_region_ends_in_an_operation_of_its_own() {
        assert!(!admits("gpu.return", "return"));
        assert!(!admits("gpu.module @m {\n", "module @m {\n"));
    }

    #[test]
    fn an_unknown_shape_that_is_interesting_says_nothing_about_others() {
        let best: Arc<[u8]> = MODULE.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        let mut asked = 0;
        for length in 0..512 {
            let line = format!("{{\n  a.b c{}\n  return", "x".repeat(length));
            let text = MODULE.replace("{\n  return", &line);
            if gate.admits(text.as_bytes(), &best) {
                asked += 1;
                gate.tell(text.as_bytes(), Verdict::Interesting);
            }
        }
        assert!(asked < 32, "{asked}");
    }

    #[test]
    fn attributes_that_are_required_are_not_asked_about_again() {
        let text = "func.func @f() {\n  a.a {l}\n  a.b {k}\n  a.a {l}\n  a.a {l}\n  return\n}\n";
        let best: Arc<[u8]> = text.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        let without = |index: usize| {
            let (at, _) = text.match_indices("a.a {l}").nth(index).unwrap_or_default();
            format!("{}a.a{}", &text[..at], &text[at + 7..])
        };
        for index in 0..3 {
            let is_asked = gate.admits(without(index).as_bytes(), &best);
            assert_eq!(is_asked, index < 2, "{index}");
            gate.tell(without(index).as_bytes(), Verdict::Uninteresting);
        }
        assert!(gate.admits(text.replace("{k}", "").as_bytes(), &best));
    }

    #[test]
    fn a_change_that_was_missed_is_not_asked_about_again() {
        let text = |body: &str| format!("func.func @f() {{\n{body}  a.b {{k}}\n  return\n}}\n");
        let change = |text: &str| text.replace(" {k}", "");
        let before = text("  a.a\n  a.c\n");
        let best: Arc<[u8]> = before.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        assert!(gate.admits(change(&before).as_bytes(), &best));
        gate.tell(change(&before).as_bytes(), Verdict::Uninteresting);
        let smaller = text("  a.c\n");
        let best: Arc<[u8]> = smaller.as_bytes().into();
        assert!(!gate.admits(change(&smaller).as_bytes(), &best));
        let twins = text("  a.b {k}\n");
        let best: Arc<[u8]> = twins.as_bytes().into();
        assert!(gate.admits(twins.replacen(" {k}", "", 1).as_bytes(), &best));
    }

    #[test]
    fn whole_operations_are_left_to_the_view() {
        let best: Arc<[u8]> = MODULE.as_bytes().into();
        let mut gate = gate_of(&Mlir, &best);
        let without = MODULE.replace("func.func private @g(i32) attributes {l}\n", "");
        assert!(!gate.admits(without.as_bytes(), &best));
    }
}
