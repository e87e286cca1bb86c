//! The remains of a design, and what takes the place of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::writable_module::is_kept;

use super::design::{RtlilDesign, RtlilSort, StatementIndex};
use crate::ir::LONGEST_CHAIN;

/// What takes the place of a wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RtlilStandIn {
    /// A wire: itself, or another one of the same width.
    Wire(StatementIndex),
    /// The words of a signal, whose wires may have stand-ins too.
    Signal(Range<usize>),
    /// Undefined bits.
    Undefined,
}

/// Which statements are left.
pub(super) struct RtlilRemains<'a> {
    design: &'a RtlilDesign,
    kept: &'a [bool],
    /// By statement.
    pub(super) is_gone: Vec<bool>,
    /// By wire: the first statement that drives all of it and nothing else.
    drivers: BTreeMap<StatementIndex, StatementIndex>,
    /// By module and width: the first wire that is left and that nothing in the module drives.
    free: BTreeMap<(StatementIndex, usize), StatementIndex>,
}

impl<'a> RtlilRemains<'a> {
    pub(super) fn new(design: &'a RtlilDesign, kept: &'a [bool]) -> Self {
        let gone = |index: usize| !is_kept(design.statements[index].token, kept);
        let mut remains = Self {
            design,
            kept,
            is_gone: (0..design.statements.len()).map(gone).collect(),
            drivers: BTreeMap::new(),
            free: BTreeMap::new(),
        };
        remains.spread_inwards();
        remains.without_lost_ports();
        remains.without_wires();
        remains.attributes();
        remains.index();
        remains
    }

    /// Returns whether the cases of a switch take its place.
    pub(super) fn is_dissolved(&self, index: StatementIndex) -> bool {
        let design = self.design;
        design.is(index, RtlilSort::Switch)
            && !is_kept(design.statements[index].token, self.kept)
            && self.is_any_case_kept(index)
    }

    fn is_any_case_kept(&self, switch: StatementIndex) -> bool {
        let inside = switch + 1..self.design.statements[switch].end;
        let is_case = |&index: &usize| self.design.statements[index].parent == Some(switch);
        let cases = inside.filter(is_case);
        let mut cases = cases.filter(|&index| self.design.is(index, RtlilSort::Case));
        cases.any(|index| is_kept(self.design.statements[index].token, self.kept))
    }

    /// Marks what is inside of deleted statements.
    fn spread_inwards(&mut self) {
        for index in 0..self.is_gone.len() {
            if self.design.is(index, RtlilSort::Switch) && self.is_gone[index] {
                self.is_gone[index] = !self.is_any_case_kept(index);
            }
            let parent = self.design.statements[index].parent;
            if parent.is_some_and(|parent| self.is_gone[parent]) {
                self.is_gone[index] = true;
            }
        }
    }

    /// Marks the connections of cells with what is no port of their module any more.
    fn without_lost_ports(&mut self) {
        let design = self.design;
        for index in 0..self.is_gone.len() {
            if !design.is(index, RtlilSort::Connect) || !design.is_in_cell(index) {
                continue;
            }
            let cell = design.statements[index].parent.unwrap_or(index);
            let module = design.modules.get(design.word_of(cell, 1));
            let Some(&module) = module.filter(|&&module| !self.is_gone[module]) else {
                continue;
            };
            let wire = design.wires.get(&(module, design.word_of(index, 1).into()));
            if wire.is_some_and(|&wire| self.is_lost_port(wire)) {
                self.is_gone[index] = true;
            }
        }
    }

    fn is_lost_port(&self, wire: StatementIndex) -> bool {
        let of = self.design.statements[wire].wire.iter();
        let mut ports = of
            .flat_map(|wire| &wire.options)
            .filter(|option| option.is_port);
        ports.any(|option| self.is_gone[wire] || !is_kept(option.token, self.kept))
    }

