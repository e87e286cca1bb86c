//! The words of SPIR-V.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::writable_module::string_end;

/// A word or string.
#[derive(Debug, Clone)]
pub(super) struct SpirvWord {
    pub(super) bytes: Range<usize>,
    /// The number of an id, such as `%main`; `None` for other words.
    pub(super) id: Option<usize>,
}

/// Divides a text into words, and numbers its ids in the order in which they first stand there.
/// Comments are no words. Returns the number of ids too.
pub(super) fn words(text: &[u8]) -> (Vec<SpirvWord>, usize) {
    let mut words = Vec::new();
    let mut ids: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if byte == b';' {
            at += text[at..].iter().take_while(|&&byte| byte != b'\n').count();
            continue;
        }
        let end = match byte {
            b'"' => string_end(text, at),
            _ => {
                let is_part = |byte: &&u8| !byte.is_ascii_whitespace() && **byte != b';';
                at + text[at..].iter().take_while(is_part).count()
            }
        };
        let next = ids.len();
        let id = (byte == b'%' && end > at + 1).then(|| *ids.entry(&text[at..end]).or_insert(next));
        words.push(SpirvWord { bytes: at..end, id });
        at = end;
    }
    let count = ids.len();
    (words, count)
}
