//! Types of references in the encodings that tools wrote before autumn 2023.
//!
//! The proposals for typed references and for garbage collection numbered their types and
//! instructions anew. A module is brought from an older encoding into the one of today, where it is
//! read, and what is left of it is brought back. Instructions that are no longer there become
//! others that mention the same (`older_instructions.rs`): such a module cannot be validated, but
//! its indices are known.

use wasmparser::{BinaryReader, OperatorsReader, OperatorsReaderAllocations};

use super::mentions::position;

/// The encoding that a module is read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeEncoding {
    /// With types of types (`rtt`), which the proposal had until 2022.
    WithRtts,
    /// After that, with types of null.
    WithoutRtts,
    Current,
}

impl TypeEncoding {
    /// Returns what a type without a number after it is in the other encoding.
    fn abstract_type(self, code: u8) -> Option<u8> {
        /// `i31`, `struct`, `array`.
        const RENUMBERED: [[u8; 2]; 3] = [[0x6a, 0x6c], [0x67, 0x6b], [0x66, 0x6a]];
        /// `none`, `noextern`, `nofunc`.
        const OF_NULL: [[u8; 2]; 3] = [[0x65, 0x71], [0x69, 0x72], [0x68, 0x73]];
        if matches!(code, 0x6d..=0x70) {
            return Some(code);
        }
        let of_null = match self {
            Self::WithRtts => &[][..],
            Self::WithoutRtts | Self::Current => &OF_NULL,
        };
        let [from, to] = match self {
            Self::Current => [1, 0],
            Self::WithRtts | Self::WithoutRtts => [0, 1],
        };
        let mut pairs = RENUMBERED.iter().chain(of_null);
        Some(pairs.find(|pair| pair[from] == code)?[to])
    }

    /// Returns the code in the other encoding of a type that names what it refers to.
    fn concrete_type(self, code: u8) -> Option<u8> {
        match (self, code) {
            (Self::Current, 0x63) => Some(0x6c),
            (Self::Current, 0x64) => Some(0x6b),
            (Self::WithRtts | Self::WithoutRtts, 0x6c) => Some(0x63),
            (Self::WithRtts | Self::WithoutRtts, 0x6b) => Some(0x64),
            _ => None,
        }
    }
}

/// The prefix of a reference that is to exactly a type. Older encodings have none of them: it
/// stands for `rtt`.
const EXACT: u8 = 0x62;

/// The code of `rtt`.
const RTT: u8 = 0x68;

/// Returns what a module of an older encoding is in the one of today: one for each encoding that it
/// may have.
pub(super) fn from_older(module: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let encodings = [TypeEncoding::WithRtts, TypeEncoding::WithoutRtts];
    encodings.into_iter().filter_map(move |encoding| {
        let current = recoded(module, encoding)?;
        let is_other = current != module && recoded(&current, TypeEncoding::Current)? == module;
        is_other.then_some(current)
    })
}

/// Returns a module of today in the older encoding; unchanged if that has no way to say it.
pub(super) fn to_older(module: Vec<u8>) -> Vec<u8> {
    recoded(&module, TypeEncoding::Current).unwrap_or(module)
}

fn recoded(module: &[u8], from: TypeEncoding) -> Option<Vec<u8>> {
    let mut recoder = TypeRecoder {
        bytes: module,
        at: 8,
        out: module.get(..8)?.to_vec(),
        from,
        stack: OperatorsReaderAllocations::default(),
    };
    while recoder.at < module.len() {
        recoder.section()?;
    }
    Some(recoder.out)
}

/// A module in which types are recoded, from its begin to its end.
pub(super) struct TypeRecoder<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(super) out: Vec<u8>,
    pub(super) from: TypeEncoding,
    stack: OperatorsReaderAllocations,
}

