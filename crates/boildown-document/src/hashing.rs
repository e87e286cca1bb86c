//! Hashes of words, which need not be safe from collisions.

/// The hash of nothing.
pub const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues a hash, with FNV-1a.
pub fn hash(before: u64, text: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    text.iter().fold(before, step)
}

/// Returns a number for a text, whatever the width of the spaces outside of its strings.
pub fn hash_of_words(text: &[u8]) -> u64 {
    let is_bracket = |byte: &u8| b"()[]{},".contains(byte);
    let mut number = HASH_START;
    let (mut is_string, mut last, mut at) = (false, b'(', 0);
    while at < text.len() {
        let spaces = match is_string {
            true => 0,
            false => (text[at..].iter())
                .take_while(|byte| byte.is_ascii_whitespace())
                .count(),
        };
        let is_line = text[at..at + spaces].contains(&b'\n');
        at += spaces;
        let Some(&byte) = text.get(at) else {
            break;
        };
        if is_line {
            number = hash(number, b"\n");
        } else if spaces > 0 && !is_bracket(&last) && !is_bracket(&byte) {
            number = hash(number, b" ");
        }
        number = hash(number, &[byte]);
        is_string ^= byte == b'"';
        (last, at) = (byte, at + 1);
    }
    number
}

/// Returns a number for how a text differs from another one: the lines that change, as they were
/// and as they are, and the line before, if the first of them has a twin.
pub fn hash_of_change(before: &[u8], after: &[u8]) -> u64 {
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split(text, |&byte| byte == b'\n').collect() };
    let (before, after) = (lines(before), lines(after));
    let shortest = before.len().min(after.len());
    let pairs = before.iter().zip(&after);
    let start = pairs.take_while(|(left, right)| left == right).count();
    let pairs = before.iter().rev().zip(after.iter().rev());
    let end = pairs
        .take(shortest - start)
        .take_while(|(left, right)| left == right)
        .count();
    let part = |lines: &[&[u8]]| hash_of_words(&lines[start..lines.len() - end].join(&b'\n'));
    let has_twin = before
        .iter()
        .filter(|line| before.get(start) == Some(line))
        .count()
        > 1;
    let line_before = start.checked_sub(1).filter(|_| has_twin);
    let context = line_before.map_or(0, |line| hash_of_words(before[line]));
    let numbers = [context, part(&before), part(&after)];
    (numbers.into_iter()).fold(HASH_START, |number, part| hash(number, &part.to_le_bytes()))
}
