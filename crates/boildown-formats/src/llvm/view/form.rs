//! The form of a text of LLVM IR, as far as a parser knows it without looking at what is called:
//! operands have their types, constants have the shape of theirs, and a value has one type.
//!
//! Instructions and words that are not known here are taken as they are.

mod block_forms;
mod control_flow;
mod debug_form;
mod instructions;
mod metadata;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;

use super::words::{IrWord, WordSort, words};
use block_forms::ControlFlow;
use debug_form::DebugForm;
pub(super) use metadata::{NEEDED_FIELDS, REQUIRED};
pub(in crate::llvm) use values::{TypedFunction, TypedValue, typed_functions};

/// Constants that are one word, without those that only some types have.
const ANY_TYPE: [&str; 4] = ["undef", "poison", "zeroinitializer", "none"];

/// Constant expressions of one operand, and of a type.
#[rustfmt::skip]
const CASTS: [&str; 13] = [
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
    "ptrtoint", "inttoptr", "bitcast", "addrspacecast",
];

const BINARY: [&str; 18] = [
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
    "fadd", "fsub", "fmul", "fdiv", "frem",
];

/// Other operations of constants.
#[rustfmt::skip]
const CONSTANT_ONLY: [&str; 10] = [
    "getelementptr", "icmp", "fcmp", "select", "extractelement", "insertelement", "shufflevector",
    "blockaddress", "dso_local_equivalent", "no_cfi",
];

const PREDICATES: [&str; 26] = [
    "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle", "oeq", "ogt", "oge", "olt",
    "ole", "one", "ord", "ueq", "une", "uno", "true", "false", "samesign", "fast", "nnan", "ninf",
];

#[rustfmt::skip]
const PLAIN_TYPES: [&str; 14] = [
    "void", "half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128", "x86_mmx",
    "label", "metadata", "token", "ptr", "opaque",
];

/// How many words may stand before a type: flags, attributes, a calling convention.
const MOST_FLAGS: usize = 16;

/// The depth of brackets above which a text is not looked at.
const DEEPEST: usize = 200;

/// Returns whether a text breaks a rule that every version of LLVM IR has. A text without
/// definitions breaks none.
///
/// # Cost
/// Linear in the size of the text, times the depth of its constants.
pub(crate) fn is_ill_formed(text: &[u8]) -> bool {
    let mut form = IrForm::new(text);
    if form.depth() > DEEPEST {
        return false;
    }
    form.top_level();
    form.module().is_none()
}

/// A text whose form is looked at. The functions that read something return the word after it, and
/// `None` if it is ill-formed.
struct IrForm<'a> {
    text: &'a [u8],
    words: Vec<IrWord>,
    /// The words of the types that have names.
    types: BTreeMap<&'a [u8], Range<usize>>,
    /// The types of the variables.
    globals: BTreeMap<&'a [u8], Range<usize>>,
    /// The type of each local value of the function, if it was written somewhere.
    locals: BTreeMap<&'a [u8], Range<usize>>,
    /// The type that the function returns.
    returned: Range<usize>,
    /// The types of the parameters of operations that LLVM knows, by their names.
    intrinsics: BTreeMap<&'a [u8], Vec<Range<usize>>>,
    /// The number that the next value or block without a name has.
    next_number: usize,
    /// Whether the last instruction ended a block.
    is_over: bool,
    /// The blocks of the function.
    flow: ControlFlow,
    debug: DebugForm<'a>,
}

