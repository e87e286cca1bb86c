//! The allocators of the program, which count: the one of Rust, and that of tree-sitter on top.
#![expect(
    unsafe_code,
    reason = "allocators are unsafe traits and functions of C"
)]

use std::alloc::{GlobalAlloc, Layout, System, alloc, dealloc};
use std::ffi::c_void;
use std::ops::Sub;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Allocations so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// How many there were.
    pub(crate) allocations: usize,
    /// Their bytes in all.
    pub(crate) bytes: usize,
    /// The most bytes that were allocated at the same time.
    pub(crate) most: usize,
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

impl Counts {
    /// Returns the counts so far.
    pub(crate) fn now() -> Self {
        Self {
            allocations: ALLOCATIONS.load(Relaxed),
            bytes: BYTES.load(Relaxed),
            most: MOST.load(Relaxed),
        }
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            allocations: self.allocations - before.allocations,
            bytes: self.bytes - before.bytes,
            most: self.most - before.most,
        }
    }
}

/// Returns what a computation allocates: the most is that above what was allocated before.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, Counts) {
    let live = LIVE.load(Relaxed);
    MOST.store(live, Relaxed);
    let before = Counts::now();
    let result = work();
    (result, Counts::now() - before)
}

fn count(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes, Relaxed);
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(live, Relaxed);
}

// SAFETY: all is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        count(size);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// The bytes before each allocation of the parsers, which hold its size.
const HEADER: usize = 16;

/// Lets the parsers allocate here.
pub(crate) fn count_parsers() {
    let counting = tree_sitter::Allocator {
        malloc: parser_malloc,
        calloc: parser_calloc,
        realloc: parser_realloc,
        free: parser_free,
    };
    // SAFETY: its tests run alone, and call this before anything is parsed.
    unsafe { tree_sitter::set_allocator(Some(counting)) };
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size + HEADER, HEADER).expect("parsers need no such sizes")
}

unsafe extern "C" fn parser_malloc(size: usize) -> *mut c_void {
    // SAFETY: the size is not 0, and the header is within it.
    unsafe {
        let memory = alloc(layout(size));
        memory.cast::<usize>().write(size);
        memory.add(HEADER).cast()
    }
}

unsafe extern "C" fn parser_calloc(items: usize, size: usize) -> *mut c_void {
    // SAFETY: these bytes were allocated right before.
    unsafe {
        let memory = parser_malloc(items * size);
        memory.cast::<u8>().write_bytes(0, items * size);
        memory
    }
}

unsafe extern "C" fn parser_realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() {
        // SAFETY: any size is allowed.
        return unsafe { parser_malloc(size) };
    }
    // SAFETY: tree-sitter passes what it got from these functions, so there is a header.
    unsafe {
        let before = memory.cast::<u8>().sub(HEADER);
        let old = before.cast::<usize>().read();
        let memory = std::alloc::realloc(before, layout(old), size + HEADER);
        memory.cast::<usize>().write(size);
        memory.add(HEADER).cast()
    }
}

unsafe extern "C" fn parser_free(memory: *mut c_void) {
    if !memory.is_null() {
        // SAFETY: tree-sitter passes what it got from these functions, so there is a header.
        unsafe {
            let before = memory.cast::<u8>().sub(HEADER);
            dealloc(before, layout(before.cast::<usize>().read()));
        }
    }
}
