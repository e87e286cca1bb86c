//! The form of functions and instructions.

use std::ops::Range;

use super::super::module::number_of;
use super::super::words::{WordSort, ends_block};
use super::block_forms::ControlFlow;
use super::{BINARY, CASTS, IrForm, PREDICATES};

impl IrForm<'_> {
    /// Reads a function, or its declaration.
    pub(super) fn function(&mut self, start: usize) -> Option<usize> {
        let mut name = start + 1;
        while self.sort(name) != WordSort::Global {
            let is_over = name >= self.words.len() || self.begins_line(name);
            (!is_over).then_some(())?;
            name = self.after(name);
        }
        let is_declared = self.is(start, "declare");
        let type_start = (start + 1..name).find(|&at| self.type_end(at) == Some(name))?;
        self.returned = type_start..name;
        self.locals.clear();
        self.flow = ControlFlow::default();
        let open = self.is(name + 1, "(").then_some(name + 1)?;
        let close = self.closing(open);
        let mut at = open + 1;
        let mut numbered = 0;
        while at < close {
            at = self.parameter(at)?;
            let name = self.word(at - 1);
            let is_named = self.sort(at - 1) == WordSort::Local && number_of(name).is_none();
            numbered += usize::from(!is_named && !name.starts_with(b"."));
            if at < close {
                at = self.comma(at)?;
            }
        }
        if is_declared {
            return Some(self.next_line(close));
        }
        let mut at = close + 1;
        while at < self.words.len() && !self.is(at, "{") {
            let is_node = |at: usize| {
                let digits = self.word(at).get(1..).unwrap_or_default();
                self.sort(at) == WordSort::Metadata && digits.iter().all(u8::is_ascii_digit)
            };
            // Metadata is attached under a name.
            let is_attached = !is_node(at) || self.sort(at - 1) == WordSort::Metadata;
            is_attached.then_some(())?;
            at = self.after(at);
        }
        let end = self.is(at, "{").then(|| self.closing(at))?;
        at += 1;
        // A first block without a label has a number.
        (self.next_number, self.is_over) = (numbered, true);
        if self.sort(at) == WordSort::Label {
            let label = [b"%", self.word(at)].concat();
            let number = number_of(&label).unwrap_or(numbered);
            (number <= numbered).then_some(())?;
            self.next_number = number;
        }
        (at < end).then_some(())?;
        while at < end {
            at = self.instruction(at)?;
        }
        self.check_flow()?;
        Some(end + 1)
    }

    fn parameter(&mut self, start: usize) -> Option<usize> {
        if self.is(start, ".") || self.is(start, "...") {
            let mut at = start;
            while self.word(at).starts_with(b".") {
                at += 1;
            }
            return Some(at);
        }
        let end = self.type_end(start)?;
        let is_value = self.sort(start) == WordSort::Local;
        (!is_value || self.types.contains_key(self.word(start))).then_some(())?;
        let mut at = end;
        while self.is_name(at) || self.word(at).first() == Some(&b'"') {
            at = match self.is(at + 1, "=") {
                true => at + 3,
                false => self.after_flag(at),
            };
        }
        match self.sort(at) {
            WordSort::Local => self.local(at, &(start..end)),
            _ => Some(at),
        }
    }

    /// Reads a label or an instruction, with what follows it on its line.
    fn instruction(&mut self, start: usize) -> Option<usize> {
        let is_over = std::mem::take(&mut self.is_over);
        if self.sort(start) == WordSort::Label {
            return self.block_label(start);
        }
        if is_over {
            self.begin_block(format!("%{}", self.next_number).into_bytes().into());
            self.next_number += 1;
        }
        let has_result = self.sort(start) == WordSort::Local;
        let mut at = start;
        if has_result {
            at = self.expect(start + 1, "=")?;
        }
        if self.is_one_of(at, &["tail", "musttail", "notail"]) {
            at += 1;
        }
        self.note_operation(at)?;
        let result = has_result.then_some(start);
        let (operation, next) = (self.word(at), at + 1);
        let has_none = matches!(
            operation,
            b"ret" | b"br" | b"switch" | b"unreachable" | b"resume" | b"store" | b"fence"
        );
        (!(has_none && has_result)).then_some(())?;
        if let Some(number) = result.and_then(|at| number_of(self.word(at))) {
            self.numbered(number)?;
        } else if !has_result && self.yields_value(operation, next) {
            self.next_number += 1;
        }
        self.is_over = ends_block(operation);
        if self.is_over {
            self.note_targets(at..self.end_of_instruction(at));
        }
        let end = match operation {
            b"ret" | b"br" | b"switch" | b"unreachable" | b"resume" => self.end(operation, next)?,
            b"call" | b"invoke" => self.call(operation, next, result)?,
            b"phi" => self.phi(next, result)?,
            b"landingpad" => self.landing(next, result)?,
            b"alloca" | b"load" | b"store" => self.access(operation, next, result)?,
            b"getelementptr" => self.address(self.to_type(next)?)?,
            b"select" => {
                let at = self.to_type(next)?;
                let at = self.typed_and_comma(at)?;
                self.result(result, at..self.type_end(at)?)?;
                let at = self.typed_and_comma(at)?;
                self.typed(at)?
            }
            b"icmp" | b"fcmp" => {
                let mut at = next;
                while self.is_name(at) && self.type_end(at).is_none() {
                    at += 1;
                }
                self.is_one_of(at - 1, &PREDICATES).then_some(())?;
                self.pair(at, None)?
            }
            b"fneg" | b"freeze" => {
                let at = self.to_type(next)?;
                self.result(result, at..self.type_end(at)?)?;
                self.typed(at)?
            }
            b"insertvalue" | b"insertelement" | b"extractvalue" | b"extractelement"
            | b"shufflevector" => self.element(operation, next, result)?,
            _ if self.is_one_of(at, &BINARY) => self.pair(self.to_type(next)?, result)?,
            _ if self.is_one_of(at, &CASTS) => {
                let at = self.to_type(next)?;
                let at = self.typed(at)?;
                let at = self.expect(at, "to")?;
                let end = self.type_end(at)?;
                self.result(result, at..end)?;
                end
            }
            _ if !self.is_name(at) => return None,
            _ => return Some(self.next_line(at)),
        };
        self.line_end(end)
    }

    fn block_label(&mut self, start: usize) -> Option<usize> {
        let label = [b"%", self.word(start)].concat();
        if let Some(number) = number_of(&label) {
            self.numbered(number)?;
        }
        self.begin_block(label.into());
        self.expect(start + 1, ":")
    }

    /// Returns the end of an instruction that ends a block, which may have several lines.
    fn end_of_instruction(&self, start: usize) -> usize {
        let mut end = self.next_line(start);
        while self.is_one_of(end, &["to", "unwind"]) && end < self.words.len() {
            end = self.next_line(end);
        }
        end
    }

    /// Takes the number of a value or block, which has to follow the one before.
    fn numbered(&mut self, number: usize) -> Option<()> {
        let is_next = number == self.next_number;
        self.next_number = number + 1;
        is_next.then_some(())
    }

    /// Returns whether an instruction without a name has a result, which is counted.
    fn yields_value(&self, operation: &[u8], start: usize) -> bool {
        match operation {
            b"store" | b"fence" => false,
            b"call" | b"invoke" | b"callbr" => {
                let of = self.to_type(start);
                of.is_none_or(|of| !self.is(of, "void"))
            }
            _ => !ends_block(operation) || operation == b"catchswitch",
        }
    }

    /// Reads the clauses of a block that receives exceptions.
    fn landing(&mut self, start: usize, result: Option<usize>) -> Option<usize> {
        let end = self.type_end(start)?;
        self.note_received(start..end)?;
        self.result(result, start..end)?;
        let mut at = end;
        loop {
            at = match self.word(at) {
                b"cleanup" => at + 1,
                b"catch" | b"filter" => self.typed(at + 1)?,
                _ => return (at > end).then_some(at),
            };
        }
    }

    /// Reads the operands of an instruction about memory.
    fn access(&mut self, operation: &[u8], start: usize, result: Option<usize>) -> Option<usize> {
        let start = self.to_type(start)?;
        let end = self.type_end(start)?;
        let of = start..end;
        match operation {
            b"alloca" => match self.sort(end) {
                WordSort::Comma if self.type_end(end + 1).is_some() => self.typed(end + 1),
                _ => Some(end),
            },
            b"load" => {
                self.result(result, of.clone())?;
                let at = self.pointer(self.comma(end)?, &of)?;
                Some(self.ordering(at))
            }
            _ => {
                let at = self.typed_and_comma(start)?;
                let at = self.pointer(at, &of)?;
                Some(self.ordering(at))
            }
        }
    }

    /// Reads the operands of an instruction about elements of vectors and structures.
    fn element(&mut self, operation: &[u8], start: usize, result: Option<usize>) -> Option<usize> {
        if operation.starts_with(b"insert") {
            self.result(result, start..self.type_end(start)?)?;
        }
        let at = self.typed_and_comma(start)?;
        match operation {
            b"extractvalue" => Some(self.indices(at)),
            b"extractelement" => self.typed(at),
            b"insertvalue" => {
                let at = self.typed_and_comma(at)?;
                Some(self.indices(at))
            }
            _ => {
                let at = self.typed_and_comma(at)?;
                self.typed(at)
            }
        }
    }

    /// Skips numbers with commas between them.
    fn indices(&self, start: usize) -> usize {
        let mut at = start + 1;
        while self.sort(at) == WordSort::Comma && self.sort(at + 1) != WordSort::Metadata {
            at += 2;
        }
        at
    }

    /// Takes the type of a result.
    fn result(&mut self, result: Option<usize>, of: Range<usize>) -> Option<()> {
        match result {
            Some(at) => self.local(at, &of).map(|_| ()),
            None => Some(()),
        }
    }

    /// Skips the scope and the ordering of an access that is atomic.
    fn ordering(&self, start: usize) -> usize {
        let mut at = start;
        while self.is_name(at) && !self.begins_line(at) {
            at = self.after_flag(at);
        }
        at
    }

    /// Reads a type and two values of it, which a result may have too.
    fn pair(&mut self, start: usize, result: Option<usize>) -> Option<usize> {
        let end = self.type_end(start)?;
        let of = start..end;
        self.result(result, of.clone())?;
        let at = self.value(end, &of)?;
        let at = self.comma(at)?;
        self.value(at, &of)
    }

    /// Reads the operands of an instruction that ends a block.
    fn end(&mut self, operation: &[u8], start: usize) -> Option<usize> {
        match operation {
            b"unreachable" => Some(start),
            b"ret" => {
                let end = self.type_end(start)?;
                let returned = self.returned.clone();
                self.same(&(start..end), &returned).then_some(())?;
                match self.is(start, "void") && end == start + 1 {
                    true => Some(end),
                    false => self.typed(start),
                }
            }
            b"resume" => {
                self.note_received(start..self.type_end(start)?)?;
                self.typed(start)
            }
            b"br" if self.is(start, "label") => self.label(start),
            b"br" => {
                let at = self.expect(start, "i1")?;
                let at = self.value(at, &(start..start + 1))?;
                let at = self.comma(at)?;
                let at = self.label(at)?;
                let at = self.comma(at)?;
                self.label(at)
            }
            _ => {
                let of = start..self.type_end(start)?;
                let at = self.typed_and_comma(start)?;
                let open = self.label(at)?;
                let close = self.is(open, "[").then(|| self.closing(open))?;
                let mut at = open + 1;
                while at < close {
                    self.same(&(at..self.type_end(at)?), &of).then_some(())?;
                    let next = self.typed_and_comma(at)?;
                    at = self.label(next)?;
                }
                Some(close + 1)
            }
        }
    }

    fn call(&mut self, operation: &[u8], start: usize, result: Option<usize>) -> Option<usize> {
        let at = self.to_type(start)?;
        let end = self.type_end(at)?;
        (!(result.is_some() && self.is(at, "void"))).then_some(())?;
        if !self.is(end - 1, ")") {
            self.result(result, at..end)?;
        }
        let (mut at, callee) = (end, end);
        let wanted = self.intrinsics.get(self.word(at)).cloned();
        if self.is(at, "asm") {
            while !self.is(at, "(") {
                (!self.begins_line(at)).then_some(())?;
                at += 1;
            }
        } else {
            at = match self.sort(at) {
                WordSort::Local | WordSort::Global => at + 1,
                // A function that was deleted.
                _ if self.is_one_of(at, &["null", "poison", "undef"]) => at + 1,
                _ => self.constant(at, None)?,
            };
        }
        let close = self.is(at, "(").then(|| self.closing(at))?;
        at += 1;
        let mut given = Vec::new();
        while at < close {
            at = match self.word(at).starts_with(b".") {
                true => close,
                false => {
                    given.push(at..self.type_end(at)?);
                    self.typed(at)?
                }
            };
            if at < close {
                at = self.comma(at)?;
            }
        }
        if let Some(wanted) = wanted {
            let are_same = (wanted.iter().zip(&given)).all(|(one, other)| self.same(one, other));
            (are_same && wanted.len() == given.len()).then_some(())?;
        }
        self.is_description(callee, self.next_line(close))
            .then_some(())?;
        if operation == b"call" {
            return Some(close + 1);
        }
        while at < self.words.len() && !self.is(at, "to") {
            at = self.after(at);
        }
        let at = self.label(at + 1)?;
        self.label(self.expect(at, "unwind")?)
    }

    fn phi(&mut self, start: usize, result: Option<usize>) -> Option<usize> {
        let start = self.to_type(start)?;
        let end = self.type_end(start)?;
        let of = start..end;
        self.result(result, of.clone())?;
        let mut at = end;
        let mut from = Vec::new();
        loop {
            let close = self.is(at, "[").then(|| self.closing(at))?;
            let value = self.value(at + 1, &of)?;
            let block = self.comma(value)?;
            (self.sort(block) == WordSort::Local && block + 1 == close).then_some(())?;
            from.push(block);
            if self.sort(close + 1) != WordSort::Comma || !self.is(close + 2, "[") {
                self.note_phi(from);
                return Some(close + 1);
            }
            at = close + 2;
        }
    }
}
