//! Keys, and the actions that they stand for.

use crate::palette::Background;

/// A key of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter, or another character.
    Character(char),
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// A page back.
    PageUp,
    /// A page on.
    PageDown,
    /// The beginning.
    Home,
    /// The end.
    End,
    /// The escape key.
    Escape,
    /// The enter key.
    Enter,
    /// No key: the terminal's answer about its background.
    Background(Background),
}

/// Something that the session has to do because of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewAction {
    /// Skip the rest of the pass.
    SkipPass,
    /// Let the workers wait, or continue.
    TogglePause,
    /// End the session with the best result.
    Quit,
    /// Copy the command that fails on the result.
    CopyCommand,
    /// Draw everything again.
    Redraw,
    /// Read which results are stored.
    ListSteps,
    /// End the session with the best result, and reduce the secondary failure with this name, or
    /// that of the input.
    ReduceFailure(Option<String>),
    /// End the session, and continue from the result with this number.
    RestartFrom(usize),
}

/// Turns bytes of a terminal into keys. A sequence may arrive in parts.
#[derive(Debug, Default)]
pub struct KeyReader {
    pending: Vec<u8>,
}

impl KeyReader {
    /// Returns the keys that these bytes end.
    pub fn read(&mut self, bytes: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        for byte in bytes {
            self.pending.push(*byte);
            match sequence(&self.pending) {
                Sequence::Incomplete => {}
                Sequence::Unknown => self.pending.clear(),
                Sequence::Key(key) => {
                    keys.push(key);
                    self.pending.clear();
                }
            }
        }
        keys
    }

    /// Returns the key that was pressed if nothing follows what was read: the escape key.
    pub fn flush(&mut self) -> Option<Key> {
        // An answer may take long to arrive.
        if self.pending.starts_with(ANSWER) {
            return None;
        }
        let is_escape = self.pending == [ESCAPE];
        self.pending.clear();
        is_escape.then_some(Key::Escape)
    }
}

const ESCAPE: u8 = 0x1b;

/// The start of the answer about the background.
const ANSWER: &[u8] = b"\x1b]11;";

/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 40;

enum Sequence {
    Incomplete,
    Unknown,
    Key(Key),
}

fn sequence(bytes: &[u8]) -> Sequence {
    let key = match bytes {
        [ESCAPE] | [ESCAPE, b'[' | b'O'] => return Sequence::Incomplete,
        // A key with Alt is shorter.
        _ if ANSWER.starts_with(bytes) => return Sequence::Incomplete,
        _ if bytes.starts_with(ANSWER) => {
            let answer = &bytes[ANSWER.len()..];
            let ends: [&[u8]; 2] = [b"\x07", b"\x1b\\"];
            let ended = ends.iter().find_map(|end| answer.strip_suffix(*end));
            let Some(answer) = ended else {
                return match bytes.len() < LONGEST_ANSWER {
                    true => Sequence::Incomplete,
                    false => Sequence::Unknown,
                };
            };
            let answer = str::from_utf8(answer).ok();
            return match answer.and_then(Background::of_answer) {
                Some(background) => Sequence::Key(Key::Background(background)),
                None => Sequence::Unknown,
            };
        }
        [ESCAPE, b'[' | b'O', last] => match last {
            b'A' => Key::Up,
            b'B' => Key::Down,
            b'C' => Key::Right,
            b'D' => Key::Left,
            b'H' => Key::Home,
            b'F' => Key::End,
            b'0'..=b'?' => return Sequence::Incomplete,
            _ => return Sequence::Unknown,
        },
        [ESCAPE, b'[' | b'O', parameters @ .., last] => match (parameters, last) {
            (b"5", b'~') => Key::PageUp,
            (b"6", b'~') => Key::PageDown,
            (b"1" | b"7", b'~') => Key::Home,
            (b"4" | b"8", b'~') => Key::End,
            (_, b'0'..=b'?') => return Sequence::Incomplete,
            _ => return Sequence::Unknown,
        },
        [byte] if byte.is_ascii_graphic() || *byte == b' ' => Key::Character(char::from(*byte)),
        [b'\r' | b'\n'] => Key::Enter,
        // Ctrl-L.
        [0x0c] => Key::Character('\x0c'),
        _ => return Sequence::Unknown,
    };
    Sequence::Key(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(parts: &[&[u8]]) -> Vec<Key> {
        let mut reader = KeyReader::default();
        let mut keys: Vec<Key> = parts.iter().flat_map(|part| reader.read(part)).collect();
        keys.extend(reader.flush());
        keys
    }

    #[test]
    fn sequences_are_one_key_also_in_parts() {
        use Key::{Character, Down, Escape, Home, PageDown, PageUp, Up};
        assert_eq!(
            keys(&[b"q\x1b[A\x1bOB s"]),
            [Character('q'), Up, Down, Character(' '), Character('s')]
        );
        assert_eq!(
            keys(&[b"\x1b[", b"5~\x1b[6", b"~\x1b[H"]),
            [PageUp, PageDown, Home]
        );
        assert_eq!(keys(&[b"\x1b"]), [Escape]);
    }

    #[test]
    fn an_answer_about_the_background_is_no_keys_also_in_parts() {
        let light = Key::Background(Background::Light);
        let answer = b"\x1b]11;rgb:ffff/fcfc/dddd\x1b\\q";
        assert_eq!(keys(&[answer]), [light, Key::Character('q')]);
        let mut reader = KeyReader::default();
        assert_eq!(reader.read(&answer[..12]), []);
        assert_eq!(reader.flush(), None);
        assert_eq!(reader.read(&answer[12..]), [light, Key::Character('q')]);
        assert_eq!(
            keys(&[b"\x1b]11;rgb:0/0/0\x07"]),
            [Key::Background(Background::Dark)]
        );
        assert_eq!(keys(&[b"\x1b]11;nonsense\x07s"]), [Key::Character('s')]);
        assert_eq!(keys(&[b"\x1b]q"]), []);
    }

    #[test]
    fn unknown_sequences_and_bytes_are_no_keys() {
        assert_eq!(keys(&[b"\x1b[1;5Cq"]), [Key::Character('q')]);
        assert_eq!(keys(&["é\x00".as_bytes()]), []);
        assert_eq!(keys(&[b"\x1b[200000000000~q"]), [Key::Character('q')]);
    }
}
