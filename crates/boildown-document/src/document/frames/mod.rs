//! The parts of a binary, and the numbers in it that can be derived from the rest: lengths, counts,
//! offsets, checksums.
//!
//! They are computed anew whenever parts are deleted, so that readers of the format accept the
//! rest. Without the first of the parts `03 a b c 01 d`, with their total length in front as `06`,
//! the binary is `02 01 d`.

mod checksums;
mod directory;
mod elf;
mod font_layout;
mod infer;
mod items;
mod layout;
mod numbers;
mod offset_arrays;
mod pdf;
mod repairs;
mod tagged;
#[cfg(test)]
mod testing;
mod text_numbers;
mod work;

pub(super) use layout::Frames;
pub(crate) use numbers::crc32;
pub(super) use repairs::Repairs;
