//! Types of references in the encoding that tools wrote before autumn 2023.
//!
//! The proposal for typed references numbered `(ref null …)` and `(ref …)` anew. Both encodings
//! have the same lengths, so a module is brought from one into the other in place: read as a module
//! of today, and written as the one that it is.

use std::borrow::Cow;

use wasmparser::{BinaryReader, OperatorsReader, OperatorsReaderAllocations};

use super::mentions::position;

/// The numbers of the two types of references that name what they refer to.
#[derive(Debug, Clone, Copy)]
struct ReferenceCodes {
    nullable: u8,
    not_null: u8,
}

const OLDER: ReferenceCodes = ReferenceCodes {
    nullable: 0x6c,
    not_null: 0x6b,
};

const CURRENT: ReferenceCodes = ReferenceCodes {
    nullable: 0x63,
    not_null: 0x64,
};

/// Returns a module of the older encoding in the one of today. `None` if it has no references of
/// such types, or something else that is not known.
pub(super) fn from_older(module: &[u8]) -> Option<Vec<u8>> {
    recoded(module, OLDER, CURRENT).filter(|recoded| recoded != module)
}

/// Returns a module of today in the older encoding; unchanged if that has no way to say it.
pub(super) fn to_older(module: &[u8]) -> Cow<'_, [u8]> {
    recoded(module, CURRENT, OLDER).map_or(Cow::Borrowed(module), Cow::Owned)
}

fn recoded(module: &[u8], from: ReferenceCodes, to: ReferenceCodes) -> Option<Vec<u8>> {
    let mut recoder = TypeRecoder {
        bytes: module.to_vec(),
        at: 8,
        from,
        to,
        stack: OperatorsReaderAllocations::default(),
    };
    while recoder.at < recoder.bytes.len() {
        recoder.section()?;
    }
    Some(recoder.bytes)
}

/// A module in which types are recoded, from its begin to its end.
struct TypeRecoder {
    bytes: Vec<u8>,
    at: usize,
    from: ReferenceCodes,
    to: ReferenceCodes,
    stack: OperatorsReaderAllocations,
}

impl TypeRecoder {
    fn section(&mut self) -> Option<()> {
        let id = self.byte()?;
        let length = self.length()?;
        let end = self.at.checked_add(length)?;
        if end > self.bytes.len() {
            return None;
        }
        match id {
            1 => self.each(Self::function_type)?,
            2 => self.each(Self::import)?,
            4 => self.each(Self::table)?,
            6 => self.each(|this| {
                this.global()?;
                this.expression()
            })?,
            9 => self.each(Self::element)?,
            10 => self.each(Self::body)?,
            _ => self.at = end,
        }
        (self.at == end).then_some(())
    }

