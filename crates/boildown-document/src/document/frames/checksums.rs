//! Checksums of a binary, written after all else.

use std::ops::Range;

use super::layout::{ChecksumKind, Frames, NumberMeaning};
use super::numbers::NumberForm;

impl Frames {
    /// Corrects the checksums of a binary in which nothing has moved.
    pub(in crate::document) fn correct_checksums(&self, out: &mut [u8]) {
        let checks = self.numbers.iter();
        let checks = checks.filter_map(|number| match number.meaning {
            NumberMeaning::Check(kind) => Some(Checksum {
                at: number.at.start,
                form: number.form,
                kind,
                covers: number.covers.clone(),
            }),
            _ => None,
        });
        write_checksums(out, checks);
    }
}

/// A checksum to write, in bytes of the output.
pub(super) struct Checksum {
    pub(super) at: usize,
    pub(super) form: NumberForm,
    pub(super) kind: ChecksumKind,
    pub(super) covers: Range<usize>,
}

pub(super) fn write_checksums(out: &mut [u8], checksums: impl Iterator<Item = Checksum>) {
    let mut checksums: Vec<_> = checksums.collect();
    // Inner checksums first, since outer ones cover them. An inner range ends first.
    checksums.sort_by_key(|checksum| checksum.covers.end);
    for Checksum {
        at,
        form,
        kind,
        covers,
    } in checksums
    {
        if let Some(text) = form.write(kind.of(&out[covers])) {
            out[at..at + text.len()].copy_from_slice(&text);
        }
    }
}
