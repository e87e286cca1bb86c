//! Checksums of a binary, written after all else.

use std::ops::Range;

use super::layout::{Frames, NumberMeaning};
use super::numbers::{NumberForm, crc32};

impl Frames {
    /// Corrects the checksums of a binary in which nothing has moved.
    pub(in crate::document) fn correct_checksums(&self, out: &mut [u8]) {
        let checks = self.numbers.iter();
        let checks = checks.filter(|number| number.meaning == NumberMeaning::Check);
        let checks = checks.map(|number| Checksum {
            at: number.at.start,
            form: number.form,
            covers: number.covers.clone(),
        });
        write_checksums(out, checks);
    }
}

/// A checksum to write, in bytes of the output.
pub(super) struct Checksum {
    pub(super) at: usize,
    pub(super) form: NumberForm,
    pub(super) covers: Range<usize>,
}

pub(super) fn write_checksums(out: &mut [u8], checksums: impl Iterator<Item = Checksum>) {
    let mut checksums: Vec<_> = checksums.collect();
    // Inner checksums first, since outer ones cover them. An inner range ends first.
    checksums.sort_by_key(|checksum| checksum.covers.end);
    for Checksum { at, form, covers } in checksums {
        let sum = u64::from(crc32(&out[covers]));
        if let Some(text) = form.write(sum) {
            out[at..at + text.len()].copy_from_slice(&text);
        }
    }
}
