//! Number forms: how binaries write lengths, counts and checksums.

/// A way to write a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberForm {
    /// LEB128: seven bits a byte, least significant first; the top bit is set on all but the last
    /// byte.
    Leb128,
    /// DER: one byte below 128, or 128 plus the number of bytes that follow, most significant
    /// first.
    Der,
    /// This many bytes, least significant first.
    Little(usize),
    /// This many bytes, most significant first.
    Big(usize),
    /// Decimal digits, as few as the number needs.
    Decimal,
    /// This many decimal digits, with zeros in front.
    Digits(usize),
    /// Decimal digits with spaces after them, together this many bytes.
    LeftAligned(usize),
    /// This many hexadecimal digits, with zeros in front.
    HexDigits { size: usize, is_upper: bool },
    /// Hexadecimal digits, as few as the number needs.
    Hex { is_upper: bool },
    /// Any text that is there for one, and nothing for zero: what separates the parts of a list.
    Separator,
    /// EBML: as many leading zeros as bytes follow the first, then a one, then the number, most
    /// significant first. All ones are no number.
    Ebml,
    /// CBOR: three bits for the type, five for the number or for its size. The number follows, most
    /// significant first.
    Cbor { major: u8 },
    /// `MessagePack`: one byte with the type and a small number, or a mark and the number, most
    /// significant first.
    MessagePack(MessagePackHead),
}

/// The types of `MessagePack` that have a length or a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessagePackHead {
    Text,
    Bytes,
    List,
    Map,
}

impl MessagePackHead {
    /// Returns the byte of a small number, the largest such number, and the marks of larger ones
    /// with their sizes.
    fn forms(self) -> (u8, Option<u64>, &'static [(u8, usize)]) {
        match self {
            Self::Text => (0xa0, Some(31), &[(0xd9, 1), (0xda, 2), (0xdb, 4)]),
            Self::Bytes => (0, None, &[(0xc4, 1), (0xc5, 2), (0xc6, 4)]),
            Self::List => (0x90, Some(15), &[(0xdc, 2), (0xdd, 4)]),
            Self::Map => (0x80, Some(15), &[(0xde, 2), (0xdf, 4)]),
        }
    }
}

impl NumberForm {
    /// Returns whether all numbers have the same size.
    pub(super) fn is_fixed(self) -> bool {
        matches!(
            self,
            Self::Little(_)
                | Self::Big(_)
                | Self::Digits(_)
                | Self::LeftAligned(_)
                | Self::HexDigits { .. }
        )
    }

    /// Reads the number at the start of a range of bytes; returns it and its size in bytes.
    pub(super) fn read(self, bytes: &[u8]) -> Option<(u64, usize)> {
        let big = |bytes: &[u8]| (bytes.iter()).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        match self {
            Self::Leb128 => {
                let mut value = 0;
                for (index, &byte) in bytes.iter().take(5).enumerate() {
                    value |= u64::from(byte & 0x7f) << (7 * index);
                    if byte & 0x80 == 0 {
                        return Some((value, index + 1));
                    }
                }
                None
            }
            Self::Der => {
                let (&first, rest) = bytes.split_first()?;
                let size = usize::from(first & 0x7f);
                match (first < 0x80, size) {
                    (true, _) => Some((u64::from(first), 1)),
                    (false, 1..=4) => Some((big(rest.get(..size)?), 1 + size)),
                    (false, _) => None,
                }
            }
            Self::Little(size) => {
                let bytes = bytes.get(..size)?;
                let value = bytes.iter().rev();
                Some((value.fold(0, |sum, &byte| sum << 8 | u64::from(byte)), size))
            }
            Self::Big(size) => Some((big(bytes.get(..size)?), size)),
            Self::Decimal => {
                let size = bytes
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                Some((decimal(&bytes[..size])?, size))
            }
            Self::Digits(size) => Some((decimal(bytes.get(..size)?)?, size)),
            Self::LeftAligned(size) => {
                let digits = bytes.get(..size)?.trim_ascii_end();
                Some((decimal(digits)?, size))
            }
            Self::HexDigits { size, .. } => {
                let digits = bytes.get(..size)?;
                let is_number = digits.iter().all(u8::is_ascii_hexdigit);
                let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
                Some((u64::from_str_radix(text, 16).ok()?, size))
            }
            Self::Hex { is_upper } => {
                let digits = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit());
                let size = digits.count();
                Self::HexDigits { size, is_upper }.read(bytes)
            }
            Self::Separator => Some((u64::from(!bytes.is_empty()), bytes.len())),
            Self::Ebml => {
                let more = bytes.first()?.leading_zeros() as usize;
                let all = bytes.get(..=more).filter(|_| more < 8)?;
                let value = big(all) ^ 1 << (7 * (more + 1));
                (value + 1 < 1 << (7 * (more + 1))).then_some((value, more + 1))
            }
            Self::Cbor { major } => {
                let (&first, rest) = bytes.split_first()?;
                (first >> 5 == major).then_some(())?;
                match first & 0x1f {
                    short @ 0..24 => Some((u64::from(short), 1)),
                    short @ 24..28 => {
                        let size = 1 << (short - 24);
                        Some((big(rest.get(..size)?), 1 + size))
                    }
                    _ => None,
                }
            }
            Self::MessagePack(head) => {
                let (&first, rest) = bytes.split_first()?;
                let (mark, most, marks) = head.forms();
                let small = first.checked_sub(mark).map(u64::from);
                if let (Some(small), Some(most)) = (small, most)
                    && small <= most
                {
                    return Some((small, 1));
                }
                let (_, size) = *marks.iter().find(|(mark, _)| *mark == first)?;
                Some((big(rest.get(..size)?), 1 + size))
            }
        }
    }

    /// Writes a number in as few bytes as the form allows; `None` when it does not fit.
    pub(super) fn write(self, value: u64) -> Option<Vec<u8>> {
        let wide = value.to_be_bytes();
        let needed = |value: u64| wide.len() - value.leading_zeros() as usize / 8;
        match self {
            Self::Leb128 => {
                let mut bytes = Vec::new();
                let mut rest = value;
                loop {
                    let low = rest.to_le_bytes()[0] & 0x7f;
                    rest >>= 7;
                    bytes.push(if rest == 0 { low } else { low | 0x80 });
                    if rest == 0 {
                        return Some(bytes);
                    }
                }
            }
            Self::Der if value < 0x80 => Some(vec![wide[7]]),
            Self::Der => {
                let size = needed(value);
                let mark = [0x80 | u8::try_from(size).ok()?];
                Some([&mark, &wide[8 - size..]].concat())
            }
            Self::Big(size) | Self::Little(size) if needed(value) > size => None,
            Self::Big(size) => Some(wide[8 - size..].to_vec()),
            Self::Little(size) => Some(value.to_le_bytes()[..size].to_vec()),
            Self::Decimal => Some(value.to_string().into_bytes()),
            Self::Digits(size) => {
                let text = format!("{value:0size$}").into_bytes();
                (text.len() == size).then_some(text)
            }
            Self::LeftAligned(size) => {
                let text = format!("{value:<size$}").into_bytes();
                (text.len() == size).then_some(text)
            }
            Self::HexDigits { size, is_upper } => {
                let text = match is_upper {
                    true => format!("{value:0size$X}"),
                    false => format!("{value:0size$x}"),
                };
                (text.len() == size).then(|| text.into_bytes())
            }
            Self::Hex { is_upper } => Self::HexDigits {
                size: hex_digits(value),
                is_upper,
            }
            .write(value),
            Self::Separator => (value == 0).then(Vec::new),
            Self::Ebml => {
                let size = (1..=8).find(|size| value + 1 < 1 << (7 * size))?;
                Some((value | 1 << (7 * size)).to_be_bytes()[8 - size..].to_vec())
            }
            Self::Cbor { major } => {
                let short = match (value, needed(value)) {
                    (0..24, _) => return Some(vec![major << 5 | wide[7]]),
                    (_, 1) => 0,
                    (_, 2) => 1,
                    (_, 3..=4) => 2,
                    _ => 3,
                };
                let mark = [major << 5 | (24 + short)];
                Some([&mark, &wide[8 - (1 << short)..]].concat())
            }
            Self::MessagePack(head) => {
                let (mark, most, marks) = head.forms();
                if most.is_some_and(|most| value <= most) {
                    return Some(vec![mark | wide[7]]);
                }
                let (mark, size) = *marks.iter().find(|(_, size)| needed(value) <= *size)?;
                Some([&[mark], &wide[8 - size..]].concat())
            }
        }
    }
}

