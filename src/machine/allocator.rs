//! The program's allocator: if memory runs out, the program ends with an ordinary error message
//! instead of an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;

thread_local! {
    /// Set while this thread handles failed allocations itself.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Exit code of a failed run.
const FAILED: i32 = 1;

/// The system's allocator, except that a failed allocation ends the process unless it happens
/// inside [`may_fail`].
pub struct AbortingAllocator;

/// Runs a closure that handles failed allocations itself.
pub fn may_fail<T>(what: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let made = what();
    MAY_FAIL.set(before);
    made
}

// SAFETY: every call is forwarded to the system allocator with the caller's arguments. A null
// pointer is returned as it is, or the process ends.
unsafe impl GlobalAlloc for AbortingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller meets the contract of `GlobalAlloc::alloc`, which is also that of
        // `System`.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller meets the contract of `GlobalAlloc::alloc_zeroed`.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller meets the contract of `GlobalAlloc::realloc`; `System` allocated the
        // memory.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller meets the contract of `GlobalAlloc::dealloc`; `System` allocated the
        // memory.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn or_end(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && !MAY_FAIL.try_with(Cell::get).unwrap_or(false) {
        end(size);
    }
    memory
}

#[cold]
fn end(size: usize) -> ! {
    // Writing to a slice does not allocate.
    let mut text = [0u8; 256];
    let mut left = &mut text[..];
    let _ = writeln!(
        left,
        "error: out of memory: the system refused {size} more bytes\n  hint: raise the memory limit (ulimit -v, the job's memory), use fewer --threads, or cut the DEM"
    );
    let length = 256 - left.len();
    #[cfg(unix)]
    // SAFETY: the pointer and length describe a part of a local buffer. `_exit` runs
    // no clean-up that could need memory.
    unsafe {
        libc::write(2, text.as_ptr().cast(), length);
        libc::_exit(FAILED)
    }
    #[cfg(not(unix))]
    std::process::exit(FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_an_answer_is_refused() {
        let huge = Layout::from_size_align(isize::MAX as usize / 2, 8).unwrap();
        // SAFETY: the layout has a nonzero size, and the null pointer is not dereferenced.
        assert!(may_fail(|| unsafe { AbortingAllocator.alloc(huge) }).is_null());
        assert!(!MAY_FAIL.get());
    }
}
