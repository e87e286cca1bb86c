//! Pointer types that name what they point to, written as `ptr`: `ptr` for `i8*` and for
//! `void (i32)**`. The view then finds values of the same type more often, and types that only
//! pointers named are needed no more.

use std::ops::Range;

use super::words::{IrWord, WordSort, words};

/// Returns a module with `ptr` for all types of pointers. `None` if there is no other one, or if
/// one of them cannot be read.
///
/// Constants that only give a pointer another type become that pointer.
pub(crate) fn with_opaque_pointers(bytes: &[u8]) -> Option<Vec<u8>> {
    let words = IrWords::new(bytes);
    let edits = words.pointer_types()?;
    let text = words.write(&edits);
    let words = IrWords::new(&text);
    Some(words.write(&words.casts()))
}

/// Words in the place of which a text is written.
struct WordEdit {
    words: Range<usize>,
    text: Vec<u8>,
}

struct IrWords<'a> {
    bytes: &'a [u8],
    words: Vec<IrWord>,
}

impl<'a> IrWords<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            words: words(bytes),
        }
    }

    /// Returns the word that opens the bracket which a word closes; the word itself for others.
    fn opening(&self, word: usize) -> usize {
        self.words[word].partner.min(word)
    }

    fn text(&self, word: usize) -> &'a [u8] {
        (self.words.get(word)).map_or(b"", |word| &self.bytes[word.bytes.clone()])
    }

    /// Returns the edits that make all types of pointers `ptr`; `None` if there are none.
    fn pointer_types(&self) -> Option<Vec<WordEdit>> {
        let mut edits: Vec<WordEdit> = Vec::new();
        let mut written_from = self.words.len();
        for star in (0..self.words.len()).rev() {
            // A star further left may belong to a type that is written already.
            if star >= written_from || self.text(star) != b"*" {
                continue;
            }
            let start = self.type_start(star)?;
            let space = self.address_space(star.checked_sub(1)?);
            let mut text = b"ptr".to_vec();
            if let Some(space) = space {
                text.push(b' ');
                (space..star).for_each(|word| text.extend_from_slice(self.text(word)));
            }
            edits.push(WordEdit {
                words: start..star + 1,
                text,
            });
            written_from = start;
        }
        edits.reverse();
        (!edits.is_empty()).then_some(edits)
    }

    /// Returns the first word of the type that ends with a word.
    fn type_start(&self, last: usize) -> Option<usize> {
        let mut last = last;
        loop {
            match self.text(last) {
                b"*" => {
                    last = last.checked_sub(1)?;
                    if let Some(space) = self.address_space(last) {
                        last = space.checked_sub(1)?;
                    }
                }
                // The parameters of a function.
                b")" => last = self.opening(last).checked_sub(1)?,
                b"]" | b"}" | b">" => return Some(self.opening(last)),
                _ if matches!(self.words[last].sort, WordSort::Local | WordSort::Other) => {
                    return Some(last);
                }
                _ => return None,
            }
        }
    }

    /// Returns the first word of the address space that ends with a word.
    fn address_space(&self, last: usize) -> Option<usize> {
        let first = self.opening(last).checked_sub(1)?;
        (self.text(first) == b"addrspace" && self.text(last) == b")").then_some(first)
    }

    /// Returns the edits that leave only the pointers of casts from `ptr` to `ptr`, and of the
    /// addresses of first elements.
    fn casts(&self) -> Vec<WordEdit> {
        let mut edits = Vec::new();
        for index in 0..self.words.len() {
            let open = match (self.text(index), self.text(index + 1)) {
                (b"bitcast", _) | (b"getelementptr", b"(") => index + 1,
                (b"getelementptr", b"inbounds") => index + 2,
                _ => continue,
            };
            if self.text(open) != b"(" {
                continue;
            }
            let close = self.words[open].partner;
            let value = match self.text(index) {
                b"bitcast" => self.value_of_cast(open, close),
                _ => self.value_of_address(open, close),
            };
            let Some(value) = value else {
                continue;
            };
            for words in [index..value.start, value.end..close + 1] {
                edits.push(WordEdit {
                    words,
                    text: Vec::new(),
                });
            }
        }
        edits.sort_by_key(|edit| edit.words.start);
        edits
    }

    /// Returns the value in the brackets of a cast that changes nothing.
    fn value_of_cast(&self, open: usize, close: usize) -> Option<Range<usize>> {
        let to = close.checked_sub(2)?;
        let is_same = self.text(open + 1) == b"ptr"
            && self.text(open + 2) != b"addrspace"
            && self.text(to) == b"to"
            && self.text(close - 1) == b"ptr";
        (is_same && open + 2 < to).then_some(open + 2..to)
    }

    /// Returns the pointer in the brackets of an address whose indices are all zero.
    fn value_of_address(&self, open: usize, close: usize) -> Option<Range<usize>> {
        let mut commas = Vec::new();
        let mut at = open + 1;
        while at < close {
            match self.words[at].sort {
                WordSort::Open => at = self.words[at].partner,
                WordSort::Comma => commas.push(at),
                _ => {}
            }
            at += 1;
        }
        let (&first, &second) = (commas.first()?, commas.get(1)?);
        let ends = commas[2..].iter().copied().chain([close]);
        let is_zero = (commas[1..].iter())
            .zip(ends)
            .all(|(&comma, end)| end == comma + 3 && self.text(comma + 2) == b"0");
        let is_plain = self.text(first + 1) == b"ptr" && self.text(first + 2) != b"addrspace";
        (is_zero && is_plain && first + 2 < second).then_some(first + 2..second)
    }

    /// Writes the text with ascending, disjoint edits.
    fn write(&self, edits: &[WordEdit]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        for edit in edits.iter().filter(|edit| !edit.words.is_empty()) {
            // What is deleted goes with the space before it.
            let start = match edit.words.start.checked_sub(1) {
                Some(before) if edit.text.is_empty() => self.words[before].bytes.end,
                _ => self.words[edit.words.start].bytes.start,
            };
            let end = self.words[edit.words.end - 1].bytes.end;
            out.extend_from_slice(&self.bytes[at..start]);
            out.extend_from_slice(&edit.text);
            at = end;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::with_opaque_pointers;

    #[track_caller]
    fn check(input: &str, expect: &str) {
        let text = with_opaque_pointers(input.as_bytes());
        let text = text.map(|text| String::from_utf8(text).unwrap());
        assert_eq!(text.as_deref(), Some(expect));
    }

    #[test]
    fn pointers_to_types_become_ptr() {
        check("%2 = load i8*, i8** %1", "%2 = load ptr, ptr %1");
        check(
            "define %s* @f([4 x i8]* %0, {i8*, i8}* %1)",
            "define ptr @f(ptr %0, ptr %1)",
        );
        check(
            "@p = external global i32 (i8*, ...)*",
            "@p = external global ptr",
        );
        check(
            "@p = external global void ()* (i8)*",
            "@p = external global ptr",
        );
        check("declare i32 @f(i8*, ...)", "declare i32 @f(ptr, ...)");
    }

    #[test]
    fn pointers_keep_their_address_space() {
        check(
            "load i8, i8 addrspace(1)* %0",
            "load i8, ptr addrspace(1) %0",
        );
        check(
            "load i8, i8 addrspace(1)* addrspace(3)* %0",
            "load i8, ptr addrspace(3) %0",
        );
        check("load i8, i8 addrspace(1)** %0", "load i8, ptr %0");
    }

    #[test]
    fn constants_that_change_only_the_type_become_their_pointer() {
        check("ret i8* bitcast (i32* @a to i8*)", "ret ptr @a");
        check(
            "ret i8* bitcast (i32* bitcast ([2 x i32]* @a to i32*) to i8*)",
            "ret ptr @a",
        );
        check(
            "ret i8* getelementptr inbounds ([4 x i8], [4 x i8]* @a, i64 0, i64 0)",
            "ret ptr @a",
        );
        check(
            "ret i8* getelementptr ([4 x i8], [4 x i8]* @a, i64 0, i64 1)",
            "ret ptr getelementptr ([4 x i8], ptr @a, i64 0, i64 1)",
        );
    }

    #[test]
    fn modules_without_other_pointers_stay() {
        assert_eq!(with_opaque_pointers(b"load i8, ptr %0 ; i8*"), None);
        assert_eq!(with_opaque_pointers(b"@a = global [2 x i8] c\"**\""), None);
    }
}