impl TypeRecoder<'_> {
    fn section(&mut self) -> Option<()> {
        let id = self.copy_byte()?;
        self.sized(|this, end| match id {
            1 => this.each(Self::type_group),
            2 => this.each(Self::import),
            4 => this.each(Self::table),
            6 => this.each(|this| {
                this.global()?;
                this.expression()
            }),
            9 => this.each(Self::element),
            10 => this.each(Self::body),
            _ => this.copy_to(end),
        })
    }

    /// Recodes what has its length in front; the function is given its end. A length that is
    /// written with more bytes than it needs still is.
    fn sized(&mut self, inside: impl FnOnce(&mut Self, usize) -> Option<()>) -> Option<()> {
        let before = self.at;
        let length = self.number()? as usize;
        let width = self.at - before;
        let end = self.at.checked_add(length)?;
        if end > self.bytes.len() {
            return None;
        }
        let start = self.out.len();
        inside(self, end)?;
        let content = self.out.split_off(start);
        let is_padded = width > encoded(u32::try_from(length).ok()?).len();
        let mut new = encoded(u32::try_from(content.len()).ok()?);
        while is_padded && new.len() < width {
            if let Some(last) = new.last_mut() {
                *last |= 0x80;
            }
            new.push(0);
        }
        self.out.extend(new);
        self.out.extend(content);
        (self.at == end).then_some(())
    }

    fn each(&mut self, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        for _ in 0..self.copy_number()? {
            entry(self)?;
        }
        Some(())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads a byte without copying it.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn copy_byte(&mut self) -> Option<u8> {
        let byte = self.byte()?;
        self.out.push(byte);
        Some(byte)
    }

    fn copy_to(&mut self, end: usize) -> Option<()> {
        self.out.extend_from_slice(self.bytes.get(self.at..end)?);
        self.at = end;
        Some(())
    }

    /// Reads a number without copying it.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut reader = BinaryReader::new(self.bytes.get(self.at..)?, 0);
        let number = reader.read_var_u32().ok()?;
        self.at += position(reader.original_position());
        Some(number)
    }

    /// Copies a number of things or an index.
    pub(super) fn copy_number(&mut self) -> Option<u32> {
        let start = self.at;
        let number = self.number()?;
        self.out.extend_from_slice(&self.bytes[start..self.at]);
        Some(number)
    }

    /// Copies a number of any size.
    fn copy_any_number(&mut self) -> Option<()> {
        while self.copy_byte()? & 0x80 != 0 {}
        Some(())
    }

    fn name(&mut self) -> Option<()> {
        let length = self.copy_number()? as usize;
        self.copy_to(self.at.checked_add(length)?)
    }

    fn limits(&mut self) -> Option<()> {
        let flags = self.copy_byte()?;
        self.copy_any_number()?;
        match flags & 1 {
            1 => self.copy_any_number(),
            _ => Some(()),
        }
    }

    fn value_type(&mut self) -> Option<()> {
        let code = self.byte()?;
        if self.from == TypeEncoding::WithRtts && code == RTT {
            self.out.extend([0x64, EXACT]);
            return self.copy_number().map(drop);
        }
        if self.from == TypeEncoding::Current && code == 0x64 && self.peek()? == EXACT {
            self.at += 1;
            self.out.push(RTT);
            return self.copy_number().map(drop);
        }
        if let Some(code) = self.from.concrete_type(code) {
            self.out.push(code);
            return self.heap_type();
        }
        self.out.push(match code {
            0x7b..=0x7f => code,
            _ => self.from.abstract_type(code)?,
        });
        Some(())
    }

    /// Recodes what a reference refers to: an index of a type, or a type.
    pub(super) fn heap_type(&mut self) -> Option<()> {
        match self.peek()? & 0xc0 {
            0x40 => {
                let code = self.byte()?;
                self.out.push(self.from.abstract_type(code)?);
                Some(())
            }
            _ => self.copy_any_number(),
        }
    }

    /// Recodes a type, or several that refer to each other.
    fn type_group(&mut self) -> Option<()> {
        let [group, new] = match self.from {
            TypeEncoding::Current => [0x4e, 0x4f],
            TypeEncoding::WithRtts | TypeEncoding::WithoutRtts => [0x4f, 0x4e],
        };
        if self.peek()? != group {
            return self.defined_type();
        }
        self.at += 1;
        self.out.push(new);
        self.each(Self::defined_type)
    }

    fn defined_type(&mut self) -> Option<()> {
        // With supertypes, and, unless types have types, without subtypes.
        let is_final = match self.from {
            TypeEncoding::Current => (self.peek()? == 0x4f).then_some(0x4e),
            TypeEncoding::WithoutRtts => (self.peek()? == 0x4e).then_some(0x4f),
            TypeEncoding::WithRtts => None,
        };
        if let Some(code) = is_final {
            self.at += 1;
            self.out.push(code);
            self.each(|this| this.copy_number().map(drop))?;
        } else if self.peek()? == 0x50 {
            self.copy_byte()?;
            self.each(|this| this.copy_number().map(drop))?;
        }
        match self.copy_byte()? {
            0x60 => {
                self.each(Self::value_type)?;
                self.each(Self::value_type)
            }
            0x5f => self.each(Self::field),
            0x5e => self.field(),
            _ => None,
        }
    }

    fn field(&mut self) -> Option<()> {
        let packed = match (self.from, self.peek()?) {
            (TypeEncoding::Current, code @ 0x77..=0x78) => Some(code + 2),
            (TypeEncoding::WithRtts | TypeEncoding::WithoutRtts, code @ 0x79..=0x7a) => {
                Some(code - 2)
            }
            _ => None,
        };
        match packed {
            Some(code) => {
                self.at += 1;
                self.out.push(code);
            }
            None => self.value_type()?,
        }
        self.copy_byte().map(drop)
    }

    fn import(&mut self) -> Option<()> {
        self.name()?;
        self.name()?;
        match self.copy_byte()? {
            0 => self.copy_any_number(),
            1 => self.table(),
            2 => self.limits(),
            3 => self.global(),
            4 => {
                self.copy_byte()?;
                self.copy_any_number()
            }
            _ => None,
        }
    }

    fn table(&mut self) -> Option<()> {
        self.value_type()?;
        self.limits()
    }

    fn global(&mut self) -> Option<()> {
        self.value_type()?;
        self.copy_byte()?;
        Some(())
    }

    fn element(&mut self) -> Option<()> {
        let flags = self.copy_byte()?;
        if flags > 7 {
            return None;
        }
        let is_active = flags & 1 == 0;
        if is_active && flags & 2 != 0 {
            self.copy_any_number()?;
        }
        if is_active {
            self.expression()?;
        }
        let has_expressions = flags & 4 != 0;
        if flags & 3 != 0 {
            match has_expressions {
                true => self.value_type()?,
                false => self.copy_any_number()?,
            }
        }
        self.each(match has_expressions {
            true => Self::expression,
            false => Self::copy_any_number,
        })
    }

    fn body(&mut self) -> Option<()> {
        self.sized(|this, _| {
            this.each(|this| {
                this.copy_any_number()?;
                this.value_type()
            })?;
            this.expression()
        })
    }

    /// Recodes instructions up to the end of the block that they are in.
    fn expression(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.peek()? {
                // `block`, `loop`, `if` and `try`
                0x02..=0x04 | 0x06 => {
                    self.copy_byte()?;
                    self.block_type()?;
                    depth += 1;
                }
                // `catch` and `else`, `catch_all`
                0x07 => {
                    self.copy_byte()?;
                    self.copy_any_number()?;
                }
                0x05 | 0x19 => {
                    self.copy_byte()?;
                }
                // `delegate`
                0x18 => {
                    self.copy_byte()?;
                    self.copy_any_number()?;
                    depth -= 1;
                }
                // `end`
                0x0b => {
                    self.copy_byte()?;
                    depth -= 1;
                }
                // `select` with types
                0x1c => {
                    self.copy_byte()?;
                    self.each(Self::value_type)?;
                }
                // `ref.null`
                0xd0 => {
                    self.copy_byte()?;
                    self.heap_type()?;
                }
                // `call_ref` and `return_call_ref` had no type at first, and those with one cannot
                // be told from these. `try_table` came later.
                0x14 | 0x15 | 0x1f => return None,
                0xfb => {
                    self.at += 1;
                    self.instruction_on_objects()?;
                }
                _ => self.operator()?,
            }
        }
        Some(())
    }

    fn block_type(&mut self) -> Option<()> {
        let code = self.peek()?;
        match code & 0xc0 {
            0x40 if code != 0x40 => self.value_type(),
            _ => self.copy_any_number(),
        }
    }

    /// Copies an instruction without types.
    fn operator(&mut self) -> Option<()> {
        let reader = BinaryReader::new(&self.bytes[self.at..], 0);
        let stack = std::mem::take(&mut self.stack);
        let mut reader = OperatorsReader::new_with_allocs(reader, stack);
        reader.read().ok()?;
        let length = position(reader.original_position());
        self.stack = reader.into_allocations();
        self.copy_to(self.at + length)
    }
}

