//! Allocations of the parser: the measure of its work while it recovers from errors.
#![expect(
    unsafe_code,
    reason = "tree-sitter's allocator is set for the whole process, and made of C functions"
)]

use std::cell::Cell;
use std::ffi::c_void;

use tree_sitter::{Allocator, set_allocator};

// The functions of the C library that tree-sitter itself calls by default.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(items: usize, size: usize) -> *mut c_void;
    fn realloc(memory: *mut c_void, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

thread_local! {
    /// The allocations of tree-sitter on this thread so far.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Returns how often tree-sitter has allocated memory on this thread; always 0 before
/// [`count_parser_allocations`] was called.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Lets parsers give up texts on which error recovery takes too long, by the number of allocations
/// that it makes: seconds become hundredths of a second.
///
/// Called once, at the start of a program. Without it such texts are parsed to the end, and results
/// differ for those inputs only.
///
/// tree-sitter's allocator is set for the whole process, to the functions of the C library with a
/// counter.
///
/// # Safety
/// The process has not used tree-sitter before, and no other thread uses it during the call.
pub unsafe fn count_parser_allocations() {
    let counting = Allocator {
        malloc: counted_malloc,
        calloc: counted_calloc,
        realloc: counted_realloc,
        free,
    };
    // SAFETY: the four functions belong together, being those of the C library apart from the
    // counter, and return no null pointer; the caller sees to the rest.
    unsafe { set_allocator(Some(counting)) };
}

/// Counts an allocation. Ends the process when there was no memory, as tree-sitter's default does:
/// it does not check.
fn counted(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() && size > 0 {
        std::process::abort();
    }
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    memory
}

unsafe extern "C" fn counted_malloc(size: usize) -> *mut c_void {
    // SAFETY: any size is allowed.
    counted(unsafe { malloc(size) }, size)
}

unsafe extern "C" fn counted_calloc(items: usize, size: usize) -> *mut c_void {
    // SAFETY: any number and size is allowed.
    counted(unsafe { calloc(items, size) }, items * size)
}

unsafe extern "C" fn counted_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: tree-sitter passes what it got from these functions.
    counted(unsafe { realloc(memory, size) }, size)
}
