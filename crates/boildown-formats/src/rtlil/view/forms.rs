//! The forms of statements, and of the cells that yosys knows: it rejects others while it reads a
//! design.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::design::{RtlilDesign, RtlilSort, StatementIndex};

/// Returns the forms of the cells that yosys knows: the kind of each, with its ports and parameters
/// and their widths. `None` if a text is no design, or yosys would not read it: see
/// [`is_well_formed`](RtlilDesign::is_well_formed).
pub(crate) fn rtlil_cells(text: &[u8]) -> Option<BTreeSet<Box<[u8]>>> {
    let bytes: Arc<[u8]> = text.into();
    let design = RtlilDesign::read(&bytes)?;
    let all = 0..design.statements.len();
    let mut cells = BTreeSet::new();
    for index in all {
        if !(design.is_well_formed(index) && design.has_words(index)) {
            return None;
        }
        if design.is(index, RtlilSort::Cell) && design.is_built_in(index) {
            cells.insert(design.form_of_cell(index)?);
        }
    }
    Some(cells)
}

impl RtlilDesign {
    /// Returns the kind of a cell, with its ports and parameters and their widths. `None` if one is
    /// there twice, a signal is none, or a memory is not declared.
    fn form_of_cell(&self, cell: StatementIndex) -> Option<Box<[u8]>> {
        let mut parts: Vec<(&[u8], String)> = Vec::new();
        for index in cell + 1..self.statements[cell].end {
            let name = self.word_of(index, 1);
            match self.statements[index].sort {
                RtlilSort::Connect => {
                    let signal = self.signals(index).into_iter().next()?;
                    let width = self.width(self.module_of(cell)?, &signal)?;
                    parts.push((name, format!(" {width}")));
                }
                RtlilSort::Parameter => {
                    if name == b"\\MEMID" && !self.has_memory(cell, self.word_of(index, 2)) {
                        return None;
                    }
                    let width = match name.ends_with(b"WIDTH") {
                        true => self.word_of(index, 2).escape_ascii().to_string(),
                        false => String::new(),
                    };
                    parts.push((name, width));
                }
                _ => {}
            }
        }
        parts.sort_unstable();
        let has_twice = parts.windows(2).any(|pair| pair[0].0 == pair[1].0);
        let mut form = self.word_of(cell, 1).to_vec();
        for (name, width) in parts {
            form.extend([name, width.as_bytes()].concat());
        }
        (!has_twice).then(|| form.into())
    }

    /// Returns whether the memory that a port reads or writes is declared. `$mem` declares its own.
    fn has_memory(&self, cell: StatementIndex, name: &[u8]) -> bool {
        let escaped = |name: &[u8]| {
            let name = name.iter().flat_map(|&byte| match byte {
                b'\\' => vec![b'\\', byte],
                _ => vec![byte],
            });
            [&b"\""[..], &name.collect::<Vec<u8>>(), b"\""].concat()
        };
        let mut memories = (0..self.statements.len()).filter_map(|index| {
            let is_memory = self.is(index, RtlilSort::Memory);
            self.name_word(index).filter(|_| is_memory)
        });
        self.word_of(cell, 1).starts_with(b"$mem_")
            || self.word_of(cell, 1) == b"$mem"
            || memories.any(|word| escaped(self.word(word)) == name)
    }

    /// Returns whether names have their sign, and constants their digits.
    fn has_words(&self, index: StatementIndex) -> bool {
        let one = &self.statements[index];
        let words: Vec<&[u8]> = one.words.clone().map(|word| self.word(word)).collect();
        let has_names = match (one.sort, &words[1..]) {
            (RtlilSort::Attribute, [name, value]) => is_name(name) && is_constant(value),
            (RtlilSort::Module, [name]) | (RtlilSort::Process, [name]) => is_name(name),
            (RtlilSort::Cell, [kind, name]) => is_name(kind) && is_name(name),
            (RtlilSort::Wire | RtlilSort::Memory, [.., name]) => is_name(name),
            (RtlilSort::Parameter, [b"signed" | b"real", name, value] | [name, value]) => {
                is_name(name) && is_constant(value)
            }
            (RtlilSort::Parameter, [name]) => is_name(name) && !self.is_in_cell(index),
            (RtlilSort::Connect, [port, ..]) => !self.is_in_cell(index) || is_name(port),
            (RtlilSort::Sync, [kind, signal @ ..]) => match *kind {
                b"always" | b"global" | b"init" => signal.is_empty(),
                b"low" | b"high" | b"posedge" | b"negedge" | b"edge" => !signal.is_empty(),
                _ => false,
            },
            (RtlilSort::Other, [number]) => number.iter().all(u8::is_ascii_digit),
            (RtlilSort::End, rest) => rest.is_empty(),
            (
                RtlilSort::Switch
                | RtlilSort::Case
                | RtlilSort::Assign
                | RtlilSort::Update
                | RtlilSort::MemoryWrite,
                _,
            ) => true,
            _ => false,
        };
        let bits = words.iter().filter(|word| word[0].is_ascii_digit());
        has_names && bits.into_iter().all(|word| is_constant(word))
    }
}

fn is_name(word: &[u8]) -> bool {
    matches!(word, [b'\\' | b'$', _, ..])
}

/// Returns whether a word is a string, a number, or bits: `"a"`, `-1`, `4'01xz`.
fn is_constant(word: &[u8]) -> bool {
    if let [b'"', .., b'"'] = word {
        return true;
    }
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let length = digits.iter().take_while(is_digit).count();
    let is_bit = |byte: &u8| b"01xzm-".contains(byte);
    match &digits[length..] {
        [] => length > 0,
        [b'\'', b's', bits @ ..] | [b'\'', bits @ ..] => length > 0 && bits.iter().all(is_bit),
        _ => false,
    }
}