/// Returns a number as a module has it.
pub(super) fn encoded(number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    wasm_encoder::Encode::encode(&number, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_document::Document;
    use boildown_search::Subset;

    use super::super::printed::binary;
    use super::super::{ModuleUnits, of_binary};
    use super::super::{is_overwritten, is_valid};
    use super::*;

    /// References at all places where a type can stand.
    const MODULE: &str = "(module
      (type $f (func (param (ref func) (ref null 0)) (result (ref null func))))
      (import \"m\" \"g\" (global $i (ref extern)))
      (table 1 (ref null $f))
      (global $g (ref null $f) (ref.null $f))
      (elem (ref null $f) (ref.null $f))
      (func $h (export \"h\") (type $f) (local (ref null $f) i64)
        (block (result (ref null func))
          (drop (i64.const 0x6b6c6b6c6b6c))
          (drop (select (result (ref null $f)) (ref.null $f) (global.get $g) (i32.const 1)))
          (if (result (ref null func)) (i32.const 0)
            (then (local.get 0)) (else (ref.null func))))))";

    fn module() -> Vec<u8> {
        binary(MODULE.as_bytes()).expect("a module")
    }

    #[test]
    fn a_module_in_the_older_encoding_is_the_same_one() {
        let module = module();
        let older = to_older(module.clone());
        // Two parameters, the import, the table, the variables, the elements and `select`.
        let differing = older.iter().zip(&module).filter(|(a, b)| a != b);
        assert_eq!(differing.count(), 8);
        assert_eq!(from_older(&older).next().as_ref(), Some(&module));
        assert_eq!(older.len(), module.len());
        assert!(is_valid(&older), "in the encoding that it has");
        assert_eq!(from_older(&module).next(), None, "it has no older types");
        assert_eq!(
            from_older(&older[..older.len() - 1]).next(),
            None,
            "cut off"
        );
    }

    #[test]
    fn what_is_left_of_an_older_module_is_in_the_older_encoding() {
        let older: Arc<[u8]> = to_older(module()).into();
        for units in [ModuleUnits::Items, ModuleUnits::Instructions] {
            let document = Document::new(&older, of_binary(units));
            assert!(document.is_module());
            let all = Subset::full(document.len());
            assert_eq!(document.render(&all), *older);
            let mut recoded = 0;
            for token in 0..document.len() {
                let rest = document.render(&all.without([token..token + 1]));
                assert!(is_valid(&rest), "without token {token}: {rest:x?}");
                recoded += usize::from(from_older(&rest).next().is_some());
            }
            assert!(recoded > document.len() / 2, "{recoded}");
        }
    }

    #[test]
    fn instructions_of_an_older_module_are_not_overwritten() {
        let module = module();
        let trap = MODULE.replace("(drop (i64.const 0x6b6c6b6c6b6c))", "(unreachable)");
        let trap = trap.replace(
            "(block (result",
            "(nop)(nop)(nop)(nop)(nop)(nop)(nop)(nop)(block (result",
        );
        let trap = binary(trap.as_bytes()).expect("a module");
        assert_eq!(trap.len(), module.len());
        let [module, trap] = [module, trap].map(to_older);
        assert!(is_overwritten(&module, &trap));
        assert!(!is_overwritten(&module, &module));
    }
}