/// Returns how many hexadecimal digits a number needs.
fn hex_digits(value: u64) -> usize {
    value
        .checked_ilog2()
        .map_or(1, |bits| bits as usize / 4 + 1)
}

/// Reads decimal digits and nothing else.
fn decimal(digits: &[u8]) -> Option<u64> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    text.parse().ok()
}

/// Returns the sum of the numbers of four bytes, most significant first, with zeros at the end: the
/// checksum of the tables of fonts.
pub(super) fn sum_of_words(bytes: &[u8]) -> u32 {
    let word = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_be_bytes(word)
    };
    bytes
        .chunks(4)
        .fold(0, |sum: u32, chunk| sum.wrapping_add(word(chunk)))
}

/// Returns the CRC-32 of IEEE 802.3, the checksum of PNG, zip and many other formats.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "below 256")]
            let mut value = index as u32;
            let mut bit = 0;
            while bit < 8 {
                let carry = if value & 1 == 1 { 0xedb8_8320 } else { 0 };
                value = value >> 1 ^ carry;
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    let step = |sum: u32, &byte: &u8| TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)] ^ sum >> 8;
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_number_is_read_back() {
        let forms = [
            NumberForm::Leb128,
            NumberForm::Der,
            NumberForm::Little(1),
            NumberForm::Little(2),
            NumberForm::Big(2),
            NumberForm::Little(4),
            NumberForm::Big(4),
            NumberForm::Decimal,
            NumberForm::Digits(4),
            NumberForm::LeftAligned(4),
            NumberForm::HexDigits {
                size: 4,
                is_upper: true,
            },
            NumberForm::Hex { is_upper: false },
            NumberForm::Ebml,
            NumberForm::Cbor { major: 5 },
            NumberForm::MessagePack(MessagePackHead::Text),
            NumberForm::MessagePack(MessagePackHead::Bytes),
            NumberForm::MessagePack(MessagePackHead::Map),
        ];
        for form in forms {
            for value in [0, 1, 127, 128, 255, 256, 65_535, 65_536, 0xffff_ffff] {
                if let Some(bytes) = form.write(value) {
                    assert_eq!(form.read(&bytes), Some((value, bytes.len())), "{form:?}");
                }
            }
        }
        assert_eq!(NumberForm::Little(1).write(256), None);
        assert_eq!(NumberForm::Der.write(256), Some(vec![0x82, 1, 0]));
        assert_eq!(
            NumberForm::Leb128.write(624_485),
            Some(vec![0xe5, 0x8e, 0x26])
        );
        // As in relocatable WebAssembly.
        assert_eq!(
            NumberForm::Leb128.read(&[0x80, 0x80, 0x80, 0x80, 0]),
            Some((0, 5))
        );
    }

    #[test]
    fn crc32_is_the_checksum_of_png() {
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
    }
}
