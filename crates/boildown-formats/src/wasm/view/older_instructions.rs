//! Instructions on structures, arrays and references in the older encodings of modules.
//!
//! Many are gone, and others take other immediates today. Each is written as an instruction of
//! today that mentions the same types and labels, and from which it can be told. What it computes
//! does not matter: it is never run.

use super::older_types::{TypeEncoding, TypeRecoder, encoded};

/// What an instruction mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Immediates {
    Nothing,
    Type,
    /// A type, and a field or a length.
    TypeAndNumber,
    TwoTypes,
    /// A type, or one without an index.
    HeapType,
    Label,
    LabelAndHeapType,
}

/// The instructions without immediates, and those with a label alone. Each is written with one of
/// the types of `MARKS`, as a shared one: older encodings have none of these.
const UNARY: [u8; 9] = [0x19, 0x40, 0x41, 0x50, 0x51, 0x52, 0x58, 0x59, 0x5a];
const BRANCHES: [u8; 8] = [0x42, 0x43, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65];
const MARKS: [u8; 10] = [0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73];

/// The tests and casts, and the branches on them, that take a type.
const CASTS: [u8; 4] = [0x40, 0x48, 0x41, 0x49];
const BRANCHES_ON_TYPES: [u8; 6] = [0x46, 0x47, 0x42, 0x43, 0x4a, 0x4b];

/// Instructions that are the same today: on small numbers, on references from outside.
const RENUMBERED: [[u8; 2]; 5] = [
    [0x20, 0x1c],
    [0x21, 0x1d],
    [0x22, 0x1e],
    [0x70, 0x1a],
    [0x71, 0x1b],
];

const SHARED: u8 = 0x65;

/// Instructions of today.
const STRUCT_GET: u8 = 0x02;
const ARRAY_COPY: u8 = 0x11;
const REF_TEST: u8 = 0x14;
const BR_ON_CAST: u8 = 0x18;
const BR_ON_CAST_FAIL: u8 = 0x19;

/// Returns what an instruction of an older encoding mentions; `None` if it is not known.
fn immediates(encoding: TypeEncoding, code: u8) -> Option<Immediates> {
    let has_rtts = encoding == TypeEncoding::WithRtts;
    Some(match code {
        // `struct.new` and others
        0x01 | 0x02 | 0x07 | 0x08 | 0x11..=0x17 | 0x1b | 0x1c => Immediates::Type,
        // `rtt.canon` and others, `ref.cast_nop_static`
        0x30..=0x32 | 0x48 if has_rtts => Immediates::Type,
        // `ref.test_static`, `ref.cast_static`
        0x44 | 0x45 => Immediates::Type,
        // `struct.get` and others, `array.init`
        0x03..=0x06 | 0x1a => Immediates::TypeAndNumber,
        0x19 if has_rtts => Immediates::TypeAndNumber,
        0x18 => Immediates::TwoTypes,
        0x40 | 0x41 | 0x48 | 0x49 if !has_rtts => Immediates::HeapType,
        0x46 | 0x47 => Immediates::LabelAndHeapType,
        0x42 | 0x43 | 0x4a | 0x4b if !has_rtts => Immediates::LabelAndHeapType,
        0x42 | 0x43 | 0x60..=0x65 => Immediates::Label,
        0x19 | 0x40 | 0x41 | 0x50..=0x52 | 0x58..=0x5a => Immediates::Nothing,
        _ => return None,
    })
}

/// Returns the place of a code in a table.
fn place(table: &[u8], code: u8) -> Option<u8> {
    let place = table.iter().position(|&at| at == code)?;
    u8::try_from(place).ok()
}