    fn each(&mut self, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        for _ in 0..self.length()? {
            entry(self)?;
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Reads a number of things or an index.
    fn length(&mut self) -> Option<usize> {
        let mut reader = BinaryReader::new(self.bytes.get(self.at..)?, 0);
        let length = reader.read_var_u32().ok()?;
        self.at += position(reader.original_position());
        usize::try_from(length).ok()
    }

    /// Skips a name.
    fn name(&mut self) -> Option<()> {
        let length = self.length()?;
        self.at = self.at.checked_add(length)?;
        Some(())
    }

    fn limits(&mut self) -> Option<()> {
        let flags = self.byte()?;
        self.number()?;
        match flags & 1 {
            1 => self.number(),
            _ => Some(()),
        }
    }

    /// Skips a number of any size.
    fn number(&mut self) -> Option<()> {
        while self.byte()? & 0x80 != 0 {}
        Some(())
    }

    fn value_type(&mut self) -> Option<()> {
        let at = self.at;
        let code = self.byte()?;
        let other = if code == self.from.nullable {
            self.to.nullable
        } else if code == self.from.not_null {
            self.to.not_null
        } else {
            // Numbers, vectors, and the references that have the same number in both.
            return matches!(code, 0x7b..=0x7f | 0x6d..=0x70).then_some(());
        };
        self.bytes[at] = other;
        self.heap_type()
    }

    /// Reads what a reference refers to: an index of a type, or a type that has the same number in
    /// both encodings.
    fn heap_type(&mut self) -> Option<()> {
        let code = *self.bytes.get(self.at)?;
        match code & 0xc0 {
            0x40 => matches!(self.byte()?, 0x6d..=0x70).then_some(()),
            _ => self.number(),
        }
    }

    fn function_type(&mut self) -> Option<()> {
        if self.byte()? != 0x60 {
            return None;
        }
        self.each(Self::value_type)?;
        self.each(Self::value_type)
    }

    fn import(&mut self) -> Option<()> {
        self.name()?;
        self.name()?;
        match self.byte()? {
            0 => self.number(),
            1 => self.table(),
            2 => self.limits(),
            3 => self.global(),
            4 => {
                self.byte()?;
                self.number()
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
        self.byte()?;
        Some(())
    }

    fn element(&mut self) -> Option<()> {
        let flags = self.byte()?;
        if flags > 7 {
            return None;
        }
        let is_active = flags & 1 == 0;
        if is_active && flags & 2 != 0 {
            self.number()?;
        }
        if is_active {
            self.expression()?;
        }
        let has_expressions = flags & 4 != 0;
        if flags & 3 != 0 {
            match has_expressions {
                true => self.value_type()?,
                false => self.number()?,
            }
        }
        self.each(match has_expressions {
            true => Self::expression,
            false => Self::number,
        })
    }

    fn body(&mut self) -> Option<()> {
        let length = self.length()?;
        let end = self.at.checked_add(length)?;
        self.each(|this| {
            this.number()?;
            this.value_type()
        })?;
        self.expression()?;
        (self.at == end).then_some(())
    }

    /// Reads instructions up to the end of the block that they are in.
    fn expression(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match *self.bytes.get(self.at)? {
                // `block`, `loop`, `if` and `try`
                0x02..=0x04 | 0x06 => {
                    self.at += 1;
                    self.block_type()?;
                    depth += 1;
                }
                // `catch` and `else`, `catch_all`
                0x07 => {
                    self.at += 1;
                    self.number()?;
                }
                0x05 | 0x19 => self.at += 1,
                // `delegate`
                0x18 => {
                    self.at += 1;
                    self.number()?;
                    depth -= 1;
                }
                // `end`
                0x0b => {
                    self.at += 1;
                    depth -= 1;
                }
                // `select` with types
                0x1c => {
                    self.at += 1;
                    self.each(Self::value_type)?;
                }
                // `ref.null`
                0xd0 => {
                    self.at += 1;
                    self.heap_type()?;
                }
                // `call_ref` and `return_call_ref` had no type, `try_table` came later.
                0x14 | 0x15 | 0x1f => return None,
                _ => self.operator()?,
            }
        }
        Some(())
    }

    fn block_type(&mut self) -> Option<()> {
        let code = *self.bytes.get(self.at)?;
        match code & 0xc0 {
            0x40 if code != 0x40 => self.value_type(),
            _ => self.number(),
        }
    }

    /// Skips an instruction without types.
    fn operator(&mut self) -> Option<()> {
        let reader = BinaryReader::new(&self.bytes[self.at..], 0);
        let stack = std::mem::take(&mut self.stack);
        let mut reader = OperatorsReader::new_with_allocs(reader, stack);
        reader.read().ok()?;
        self.at += position(reader.original_position());
        self.stack = reader.into_allocations();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_search::Subset;

    use super::super::super::{Document, ModuleUnits, View};
    use super::super::printed::binary;
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
        let older = to_older(&module);
        // Two parameters, the import, the table, the variables, the elements and `select`.
        let differing = older.iter().zip(&module).filter(|(a, b)| a != b);
        assert_eq!(differing.count(), 8);
        assert_eq!(from_older(&older).as_ref(), Some(&module));
        assert_eq!(older.len(), module.len());
        assert!(is_valid(&older), "in the encoding that it has");
        assert_eq!(from_older(&module), None, "it has no older types");
        assert_eq!(from_older(&older[..older.len() - 1]), None, "cut off");
    }

    #[test]
    fn what_is_left_of_an_older_module_is_in_the_older_encoding() {
        let older: Arc<[u8]> = to_older(&module()).into();
        for units in [ModuleUnits::Items, ModuleUnits::Instructions] {
            let document = Document::new(&older, View::Module(units));
            assert!(document.is_module());
            let all = Subset::full(document.len());
            assert_eq!(document.render(&all), *older);
            let mut recoded = 0;
            for token in 0..document.len() {
                let rest = document.render(&all.without([token..token + 1]));
                assert!(is_valid(&rest), "without token {token}: {rest:x?}");
                recoded += usize::from(from_older(&rest).is_some());
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
        assert!(is_overwritten(&to_older(&module), &to_older(&trap)));
        assert!(!is_overwritten(&to_older(&module), &to_older(&module)));
    }
}
