//! The blocks of a function that are left, and the edges between them.

use boildown_document::writable_module::{IdleUnits, UnitToken, is_kept};

use super::module::{IrFunction, IrInstruction, IrKind, IrLocal, IrModule};
use crate::ir::{BlockJumps, reached};

/// What becomes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockFate {
    Stays,
    /// It continues the block that jumps to it.
    Joined,
    /// What jumps to it jumps to this one.
    Skipped(usize),
    Gone,
}

/// An edge into a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IrEdge {
    /// The block that jumps.
    pub(super) from: usize,
    /// The block that jumped here in the input.
    pub(super) via: usize,
}

/// The blocks and edges that are left.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) fates: Vec<BlockFate>,
    /// For each block, the blocks that it consists of.
    pub(super) chains: Vec<Vec<usize>>,
    /// For each block, whether it can be reached.
    pub(super) is_reached: Vec<bool>,
    /// The edges into each block.
    pub(super) incoming: Vec<Vec<IrEdge>>,
}

impl Flow {
    /// Finds the blocks that are left. `ends` says whether the last instruction of a block stays.
    pub(super) fn new(
        module: &IrModule,
        function: &IrFunction,
        kept: &[bool],
        stays: impl Fn(&IrInstruction) -> bool,
    ) -> Self {
        let count = function.blocks.len();
        let targets = |block: usize| Self::targets(module, function, kept, block);
        let jumps = jumps(module, function);
        let fates = function.blocks.iter().enumerate().map(|(index, block)| {
            let last = block.instructions.last().filter(|last| last.ends_block());
            let rest = block
                .instructions
                .iter()
                .any(|one| is_kept(one.token, kept));
            if index == 0 || is_kept(block.token, kept) {
                BlockFate::Stays
            } else if jumps.continued(index).is_some() && rest {
                BlockFate::Joined
            } else if !block.instructions.iter().any(|one| one.is_needed)
                && let Some(&(next, _)) = targets(index).first()
                && last.is_some_and(|last| is_kept(last.token, kept))
            {
                BlockFate::Skipped(next)
            } else {
                BlockFate::Gone
            }
        });
        let mut flow = Self {
            fates: fates.collect(),
            chains: (0..count).map(|block| vec![block]).collect(),
            is_reached: vec![false; count],
            incoming: vec![Vec::new(); count],
        };
        flow.join(module, function);
        let last = |block: usize| function.blocks[block].instructions.last();
        // Blocks that nothing jumps to in the input stay until they are deleted themselves.
        let is_root = |&block: &usize| {
            block == 0 || !jumps.is_target(block) && flow.fates[block] == BlockFate::Stays
        };
        let roots: Vec<usize> = (0..count).filter(is_root).collect();
        flow.reach(
            roots,
            |block| match last(block).filter(|last| last.ends_block() && stays(last)) {
                Some(_) => targets(block),
                None => Vec::new(),
            },
            last,
        );
        flow
    }

    /// Returns the targets of a block whose edges are kept.
    fn targets(
        module: &IrModule,
        function: &IrFunction,
        kept: &[bool],
        block: usize,
    ) -> Vec<(usize, usize)> {
        let targets = all_targets(module, function, block).into_iter();
        let last = function.blocks[block].instructions.last();
        let token = |target: usize| last.and_then(|last| last.targets[target].token);
        targets
            .filter(|&(_, target)| is_kept(token(target), kept))
            .collect()
    }

    fn join(&mut self, module: &IrModule, function: &IrFunction) {
        for block in 0..self.fates.len() {
            if self.fates[block] != BlockFate::Stays {
                continue;
            }
            let mut last = block;
            while let [(next, _)] = all_targets(module, function, last)[..]
                && self.fates[next] == BlockFate::Joined
                && self.chains[block].len() <= self.fates.len()
            {
                self.chains[block].push(next);
                last = next;
            }
        }
    }

    /// Returns the block that takes the place of a target, and the block that jumps there in the
    /// input.
    pub(super) fn resolve(&self, target: usize, from: usize) -> Option<(usize, usize)> {
        resolve(&self.fates, target, from)
    }

