//! `TSLanguage`, the C structure of a grammar, and its packed tables.
//!
//! The tables of all grammars take 100 MB, and a tenth of that when they are compressed. On Linux
//! they are compiled with `.ci/packing-cc`, which puts a header and a gzip member in the place of
//! each table. [`language`] decompresses the tables of a grammar at its first use. Other builds
//! have plain tables, and [`language`] returns the grammar as it is.
#![expect(
    unsafe_code,
    reason = "a grammar is a C structure with pointers to tables"
)]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_uint, c_void};
use std::mem::offset_of;
use std::sync::{Mutex, PoisonError};
use std::{ptr, slice};

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use tree_sitter_language::LanguageFn;

/// The newest version of [`GeneratedGrammar`] that is known here.
pub(super) const VERSION: u32 = 15;

/// `TSLanguage` of tree-sitter's `parser.h`. Grammars of older versions have fewer members.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct GeneratedGrammar {
    version: u32,
    counts: [u32; 8],
    max_alias_sequence_length: u16,
    parse_table: *const u8,
    small_parse_table: *const u8,
    small_parse_table_map: *const c_void,
    parse_actions: *const u8,
    tables: [*const c_void; 11],
    keyword_capture_token: u16,
    pub(super) scanner: Scanner,
    primary_state_ids: *const c_void,
    name: *const c_char,
    reserved_words: *const c_void,
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertypes: [*const c_void; 3],
    metadata: [u8; 3],
}

/// The member `external_scanner` of [`GeneratedGrammar`].
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Scanner {
    states: *const bool,
    symbol_map: *const u16,
    create: Option<unsafe extern "C" fn() -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    pub(super) scan: Option<ScanFunction>,
    serialize: Option<unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint>,
    deserialize: Option<unsafe extern "C" fn(*mut c_void, *const c_char, c_uint)>,
}

pub(super) type ScanFunction = unsafe extern "C" fn(*mut c_void, *mut Lexer, *const bool) -> bool;

/// `TSLexer` of tree-sitter's `parser.h`.
#[repr(C)]
pub(super) struct Lexer {
    pub(super) lookahead: i32,
    result_symbol: u16,
    pub(super) advance: Option<Advance>,
    mark_end: Option<unsafe extern "C" fn(*mut Self)>,
    get_column: Option<unsafe extern "C" fn(*mut Self) -> u32>,
    is_at_included_range_start: Option<unsafe extern "C" fn(*const Self) -> bool>,
    pub(super) eof: Option<unsafe extern "C" fn(*const Self) -> bool>,
}

pub(super) type Advance = unsafe extern "C" fn(*mut Lexer, bool);

// SAFETY: the structure and what it points to are never written.
unsafe impl Sync for GeneratedGrammar {}
// SAFETY: as above.
unsafe impl Send for GeneratedGrammar {}

/// Copies of grammars with packed tables, by the address of the grammar.
static UNPACKED: Mutex<BTreeMap<usize, &'static GeneratedGrammar>> = Mutex::new(BTreeMap::new());

/// Returns the language of `function`, with tables that tree-sitter can read.
pub(super) fn language(function: LanguageFn) -> tree_sitter::Language {
    // SAFETY: the function is generated, without arguments, and returns a constant.
    let grammar = unsafe { function.into_raw()() }.cast::<GeneratedGrammar>();
    // SAFETY: every version of the structure has these members.
    let tables = unsafe { [(*grammar).parse_table, (*grammar).small_parse_table] };
    // SAFETY: the tables are constants.
    let packed = unsafe { tables.iter().any(|table| is_packed(*table)) };
    let grammar = if packed {
        let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as above.
        let copy = unpacked
            .entry(grammar.addr())
            .or_insert_with(|| Box::leak(Box::new(unsafe { with_plain_tables(grammar) })));
        ptr::from_ref(*copy)
    } else {
        grammar
    };
    // SAFETY: the pointer is not null, and what it points to is never freed.
    unsafe { tree_sitter::Language::from_raw(grammar.cast()) }
}

/// The bytes before the compressed ones: the mark, and both lengths as twelve digits each.
const HEADER: usize = 40;

/// The first bytes of a packed table. A table that is plain starts with a number below 256, which
/// is the first action of the first state, or with the number of groups of a state.
const MARK: &[u8; 13] = b"packed table:";

/// The header of gzip itself, without a file name.
const GZIP: usize = 10;

/// Whether the table starts with [`MARK`].
///
/// # Safety
/// `table` is null or points to a plain or packed table.
unsafe fn is_packed(table: *const u8) -> bool {
    // A plain table may be shorter than the mark: its bytes are read until one differs.
    // SAFETY: see above.
    let byte = |at| unsafe { *table.add(at) };
    !table.is_null() && (0..MARK.len()).all(|at| byte(at) == MARK[at])
}

