//! The shapes of instructions of SPIR-V, and the structure of control flow.

use std::collections::BTreeSet;

use boildown_document::hashing::{HASH_START, hash};

use crate::ir::{is_number, kind_of};

/// Returns a number for instructions of SPIR-V of the same shape: the same words, where names,
/// numbers and strings are alike. A struct may have any number of members.
pub(super) fn shape(words: &[&[u8]]) -> u64 {
    let is_struct = words.contains(&&b"OpTypeStruct"[..]);
    // The name of a set of instructions is no free text.
    let is_import = words.contains(&&b"OpExtInstImport"[..]);
    let mut kinds: Vec<u64> = (words.iter())
        .map(|word| match is_import && word[0] == b'"' {
            true => hash(HASH_START, word),
            false if is_number(word) => kind_of(b"0"),
            false => kind_of(word),
        })
        .collect();
    if is_struct {
        kinds.dedup();
    }
    let bytes: Vec<u8> = kinds.into_iter().flat_map(u64::to_le_bytes).collect();
    hash(HASH_START, &bytes)
}

/// The control flow of a function of a shader, as far as it was read. Loops begin at a block that
/// says so, and so do branches that meet again.
#[derive(Debug, Default)]
pub(super) struct SpirvStructure {
    /// The labels of the blocks so far.
    labels: BTreeSet<Box<[u8]>>,
    /// The label of the block at hand, and whether it can be reached.
    label: Box<[u8]>,
    is_reached: bool,
    /// The labels that the blocks so far may continue at.
    reached: BTreeSet<Box<[u8]>>,
    /// The labels of the blocks that begin a loop.
    loops: BTreeSet<Box<[u8]>>,
    /// The labels that loops and selections name.
    named: BTreeSet<Box<[u8]>>,
    /// The last line, if it names the blocks of a construct.
    merge: Option<SpirvMerge>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpirvMerge {
    Selection,
    Loop,
}

impl SpirvStructure {
    /// Reads a line. Returns whether it may follow the lines before it.
    pub(super) fn line(&mut self, operation: &[u8], words: &[&[u8]]) -> bool {
        let merge = self.merge.take();
        let ids = || words.iter().filter(|word| word[0] == b'%');
        match operation {
            b"OpLine" | b"OpNoLine" => {
                self.merge = merge;
                return true;
            }
            b"OpFunction" => *self = Self::default(),
            b"OpLabel" => {
                self.label = words[0].into();
                self.is_reached = self.labels.is_empty() || self.reached.contains(words[0]);
                self.labels.insert(words[0].into());
            }
            b"OpSelectionMerge" | b"OpLoopMerge" => {
                let is_loop = operation == b"OpLoopMerge";
                self.merge = Some(match is_loop {
                    true => SpirvMerge::Loop,
                    false => SpirvMerge::Selection,
                });
                if is_loop {
                    self.loops.insert(self.label.clone());
                }
                self.named.extend(ids().map(|&id| Box::<[u8]>::from(id)));
            }
            b"OpBranch" | b"OpBranchConditional" | b"OpSwitch" => {
                let targets = || ids().skip(usize::from(operation != b"OpBranch"));
                let goes_back = |id: &[u8]| self.labels.contains(id) && !self.loops.contains(id);
                if self.is_reached && targets().any(|id| goes_back(id)) {
                    return false;
                }
                if self.is_reached {
                    self.reached
                        .extend(targets().map(|&id| Box::<[u8]>::from(id)));
                }
                let is_exit = |id: &&[u8]| self.named.contains(*id) || self.loops.contains(*id);
                let mut different = targets().collect::<BTreeSet<_>>().into_iter();
                let is_open = self.is_reached
                    && operation == b"OpBranchConditional"
                    && different.len() > 1
                    && !different.any(is_exit);
                return match merge {
                    Some(SpirvMerge::Selection) => operation != b"OpBranch",
                    Some(SpirvMerge::Loop) => operation != b"OpSwitch",
                    None => !is_open,
                };
            }
            _ => {}
        }
        merge.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether each line may follow those before it.
    fn is_structured(lines: &[&str]) -> bool {
        let mut structure = SpirvStructure::default();
        lines.iter().all(|line| {
            let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
            let operation = if words[1..].starts_with(&[b"="]) {
                2
            } else {
                0
            };
            structure.line(words[operation], &words)
        })
    }

    #[test]
    fn branches_that_meet_again_and_loops_say_so() {
        let selection = [
            "%a = OpLabel",
            "OpSelectionMerge %c None",
            "OpBranchConditional %x %b %c",
        ];
        assert!(is_structured(&selection));
        assert!(!is_structured(&[selection[0], selection[2]]));
        assert!(!is_structured(&[selection[0], selection[1], "OpBranch %c"]));
        let cycle = ["%a = OpLabel", "OpLoopMerge %b %a None", "OpBranch %a"];
        assert!(is_structured(&cycle));
        assert!(!is_structured(&[cycle[0], cycle[2]]));
        let unreached = ["%a = OpLabel", "OpReturn", "%b = OpLabel", "OpBranch %a"];
        assert!(is_structured(&unreached));
    }
}
