//! Writing what is kept of a design.
//!
//! Every set of units gives a design that yosys reads. A deleted wire goes with the cell or
//! assignment that drives it, and an operand of that cell, another wire or undefined bits take its
//! place elsewhere. A cell loses the connections with deleted ports of its module.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::writable_module::WritableModule;

use super::design::{RtlilDesign, RtlilSort, StatementIndex};
use super::remains::{RtlilRemains, RtlilStandIn, memory_name};

impl WritableModule for RtlilDesign {
    fn words(&self) -> Vec<Range<usize>> {
        self.words.clone()
    }

    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let remains = RtlilRemains::new(self, kept);
        let mut writer = RtlilWriter {
            design: self,
            names: match remains.has_names() {
                true => BTreeMap::new(),
                false => self.short_names(&remains),
            },
            remains,
            out: Vec::new(),
        };
        for index in 0..self.statements.len() {
            writer.statement(index);
        }
        writer.out
    }
}

impl RtlilDesign {
    /// Returns a number for each name that yosys made of what is left.
    fn short_names(&self, remains: &RtlilRemains<'_>) -> BTreeMap<&[u8], Vec<u8>> {
        let mut names = BTreeMap::new();
        for index in 0..self.statements.len() {
            let name = self.name_word(index).filter(|_| !remains.is_gone[index]);
            if let Some(name) = name.map(|word| self.word(word))
                && name.starts_with(b"$")
            {
                let number = names.len() + 1;
                let short = format!("${number}").into_bytes();
                names.entry(name).or_insert(short);
            }
        }
        names
    }
}

struct RtlilWriter<'a> {
    design: &'a RtlilDesign,
    remains: RtlilRemains<'a>,
    /// Short names that take the place of others.
    names: BTreeMap<&'a [u8], Vec<u8>>,
    out: Vec<u8>,
}

impl RtlilWriter<'_> {
    fn statement(&mut self, index: StatementIndex) {
        let design = self.design;
        let one = &design.statements[index];
        let is_undefined = self.remains.is_undefined(index);
        let of_block = |index: StatementIndex| match design.is(index, RtlilSort::End) {
            true => design.statements[index].parent,
            false => Some(index),
        };
        let parent = one.parent;
        let is_in_gone = parent.is_some_and(|parent| self.remains.is_gone[parent]);
        if is_in_gone || self.remains.is_gone[index] && !is_undefined {
            return;
        }
        // A switch without its head is a list of what its cases do.
        let is_head = of_block(index).is_some_and(|of| self.remains.is_dissolved(of))
            || one.sort == RtlilSort::Case
                && parent.is_some_and(|parent| self.remains.is_dissolved(parent));
        if is_head {
            return;
        }
        self.indentation(one.words.start);
        let signals = design.signals(index);
        let module = design.module_of(index);
        let mut word = one.words.start;
        while word < one.words.end {
            if word > one.words.start && !self.out.ends_with(b" ") {
                self.out.push(b' ');
            }
            let signal = signals.iter().find(|signal| signal.start == word);
            match (signal, module) {
                (Some(signal), Some(module)) if is_undefined => {
                    let width = design.width(module, signal).unwrap_or(1);
                    self.undefined(width);
                    word = signal.end;
                }
                (Some(signal), Some(module)) => {
                    self.signal(module, signal, 0);
                    word = signal.end;
                }
                _ => {
                    self.word(index, word);
                    word += 1;
                }
            }
        }
        while self.out.ends_with(b" ") {
            self.out.pop();
        }
        self.out.push(b'\n');
    }

    /// Writes the white space at the beginning of a line.
    fn indentation(&mut self, word: usize) {
        let end = self.design.words[word].start;
        let before = &self.design.bytes[..end];
        let is_indentation = |byte: &&u8| **byte == b' ' || **byte == b'\t';
        let length = before.iter().rev().take_while(is_indentation).count();
        self.out.extend_from_slice(&before[end - length..]);
    }

    /// Writes a word that is part of no signal.
    fn word(&mut self, index: StatementIndex, word: usize) {
        let design = self.design;
        if design.is(index, RtlilSort::Wire) && !self.remains.is_option_kept(index, word) {
            return;
        }
        let text = design.word(word);
        let position = word - design.statements[index].words.start;
        // The kind of a cell may be a name that yosys made for a module.
        let is_kind = design.is(index, RtlilSort::Cell) && position == 1;
        let is_memory = position == 2 && design.word_of(index, 1) == b"\\MEMID";
        let name = match is_memory {
            true => memory_name(text),
            false => text.to_vec(),
        };
        let is_other = is_kind && !design.modules.contains_key(text) || position == 0;
        match self.names.get(&name[..]).filter(|_| !is_other) {
            Some(short) if is_memory => {
                let quoted = [b"\"", &short[..], b"\""].concat();
                self.out.extend_from_slice(&quoted);
            }
            Some(short) => self.out.extend_from_slice(short),
            None => self.out.extend_from_slice(text),
        }
    }

    fn undefined(&mut self, width: usize) {
        self.out.extend_from_slice(format!("{width}'x").as_bytes());
    }

    /// Writes a signal, of which wires may have stand-ins.
    fn signal(&mut self, module: StatementIndex, words: &Range<usize>, chain: usize) {
        let design = self.design;
        let mut word = words.start;
        while word < words.end {
            if word > words.start {
                self.out.push(b' ');
            }
            let wire = design.wire_at(module, word);
            match wire.map(|wire| (wire, self.remains.stand_in(wire, chain))) {
                Some((_, RtlilStandIn::Wire(other))) => {
                    if let Some(name) = design.name_word(other) {
                        self.word(other, name);
                    }
                }
                Some((_, RtlilStandIn::Signal(signal))) => self.signal(module, &signal, chain + 1),
                Some((wire, RtlilStandIn::Undefined)) => {
                    // Of undefined bits, none need to be selected.
                    let is_selection = |&word: &usize| design.word(word).starts_with(b"[");
                    let end = word + 1 + (word + 1..words.end).take_while(is_selection).count();
                    let width = design.width(module, &(word..end));
                    let of = design.statements[wire].wire.as_ref();
                    self.undefined(width.or(of.map(|wire| wire.width)).unwrap_or(1));
                    word = end;
                    continue;
                }
                None => self.out.extend_from_slice(design.word(word)),
            }
            word += 1;
        }
    }
}
