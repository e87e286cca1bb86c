//! Signals, their widths, and the ports that drive them.

use std::ops::Range;

use super::design::{RtlilDesign, RtlilSort, StatementIndex, number};

/// The outputs of the cells that yosys knows.
#[rustfmt::skip]
const OUTPUTS: [&[u8]; 8] = [
    b"\\Y", b"\\Q", b"\\X", b"\\CO", b"\\O", b"\\RD_DATA", b"\\CTRL_OUT", b"\\LCO",
];

/// How deep the parts of a signal may be inside each other.
const DEEPEST: usize = 100;

/// Returns whether a text looks like a design: it begins with a line of RTLIL.
pub(crate) fn is_rtlil(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let begins = first.is_some_and(|line| {
        let mut words = line.split(u8::is_ascii_whitespace);
        let second = |word: Option<&[u8]>, signs: &[u8]| {
            word.and_then(<[u8]>::first)
                .is_some_and(|byte| signs.contains(byte))
        };
        match words.next() {
            Some(b"autoidx") => second(words.next(), b"0123456789"),
            Some(b"module" | b"attribute") => second(words.next(), b"\\$"),
            _ => false,
        }
    });
    begins && RtlilDesign::read(&text.into()).is_some()
}

impl RtlilDesign {
    /// Returns whether each signal of a statement consists of wires of its module, and has the
    /// width of what it is connected with.
    pub(super) fn is_well_formed(&self, index: StatementIndex) -> bool {
        let one = &self.statements[index];
        let Some(module) = self.module_of(index) else {
            return true;
        };
        let signals = self.signals(index);
        let widths: Option<Vec<usize>> = signals
            .iter()
            .map(|words| self.width(module, words))
            .collect();
        let Some(widths) = widths else {
            return false;
        };
        match one.sort {
            RtlilSort::Connect if self.is_in_cell(index) => widths.len() == 1,
            RtlilSort::Connect | RtlilSort::Assign | RtlilSort::Update => {
                widths.len() == 2 && widths[0] == widths[1]
            }
            RtlilSort::Switch => widths.len() == 1,
            _ => true,
        }
    }

    pub(super) fn is_in_cell(&self, index: StatementIndex) -> bool {
        let parent = self.statements[index].parent;
        parent.is_some_and(|parent| self.is(parent, RtlilSort::Cell))
    }

    /// Returns the words of each signal of a statement. Commas are left out.
    pub(super) fn signals(&self, index: StatementIndex) -> Vec<Range<usize>> {
        let one = &self.statements[index];
        let first = match one.sort {
            RtlilSort::Connect if self.is_in_cell(index) => 2,
            RtlilSort::Connect | RtlilSort::Assign | RtlilSort::Update => 1,
            RtlilSort::Switch | RtlilSort::Case => 1,
            RtlilSort::Sync | RtlilSort::MemoryWrite => 2,
            _ => return Vec::new(),
        };
        let mut signals = Vec::new();
        let mut at = one.words.start + first;
        while at < one.words.end {
            let end = self.signal_end(at, one.words.end);
            if self.word(at) != b"," {
                signals.push(at..end);
            }
            at = end;
        }
        signals
    }

