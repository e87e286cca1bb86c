//! Frames: payloads with their length in front, over a stream of bytes.

use std::io::{self, Read, Write};

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

/// Writes the values of a message into a frame.
#[derive(Debug)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    /// Begins a message of this kind.
    pub(crate) fn new(kind: u8) -> Self {
        Self(vec![0, 0, 0, 0, kind])
    }

    pub(crate) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Writes a number as four bytes. What is counted here is smaller than that.
    pub(crate) fn count(self, value: usize) -> Self {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX))
    }

    /// Writes bytes with their number in front.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.count(bytes.len());
        self.0.extend_from_slice(bytes);
        self
    }

    /// Writes bytes whose number is fixed.
    pub(crate) fn array<const N: usize>(mut self, bytes: &[u8; N]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Writes a value that may be missing.
    pub(crate) fn option<T>(self, value: Option<T>, write: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            None => self.byte(0),
            Some(value) => write(self.byte(1), value),
        }
    }

    /// Writes values with their number in front.
    pub(crate) fn each<T>(self, values: &[T], write: impl FnMut(Self, &T) -> Self) -> Self {
        let encoder = self.count(values.len());
        values.iter().fold(encoder, write)
    }

    /// Returns the frame.
    pub(crate) fn finish(mut self) -> Frame {
        let length = u32::try_from(self.0.len() - PREFIX).unwrap_or(u32::MAX);
        self.0[..PREFIX].copy_from_slice(&length.to_le_bytes());
        Frame(self.0)
    }
}

/// A payload is not a message: it is too short or too long, or has an unknown value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame is not a message of this protocol")]
pub(crate) struct Malformed;

/// Reads the values of a message from a payload.
#[derive(Debug)]
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        Self(payload)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn count(&mut self) -> Result<usize, Malformed> {
        Ok(self.u32()? as usize)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.count()?;
        self.take(count)
    }

    pub(crate) fn text(&mut self) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(Malformed),
        }
    }

    /// Reads values with their number in front. Memory grows with what is there, because each value
    /// takes at least one byte.
    pub(crate) fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.count()?;
        if count > self.0.len() {
            return Err(Malformed);
        }
        (0..count).map(|_| read(self)).collect()
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Malformed)
        }
    }
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
                Encoder::new(7).bytes(payload).finish().write(&mut stream).unwrap();
            }
            let mut stream = stream.as_slice();
            for payload in &payloads {
                let read = read_frame(&mut stream, 1 << 20).unwrap().unwrap();
                prop_assert_eq!(read[0], 7);
                prop_assert_eq!(Decoder::new(&read[1..]).bytes().unwrap(), &payload[..]);
            }
            prop_assert!(read_frame(&mut stream, 1 << 20).unwrap().is_none());
        }

        #[test]
        fn a_frame_that_is_cut_anywhere_is_an_error(payload: Vec<u8>, at: prop::sample::Index) {
            let mut stream = Vec::new();
            Encoder::new(7).bytes(&payload).finish().write(&mut stream).unwrap();
            let cut = 1 + at.index(stream.len() - 1);
            let error = read_frame(&mut &stream[..cut], 1 << 20).unwrap_err();
            prop_assert!(matches!(error, FrameError::Truncated));
        }
    }
}