impl<'a> IrForm<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            words: words(text),
            types: BTreeMap::new(),
            globals: BTreeMap::new(),
            locals: BTreeMap::new(),
            returned: 0..0,
            intrinsics: BTreeMap::new(),
            next_number: 0,
            is_over: false,
            flow: ControlFlow::default(),
            debug: DebugForm::default(),
        }
    }

    fn word(&self, at: usize) -> &'a [u8] {
        let word = self.words.get(at);
        word.map_or(&[], |word| &self.text[word.bytes.clone()])
    }

    fn sort(&self, at: usize) -> WordSort {
        self.words.get(at).map_or(WordSort::Other, |word| word.sort)
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.word(at) == text.as_bytes()
    }

    fn is_one_of(&self, at: usize, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(at, name))
    }

    fn begins_line(&self, at: usize) -> bool {
        self.words.get(at).is_none_or(|word| word.begins_line)
    }

    fn closing(&self, open: usize) -> usize {
        self.words[open].partner
    }

    /// Returns the word after one, and after what it encloses if it is a bracket.
    fn after(&self, at: usize) -> usize {
        match self.sort(at) {
            WordSort::Open => self.closing(at) + 1,
            _ => at + 1,
        }
    }

    fn expect(&self, at: usize, text: &str) -> Option<usize> {
        self.is(at, text).then_some(at + 1)
    }

    fn same(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        let texts = |words: &Range<usize>| words.clone().map(|word| self.word(word));
        left.len() == right.len() && texts(left).eq(texts(right))
    }

    fn is_name(&self, at: usize) -> bool {
        self.sort(at) == WordSort::Other
            && self.word(at).first().is_some_and(u8::is_ascii_alphabetic)
    }

    fn depth(&self) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        for word in &self.words {
            match word.sort {
                WordSort::Open => depth += 1,
                WordSort::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest
    }

    /// Finds the types that have names, and the types of the variables.
    fn top_level(&mut self) {
        for at in 0..self.words.len() {
            if self.begins_line(at) && self.is(at, "declare") {
                self.declared_intrinsic(at);
            }
            if !self.begins_line(at) || !self.is(at + 1, "=") {
                continue;
            }
            let name = self.word(at);
            if self.sort(at) == WordSort::Metadata {
                self.note_version(at);
            } else if self.sort(at) == WordSort::Local && self.is(at + 2, "type") {
                let end = self.type_end(at + 3).unwrap_or(at + 3);
                self.types.insert(name, at + 3..end);
            } else if self.sort(at) == WordSort::Global
                && let Some(of) = self.type_of_variable(at + 2)
            {
                self.globals.insert(name, of);
            }
        }
    }

    /// Takes the types of the parameters of an operation that LLVM knows.
    fn declared_intrinsic(&mut self, start: usize) {
        let line = start..self.next_line(start);
        let Some(name) = (line.clone()).find(|&at| self.sort(at) == WordSort::Global) else {
            return;
        };
        if !self.word(name).starts_with(b"@llvm.") || !self.is(name + 1, "(") {
            return;
        }
        let close = self.closing(name + 1);
        let (mut types, mut at) = (Vec::new(), name + 2);
        while at < close {
            let Some(end) = self.type_end(at) else {
                return;
            };
            types.push(at..end);
            at = end;
            while at < close && self.sort(at) != WordSort::Comma {
                at = self.after(at);
            }
            at += 1;
        }
        self.intrinsics.insert(self.word(name), types);
    }

    /// Returns the type of a variable, from the words after its name.
    fn type_of_variable(&self, start: usize) -> Option<Range<usize>> {
        let mut at = start;
        while !self.is(at, "global") && !self.is(at, "constant") {
            if self.begins_line(at) || self.is(at, "alias") || self.is(at, "ifunc") {
                return None;
            }
            at = self.after(at);
        }
        Some(at + 1..self.type_end(at + 1)?)
    }

    /// Reads what stands at the top level.
    fn module(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.words.len() {
            if self.is(at, "define") || self.is(at, "declare") {
                at = self.function(at)?;
            } else if self.sort(at) == WordSort::Local && self.is(at + 2, "type") {
                at = self.line_end(self.type_end(at + 3)?)?;
            } else if self.sort(at) == WordSort::Global && self.is(at + 1, "=") {
                at = self.variable(at + 2)?;
            } else if self.sort(at) == WordSort::Metadata && self.is(at + 1, "=") {
                let is_number = self.word(at)[1..].iter().all(u8::is_ascii_digit);
                at = match is_number {
                    true => self.metadata(at + 2)?,
                    false => self.named_metadata(at)?,
                };
            } else if self.is(at, "attributes") || self.is(at, "target") {
                at = self.setting(at)?;
            } else if self.is(at, "source_filename") {
                let is_set = self.is(at + 1, "=") && self.is_string(at + 2);
                at = is_set.then(|| self.next_line(at))?;
            } else if self.is(at, "=") {
                return None;
            } else {
                at = self.next_line(at);
            }
        }
        self.is_debug_read().then_some(())
    }

    fn next_line(&self, at: usize) -> usize {
        let mut at = self.after(at);
        while at < self.words.len() && !self.begins_line(at) {
            at = self.after(at);
        }
        at
    }

    /// Returns the word if a line begins there, or the rest of the line are attachments.
    fn line_end(&self, at: usize) -> Option<usize> {
        if self.begins_line(at) || self.is(at, "}") {
            return Some(at);
        }
        let has_more = match self.sort(at) {
            WordSort::Attributes => true,
            WordSort::Comma => self.sort(at + 1) == WordSort::Metadata || self.is_name(at + 1),
            WordSort::Open => self.is(at, "["),
            _ => false,
        };
        has_more.then(|| self.next_line(at))
    }

    fn variable(&mut self, start: usize) -> Option<usize> {
        let is_plain = |word: &usize| self.is_one_of(*word, &["global", "constant"]);
        let line = start..self.next_line(start);
        if !line.clone().any(|word| is_plain(&word)) {
            return Some(line.end);
        }
        let Some(of) = self.type_of_variable(start) else {
            let is_other = |word: usize| self.is(word, "alias") || self.is(word, "ifunc");
            return line.clone().any(is_other).then_some(line.end);
        };
        let end = of.end;
        if self.begins_line(end) || self.sort(end) == WordSort::Comma {
            let is_external = |word: usize| self.is_one_of(word, &["external", "extern_weak"]);
            (start..of.start).any(is_external).then_some(())?;
            return self.line_end(end);
        }
        let end = self.value(end, &of)?;
        self.line_end(end)
    }

    /// Reads the type that begins at a word.
    fn type_end(&self, start: usize) -> Option<usize> {
        let word = self.word(start);
        let mut at = match (self.sort(start), word) {
            (WordSort::Local, _) => start + 1,
            (WordSort::Open, b"{") => self.types_in(start)?,
            (WordSort::Open, b"<") if self.is(start + 1, "{") => {
                self.types_in(start + 1)?;
                self.expect(self.closing(start + 1) + 1, ">")?
            }
            (WordSort::Open, b"[" | b"<") => {
                let mut at = start + 1;
                if self.is(at, "vscale") {
                    at = self.expect(at + 1, "x")?;
                }
                self.word(at).iter().all(u8::is_ascii_digit).then_some(())?;
                at = self.expect(at + 1, "x")?;
                let end = self.type_end(at)?;
                (end == self.closing(start)).then_some(end + 1)?
            }
            (WordSort::Other, [b'i', width @ ..]) if !width.is_empty() => {
                width.iter().all(u8::is_ascii_digit).then_some(start + 1)?
            }
            _ => self.is_one_of(start, &PLAIN_TYPES).then_some(start + 1)?,
        };
        loop {
            if self.is(at, "*") {
                at += 1;
            } else if self.is(at, "addrspace") && self.is(at + 1, "(") {
                at = self.closing(at + 1) + 1;
            } else if self.is(at, "(") && !self.begins_line(at) {
                at = self.types_in(at)?;
            } else {
                return Some(at);
            }
        }
    }

    /// Reads the types in brackets.
    fn types_in(&self, open: usize) -> Option<usize> {
        let close = self.closing(open);
        let mut at = open + 1;
        while at < close {
            at = match self.is(at, "...") {
                true => at + 1,
                false if self.is(at, ".") => close,
                false => self.type_end(at)?,
            };
            if at < close {
                // Attributes of parameters are not part of a type.
                at = (self.sort(at) == WordSort::Comma).then_some(at + 1)?;
            }
        }
        Some(close + 1)
    }

    /// Returns the words that a type stands for, if it has a name.
    fn resolved(&self, of: &Range<usize>) -> Range<usize> {
        match of.len() {
            1 => (self.types.get(self.word(of.start))).map_or(of.clone(), Clone::clone),
            _ => of.clone(),
        }
    }

    /// Reads a value of a type.
    fn value(&mut self, at: usize, of: &Range<usize>) -> Option<usize> {
        let word = self.word(at);
        let kind = self.word(of.start);
        let is_pointer = kind == b"ptr" || self.is(of.end - 1, "*");
        let is_integer = of.len() == 1 && kind[0] == b'i';
        match self.sort(at) {
            WordSort::Local => return self.local(at, of),
            WordSort::Global => {
                let variable = self.globals.get(word);
                let is_known = |known: &Range<usize>| self.points_to(of, known);
                return (is_pointer && variable.is_none_or(is_known)).then_some(at + 1);
            }
            WordSort::Open => return self.elements(at, of),
            WordSort::Other => {}
            _ => return None,
        }
        if matches!(word, [b'0'..=b'9' | b'-', ..]) {
            let is_float = word.iter().any(|byte| b".x".contains(byte));
            (is_float != is_integer && of.len() == 1).then_some(())?;
            let has_exponent = self.is(at + 1, "+");
            return Some(at + if has_exponent { 3 } else { 1 });
        }
        match word {
            b"null" => is_pointer.then_some(at + 1),
            b"true" | b"false" => (kind == b"i1" && of.len() == 1).then_some(at + 1),
            [b'c', b'"', ..] => (kind == b"[").then_some(at + 1),
            _ if self.is_one_of(at, &ANY_TYPE) => {
                (kind != b"void" && kind != b"label").then_some(at + 1)
            }
            _ => self.constant(at, Some(of)),
        }
    }

    fn is_pointer(&self, of: &Range<usize>) -> bool {
        self.is(of.start, "ptr") || self.is(of.end - 1, "*") || self.is(of.end - 1, ")")
    }

    fn is_string(&self, at: usize) -> bool {
        self.word(at).first() == Some(&b'"')
    }

    /// Returns whether a pointer type is one to a type; of those that do not say, all are.
    fn points_to(&self, pointer: &Range<usize>, to: &Range<usize>) -> bool {
        let last = pointer.end - 1;
        !self.is(last, "*") || self.is(last - 1, ")") || self.same(&(pointer.start..last), to)
    }

    /// Reads a pointer to a type.
    fn pointer(&mut self, at: usize, to: &Range<usize>) -> Option<usize> {
        let pointer = at..self.type_end(at)?;
        self.points_to(&pointer, to).then_some(())?;
        self.typed(at)
    }

    fn local(&mut self, at: usize, of: &Range<usize>) -> Option<usize> {
        let name = self.word(at);
        let known = self.locals.get(name);
        if known.is_some_and(|known| !self.same(known, of)) {
            return None;
        }
        self.locals.insert(name, of.clone());
        Some(at + 1)
    }

    /// Reads a list of values in brackets, which has to have the shape of its type.
    fn elements(&mut self, open: usize, of: &Range<usize>) -> Option<usize> {
        let of = self.resolved(of);
        let is_packed = self.is(open, "<") && self.is(open + 1, "{");
        let first = open + usize::from(is_packed);
        let is_same = self.is(of.start, "<") && self.is(of.start + 1, "{") == is_packed
            || !self.is(open, "<");
        (self.word(of.start) == self.word(open) && is_same).then_some(())?;
        let is_struct = self.is(first, "{");
        let (mut wanted, count) = match is_struct {
            true => (of.start + usize::from(is_packed) + 1, None),
            false => {
                let count = std::str::from_utf8(self.word(of.start + 1)).ok()?;
                (of.start + 3, Some(count.parse::<usize>().ok()?))
            }
        };
        let end_of_types = of.end - 1 - usize::from(is_packed);
        let close = self.closing(first);
        let mut at = first + 1;
        let mut found = 0;
        while at < close {
            let end = self.type_end(at)?;
            let element = self.type_end(wanted)?;
            self.same(&(at..end), &(wanted..element)).then_some(())?;
            let of = at..end;
            at = self.value(end, &of)?;
            found += 1;
            if is_struct {
                wanted = element + usize::from(element < end_of_types);
            }
            if at < close {
                at = (self.sort(at) == WordSort::Comma).then_some(at + 1)?;
            }
        }
        let is_whole = match count {
            Some(count) => found == count,
            None => wanted == end_of_types,
        };
        is_whole.then_some(close + 1 + usize::from(is_packed))
    }

    /// Reads a constant expression, of a type if that is known.
    fn constant(&mut self, start: usize, of: Option<&Range<usize>>) -> Option<usize> {
        let is_cast = self.is_one_of(start, &CASTS);
        if !is_cast && !self.is_one_of(start, &BINARY) && !self.is_one_of(start, &CONSTANT_ONLY) {
            // Something newer: `ptrauth (…)`, `splat (…)`.
            let is_known = self.is_name(start) && self.is(start + 1, "(");
            return is_known.then(|| self.closing(start + 1) + 1);
        }
        let mut open = start + 1;
        while self.is_name(open) {
            // `inbounds`, `inrange(-16, 8)`.
            open = match self.is(open, "inrange") {
                true => self.after_flag(open),
                false => open + 1,
            };
        }
        if !self.is(open, "(") {
            // `dso_local_equivalent @f`.
            return (self.sort(open) == WordSort::Global).then_some(open + 1);
        }
        let close = self.closing(open);
        if self.is(start, "getelementptr") {
            self.address(open + 1)?;
        }
        if is_cast {
            let at = self.typed(open + 1)?;
            let to = self.expect(at, "to")?;
            let end = self.type_end(to)?;
            let fits = of.is_none_or(|of| self.same(&(to..end), of));
            (end == close && fits).then_some(())?;
        } else if self.is_one_of(start, &BINARY) {
            let end = self.type_end(open + 1)?;
            let fits = of.is_none_or(|of| self.same(&(open + 1..end), of));
            let second = self.typed_and_comma(open + 1)?;
            let is_pair = self.typed(second)? == close;
            (fits && is_pair).then_some(())?;
        }
        Some(close + 1)
    }

    /// Reads the operands of `getelementptr`.
    fn address(&mut self, start: usize) -> Option<usize> {
        let end = self.type_end(start)?;
        let mut at = self.comma(end)?;
        if self.is(at, "inrange") {
            at = self.after_flag(at);
        }
        let pointer = at..self.type_end(at)?;
        let is_vector = self.is(at, "<");
        let fits = self.is_pointer(&pointer) && self.points_to(&pointer, &(start..end));
        (is_vector || fits).then_some(())?;
        at = self.typed(at)?;
        while self.sort(at) == WordSort::Comma && self.sort(at + 1) != WordSort::Metadata {
            let is_marked = self.is(at + 1, "inrange");
            at = self.typed(at + 1 + usize::from(is_marked))?;
        }
        Some(at)
    }

    /// Skips words before a type: flags, attributes, a calling convention.
    fn to_type(&self, start: usize) -> Option<usize> {
        let mut at = start;
        for _ in 0..MOST_FLAGS {
            if self.type_end(at).is_some() {
                return Some(at);
            }
            if !self.is_name(at) || self.begins_line(at) {
                return None;
            }
            at = self.after_flag(at);
        }
        None
    }

    /// Returns the word after a flag or attribute: `align 8`, `dereferenceable(4)`, `cc 10`.
    fn after_flag(&self, at: usize) -> usize {
        let next = at + 1;
        let is_number = self.word(next).first().is_some_and(u8::is_ascii_digit);
        match self.is(next, "(") {
            true => self.closing(next) + 1,
            false if is_number && self.is_one_of(at, &["align", "cc"]) => next + 1,
            false => next,
        }
    }

    /// Reads a type, attributes and a value.
    fn typed(&mut self, start: usize) -> Option<usize> {
        let end = self.type_end(start)?;
        let of = start..end;
        if self.is(start, "metadata") {
            let is_node = self.sort(end) == WordSort::Metadata || self.is(end, "!");
            return match is_node && self.sort(end + 1) == WordSort::Open {
                true => Some(self.after(end + 1)),
                false if is_node => (!self.is(end, "!")).then_some(end + 1),
                false => self.typed(end),
            };
        }
        let mut at = end;
        loop {
            let is_text = self.word(at).first() == Some(&b'"');
            let is_value = self.is_one_of(at, &ANY_TYPE)
                || self.is_one_of(at, &["null", "true", "false"])
                || self.is_one_of(at, &CASTS)
                || self.is_one_of(at, &BINARY)
                || self.is_one_of(at, &CONSTANT_ONLY)
                || self.word(at).starts_with(b"c\"");
            if is_text {
                at += if self.is(at + 1, "=") { 3 } else { 1 };
            } else if self.is_name(at) && !is_value && !self.begins_line(at) {
                at = self.after_flag(at);
            } else {
                return self.value(at, &of);
            }
        }
    }

    fn comma(&self, at: usize) -> Option<usize> {
        (self.sort(at) == WordSort::Comma).then_some(at + 1)
    }

    fn typed_and_comma(&mut self, at: usize) -> Option<usize> {
        let at = self.typed(at)?;
        self.comma(at)
    }

    fn label(&self, at: usize) -> Option<usize> {
        let at = self.expect(at, "label")?;
        (self.sort(at) == WordSort::Local).then_some(at + 1)
    }
}