    /// Returns the end of a signal, with the parts that are selected of it.
    fn signal_end(&self, start: usize, end: usize) -> usize {
        let mut at = start;
        let mut open = 0_usize;
        while at < end {
            match self.word(at) {
                b"{" => open += 1,
                b"}" => open = open.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        while at < end && self.word(at).starts_with(b"[") {
            at += 1;
        }
        at
    }

    /// Returns the number of bits of a signal. `None` if it is none, or names no wire.
    pub(super) fn width(&self, module: StatementIndex, words: &Range<usize>) -> Option<usize> {
        self.width_at(module, words, 0)
    }

    fn width_at(
        &self,
        module: StatementIndex,
        words: &Range<usize>,
        depth: usize,
    ) -> Option<usize> {
        if depth == DEEPEST {
            return None;
        }
        let first = self.word(words.start);
        let (mut width, mut at) = if first == b"{" {
            let mut width = 0_usize;
            let mut at = words.start + 1;
            while at < words.end && self.word(at) != b"}" {
                let end = self.signal_end(at, words.end);
                width = width.checked_add(self.width_at(module, &(at..end), depth + 1)?)?;
                at = end;
            }
            if at == words.end {
                return None;
            }
            (width, at + 1)
        } else if let Some(wire) = self.wire_at(module, words.start) {
            (self.statements[wire].wire.as_ref()?.width, words.start + 1)
        } else {
            (width_of_constant(first)?, words.start + 1)
        };
        while at < words.end {
            let selected = width_of_selection(self.word(at))?;
            if selected > width {
                return None;
            }
            width = selected;
            at += 1;
        }
        Some(width)
    }

    /// Returns whether a connection of a cell is one of its outputs, as far as it is known.
    pub(super) fn is_output(&self, cell: StatementIndex, connection: StatementIndex) -> bool {
        let port = self.word_of(connection, 1);
        let kind = self.word_of(cell, 1);
        match self.modules.get(kind) {
            Some(&module) => {
                let wire = self.wires.get(&(module, port.into()));
                wire.is_some_and(|&wire| self.is_port(wire, &[b"output", b"inout"]))
            }
            None if kind == b"$memrd" || kind == b"$memrd_v2" => port == b"\\DATA",
            None if kind.starts_with(b"$") => OUTPUTS.contains(&port),
            None => false,
        }
    }

    /// Returns whether a wire is a port of one of these directions.
    pub(super) fn is_port(&self, wire: StatementIndex, directions: &[&[u8]]) -> bool {
        let options = self.statements[wire]
            .wire
            .iter()
            .flat_map(|wire| &wire.options);
        let mut words = options.map(|option| self.word(option.words.start));
        words.any(|word| directions.contains(&word))
    }

    /// Returns the words of the signal that a statement drives.
    pub(super) fn driven(&self, index: StatementIndex) -> Option<Range<usize>> {
        let one = &self.statements[index];
        let is_driver = match one.sort {
            RtlilSort::Connect if self.is_in_cell(index) => {
                one.parent.is_some_and(|cell| self.is_output(cell, index))
            }
            RtlilSort::Connect | RtlilSort::Assign | RtlilSort::Update => true,
            _ => false,
        };
        is_driver.then(|| self.signals(index).into_iter().next())?
    }

    /// Returns whether any name that yosys made is longer than a number.
    pub(super) fn has_long_names(&self) -> bool {
        (0..self.statements.len()).any(|index| {
            self.name_word(index).is_some_and(|word| {
                let name = self.word(word);
                name.starts_with(b"$") && number(&name[1..]).is_none()
            })
        })
    }

    /// Returns the word that is the name of what a statement defines.
    pub(super) fn name_word(&self, index: StatementIndex) -> Option<usize> {
        let words = &self.statements[index].words;
        match self.statements[index].sort {
            RtlilSort::Module | RtlilSort::Process => Some(words.start + 1),
            RtlilSort::Cell => Some(words.start + 2),
            RtlilSort::Wire | RtlilSort::Memory => Some(words.end - 1),
            _ => None,
        }
    }
}

/// Returns the number of bits of a constant: `4'0101`, `7` with 32 bits, or a string.
fn width_of_constant(word: &[u8]) -> Option<usize> {
    if let Some(text) = word.strip_prefix(b"\"") {
        return Some(8 * text.len().saturating_sub(1));
    }
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let length = digits.iter().take_while(is_digit).count();
    match digits.get(length) {
        None if length > 0 => Some(32),
        Some(b'\'') => number(&digits[..length]),
        _ => None,
    }
}

/// Returns the number of bits that `[3]` or `[7:4]` selects.
fn width_of_selection(word: &[u8]) -> Option<usize> {
    let inside = word.strip_prefix(b"[")?.strip_suffix(b"]")?;
    match inside.iter().position(|&byte| byte == b':') {
        None => number(inside).map(|_| 1),
        Some(colon) => {
            let (high, low) = (number(&inside[..colon])?, number(&inside[colon + 1..])?);
            Some(high.checked_sub(low)? + 1)
        }
    }
}
