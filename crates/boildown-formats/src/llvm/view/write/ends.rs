//! Writing the instructions that end blocks.

use std::ops::Range;

use boildown_document::writable_module::{is_kept, trim_written};

use super::IrWriter;
use crate::llvm::view::module::{IrInstruction, IrKind, IrLocal};
use crate::llvm::view::words::WordSort;

impl<'a> IrWriter<'a> {
    /// Writes what takes the place of a value that is gone.
    pub(super) fn absent(&mut self, word: usize) {
        let module = self.module;
        let before = word.checked_sub(1).map(|before| module.text(before));
        let is_integer = |text: &[u8]| {
            let digits = text.strip_prefix(b"i");
            digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        };
        self.put(match before {
            _ if !module.has_zeros => b"poison",
            Some(b"ptr" | b"*") => b"null",
            Some(text) if is_integer(text) => b"0",
            _ => b"zeroinitializer",
        });
    }

    /// Writes words without the space before them.
    fn words_in_line(&mut self, words: Range<usize>) {
        let at = self.out.len();
        self.words(words);
        trim_written(&mut self.out, at);
    }

    /// Writes the end of a block that has lost its own.
    pub(super) fn missing_end(&mut self) {
        let module = self.module;
        if !module.has_zeros {
            return self.put(b"unreachable");
        }
        let brackets = self.function.as_ref().map(|open| &open.function.brackets);
        let end = brackets.map_or(0, |brackets| brackets.start.saturating_sub(1));
        let Some(start) = module.type_before(end) else {
            return self.put(b"unreachable");
        };
        if module.is(start, "void") {
            return self.put(b"ret void");
        }
        self.put(b"ret ");
        self.words_in_line(start..end);
        self.put(b" ");
        self.absent(end);
    }

    /// Writes the last instruction of a block.
    pub(super) fn end(&mut self, one: &'a IrInstruction, part: usize) {
        let is_left = self.stays(one);
        let open = self.function.as_ref();
        let target = |word: usize| -> Option<usize> {
            let open = open?;
            match open.function.locals.get(self.module.text(word))? {
                IrLocal::Block(block) => Some(open.flow.resolve(*block, part)?.0),
                _ => None,
            }
        };
        let targets = one.targets.iter().map(|one| {
            let target = target(one.word);
            target.filter(|_| is_kept(one.token, self.kept))
        });
        let targets: Vec<Option<usize>> = targets.collect();
        self.gap(one.words.start);
        let has_all = targets.iter().all(Option::is_some);
        let some: Vec<usize> = targets.iter().copied().flatten().collect();
        if !is_left || some.is_empty() && !targets.is_empty() {
            return self.missing_end();
        }
        let at = self.out.len();
        match one.kind {
            IrKind::Branch if targets.len() > 1 && !has_all => {
                self.put(b"br label ");
                self.block_name(some[0]);
                return;
            }
            IrKind::Switch if !has_all => return self.switch(one, &targets, some[0]),
            _ if one.is_invoke && targets[0].is_some() && !has_all => {
                self.invoke_as_call(one);
                self.put(b"\n  br label ");
                self.block_name(some[0]);
            }
            _ if !has_all => return self.put(b"unreachable"),
            _ => self.call(one, one.words.clone()),
        }
        // The space before the first word was written.
        trim_written(&mut self.out, at);
    }

    /// Writes an `invoke` as a call, without its targets.
    fn invoke_as_call(&mut self, one: &IrInstruction) {
        let words = one.words.clone();
        self.words(words.start..one.operation);
        self.gap(one.operation);
        self.put(b"call");
        let is_end =
            |&word: &usize| self.module.is(word, "to") && self.module.is(word + 1, "label");
        let end = words.clone().find(is_end).unwrap_or(words.end);
        self.call(one, one.operation + 1..end);
        if let Some(last) = one.targets.last() {
            // What is attached.
            self.place = self.subprogram.filter(|_| self.needs_place(one));
            self.words(last.word + 1..words.end);
            self.place = None;
        }
    }

    fn switch(&mut self, one: &IrInstruction, targets: &[Option<usize>], any: usize) {
        let others = one.targets.iter().zip(targets).skip(1);
        let left: Vec<_> = others
            .filter_map(|(case, target)| Some((case, (*target)?)))
            .collect();
        let default = targets[0].unwrap_or(any);
        if left.is_empty() {
            self.put(b"br label ");
            return self.block_name(default);
        }
        self.words_in_line(one.words.start..one.targets[0].word);
        self.put(b" ");
        self.block_name(default);
        self.put(b" [");
        for (case, target) in left {
            // The constant and its type, up to `label`.
            let before = (one.words.start..case.word - 1).rev();
            let before = before.take_while(|&word| {
                !self.module.is(word, "[") && self.module.sort(word) != WordSort::Local
            });
            let start = before.last().unwrap_or(case.word - 1);
            self.words(start..case.word);
            self.put(b" ");
            self.block_name(target);
        }
        self.put(b"\n  ]");
    }
}