    fn reach<'a>(
        &mut self,
        roots: Vec<usize>,
        kept: impl Fn(usize) -> Vec<(usize, usize)>,
        end: impl Fn(usize) -> Option<&'a IrInstruction>,
    ) {
        let fates = self.fates.clone();
        // What is written as `unreachable` has no edges.
        let targets = |block: usize| {
            let edges = kept(block);
            let left = edges.iter();
            let left = left.filter(|&&(target, _)| resolve(&fates, target, block).is_some());
            let left: Vec<usize> = left.map(|&(_, position)| position).collect();
            let is_written = end(block).is_none_or(|end| {
                end.kind != IrKind::End
                    || end.targets.len() == left.len()
                    || end.is_invoke && left.contains(&0)
            });
            if is_written { edges } else { Vec::new() }
        };
        let is_switch = |block| end(block).is_some_and(|end| end.kind == IrKind::Switch);
        self.is_reached = reached(self.fates.len(), roots, |block| {
            let last = self.chains[block].last().copied().unwrap_or(block);
            let targets = targets(last).into_iter();
            let left = targets.filter_map(|(target, _)| self.resolve(target, last));
            left.map(|(target, _)| target).collect()
        });
        for block in 0..self.fates.len() {
            if !self.is_reached[block] {
                continue;
            }
            let last = self.chains[block].last().copied().unwrap_or(block);
            let all = targets(last).into_iter();
            let edges: Vec<_> = all
                .filter_map(|(target, position)| Some((self.resolve(target, last)?, position)))
                .collect();
            // A switch whose default is gone continues at its first case.
            let has_default = edges.first().is_some_and(|(_, position)| *position == 0);
            let first = edges.first().filter(|_| is_switch(last) && !has_default);
            for &((target, via), _) in first.into_iter().chain(&edges) {
                self.incoming[target].push(IrEdge { from: block, via });
            }
        }
    }
}

/// Adds the units that a function does the same without.
pub(super) fn add_idle_units(module: &IrModule, function: &IrFunction, idle: &mut IdleUnits) {
    idle.labels.extend(idle_labels(module, function));
    for instruction in module.idle_values(function) {
        let class = match module.is(instruction.operation, "alloca") {
            true => &mut idle.variables,
            false => &mut idle.values,
        };
        class.push(instruction.token);
    }
}

/// Returns the labels of blocks that continue the only one that jumps to them, or that only jump to
/// a block without phis.
fn idle_labels(module: &IrModule, function: &IrFunction) -> Vec<UnitToken> {
    let jumps = jumps(module, function);
    let has_phi = |block: usize| {
        let mut instructions = function.blocks[block].instructions.iter();
        instructions.any(|one| matches!(one.kind, IrKind::Phi(_)))
    };
    let jumps_on = |block: usize| match all_targets(module, function, block)[..] {
        [(next, _)] => {
            next != block && function.blocks[block].instructions.len() == 1 && !has_phi(next)
        }
        _ => false,
    };
    let is_idle = |block: &usize| jumps.continued(*block).is_some() || jumps_on(*block);
    let idle = (1..function.blocks.len()).filter(is_idle);
    idle.map(|block| function.blocks[block].token).collect()
}

/// Returns the block that takes the place of a target, and the block that jumps there in the input.
fn resolve(fates: &[BlockFate], target: usize, from: usize) -> Option<(usize, usize)> {
    let (mut target, mut via) = (target, from);
    for _ in 0..=fates.len() {
        match fates[target] {
            BlockFate::Stays => return Some((target, via)),
            BlockFate::Skipped(next) => (target, via) = (next, target),
            BlockFate::Joined | BlockFate::Gone => return None,
        }
    }
    None
}

/// Returns the jumps of a function in the input.
fn jumps(module: &IrModule, function: &IrFunction) -> BlockJumps {
    let blocks = 0..function.blocks.len();
    let targets = |block| all_targets(module, function, block).into_iter();
    let targets = blocks.map(|block| targets(block).map(|(target, _)| target).collect());
    BlockJumps::new(targets.collect())
}

/// Returns the blocks that a block may continue at, with the position of the target.
fn all_targets(module: &IrModule, function: &IrFunction, block: usize) -> Vec<(usize, usize)> {
    let last = function.blocks[block].instructions.last();
    let targets = last
        .map_or(&[][..], |last| &last.targets)
        .iter()
        .enumerate();
    let block = |word: usize| match function.locals.get(module.text(word)) {
        Some(&IrLocal::Block(block)) => Some(block),
        _ => None,
    };
    targets
        .filter_map(|(position, target)| Some((block(target.word)?, position)))
        .collect()
}
