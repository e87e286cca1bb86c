//! The records of a ZIP archive: fixed fields, then a name and other texts of stated lengths.
//!
//! All numbers are written least significant byte first. A record keeps the bytes that it was read
//! from, so that what is not changed is written as it was.

/// A field of a record: its position and its size in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldSpan(usize, usize);

/// A kind of record: its signature, the size of its fixed part, and the fields with the lengths of
/// the texts that follow it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordKind {
    signature: &'static [u8; 4],
    fixed: usize,
    texts: &'static [FieldSpan],
}

/// The record in front of the data of a member.
pub(super) const LOCAL: RecordKind = RecordKind {
    signature: b"PK\x03\x04",
    fixed: 30,
    texts: &[FieldSpan(26, 2), FieldSpan(28, 2)],
};

/// The record of a member in the directory at the end.
pub(super) const CENTRAL: RecordKind = RecordKind {
    signature: b"PK\x01\x02",
    fixed: 46,
    texts: &[FieldSpan(28, 2), FieldSpan(30, 2), FieldSpan(32, 2)],
};

/// The record at the end of the archive.
pub(super) const END: RecordKind = RecordKind {
    signature: b"PK\x05\x06",
    fixed: 22,
    texts: &[FieldSpan(20, 2)],
};

/// The signature that most writers put in front of the sizes behind the data.
pub(super) const DESCRIPTOR_SIGNATURE: &[u8] = b"PK\x07\x08";

/// The fields that both records of a member have.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemberFields {
    pub(super) flags: FieldSpan,
    pub(super) method: FieldSpan,
    pub(super) crc: FieldSpan,
    pub(super) packed: FieldSpan,
    pub(super) size: FieldSpan,
}

pub(super) const LOCAL_FIELDS: MemberFields = MemberFields {
    flags: FieldSpan(6, 2),
    method: FieldSpan(8, 2),
    crc: FieldSpan(14, 4),
    packed: FieldSpan(18, 4),
    size: FieldSpan(22, 4),
};

pub(super) const CENTRAL_FIELDS: MemberFields = MemberFields {
    flags: FieldSpan(8, 2),
    method: FieldSpan(10, 2),
    crc: FieldSpan(16, 4),
    packed: FieldSpan(20, 4),
    size: FieldSpan(24, 4),
};

/// The position of a member's first record, in its record of the directory.
pub(super) const OFFSET: FieldSpan = FieldSpan(42, 4);

/// The fields of the record at the end.
pub(super) const DISKS: [FieldSpan; 2] = [FieldSpan(4, 2), FieldSpan(6, 2)];
pub(super) const COUNTS: [FieldSpan; 2] = [FieldSpan(8, 2), FieldSpan(10, 2)];
pub(super) const DIRECTORY_SIZE: FieldSpan = FieldSpan(12, 4);
pub(super) const DIRECTORY_OFFSET: FieldSpan = FieldSpan(16, 4);

/// A record with the texts behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) fixed: Vec<u8>,
    /// The first one is the name, except in the record at the end.
    pub(super) texts: Vec<Vec<u8>>,
}

impl Record {
    /// Reads the record at the start of some bytes.
    pub(super) fn read(kind: RecordKind, bytes: &[u8]) -> Option<Self> {
        let fixed = bytes.get(..kind.fixed)?;
        if !fixed.starts_with(kind.signature) {
            return None;
        }
        let mut record = Self {
            fixed: fixed.to_vec(),
            texts: Vec::new(),
        };
        let mut at = kind.fixed;
        for &length in kind.texts {
            let end = at + record.get(length);
            record.texts.push(bytes.get(at..end)?.to_vec());
            at = end;
        }
        Some(record)
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        self.fixed.len() + self.texts.iter().map(Vec::len).sum::<usize>()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.fixed);
        for text in &self.texts {
            out.extend_from_slice(text);
        }
    }

    pub(super) fn get(&self, FieldSpan(at, size): FieldSpan) -> usize {
        let bytes = self.fixed[at..at + size].iter().rev();
        bytes.fold(0, |value, &byte| value << 8 | usize::from(byte))
    }

    /// Sets a number; `None` when it is too large for the field.
    pub(super) fn set(&mut self, FieldSpan(at, size): FieldSpan, value: usize) -> Option<()> {
        let bytes = (value as u64).to_le_bytes();
        if bytes[size..].iter().any(|&byte| byte != 0) {
            return None;
        }
        self.fixed[at..at + size].copy_from_slice(&bytes[..size]);
        Some(())
    }

    /// Sets the name; `None` when it is too long.
    pub(super) fn set_name(&mut self, kind: RecordKind, name: &[u8]) -> Option<()> {
        self.set(kind.texts[0], name.len())?;
        self.texts[0] = name.to_vec();
        Some(())
    }

    /// Removes the texts from this one on.
    pub(super) fn clear_texts(&mut self, kind: RecordKind, from: usize) {
        for (text, &length) in self.texts.iter_mut().zip(kind.texts).skip(from) {
            text.clear();
            self.fixed[length.0..length.0 + length.1].fill(0);
        }
    }
}
