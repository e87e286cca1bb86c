//! Facts that candidates in LLVM IR are compared by: names, neighbouring words, blocks, types.

use boildown_document::hashing::{HASH_START, hash};
use boildown_reduce::Facts;

use super::signatures::{known_operation, string_elements};
use super::view::{ends_block, is_ill_formed};
use crate::ir::{
    BlockOrder, BlockPlace, LineForm, ScopedNames, is_constant, is_number, is_sized_type, kind_of,
    words,
};

pub(super) const LINES: LineForm = LineForm {
    comment: b";",
    rest_of_word: |_, _| 0,
};

/// The fault of a block without an end, or with something after it.
const BROKEN_BLOCKS: u8 = 1;

/// The fault of an operand or constant of the wrong type, or that is missing.
const WRONG_OPERANDS: u8 = 2;

/// The sign of the end of a line among the kinds of words.
const LINE_END: u64 = 0;

/// Reads a module.
pub(super) fn facts(text: &[u8]) -> Facts {
    let mut facts = Facts::default();
    let mut names = ScopedNames::default();
    let mut blocks = BlocksOfLines::default();
    let mut function = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let words = words(&LINES, line);
        if words.is_empty() {
            continue;
        }
        let begins = words[0] == b"define";
        function += usize::from(begins);
        blocks.line(&words);
        add_neighbours(&words, &mut facts);
        for index in 0..words.len() {
            let Some((name, is_definition)) = name(&words, index) else {
                continue;
            };
            let is_local = name[0] == b'%';
            let scope = if is_local { function } else { 0 };
            if is_definition || begins && is_local {
                names.define(scope, name);
            } else {
                names.mention(scope, name);
            }
        }
        facts.signatures.extend(known_operation(&words));
        facts.strings.extend(string_elements(&words));
    }
    facts.undeclared = names.undefined();
    facts.faults |= if blocks.order.is_broken() {
        BROKEN_BLOCKS
    } else {
        0
    };
    facts.faults |= if is_ill_formed(text) {
        WRONG_OPERANDS
    } else {
        0
    };
    facts
}

/// Returns whether a candidate leaves out a number that is mentioned, or the label between two
/// blocks. Blocks and values without a name are counted, so nothing would change but that it is
/// hard to read: the second block would look like a part of the first. `is_short` says that the
/// best candidate may be no module.
pub(super) fn hides_numbers(candidate: &Facts, best: &Facts, is_short: bool) -> bool {
    let new_faults = candidate.faults & !best.faults;
    let mut new = candidate.undeclared.difference(&best.undeclared);
    !is_short && new_faults & BROKEN_BLOCKS != 0
        || new.any(|(_, name)| name[1..].iter().all(u8::is_ascii_digit))
}

/// Adds the pairs of neighbouring words of a line, where names, types, numbers and constants are
/// alike.
fn add_neighbours(words: &[&[u8]], facts: &mut Facts) {
    let mut pair = |left: u64, right: u64| {
        let number = hash(HASH_START, &left.to_le_bytes());
        facts.forms.insert(hash(number, &right.to_le_bytes()));
    };
    let mut last = LINE_END;
    for (index, &word) in words.iter().enumerate() {
        let kind = kind(word);
        pair(last, kind);
        if index == 2 && words[1] == b"=" {
            // The result may go.
            pair(LINE_END, kind);
        }
        last = kind;
    }
    pair(last, LINE_END);
}

/// Returns a number for words of the same kind.
fn kind(word: &[u8]) -> u64 {
    let is_value = matches!(word[0], b'%' | b'@') || is_number(word) || is_constant(word);
    match word {
        _ if is_sized_type(word) => kind_of(b"i"),
        _ if is_value => kind_of(b"%"),
        _ => kind_of(word),
    }
}

/// Returns the name that a word of a line is, with its sign, and whether it is defined there.
fn name(words: &[&[u8]], index: usize) -> Option<(Box<[u8]>, bool)> {
    let (word, next) = (words[index], words.get(index + 1).copied());
    if index == 0 && next == Some(b":") {
        return Some(([b"%", word].concat().into(), true));
    }
    if word.len() < 2 || !matches!(word[0], b'%' | b'@' | b'!') {
        return None;
    }
    let is_header = words[0] == b"define" || words[0] == b"declare";
    let is_definition = next == Some(b"=") || is_header && word[0] == b'@';
    Some((word.into(), is_definition))
}

/// Follows the blocks of functions.
#[derive(Debug, Default)]
struct BlocksOfLines {
    order: BlockOrder,
    /// Whether the line is one of a table of jumps.
    is_table: bool,
}

impl BlocksOfLines {
    fn line(&mut self, words: &[&[u8]]) {
        use BlockPlace::{Begun, Inside, Left, Outside};
        if self.is_table {
            self.is_table = words[0] != b"]";
            return;
        }
        let last = self.order.last();
        self.is_table = last != Outside && words.ends_with(&[b"["]);
        let is_label = words.get(1) == Some(&&b":"[..]);
        let has_result = words.get(1) == Some(&&b"="[..]);
        let operation = words[if has_result && words.len() > 2 { 2 } else { 0 }];
        match operation {
            b"define" => self.order.step(&[Outside], Begun),
            b"}" => self.order.step(&[Outside, Left], Outside),
            b"to" => {}
            _ if last == Outside => {}
            _ if is_label => self.order.step(&[Begun, Left], Inside),
            _ if ends_block(operation) => self.order.step(&[Begun, Inside], Left),
            _ => self.order.step(&[Begun, Inside], Inside),
        }
    }
}
