//! Frames: payloads with their length in front, over a stream of bytes.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// The largest content of a file or a candidate, in bytes.
pub(crate) const MAX_CONTENT: usize = 512 << 20;

/// The largest payload that a worker reads: a content and what describes it.
pub(crate) const MAX_TO_WORKER: usize = MAX_CONTENT + (1 << 20);

/// The largest payload that a client reads: two streams of output and what describes them.
pub(crate) const MAX_FROM_WORKER: usize = 64 << 20;

/// Bytes of the length in front of a payload.
const PREFIX: usize = 4;

/// Why a frame could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The stream failed.
    #[error("the connection failed")]
    Stream(#[from] io::Error),
    /// The length is impossible.
    #[error("a frame of {length} bytes was announced, and {limit} are the most")]
    TooLong {
        /// The length.
        length: usize,
        /// The largest length.
        limit: usize,
    },
    /// The stream ended within a frame.
    #[error("the connection ended within a frame")]
    Truncated,
}

/// Reads the payload of a frame; `None` when the stream ends before it.
///
/// The memory for a payload grows with what arrives, so a length alone takes none.
///
/// # Errors
/// [`FrameError`] when the stream ends within a frame, or announces more than `limit` bytes.
pub(crate) fn read_frame(
    input: &mut impl Read,
    limit: usize,
) -> Result<Option<Vec<u8>>, FrameError> {
    let mut prefix = Vec::with_capacity(PREFIX);
    input.take(PREFIX as u64).read_to_end(&mut prefix)?;
    if prefix.is_empty() {
        return Ok(None);
    }
    let prefix: [u8; PREFIX] = prefix.try_into().map_err(|_| FrameError::Truncated)?;
    let length = u32::from_le_bytes(prefix) as usize;
    if length > limit {
        return Err(FrameError::TooLong { length, limit });
    }
    let mut payload = Vec::with_capacity(length.min(1 << 16));
    input.take(length as u64).read_to_end(&mut payload)?;
    if payload.len() < length {
        return Err(FrameError::Truncated);
    }
    Ok(Some(payload))
}

/// A frame that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame(Vec<u8>);

impl Frame {
    /// Makes the frame of a message and the content that belongs to it, in parts.
    ///
    /// The payload is the length of the message in JSON, the message, and the content.
    pub(crate) fn new(message: &impl Serialize, content: &[&[u8]]) -> Self {
        let message = serde_json::to_vec(message).expect("messages are valid JSON");
        let content = content.concat();
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
        let payload = length(PREFIX + message.len() + content.len());
        Self([&payload[..], &length(message.len()), &message, &content].concat())
    }

    /// Writes the frame, and flushes the stream.
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.0)?;
        output.flush()
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the payload.
    #[cfg(test)]
    pub(crate) fn payload(&self) -> &[u8] {
        &self.0[PREFIX..]
    }
}

/// A payload is not a message: it is too short or too long, or has an unknown value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame is not a message of this protocol")]
pub(crate) struct Malformed;

/// Returns the message of a payload, and the content that belongs to it.
pub(crate) fn message_and_content<'a, M: Deserialize<'a>>(
    payload: &'a [u8],
) -> Result<(M, &'a [u8]), Malformed> {
    let (length, rest) = payload.split_first_chunk().ok_or(Malformed)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (message, content) = rest.split_at_checked(length).ok_or(Malformed)?;
    let message = serde_json::from_slice(message).map_err(|_| Malformed)?;
    Ok((message, content))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_announced_length_takes_no_memory_and_is_limited() {
        let mut stream: &[u8] = &[0xff, 0xff, 0xff, 0x7f, 1];
        let error = read_frame(&mut stream, MAX_TO_WORKER).unwrap_err();
        assert!(matches!(error, FrameError::TooLong { .. }), "{error}");
        let mut stream: &[u8] = &[0, 0, 0, 0x10, 1, 2, 3];
        let error = read_frame(&mut stream, MAX_TO_WORKER).unwrap_err();
        assert!(matches!(error, FrameError::Truncated), "{error}");
    }

    proptest! {
        #[test]
        fn frames_are_read_as_they_were_written(payloads: Vec<Vec<u8>>) {
            let mut stream = Vec::new();
            for payload in &payloads {
                Frame::new(&7, &[payload]).write(&mut stream).unwrap();
            }
            let mut stream = stream.as_slice();
            for payload in &payloads {
                let read = read_frame(&mut stream, 1 << 20).unwrap().unwrap();
                prop_assert_eq!(message_and_content(&read), Ok((7, &payload[..])));
            }
            prop_assert!(read_frame(&mut stream, 1 << 20).unwrap().is_none());
        }

        #[test]
        fn a_frame_that_is_cut_anywhere_is_an_error(payload: Vec<u8>, at: prop::sample::Index) {
            let mut stream = Vec::new();
            Frame::new(&7, &[&payload]).write(&mut stream).unwrap();
            let cut = 1 + at.index(stream.len() - 1);
            let error = read_frame(&mut &stream[..cut], 1 << 20).unwrap_err();
            prop_assert!(matches!(error, FrameError::Truncated));
        }
    }
}
