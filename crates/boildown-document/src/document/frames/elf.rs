//! The layout of ELF files: object files, libraries and executables.
//!
//! An ELF file has a header, a table of segments, sections, and a table of sections. Sections refer
//! to each other by index, symbols to sections and names, relocations to symbols and to the bytes
//! they change. All these numbers follow from what is kept. Values in memory are not known: of an
//! executable, code and what it mentions keep their addresses only while nothing before them goes.

use std::ops::Range;

use super::layout::{DerivedNumber, DirectoryRecord, Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The positions of the fields that 32 and 64 bits have at different places.
struct Fields {
    /// The number of bytes of an offset or a size.
    wide: usize,
    program_table: usize,
    section_table: usize,
    program_count: usize,
    program_offset: usize,
    program_size: usize,
    section_offset: usize,
    section_size: usize,
    symbol_section: usize,
    symbol_value: usize,
    symbol_length: usize,
    symbol: usize,
}

const FIELDS_32: Fields = Fields {
    wide: 4,
    program_table: 28,
    section_table: 32,
    program_count: 44,
    program_offset: 4,
    program_size: 16,
    section_offset: 16,
    section_size: 20,
    symbol_section: 14,
    symbol_value: 4,
    symbol_length: 8,
    symbol: 16,
};

const FIELDS_64: Fields = Fields {
    wide: 8,
    program_table: 32,
    section_table: 40,
    program_count: 56,
    program_offset: 8,
    program_size: 32,
    section_offset: 24,
    section_size: 32,
    symbol_section: 6,
    symbol_value: 8,
    symbol_length: 16,
    symbol: 24,
};

/// The types of sections that matter here.
mod section_type {
    pub(super) const NULL: usize = 0;
    pub(super) const SYMBOLS: usize = 2;
    pub(super) const STRINGS: usize = 3;
    pub(super) const RELOCATIONS_WITH_ADDENDS: usize = 4;
    pub(super) const NO_BITS: usize = 8;
    pub(super) const RELOCATIONS: usize = 9;
    pub(super) const DYNAMIC_SYMBOLS: usize = 11;
}

/// The type of an object file: addresses in it are positions in sections.
const RELOCATABLE: usize = 1;

/// The largest number of symbols, relocations or strings that are told apart, for each section.
const MOST: usize = 1 << 14;

/// An ELF file that is being read.
struct Elf<'a> {
    bytes: &'a [u8],
    fields: Fields,
    is_little: bool,
    is_relocatable: bool,
    sections: Vec<ElfSection>,
    frames: Frames,
}

#[derive(Clone)]
struct ElfSection {
    header: Range<usize>,
    kind: usize,
    link: usize,
    info: usize,
    /// `None` without bytes in the file, or when they overlap those of a section before.
    content: Option<Range<usize>>,
}

/// Reads an ELF file; `None` when it is none, or has no table of sections.
pub(super) fn read(bytes: &[u8]) -> Option<Frames> {
    let (fields, is_little) = match bytes {
        [0x7f, b'E', b'L', b'F', class @ (1 | 2), data @ (1 | 2), ..] => {
            let fields = if *class == 1 { FIELDS_32 } else { FIELDS_64 };
            (fields, *data == 1)
        }
        _ => return None,
    };
    let mut elf = Elf {
        bytes,
        fields,
        is_little,
        is_relocatable: false,
        sections: Vec::new(),
        frames: Frames::default(),
    };
    elf.is_relocatable = elf.number(16, 2)? == RELOCATABLE;
    elf.read_sections()?;
    elf.add_sections();
    elf.add_segments();
    for section in 0..elf.sections.len() {
        match elf.sections[section].kind {
            section_type::STRINGS => elf.add_strings(section),
            section_type::SYMBOLS | section_type::DYNAMIC_SYMBOLS => elf.add_symbols(section),
            section_type::RELOCATIONS => elf.add_relocations(section, 2 * elf.fields.wide),
            section_type::RELOCATIONS_WITH_ADDENDS => {
                elf.add_relocations(section, 3 * elf.fields.wide);
            }
            _ => {}
        }
    }
    Some(elf.frames.sorted())
}

