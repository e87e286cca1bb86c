//! The tokens and nodes of a design.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Document,
    module_layout::{UnitLayout, document},
};

use super::design::{RtlilDesign, RtlilSort, StatementIndex};

/// Reads a design; an input that is none becomes a single token.
pub(crate) fn read(bytes: &Arc<[u8]>) -> Document {
    let design = RtlilDesign::read(bytes);
    document(bytes, design, |units, design| {
        let all = 0..design.statements.len();
        let mut layout = RtlilLayout { units, design };
        layout.whole_design();
        layout.statements(all);
    })
}

struct RtlilLayout<'a> {
    units: &'a mut UnitLayout,
    design: &'a mut RtlilDesign,
}

impl RtlilLayout<'_> {
    /// Lays out what stands for something in all modules: the attributes of each name, and the long
    /// form of the names that yosys made.
    fn whole_design(&mut self) {
        self.units.open();
        for token in self.design.attributes.values_mut() {
            *token = self.units.leaf(0);
        }
        if self.design.has_long_names() {
            self.design.names = self.units.leaf(0);
        }
        self.units.close();
    }

    fn statements(&mut self, statements: Range<StatementIndex>) {
        let mut at = statements.start;
        while at < statements.end {
            let attributes = at;
            while at < statements.end && self.design.is(at, RtlilSort::Attribute) {
                at += 1;
            }
            if at == statements.end || self.design.is(at, RtlilSort::End) {
                return;
            }
            self.statement(attributes..at, at);
            at = self.design.statements[at].end;
        }
    }

    /// Lays out a statement with its attributes, and with what is inside of it.
    fn statement(&mut self, attributes: Range<StatementIndex>, index: StatementIndex) {
        if !self.is_unit(index) {
            return;
        }
        self.units.open();
        for attribute in attributes {
            let word = self.design.statements[attribute].words.start;
            self.design.statements[attribute].token = self.units.leaf(word);
        }
        let one = &mut self.design.statements[index];
        one.token = self.units.token(one.words.start);
        for option in one.wire.iter_mut().flat_map(|wire| &mut wire.options) {
            option.token = self.units.leaf(option.words.start);
        }
        let inside = index + 1..one.end;
        self.statements(inside);
        self.units.close();
    }

    /// Returns whether a statement can be deleted. The cells that yosys knows need their parameters
    /// and outputs; an input becomes undefined.
    fn is_unit(&self, index: StatementIndex) -> bool {
        let design = &*self.design;
        let parent = design.statements[index].parent;
        let is_in_cell = |parent: &StatementIndex| {
            design.is(*parent, RtlilSort::Cell) && design.is_built_in(*parent)
        };
        let Some(cell) = parent.filter(is_in_cell) else {
            return true;
        };
        design.is(index, RtlilSort::Connect) && !design.is_output(cell, index)
    }
}
