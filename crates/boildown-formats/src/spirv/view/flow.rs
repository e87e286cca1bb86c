//! The blocks of a function that are left, and how each of them ends.
//!
//! Control flow of shaders is structured: a conditional jump names the block where its branches
//! meet again, a loop the block after it. Where an edge is deleted, the jump becomes a plain one;
//! where a loop is deleted, its body runs once.

use std::collections::BTreeMap;

use boildown_document::writable_module::{UnitToken, is_kept};

use super::module::{SpirvBlock, SpirvFunction, SpirvModule};
use crate::ir::reached;

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpirvBlockEnd {
    /// As in the input: it leaves the function.
    Leaves,
    /// It leaves the function, and did not in the input.
    LeavesEarly,
    Branch(usize),
    Conditional(usize, usize),
    /// The default, and the cases: the word of the value, and the block.
    Switch(usize, Vec<(usize, usize)>),
}

/// The blocks that are left.
#[derive(Debug)]
pub(super) struct SpirvFlow {
    pub(super) ends: Vec<SpirvBlockEnd>,
    /// Whether each block still begins a construct.
    pub(super) has_merge: Vec<bool>,
    pub(super) is_reached: Vec<bool>,
    /// Blocks that are not reached but named by a construct, with the block that they jump to.
    pub(super) stubs: BTreeMap<usize, Option<usize>>,
    /// The blocks that jump to each block.
    pub(super) incoming: Vec<Vec<usize>>,
    /// For each block, the one that it has become the rest of.
    pub(super) joined: Vec<Option<usize>>,
}

/// A construct: the block that begins it, and the blocks that it names.
#[derive(Debug, Clone, Copy)]
struct SpirvConstruct {
    header: usize,
    merge: usize,
    /// Where a loop continues; `None` for a selection.
    next: Option<usize>,
}

/// What is known about a function before its flow is computed.
struct SpirvFlowReader<'a> {
    module: &'a SpirvModule,
    function: &'a SpirvFunction,
    kept: &'a [bool],
    /// The block of each label.
    labels: BTreeMap<usize, usize>,
    constructs: Vec<SpirvConstruct>,
}

impl SpirvFlow {
    pub(super) fn new(module: &SpirvModule, function: &SpirvFunction, kept: &[bool]) -> Self {
        let reader = SpirvFlowReader::new(module, function, kept);
        let count = function.blocks.len();
        let mut flow = Self {
            ends: (0..count).map(|block| reader.end(block)).collect(),
            has_merge: vec![false; count],
            is_reached: vec![false; count],
            stubs: BTreeMap::new(),
            incoming: vec![Vec::new(); count],
            joined: vec![None; count],
        };
        for construct in &reader.constructs {
            flow.has_merge[construct.header] = match construct.next {
                Some(_) => !reader.is_gone_loop(construct),
                None => !matches!(
                    flow.ends[construct.header],
                    SpirvBlockEnd::Branch(_) | SpirvBlockEnd::LeavesEarly
                ),
            };
        }
        flow.reach(&reader);
        flow.join(&reader);
        flow
    }

    /// Returns the blocks that a block jumps to.
    fn targets(&self, block: usize) -> Vec<usize> {
        match &self.ends[block] {
            SpirvBlockEnd::Leaves | SpirvBlockEnd::LeavesEarly => Vec::new(),
            SpirvBlockEnd::Branch(target) => vec![*target],
            SpirvBlockEnd::Conditional(first, second) => vec![*first, *second],
            SpirvBlockEnd::Switch(default, cases) => std::iter::once(*default)
                .chain(cases.iter().map(|case| case.1))
                .collect(),
        }
    }

    fn reach(&mut self, reader: &SpirvFlowReader<'_>) {
        self.is_reached = reached(self.ends.len(), reader.roots(), |block| self.targets(block));
        for construct in &reader.constructs {
            if !self.has_merge[construct.header] || !self.is_reached[construct.header] {
                continue;
            }
            if !self.is_reached[construct.merge] {
                self.stubs.entry(construct.merge).or_insert(None);
            }
            if let Some(next) = construct.next.filter(|&next| !self.is_reached[next]) {
                self.stubs.insert(next, Some(construct.header));
            }
        }
        for block in 0..self.ends.len() {
            if self.is_reached[block] {
                for target in self.targets(block) {
                    if !self.incoming[target].contains(&block) {
                        self.incoming[target].push(block);
                    }
                }
            }
        }
        for (&stub, &target) in &self.stubs {
            if let Some(target) = target {
                self.incoming[target].push(stub);
            }
        }
    }