impl Elf<'_> {
    fn number(&self, at: usize, size: usize) -> Option<usize> {
        usize::try_from(self.form(size).read(self.bytes.get(at..)?)?.0).ok()
    }

    fn form(&self, size: usize) -> NumberForm {
        match self.is_little {
            true => NumberForm::Little(size),
            false => NumberForm::Big(size),
        }
    }

    fn add(&mut self, at: usize, size: usize, covers: Range<usize>, meaning: NumberMeaning) {
        let form = self.form(size);
        let at = at..at + size;
        let number = DerivedNumber {
            at,
            form,
            covers,
            meaning,
        };
        self.frames.numbers.push(number);
    }

    /// Adds a number that is the length of a range, or the distance from its start to its end.
    fn add_length(&mut self, at: usize, size: usize, covers: Range<usize>) {
        self.add(at, size, covers, NumberMeaning::Length { minus: 0 });
    }

    /// Adds an index: the number of parts before one in a table.
    fn add_index(&mut self, at: usize, size: usize, before: Range<usize>) {
        self.add(at, size, before, NumberMeaning::Count);
    }

    fn read_sections(&mut self) -> Option<()> {
        let wide = self.fields.wide;
        let start = self.number(self.fields.section_table, wide)?;
        let counts = self.fields.program_count;
        let size = self.number(counts + 2, 2)?;
        let count = self.number(counts + 4, 2)?;
        let end = start.checked_add(count.checked_mul(size)?)?;
        if count == 0 || size < 6 * wide || end > self.bytes.len() {
            return None;
        }
        let mut taken = vec![start..end];
        for header in (start..end).step_by(size).map(|at| at..at + size) {
            let kind = self.number(header.start + 4, 4)?;
            let offset = self.number(header.start + self.fields.section_offset, wide)?;
            let length = self.number(header.start + self.fields.section_size, wide)?;
            let link = header.start + self.fields.section_size + wide;
            let content = offset..offset.saturating_add(length);
            let has_bytes = !matches!(kind, section_type::NULL | section_type::NO_BITS);
            let is_free =
                |taken: &Range<usize>| content.end <= taken.start || taken.end <= content.start;
            let is_content = has_bytes
                && !content.is_empty()
                && content.end <= self.bytes.len()
                && taken.iter().all(is_free);
            if is_content {
                taken.push(content.clone());
            }
            self.sections.push(ElfSection {
                header,
                kind,
                link: self.number(link, 4)?,
                info: self.number(link + 4, 4)?,
                content: is_content.then_some(content),
            });
        }
        Some(())
    }

    /// Adds the table of sections and their contents.
    fn add_sections(&mut self) {
        let (wide, all) = (self.fields.wide, self.bytes.len());
        let table = self.table();
        self.add_length(self.fields.section_table, wide, 0..table.start);
        let counts = self.fields.program_count;
        self.add(counts + 4, 2, table, NumberMeaning::Count);
        if let Some(names) = self.number(counts + 6, 2) {
            self.add_section_index(counts + 6, 2, names);
        }
        for section in self.sections.clone() {
            let ElfSection {
                header, content, ..
            } = section;
            let at = header.start + self.fields.section_offset;
            self.frames.parts.push(header.clone());
            if let Some(offset) = self.number(at, wide).filter(|&offset| offset <= all)
                && section.kind != section_type::NULL
            {
                self.add_length(at, wide, 0..offset);
            }
            let at = header.start + self.fields.section_size;
            if let Some(content) = content {
                self.add_length(at, wide, content.clone());
                self.frames.parts.push(content.clone());
                self.frames.records.push(DirectoryRecord {
                    directory: 0,
                    record: header,
                    contents: vec![content],
                });
            }
            self.add_section_index(at + wide, 4, section.link);
            match section.kind {
                section_type::RELOCATIONS | section_type::RELOCATIONS_WITH_ADDENDS => {
                    self.add_section_index(at + wide + 4, 4, section.info);
                }
                _ => {}
            }
        }
    }

    fn table(&self) -> Range<usize> {
        let (first, last) = (self.sections.first(), self.sections.last());
        (first.zip(last)).map_or(0..0, |(first, last)| first.header.start..last.header.end)
    }

    /// Adds an index of a section. Zero says that there is none.
    fn add_section_index(&mut self, at: usize, size: usize, section: usize) {
        if let Some(header) = self
            .sections
            .get(section)
            .map(|section| section.header.start)
            && section > 0
        {
            self.add_index(at, size, self.table().start..header);
        }
    }

    /// Adds the table of segments. They hold sections, so their bytes are no parts.
    fn add_segments(&mut self) {
        let Some((start, size, count)) = self.segments() else {
            return;
        };
        let (wide, all) = (self.fields.wide, self.bytes.len());
        let table = start..start + size * count;
        self.add_length(self.fields.program_table, wide, 0..start);
        let counted = self.fields.program_count;
        self.add(counted, 2, table.clone(), NumberMeaning::Count);
        for segment in table.step_by(size) {
            self.frames.parts.push(segment..segment + size);
            let [offset, length] = [self.fields.program_offset, self.fields.program_size]
                .map(|field| (segment + field, self.number(segment + field, wide)));
            if let ((at, Some(offset)), (at_length, Some(length))) = (offset, length)
                && let Some(end) = offset.checked_add(length)
                && end <= all
            {
                self.add_length(at, wide, 0..offset);
                self.add_length(at_length, wide, offset..end);
            }
        }
    }

    fn segments(&self) -> Option<(usize, usize, usize)> {
        let start = self.number(self.fields.program_table, self.fields.wide)?;
        let size = self.number(self.fields.program_count - 2, 2)?;
        let count = self.number(self.fields.program_count, 2)?;
        let end = start.checked_add(size.checked_mul(count)?)?;
        let contents = self
            .sections
            .iter()
            .filter_map(|section| section.content.as_ref());
        let is_free = contents
            .chain([&self.table()])
            .all(|taken| end <= taken.start || taken.end <= start);
        let is_table = start > 0 && count > 0 && size >= 8 * 4 && end <= self.bytes.len();
        (is_table && is_free).then_some((start, size, count))
    }

    /// Adds the strings of a section.
    fn add_strings(&mut self, section: usize) {
        let Some(content) = self.sections[section].content.clone() else {
            return;
        };
        let text = &self.bytes[content.clone()];
        let strings = text.split_inclusive(|&byte| byte == 0);
        if strings.clone().count() > MOST {
            return;
        }
        let mut at = content.start;
        for string in strings {
            self.frames.parts.push(at..at + string.len());
            at += string.len();
        }
        // The names of sections, and of the symbols whose strings these are.
        let counts = self.fields.program_count;
        if self.number(counts + 6, 2) == Some(section) {
            for header in self.sections.clone() {
                self.add_name(header.header.start, &content);
            }
        }
        for symbols in self.sections.clone() {
            let is_user = symbols.link == section && is_symbols(symbols.kind);
            for symbol in self
                .entries(&symbols, self.fields.symbol)
                .filter(|_| is_user)
            {
                self.add_name(symbol.start, &content);
            }
        }
    }

    /// Adds the position of a name in the strings.
    fn add_name(&mut self, at: usize, strings: &Range<usize>) {
        if let Some(name) = self
            .number(at, 4)
            .filter(|&name| 0 < name && name < strings.len())
        {
            self.add_length(at, 4, strings.start..strings.start + name);
        }
    }

    /// Returns the entries of a section, if they are not too many.
    fn entries(
        &self,
        section: &ElfSection,
        size: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let content = section.content.clone();
        let content = content.filter(|content| content.len() / size <= MOST);
        let content = content.unwrap_or(0..0);
        let end = content.end;
        let entries = content.step_by(size).map(move |at| at..at + size);
        entries.take_while(move |entry| entry.end <= end)
    }

    fn add_symbols(&mut self, section: usize) {
        let section = self.sections[section].clone();
        let wide = self.fields.wide;
        let symbols: Vec<Range<usize>> = self.entries(&section, self.fields.symbol).collect();
        for symbol in &symbols {
            self.frames.parts.push(symbol.clone());
            let field = symbol.start + self.fields.symbol_section;
            let Some(holder) = self.number(field, 2) else {
                continue;
            };
            self.add_section_index(field, 2, holder);
            let content = self
                .sections
                .get(holder)
                .and_then(|holder| holder.content.clone());
            if let Some(content) = content.filter(|_| self.is_relocatable) {
                let [value, length] = [self.fields.symbol_value, self.fields.symbol_length];
                self.add_position(symbol.start + value, symbol.start + length, wide, &content);
            }
        }
        // The number of local symbols, which come first.
        if let Some(global) = symbols.get(section.info) {
            let at = section.header.start + self.fields.section_size + wide + 4;
            self.add_index(at, 4, symbols[0].start..global.start);
        }
    }

    /// Adds a position in a section, and the bytes from there as a part, if they are in it.
    fn add_position(&mut self, at: usize, at_length: usize, wide: usize, content: &Range<usize>) {
        let (Some(value), Some(length)) = (self.number(at, wide), self.number(at_length, wide))
        else {
            return;
        };
        let start = content.start.saturating_add(value);
        let end = start.saturating_add(length);
        if end <= content.end {
            self.add_length(at, wide, content.start..start);
            self.add_length(at_length, wide, start..end);
            self.frames
                .parts
                .extend((start < end).then_some(start..end));
        }
    }

    fn add_relocations(&mut self, section: usize, size: usize) {
        let section = self.sections[section].clone();
        let wide = self.fields.wide;
        let symbols = self.sections.get(section.link).cloned();
        let symbols = symbols.filter(|symbols| is_symbols(symbols.kind));
        let symbols: Vec<Range<usize>> = symbols.map_or_else(Vec::new, |symbols| {
            self.entries(&symbols, self.fields.symbol).collect()
        });
        let holder = self
            .sections
            .get(section.info)
            .and_then(|holder| holder.content.clone());
        let holder = holder.filter(|_| self.is_relocatable);
        // A relocation has a symbol and a type in one number: the symbol is in its upper part.
        let symbol_size = if wide == 8 { 4 } else { 3 };
        let before = if self.is_little {
            wide - symbol_size
        } else {
            0
        };
        for relocation in self.entries(&section, size) {
            self.frames.parts.push(relocation.clone());
            if let Some(holder) = &holder
                && let Some(offset) = self.number(relocation.start, wide)
                && offset <= holder.len()
            {
                self.add_length(relocation.start, wide, holder.start..holder.start + offset);
            }
            let at = relocation.start + wide + before;
            let symbol = self
                .number(at, symbol_size)
                .and_then(|symbol| symbols.get(symbol));
            if let Some(symbol) = symbol {
                self.add_index(at, symbol_size, symbols[0].start..symbol.start);
            }
        }
    }
}

