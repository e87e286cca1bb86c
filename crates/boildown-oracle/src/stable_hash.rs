//! A hash function that never changes: SipHash-1-3 with a zero key.
//!
//! [`std::hash::DefaultHasher`] may change with the Rust version, so it must not decide anything
//! that a user can see. [`RepeatedOracle`](crate::RepeatedOracle) decides by a hash which
//! candidates it tests twice, and that has to be the same in every build.
//!
//! # Source
//! J.-P. Aumasson, D. J. Bernstein, *`SipHash`: a fast short-input PRF*, INDOCRYPT 2012, with one
//! compression and three finalization rounds.

use std::hash::{Hash, Hasher};

/// Returns the stable hash of a value.
///
/// Stable as far as the value's [`Hash`] implementation is: integers, slices and strings are.
pub(crate) fn stable_hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = StableHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The state of SipHash-1-3. Integers are hashed as little-endian bytes, `usize` as eight of them,
/// so that the hash is the same on all machines.
#[derive(Debug, Clone)]
struct StableHasher {
    state: [u64; 4],
    /// The bytes that do not fill a word yet, in little-endian order.
    tail: u64,
    /// Bytes hashed so far.
    length: u64,
}

impl Default for StableHasher {
    fn default() -> Self {
        Self {
            // "somepseudorandomlygeneratedbytes", the constants of SipHash, with a zero key.
            state: [
                0x736f_6d65_7073_6575,
                0x646f_7261_6e64_6f6d,
                0x6c79_6765_6e65_7261,
                0x7465_6462_7974_6573,
            ],
            tail: 0,
            length: 0,
        }
    }
}

fn round(state: [u64; 4]) -> [u64; 4] {
    let [mut v0, mut v1, mut v2, mut v3] = state;
    v0 = v0.wrapping_add(v1);
    v1 = v1.rotate_left(13) ^ v0;
    v0 = v0.rotate_left(32);
    v2 = v2.wrapping_add(v3);
    v3 = v3.rotate_left(16) ^ v2;
    v0 = v0.wrapping_add(v3);
    v3 = v3.rotate_left(21) ^ v0;
    v2 = v2.wrapping_add(v1);
    v1 = v1.rotate_left(17) ^ v2;
    v2 = v2.rotate_left(32);
    [v0, v1, v2, v3]
}

impl StableHasher {
    fn push_word(&mut self, word: u64) {
        self.state[3] ^= word;
        self.state = round(self.state);
        self.state[0] ^= word;
    }

    fn push_byte(&mut self, byte: u8) {
        let position = self.length % 8;
        self.tail |= u64::from(byte) << (8 * position);
        self.length += 1;
        if position == 7 {
            let word = std::mem::take(&mut self.tail);
            self.push_word(word);
        }
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, mut bytes: &[u8]) {
        while !self.length.is_multiple_of(8)
            && let Some((first, rest)) = bytes.split_first()
        {
            self.push_byte(*first);
            bytes = rest;
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.push_word(u64::from_le_bytes(*word));
        }
        self.length += 8 * words.len() as u64;
        for byte in rest {
            self.push_byte(*byte);
        }
    }

    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        let mut last = self.clone();
        last.push_word(self.tail | self.length << 56);
        last.state[2] ^= 0xff;
        for _ in 0..3 {
            last.state = round(last.state);
        }
        last.state.into_iter().fold(0, |hash, word| hash ^ word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of_bytes(parts: &[&[u8]]) -> u64 {
        let mut hasher = StableHasher::default();
        for part in parts {
            hasher.write(part);
        }
        hasher.finish()
    }

    #[test]
    fn values_are_those_of_siphash_1_3() {
        // Calculated with `std::hash::DefaultHasher` of Rust 1.95, which is the same function.
        assert_eq!(hash_of_bytes(&[]), 0xd1fb_a762_150c_532c);
        assert_eq!(hash_of_bytes(&[b"boildown"]), 0xccfd_275f_ab8b_19e8);
        assert_eq!(stable_hash(&b"a candidate"[..]), 0xc446_4fcb_8da4_dc3a);
        assert_eq!(stable_hash("text"), 0x8721_4fb5_2f31_0fef);
    }

    #[test]
    fn bytes_hash_the_same_however_they_are_split() {
        let bytes: Vec<u8> = (0..40).collect();
        for middle in 0..bytes.len() {
            let (first, rest) = bytes.split_at(middle);
            assert_eq!(hash_of_bytes(&[first, rest]), hash_of_bytes(&[&bytes]));
        }
    }
}
