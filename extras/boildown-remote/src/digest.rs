//! Digests, and blobs with their digests.

use bazel_remote_apis::build::bazel::remote::execution::v2::Digest;
use prost::Message;
use sha2::{Digest as _, Sha256};

/// A content of the store of a service, with its digest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blob {
    pub(crate) digest: Digest,
    pub(crate) bytes: Vec<u8>,
}

impl Blob {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            digest: digest(&bytes),
            bytes,
        }
    }

    /// Returns the blob of a message. The encoding is the same for equal messages, because no
    /// message that is sent here holds a map.
    pub(crate) fn of(message: &impl Message) -> Self {
        Self::new(message.encode_to_vec())
    }
}

/// Returns the SHA-256 digest, the only function that every service has.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Digest {
        hash: hex(&Sha256::digest(bytes)),
        size_bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    (bytes.iter())
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_that_of_the_standard() {
        let empty = digest(b"");
        let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!((empty.hash.as_str(), empty.size_bytes), (hash, 0));
    }
}
