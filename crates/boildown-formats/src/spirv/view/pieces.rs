//! The words of a module of SPIR-V as a binary, each of which can go alone: nothing else is made
//! right but the lengths of instructions. A word of an operation stands for its instruction.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Document,
    builder::{Builder, NodePosition},
    module_layout::{UNSET, no_module},
    writable_module::WritableModule,
};
use boildown_search::tree::IdVec;

use super::binary::{HEADER, instruction_words};

/// The number of bytes of a word.
const WORD: usize = 4;

#[derive(Debug)]
struct SpirvPieces {
    binary: Arc<[u8]>,
    /// The words of each instruction.
    instructions: Vec<Range<usize>>,
}

/// Reads the words of a module; an input that is none becomes a single token.
pub(crate) fn read_words(binary: &Arc<[u8]>) -> Document {
    let Some(instructions) = instruction_words(binary) else {
        return no_module(binary);
    };
    let mut builder = Builder::new(Arc::clone(binary));
    builder.open(0, NodePosition::default());
    for words in &instructions {
        builder.open(1, NodePosition::default());
        for word in words.clone() {
            builder.token(word * WORD..(word + 1) * WORD);
        }
        builder.close();
    }
    builder.close();
    let module = SpirvPieces {
        binary: Arc::clone(binary),
        instructions,
    };
    let document = builder.finish(UNSET, IdVec::default());
    document.of_module(binary, module)
}

impl WritableModule for SpirvPieces {
    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let bytes = |word: usize| &self.binary[word * WORD..(word + 1) * WORD];
        let mut out = self.binary[..HEADER * WORD].to_vec();
        for words in &self.instructions {
            if !kept[words.start - HEADER] {
                continue;
            }
            let left: Vec<usize> = words.clone().filter(|&word| kept[word - HEADER]).collect();
            // The length was of 16 bits before, and is no larger now.
            let length = u16::try_from(left.len()).unwrap_or(u16::MAX);
            out.extend_from_slice(&bytes(words.start)[..2]);
            out.extend_from_slice(&length.to_le_bytes());
            for &word in &left[1..] {
                out.extend_from_slice(bytes(word));
            }
        }
        out
    }
}