    /// Finds the blocks that continue another, because their label is deleted.
    fn join(&mut self, reader: &SpirvFlowReader<'_>) {
        for (index, block) in reader.function.blocks.iter().enumerate().skip(1) {
            if !reader.is_kept(block.label) {
                self.joined[index] = self.continued(reader, index);
            }
        }
    }

    /// Returns the block that a block could become the rest of.
    fn continued(&self, reader: &SpirvFlowReader<'_>, index: usize) -> Option<usize> {
        let is_named = reader.constructs.iter().any(|construct| {
            self.has_merge[construct.header]
                && self.is_reached[construct.header]
                && (construct.merge == index || construct.next == Some(index))
        });
        let mut instructions = reader.block(index).instructions.clone();
        let has_phi = instructions.any(|instruction| reader.module.is(instruction, "OpPhi"));
        if !self.is_reached[index] || is_named || has_phi {
            return None;
        }
        match self.incoming[index][..] {
            [before]
                if self.ends[before] == SpirvBlockEnd::Branch(index)
                    && !self.has_merge[before]
                    && before != index =>
            {
                Some(before)
            }
            _ => None,
        }
    }

    /// Returns the labels of blocks that only continue another one.
    pub(super) fn idle_labels(module: &SpirvModule, function: &SpirvFunction) -> Vec<UnitToken> {
        // No unit is smaller than a word.
        let kept = vec![true; module.words.len()];
        let reader = SpirvFlowReader::new(module, function, &kept);
        let flow = Self::new(module, function, &kept);
        let blocks = function.blocks.iter().enumerate().skip(1);
        let idle = blocks.filter(|(index, _)| flow.continued(&reader, *index).is_some());
        idle.map(|(_, block)| module.instructions[block.label].token)
            .collect()
    }

    /// Returns the block that a block has become a part of.
    pub(super) fn head(&self, block: usize) -> usize {
        let mut head = block;
        for _ in 0..=self.joined.len() {
            match self.joined[head] {
                Some(before) => head = before,
                None => break,
            }
        }
        head
    }
}

impl<'a> SpirvFlowReader<'a> {
    fn new(module: &'a SpirvModule, function: &'a SpirvFunction, kept: &'a [bool]) -> Self {
        let labels = function.blocks.iter().enumerate();
        let labels: BTreeMap<usize, usize> = labels
            .filter_map(|(index, block)| Some((module.instructions[block.label].result?, index)))
            .collect();
        let block = |merge: usize, position: usize| {
            let id = module.operand(merge, position)?;
            labels.get(&id).copied()
        };
        let constructs = function.blocks.iter().enumerate();
        let constructs = constructs.filter_map(|(header, of)| {
            let merge = of.merge?;
            let is_loop = module.is(merge, "OpLoopMerge");
            Some(SpirvConstruct {
                header,
                merge: block(merge, 0)?,
                next: match is_loop {
                    true => Some(block(merge, 1)?),
                    false => None,
                },
            })
        });
        let constructs = constructs.collect();
        Self {
            module,
            function,
            kept,
            labels,
            constructs,
        }
    }

    /// Returns the first block, and those with contents that nothing jumps to in the input: they
    /// stay until they are deleted themselves.
    fn roots(&self) -> Vec<usize> {
        let blocks = &self.function.blocks;
        let mut is_target = vec![false; blocks.len()];
        for (index, block) in blocks.iter().enumerate() {
            let ids = block.targets.iter();
            let ids = ids.filter_map(|target| self.module.words[target.word].id);
            for &target in ids.filter_map(|id| self.labels.get(&id)) {
                is_target[target] |= target != index;
            }
        }
        // What is written for a block that only a construct names.
        let is_stub = |block: &SpirvBlock| {
            block.instructions.is_empty()
                && matches!(
                    self.module.operation(block.end),
                    b"OpUnreachable" | b"OpBranch"
                )
        };
        let is_root = |&index: &usize| {
            let block = &blocks[index];
            index == 0 || !is_target[index] && !is_stub(block) && self.is_kept(block.label)
        };
        (0..blocks.len()).filter(is_root).collect()
    }

    fn is_kept(&self, instruction: usize) -> bool {
        is_kept(self.module.instructions[instruction].token, self.kept)
    }

    fn block(&self, index: usize) -> &SpirvBlock {
        &self.function.blocks[index]
    }

    fn is_gone_loop(&self, construct: &SpirvConstruct) -> bool {
        let block = self.block(construct.header);
        construct.next.is_some()
            && !(self.is_kept(block.end) && block.merge.is_none_or(|merge| self.is_kept(merge)))
    }