    /// Marks what drives a deleted wire, and keeps a wire that is driven together with others.
    fn without_wires(&mut self) {
        let design = self.design;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for index in 0..self.is_gone.len() {
                let (Some(module), false) = (design.module_of(index), self.is_gone[index]) else {
                    continue;
                };
                let cell = design.statements[index]
                    .parent
                    .filter(|_| design.is_in_cell(index));
                let Some(driven) = design.driven(index) else {
                    continue;
                };
                let wires: Vec<StatementIndex> = driven
                    .filter_map(|word| design.wire_at(module, word))
                    .collect();
                let gone = wires.iter().filter(|&&wire| self.is_gone[wire]).count();
                if gone == 0 {
                    continue;
                }
                has_changed = true;
                if gone < wires.len() {
                    for wire in wires {
                        self.is_gone[wire] = false;
                    }
                } else if let Some(cell) = cell.filter(|&cell| design.is_built_in(cell)) {
                    let inside = cell..design.statements[cell].end;
                    self.is_gone[inside].fill(true);
                } else {
                    self.is_gone[index] = true;
                }
            }
        }
        self.without_memories();
    }

    /// Marks what reads or writes a deleted memory.
    fn without_memories(&mut self) {
        let design = self.design;
        let mut gone: BTreeSet<(StatementIndex, &[u8])> = BTreeSet::new();
        for index in 0..self.is_gone.len() {
            if design.is(index, RtlilSort::Memory)
                && self.is_gone[index]
                && let (Some(module), Some(name)) =
                    (design.module_of(index), design.name_word(index))
            {
                gone.insert((module, design.word(name)));
            }
        }
        if gone.is_empty() {
            return;
        }
        for index in 0..self.is_gone.len() {
            let Some(module) = design.module_of(index) else {
                continue;
            };
            let name = memory_name(design.word_of(index, 2));
            if design.is(index, RtlilSort::MemoryWrite) {
                let is_lost = gone.contains(&(module, design.word_of(index, 1)));
                self.is_gone[index] = self.is_gone[index] || is_lost;
            } else if design.word_of(index, 1) == b"\\MEMID"
                && gone.contains(&(module, &name[..]))
                && let Some(cell) = design.statements[index].parent
            {
                let inside = cell..design.statements[cell].end;
                self.is_gone[inside].fill(true);
            }
        }
    }

    /// Marks the attributes of what is gone, and those whose name is gone.
    fn attributes(&mut self) {
        let design = self.design;
        for index in (0..self.is_gone.len()).rev() {
            if !design.is(index, RtlilSort::Attribute) {
                continue;
            }
            let name = design.word_of(index, 1);
            let token = design.attributes.get(name).copied().flatten();
            let mut after = index + 1..self.is_gone.len();
            let owner = after.find(|&next| !design.is(next, RtlilSort::Attribute));
            let is_lost = owner.is_some_and(|owner| {
                let around = design.statements[owner].parent;
                self.is_gone[owner]
                    || self.is_dissolved(owner)
                    || around.is_some_and(|around| self.is_dissolved(around))
            });
            self.is_gone[index] = self.is_gone[index] || is_lost || !is_kept(token, self.kept);
        }
    }

    fn index(&mut self) {
        let design = self.design;
        let mut driven_wires: BTreeSet<StatementIndex> = BTreeSet::new();
        for index in 0..self.is_gone.len() {
            let (Some(module), Some(driven)) = (design.module_of(index), design.driven(index))
            else {
                continue;
            };
            if driven.len() == 1
                && let Some(wire) = design.wire_at(module, driven.start)
            {
                self.drivers.entry(wire).or_insert(index);
            }
            driven_wires.extend(driven.filter_map(|word| design.wire_at(module, word)));
        }
        for (&(module, _), &wire) in &design.wires {
            let Some(of) = &design.statements[wire].wire else {
                continue;
            };
            if !self.is_gone[wire] && !driven_wires.contains(&wire) {
                let first = self.free.entry((module, of.width)).or_insert(wire);
                *first = (*first).min(wire);
            }
        }
    }

    /// Returns what takes the place of a wire: itself, what it is connected with, an operand of the
    /// cell that drives it, another wire, or undefined bits.
    pub(super) fn stand_in(&self, wire: StatementIndex, chain: usize) -> RtlilStandIn {
        let design = self.design;
        if !self.is_gone[wire] {
            return RtlilStandIn::Wire(wire);
        }
        let of = &design.statements[wire];
        let (Some(module), Some(width)) = (of.parent, of.wire.as_ref().map(|wire| wire.width))
        else {
            return RtlilStandIn::Undefined;
        };
        let is_followed = chain < LONGEST_CHAIN && width > 0;
        let signal = self.drivers.get(&wire).filter(|_| is_followed);
        if let Some(signal) = signal.and_then(|&driver| self.operand(module, driver, width)) {
            return RtlilStandIn::Signal(signal);
        }
        match self.free.get(&(module, width)) {
            Some(&other) => RtlilStandIn::Wire(other),
            None => RtlilStandIn::Undefined,
        }
    }

    /// Returns the words of a signal of this width that a statement drives its first signal with.
    fn operand(
        &self,
        module: StatementIndex,
        driver: StatementIndex,
        width: usize,
    ) -> Option<Range<usize>> {
        let design = self.design;
        if !design.is_in_cell(driver) {
            return match design.statements[driver].sort {
                RtlilSort::Connect => design.signals(driver).into_iter().nth(1),
                _ => None,
            };
        }
        let cell = design.statements[driver].parent?;
        // What a register or memory holds is not what it is given.
        if !design.is_built_in(cell) || design.word_of(cell, 1).starts_with(b"$mem") {
            return None;
        }
        let inside = cell + 1..design.statements[cell].end;
        let mut inputs = inside.filter(|&index| {
            design.is(index, RtlilSort::Connect) && !design.is_output(cell, index)
        });
        inputs.find_map(|index| {
            let signal = design.signals(index).into_iter().next()?;
            let has_wire = signal
                .clone()
                .any(|word| design.wire_at(module, word).is_some());
            (has_wire && design.width(module, &signal) == Some(width)).then_some(signal)
        })
    }

    /// Returns whether the connection of a cell that needs it is gone, so that it is undefined.
    pub(super) fn is_undefined(&self, connection: StatementIndex) -> bool {
        let design = self.design;
        let cell = design.statements[connection].parent;
        let is_there = |cell: &StatementIndex| !self.is_gone[*cell] && design.is_built_in(*cell);
        self.is_gone[connection]
            && design.is(connection, RtlilSort::Connect)
            && design.is_in_cell(connection)
            && cell.is_some_and(|cell| is_there(&cell))
    }

    /// Returns whether a part of a wire's declaration is left.
    pub(super) fn is_option_kept(&self, wire: StatementIndex, word: usize) -> bool {
        let of = self.design.statements[wire].wire.iter();
        let mut options = of.flat_map(|wire| &wire.options);
        let option = options.find(|option| option.words.contains(&word));
        option.is_none_or(|option| is_kept(option.token, self.kept))
    }

    pub(super) fn has_names(&self) -> bool {
        is_kept(self.design.names, self.kept)
    }
}

/// Returns the name of a memory that a string mentions: `"\\a"` for `\a`.
pub(super) fn memory_name(string: &[u8]) -> Vec<u8> {
    let inside = string.strip_prefix(b"\"").unwrap_or(string);
    let inside = inside.strip_suffix(b"\"").unwrap_or(inside);
    let mut name = Vec::with_capacity(inside.len());
    let mut bytes = inside.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => bytes.next().copied().unwrap_or(byte),
            byte => byte,
        });
    }
    name
}