impl TypeRecoder<'_> {
    /// Recodes an instruction after its prefix.
    pub(super) fn instruction_on_objects(&mut self) -> Option<()> {
        self.out.push(0xfb);
        let code = self.byte()?;
        let is_current = self.from == TypeEncoding::Current;
        let [from, to] = if is_current { [1, 0] } else { [0, 1] };
        if let Some(pair) = RENUMBERED.iter().find(|pair| pair[from] == code) {
            self.out.push(pair[to]);
            return Some(());
        }
        match is_current {
            true => self.write_older(code),
            false => self.write_current(code),
        }
    }

    fn write_current(&mut self, code: u8) -> Option<()> {
        let mark = |table: &[u8]| Some(MARKS[place(table, code)? as usize]);
        match immediates(self.from, code)? {
            Immediates::Nothing => self.out.extend([REF_TEST, SHARED, mark(&UNARY)?]),
            Immediates::Type => {
                self.out.push(STRUCT_GET);
                self.copy_number()?;
                self.out.push(code);
            }
            Immediates::TypeAndNumber => {
                self.out.push(STRUCT_GET);
                self.copy_number()?;
                let number = self.number()?.checked_mul(128)? | u32::from(code);
                self.out.extend(encoded(number));
            }
            Immediates::TwoTypes => {
                self.out.push(ARRAY_COPY);
                self.copy_number()?;
                self.copy_number()?;
            }
            Immediates::HeapType => {
                self.out.push(REF_TEST + place(&CASTS, code)?);
                self.heap_type()?;
            }
            Immediates::Label => {
                self.out.extend([BR_ON_CAST_FAIL, 0]);
                self.copy_number()?;
                self.out
                    .extend([SHARED, MARKS[0], SHARED, mark(&BRANCHES)?]);
            }
            Immediates::LabelAndHeapType => {
                let place = place(&BRANCHES_ON_TYPES, code)?;
                self.out.extend(match place {
                    0..=3 => [BR_ON_CAST, place],
                    _ => [BR_ON_CAST_FAIL, place - 3],
                });
                self.copy_number()?;
                self.out.extend([SHARED, MARKS[0]]);
                self.heap_type()?;
            }
        }
        Some(())
    }

    /// Reads one of the types that mark an instruction of a table.
    fn marked(&mut self, table: &[u8]) -> Option<u8> {
        let is_shared = self.byte()? == SHARED;
        let mark = place(&MARKS, self.byte()?)?;
        is_shared.then(|| table.get(mark as usize).copied())?
    }

    fn write_older(&mut self, code: u8) -> Option<()> {
        match code {
            STRUCT_GET => {
                let place = self.out.len();
                self.copy_number()?;
                let number = self.number()?;
                let code = u8::try_from(number % 128).ok()?;
                self.out.insert(place, code);
                if matches!(code, 0x03..=0x06 | 0x19 | 0x1a) {
                    self.out.extend(encoded(number / 128));
                }
            }
            ARRAY_COPY => {
                self.out.push(0x18);
                self.copy_number()?;
                self.copy_number()?;
            }
            REF_TEST..BR_ON_CAST => {
                let is_marked = code == REF_TEST && self.peek()? == SHARED;
                if is_marked {
                    let code = self.marked(&UNARY)?;
                    self.out.push(code);
                } else {
                    self.out.push(CASTS[usize::from(code - REF_TEST)]);
                    self.heap_type()?;
                }
            }
            BR_ON_CAST | BR_ON_CAST_FAIL => {
                let number = self.byte()?;
                let place = self.out.len();
                self.copy_number()?;
                let _any = self.marked(&MARKS)?;
                let code = match (code, usize::from(number)) {
                    (BR_ON_CAST_FAIL, 0) => self.marked(&BRANCHES)?,
                    (code, number) => {
                        self.heap_type()?;
                        let first = if code == BR_ON_CAST { 0 } else { 3 };
                        *BRANCHES_ON_TYPES.get(first + number)?
                    }
                };
                self.out.insert(place, code);
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_document::Document;
    use boildown_search::Subset;

    use super::super::older_types::{from_older, to_older};
    use super::super::{ModuleUnits, of_binary};

    /// Returns a module with types of objects, and a function of each body: no parameters, and a
    /// variable.
    fn module(bodies: &[&[u8]]) -> Vec<u8> {
        let section = |id: u8, entries: &[Vec<u8>]| {
            let content = entries.concat();
            let count = u8::try_from(entries.len()).expect("few entries");
            let length = u8::try_from(content.len() + 1).expect("a short section");
            [&[id, length, count], &content[..]].concat()
        };
        let types = [
            // A function, an array of references to the structures that follow: of a number and a
            // byte; a structure of their `rtt`.
            vec![0x60, 0, 0],
            vec![0x5e, 0x6c, 2, 1],
            vec![0x5f, 2, 0x7f, 1, 0x7a, 0],
            vec![0x5f, 1, 0x68, 2, 0],
        ];
        let codes = bodies.iter().map(|body| {
            let content = [&[1, 1, 0x6c, 2], *body, &[0x0b]].concat();
            let length = u8::try_from(content.len()).expect("a short body");
            [&[length][..], &content].concat()
        });
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &types),
            section(3, &vec![vec![0]; bodies.len()]),
            section(10, &codes.collect::<Vec<_>>()),
        ]
        .concat()
    }

    /// `struct.new_default_with_rtt 2 (rtt.canon 2)`
    const NEW: &[u8] = &[0xfb, 0x30, 2, 0xfb, 0x02, 2];

    /// `array.copy 1 1`, `array.init 1 300`, `struct.get_u 2 1`, `i31.new`, `ref.is_func`, and
    /// branches: `br_on_cast 0`, `br_on_cast_static 0 2`, `br_on_non_i31 0`.
    const OTHERS: &[u8] = &[
        0xfb, 0x18, 1, 1, 0xfb, 0x19, 1, 0xac, 2, 0xfb, 0x05, 2, 1, 0xfb, 0x20, 0xfb, 0x50, 0xfb,
        0x42, 0, 0xfb, 0x46, 0, 2, 0xfb, 0x65, 0,
    ];

    #[test]
    fn instructions_of_an_older_module_are_brought_back() {
        let older = module(&[NEW, OTHERS]);
        let current = from_older(&older).next().expect("a module");
        assert_eq!(to_older(current), older);
        // With a type of null, and a cast that takes a type.
        let others = [
            0xd0, 0x65, 0xfb, 0x48, 1, 0xfb, 0x42, 0, 0x6a, 0xfb, 0x4a, 0, 1, 0xfb, 0x19,
        ];
        let later = module(&[&others]);
        let later: Vec<u8> = later
            .iter()
            .map(|&byte| if byte == 0x68 { 0x6c } else { byte })
            .collect();
        let current = from_older(&later).next().expect("a module");
        assert_eq!(to_older(current), later);
    }

    #[test]
    fn types_of_objects_go_and_the_others_are_renumbered() {
        let older: Arc<[u8]> = module(&[OTHERS, NEW, &[0]]).into();
        let document = Document::new(&older, of_binary(ModuleUnits::Instructions));
        assert!(document.is_module());
        let mut kept = Subset::full(document.len());
        assert_eq!(document.render(&kept), *older);
        assert_eq!(*document.bytes(), older);
        for token in 0..document.len() {
            let rest = kept.without([token..token + 1]);
            let bytes = document.render(&rest);
            let has_new = bytes.windows(2).any(|pair| pair == [0xfb, 0x02]);
            if has_new && bytes.windows(2).any(|pair| pair == [0xfb, 0x30]) {
                kept = rest;
            }
        }
        let types = [1, 10, 2, 0x60, 0, 0, 0x5f, 2, 0x7f, 1, 0x7a, 0];
        let code = [
            3, 2, 1, 0, 10, 10, 1, 8, 0, 0xfb, 0x30, 1, 0xfb, 0x02, 1, 0x0b,
        ];
        let expected = [b"\0asm\x01\0\0\0", &types[..], &code].concat();
        assert_eq!(document.render(&kept), expected);
    }
}
