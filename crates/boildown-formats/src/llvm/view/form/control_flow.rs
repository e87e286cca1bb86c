//! The control flow of a function: the edges between its blocks, what its phis say of them, and
//! where exceptions are received.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::words::WordSort;
use super::IrForm;
use super::block_forms::BlockForm;

impl IrForm<'_> {
    /// Begins a block.
    pub(super) fn begin_block(&mut self, name: Box<[u8]>) {
        self.flow.blocks.push(BlockForm {
            name,
            first: None,
            targets: Vec::new(),
            phis: Vec::new(),
        });
    }

    /// Notes an operation in the last block. Returns `None` for one that receives exceptions and is
    /// not the first of its block, but for phis.
    pub(super) fn note_operation(&mut self, at: usize) -> Option<()> {
        let is_phi = self.is(at, "phi");
        let is_landing = self.is(at, "landingpad");
        let block = self.flow.blocks.last_mut()?;
        let is_late = block.first.is_some();
        if !is_phi {
            block.first.get_or_insert(at);
        }
        (!(is_late && (is_phi || is_landing))).then_some(())
    }

    /// Notes the blocks that the instruction in a range of words continues at.
    pub(super) fn note_targets(&mut self, words: Range<usize>) {
        let is_target =
            |word: &usize| self.is(*word, "label") && self.sort(*word + 1) == WordSort::Local;
        let targets: Vec<usize> = words.filter(is_target).map(|word| word + 1).collect();
        if let Some(block) = self.flow.blocks.last_mut() {
            block.targets = targets;
        }
    }

    /// Notes the blocks that a phi names.
    pub(super) fn note_phi(&mut self, from: Vec<usize>) {
        if let Some(block) = self.flow.blocks.last_mut() {
            block.phis.push(from);
        }
    }

    /// Notes the type of what is received with an exception, or handed on. Returns `None` if it is
    /// another one than before.
    pub(super) fn note_received(&mut self, of: Range<usize>) -> Option<()> {
        let known = self.flow.received.get_or_insert(of.clone()).clone();
        self.same(&known, &of).then_some(())
    }

    /// Checks the blocks of the function that was read. Returns `None` if an edge leads to the
    /// first block or to no block, if a phi does not name the blocks before it, or if an exception
    /// leads to a block that receives none.
    pub(super) fn check_flow(&self) -> Option<()> {
        let blocks = &self.flow.blocks;
        let by_name = |(index, block): (usize, &BlockForm)| (block.name.to_vec(), index);
        let names: BTreeMap<Vec<u8>, usize> = blocks.iter().enumerate().map(by_name).collect();
        let is_value = |block: &BlockForm| self.locals.contains_key(&*block.name);
        (!blocks.iter().any(is_value)).then_some(())?;
        let mut before: Vec<Vec<&[u8]>> = vec![Vec::new(); blocks.len()];
        for block in blocks {
            for &word in &block.targets {
                let target = *names.get(self.word(word))?;
                (target > 0).then_some(())?;
                before[target].push(&block.name);
                let first = blocks[target].first;
                let is_unwind = self.is(word - 2, "unwind");
                let receives = first.is_some_and(|at| {
                    let pads = ["landingpad", "cleanuppad", "catchpad", "catchswitch"];
                    self.is_one_of(at, &pads)
                });
                let is_landing = first.is_some_and(|at| self.is(at, "landingpad"));
                (if is_unwind { receives } else { !is_landing }).then_some(())?;
            }
        }
        for (block, mut before) in blocks.iter().zip(before) {
            before.sort_unstable();
            for phi in &block.phis {
                let mut from: Vec<&[u8]> = phi.iter().map(|&word| self.word(word)).collect();
                from.sort_unstable();
                (from == before).then_some(())?;
            }
        }
        Some(())
    }
}