/// Copies a grammar, with packed tables decompressed.
///
/// # Safety
/// `grammar` points to a generated grammar.
unsafe fn with_plain_tables(grammar: *const GeneratedGrammar) -> GeneratedGrammar {
    // SAFETY: the structure starts with its version.
    let mut copy = unsafe { copy(grammar) };
    for table in [
        &mut copy.parse_table,
        &mut copy.small_parse_table,
        &mut copy.parse_actions,
    ] {
        // SAFETY: the tables are constants.
        if unsafe { is_packed(*table) } {
            // SAFETY: a packed table starts with its header, which has the length of the rest.
            let packed = unsafe {
                let header = slice::from_raw_parts(*table, HEADER);
                slice::from_raw_parts(*table, HEADER + number(&header[26..38]))
            };
            *table = unpack(packed).leak().as_ptr().cast();
        }
    }
    copy
}

/// Copies the members that the version of the grammar has. The others are null and 0.
///
/// # Safety
/// `grammar` points to a generated grammar.
///
/// # Panics
/// Panics if the version is not known.
pub(super) unsafe fn copy(grammar: *const GeneratedGrammar) -> GeneratedGrammar {
    // SAFETY: the structure starts with its version.
    let version = unsafe { (*grammar).version };
    let size = match version {
        13 => offset_of!(GeneratedGrammar, primary_state_ids),
        14 => offset_of!(GeneratedGrammar, name),
        VERSION => size_of::<GeneratedGrammar>(),
        _ => panic!("grammars of version {version} have another form"),
    };
    // SAFETY: every member may be null or 0.
    let mut copy: GeneratedGrammar = unsafe { std::mem::zeroed() };
    let bytes = ptr::from_mut(&mut copy).cast::<u8>();
    // SAFETY: a grammar of that version has this size, and a copy has at least that size.
    unsafe { ptr::copy_nonoverlapping(grammar.cast::<u8>(), bytes, size) };
    copy
}

/// Reads a number of decimal digits.
fn number(digits: &[u8]) -> usize {
    digits
        .iter()
        .fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
}

/// Decompresses a packed table. Cells have two bytes, or members of two bytes.
///
/// # Panics
/// Panics if the table is damaged, which a build checks.
fn unpack(packed: &[u8]) -> Vec<u16> {
    let mut plain = vec![0; number(&packed[MARK.len()..25])];
    let deflated = &packed[HEADER + GZIP..];
    let length = decompress_slice_iter_to_slice(&mut plain, [deflated].into_iter(), false, true);
    assert_eq!(length, Ok(plain.len()), "a table of a grammar is damaged");
    plain
        .chunks_exact(2)
        .map(|cell| u16::from_ne_bytes([cell[0], cell[1]]))
        .collect()
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;

    use super::*;
    use crate::Language;
    use crate::languages::samples;

    /// Packs cells as the build does.
    fn pack(cells: &[u16]) -> Vec<u8> {
        let plain: Vec<u8> = cells.iter().flat_map(|cell| cell.to_ne_bytes()).collect();
        let deflated = compress_to_vec(&plain, 6);
        let gzip = GZIP + deflated.len();
        let mut packed = format!("packed table:{:012}:{gzip:012}\n\n", plain.len()).into_bytes();
        packed.extend([0; GZIP]);
        packed.extend(deflated);
        packed
    }

    #[test]
    fn a_packed_table_is_decompressed_and_a_plain_one_is_not_packed() {
        let cells: Vec<u16> = (0..5000).map(|cell| cell % 300 / 7).collect();
        let packed = pack(&cells);
        assert!(packed.len() < 2 * cells.len());
        assert_eq!(unpack(&packed), cells);
        // SAFETY: both are tables.
        unsafe {
            assert!(is_packed(packed.as_ptr()));
            assert!(!is_packed(cells.as_ptr().cast()));
            assert!(!is_packed(ptr::null()));
        }
    }

    #[test]
    fn every_grammar_can_be_copied() {
        for language in Language::all() {
            let whole = language.grammar();
            // SAFETY: the pointer is that of a grammar.
            let copy = unsafe { copy(whole.clone().into_raw().cast()) };
            // SAFETY: the copy outlives its use.
            let copied = unsafe { tree_sitter::Language::from_raw(ptr::from_ref(&copy).cast()) };
            assert_eq!(copied.abi_version(), whole.abi_version());
            let Some((_, text)) = samples::all().find(|(name, _)| *name == language.name) else {
                continue;
            };
            let tree = |language| {
                let mut parser = tree_sitter::Parser::new();
                parser.set_language(language).expect("the versions fit");
                let tree = parser.parse(text, None).expect("there is no limit");
                tree.root_node().to_sexp()
            };
            assert_eq!(tree(&copied), tree(&whole), "{}", language.name);
        }
    }
}
