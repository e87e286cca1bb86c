//! The values of functions that nothing mentions, with their types.

use std::ops::Range;

use super::super::words::WordSort;
use super::{DEEPEST, IrForm};

/// A function with a body that nothing else mentions. Ranges are those of bytes.
pub(in crate::llvm) struct TypedFunction {
    /// From behind `define` to the name.
    pub(in crate::llvm) before_name: Range<usize>,
    /// Between the parentheses.
    pub(in crate::llvm) parameters: Range<usize>,
    /// Between the braces.
    pub(in crate::llvm) body: Range<usize>,
    /// Those of instructions, in their order.
    pub(in crate::llvm) values: Vec<TypedValue>,
    /// Where local names and labels are in the body.
    pub(in crate::llvm) locals: Vec<Range<usize>>,
    pub(in crate::llvm) labels: Vec<Range<usize>>,
}

/// A value of an instruction.
pub(in crate::llvm) struct TypedValue {
    pub(in crate::llvm) name: Range<usize>,
    /// Its type, as it is written at its definition or at one of its uses.
    pub(in crate::llvm) kind: Range<usize>,
    /// From the name to what stands on the next line.
    pub(in crate::llvm) line: Range<usize>,
}

/// Returns the functions of a module that nothing mentions, with the values whose types are written
/// somewhere.
pub(in crate::llvm) fn typed_functions(text: &[u8]) -> Vec<TypedFunction> {
    let mut form = IrForm::new(text);
    if form.depth() > DEEPEST {
        return Vec::new();
    }
    form.top_level();
    let words = 0..form.words.len();
    let found = words.filter_map(|at| match form.begins_line(at) && form.is(at, "define") {
        true => form.typed_function(at),
        false => None,
    });
    found.collect()
}

impl IrForm<'_> {
    fn typed_function(&mut self, start: usize) -> Option<TypedFunction> {
        let end = self.function(start)?;
        let name = (start..end).find(|&at| self.sort(at) == WordSort::Global)?;
        let mut all = (0..self.words.len()).filter(|&at| self.word(at) == self.word(name));
        if all.next().is_none() || all.next().is_some() {
            return None;
        }
        let (open, close) = (name + 1, self.closing(name + 1));
        let (first, last) = (self.words[end - 1].partner + 1, end - 1);
        let bytes = |at: usize| self.words[at].bytes.clone();
        let of_sort = |sort: WordSort| -> Vec<Range<usize>> {
            let words = self.words[first..last].iter();
            let found = words.filter(|word| word.sort == sort);
            found.map(|word| word.bytes.clone()).collect()
        };
        let value = |at: usize| {
            let is_value = self.begins_line(at) && self.is(at + 1, "=");
            let kind = self.locals.get(self.word(at)).filter(|_| is_value)?;
            Some(TypedValue {
                name: bytes(at),
                kind: bytes(kind.start).start..bytes(kind.end - 1).end,
                line: bytes(at).start..bytes(self.next_line(at)).start,
            })
        };
        Some(TypedFunction {
            before_name: bytes(start).end..bytes(name).start,
            parameters: bytes(open).end..bytes(close).start,
            body: bytes(first).start..bytes(last).start,
            values: (first..last).filter_map(value).collect(),
            locals: of_sort(WordSort::Local),
            labels: of_sort(WordSort::Label),
        })
    }
}