fn is_symbols(kind: usize) -> bool {
    matches!(kind, section_type::SYMBOLS | section_type::DYNAMIC_SYMBOLS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing;
    use super::*;

    const NAMES: &[u8] = b"\0.data\0.text\0.symtab\0.names\0";

    fn number(bytes: &[u8], at: usize, size: usize) -> usize {
        let value = NumberForm::Little(size).read(&bytes[at..]);
        usize::try_from(value.expect("it is there").0).expect("it is small")
    }

    /// Returns an object file of 64 bits: data, code of two functions, symbols, names, and a
    /// relocation in the second function, which mentions itself.
    fn object() -> Vec<u8> {
        let word = |value: usize| u64::try_from(value).expect("it is small").to_le_bytes();
        let symbol = |name: u8, section: u8, value: usize, length: usize| {
            let head = [name, 0, 0, 0, 2, 0, section, 0];
            [head, word(value), word(length)].concat()
        };
        let symbols = [symbol(0, 0, 0, 0), symbol(7, 2, 0, 4), symbol(13, 2, 4, 6)];
        let relocation = [word(5), word((2 << 32) + 1), word(0)].concat();
        let contents: [(usize, u8, &[u8]); 6] = [
            (0, 0, b""),
            (1, 1, b"datadata"),
            (7, 1, b"AAAABBBBBB"),
            (13, 2, &symbols.concat()),
            (21, 3, NAMES),
            (0, 4, &relocation),
        ];
        let mut bytes = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 9], &[1, 0, 62, 0]].concat();
        bytes.resize(64, 0);
        let mut headers = Vec::new();
        for (name, kind, content) in contents {
            let start = if content.is_empty() { 0 } else { bytes.len() };
            let kind_and_name = name + (usize::from(kind) << 32);
            headers.extend([word(kind_and_name), word(0), word(0)].concat());
            headers.extend([word(start), word(content.len())].concat());
            let link = match kind {
                2 => 4 + (1 << 32),
                4 => 3 + (2 << 32),
                _ => 0,
            };
            headers.extend([word(link), [0; 8], [0; 8]].concat());
            bytes.extend(content);
        }
        let table = bytes.len();
        bytes[40..48].copy_from_slice(&word(table));
        bytes[58..64].copy_from_slice(&[64, 0, 6, 0, 4, 0]);
        bytes.extend(headers);
        bytes
    }

    /// Returns the object without the parts that are these bytes.
    fn without(gone: &[&[u8]]) -> Vec<u8> {
        let bytes = object();
        let frames = read(&bytes).expect("it is an ELF file");
        testing::without(&bytes, frames, |part| gone.contains(&&bytes[part.clone()]))
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_read_or_refused(
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
            length in 0_usize..1000,
        ) {
            testing::check_damaged(&object(), &damage, length, read);
        }
    }

    #[test]
    fn all_parts_kept_are_the_file() {
        assert_eq!(without(&[]), object());
    }

    #[test]
    fn a_section_goes_with_its_header_and_indices_follow() {
        let bytes = object();
        let table = number(&bytes, 40, 8);
        let out = without(&[b"datadata", &bytes[table + 64..table + 128]]);
        let table = number(&out, 40, 8);
        assert_eq!(out.len(), table + 5 * 64);
        assert_eq!(number(&out, 60, 2), 5, "the number of sections");
        assert_eq!(number(&out, 62, 2), 3, "the section of names");
        let code = number(&out, table + 64 + 24, 8);
        assert_eq!(&out[code..code + 10], b"AAAABBBBBB");
        let symbols = number(&out, table + 128 + 24, 8);
        assert_eq!(
            number(&out, symbols + 24 + 6, 2),
            1,
            "the section of a symbol"
        );
        assert_eq!(
            number(&out, table + 128 + 40, 4),
            3,
            "the names of the symbols"
        );
    }

    #[test]
    fn a_function_goes_and_the_symbols_after_it_move() {
        let out = without(&[b"AAAA"]);
        let table = number(&out, 40, 8);
        let symbols = number(&out, table + 192 + 24, 8);
        assert_eq!(
            number(&out, table + 128 + 32, 8),
            6,
            "the length of the code"
        );
        assert_eq!(
            number(&out, symbols + 24 + 16, 8),
            0,
            "the length of the function"
        );
        assert_eq!(
            number(&out, symbols + 48 + 8, 8),
            0,
            "the position of the other"
        );
    }

    #[test]
    fn a_relocation_follows_the_code_and_the_symbol() {
        let bytes = object();
        let symbols = bytes.len() - 6 * 64 - 24 - NAMES.len() - 3 * 24;
        let out = without(&[b"AAAA", &bytes[symbols + 24..symbols + 48]]);
        let table = number(&out, 40, 8);
        let relocation = number(&out, table + 5 * 64 + 24, 8);
        assert_eq!(number(&out, relocation, 8), 1, "the position in the code");
        assert_eq!(number(&out, relocation + 12, 4), 1, "the symbol");
    }

    #[test]
    fn a_segment_has_the_bytes_that_are_left() {
        let mut bytes = object();
        let segments = bytes.len();
        bytes[32] = u8::try_from(segments % 256).expect("it is a byte");
        bytes[33] = u8::try_from(segments / 256).expect("it is a byte");
        bytes[54..58].copy_from_slice(&[56, 0, 1, 0]);
        let data = bytes.windows(8).position(|window| window == b"datadata");
        let data = u64::try_from(data.expect("it is there")).expect("it is small");
        let length = u64::try_from(8 + 10).expect("it is small");
        let fields = [1, data, 0, 0, length, length, 1].map(u64::to_le_bytes);
        bytes.extend(fields.concat());
        let frames = read(&bytes).expect("it is an ELF file");
        let out = testing::without(&bytes, frames, |part| bytes[part.clone()] == *b"AAAA");
        let segments = number(&out, 32, 8);
        assert_eq!(segments, out.len() - 56);
        assert_eq!(number(&out, segments + 32, 8), 8 + 6);
    }

    #[test]
    fn a_name_goes_and_the_names_after_it_move() {
        let out = without(&[b".data\0"]);
        let table = number(&out, 40, 8);
        let names = number(&out, table + 256 + 24, 8);
        let name = names + number(&out, table + 128, 4);
        assert_eq!(&out[name..name + 5], b".text");
    }
}