    /// Returns whether a block jumps back to the beginning of a loop that is left.
    fn closes_loop(&self, index: usize) -> bool {
        let targets = self.block(index).targets.iter();
        let mut ids = targets.filter_map(|target| self.module.words[target.word].id);
        ids.any(|id| {
            let target = self.labels.get(&id).copied();
            self.constructs.iter().any(|construct| {
                Some(construct.header) == target
                    && construct.next.is_some()
                    && construct.header < index
                    && !self.is_gone_loop(construct)
            })
        })
    }

    /// Returns the construct that a block begins.
    fn construct_of(&self, block: usize) -> Option<&SpirvConstruct> {
        (self.constructs.iter()).find(|construct| construct.header == block)
    }

    /// Returns the deleted loop around a block that an edge would leave or continue.
    fn leaves(&self, block: usize, target: usize) -> Option<&SpirvConstruct> {
        self.constructs.iter().rev().find(|construct| {
            let is_inside = construct.header <= block
                && (block < construct.merge || construct.merge <= construct.header);
            let is_edge = [
                Some(construct.header),
                Some(construct.merge),
                construct.next,
            ]
            .contains(&Some(target));
            is_inside && is_edge && self.is_gone_loop(construct)
        })
    }

    /// Returns where an edge leads that led to a target in the input.
    fn redirect(&self, block: usize, target: usize) -> usize {
        let Some(gone) = self.leaves(block, target) else {
            return target;
        };
        let around = self.constructs.iter().rev().find(|construct| {
            construct.next.is_none()
                && gone.header < construct.header
                && construct.header < block
                && block < construct.merge
                && construct.merge < gone.merge
        });
        match around {
            Some(around) => around.merge,
            None if target == gone.header => gone.merge,
            None => target,
        }
    }

    fn end(&self, index: usize) -> SpirvBlockEnd {
        let block = self.block(index);
        let construct = self.construct_of(index);
        if block.targets.is_empty() {
            return SpirvBlockEnd::Leaves;
        }
        if !self.is_kept(block.end) && !self.closes_loop(index) {
            return match construct {
                Some(construct) => SpirvBlockEnd::Branch(construct.merge),
                None => SpirvBlockEnd::LeavesEarly,
            };
        }
        let is_selection = construct.is_some_and(|construct| construct.next.is_none());
        let targets = block.targets.iter().filter_map(|target| {
            let id = self.module.words[target.word].id?;
            let to = *self.labels.get(&id)?;
            Some((target.word, to, is_kept(target.token, self.kept)))
        });
        let targets: Vec<(usize, usize, bool)> = targets.collect();
        if targets.len() != block.targets.len() {
            return SpirvBlockEnd::Leaves;
        }
        match self.module.operation(block.end) {
            b"OpBranchConditional" => self.conditional(index, &targets, is_selection),
            b"OpSwitch" => {
                let left = targets[1..].iter().filter(|target| target.2);
                let cases: Vec<(usize, usize)> = left
                    .map(|&(word, to, _)| (word - 1, self.redirect(index, to)))
                    .collect();
                let default = match (targets[0].2, construct) {
                    (false, Some(construct)) => construct.merge,
                    _ => self.redirect(index, targets[0].1),
                };
                match cases.is_empty() {
                    true => SpirvBlockEnd::Branch(default),
                    false => SpirvBlockEnd::Switch(default, cases),
                }
            }
            _ => SpirvBlockEnd::Branch(self.redirect(index, targets[0].1)),
        }
    }

    fn conditional(
        &self,
        index: usize,
        targets: &[(usize, usize, bool)],
        is_selection: bool,
    ) -> SpirvBlockEnd {
        let kept: Vec<usize> = (targets.iter())
            .filter(|target| target.2)
            .map(|target| target.1)
            .collect();
        let stays = |&&target: &&usize| is_selection || self.leaves(index, target).is_none();
        let inside: Vec<usize> = kept.iter().filter(stays).copied().collect();
        match (&inside[..], &kept[..]) {
            (&[first, second], _) if first != second => SpirvBlockEnd::Conditional(
                self.redirect(index, first),
                self.redirect(index, second),
            ),
            (&[first, ..], _) | (&[], &[first, ..]) => {
                SpirvBlockEnd::Branch(self.redirect(index, first))
            }
            (&[], &[]) => match self.construct_of(index) {
                Some(construct) => SpirvBlockEnd::Branch(construct.merge),
                None => SpirvBlockEnd::LeavesEarly,
            },
        }
    }
}
