//! The allocator of the program: where no memory is left it ends with an error as any other, not with an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;

thread_local! {
    /// Whether this thread has an answer to memory that is refused.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// The exit code of a run that failed.
const FAILED: i32 = 1;

/// The system's allocator, but that it never fails those who have no answer to it.
pub struct OrEnd;

/// Does something that has an answer to memory that is refused.
pub fn may_fail<T>(what: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let made = what();
    MAY_FAIL.set(before);
    made
}

// SAFETY: every call is the system allocator's; what it refuses is handed on, or the process ends.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn or_end(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && !MAY_FAIL.try_with(Cell::get).unwrap_or(false) {
        end(size);
    }
    memory
}

/// A text that needs no memory but its own.
struct Text {
    bytes: [u8; 256],
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> std::fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + more.len());
        room.ok_or(std::fmt::Error)?.copy_from_slice(more.as_bytes());
        self.length += more.len();
        Ok(())
    }
}

#[cold]
fn end(size: usize) -> ! {
    let mut text = Text { bytes: [0; 256], length: 0 };
    let _ = writeln!(
        text,
        "error: the memory is full: the system refused {size} bytes more\n  hint: leave more to it (ulimit -v, the job's memory), give it fewer --threads, or cut the DEM"
    );
    #[cfg(unix)]
    // SAFETY: the text is there; nothing is left to be done that could go without memory.
    unsafe {
        libc::write(2, text.bytes.as_ptr().cast(), text.length);
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
        // SAFETY: the layout has a size, and what is refused is not used.
        assert!(may_fail(|| unsafe { OrEnd.alloc(huge) }).is_null());
        assert!(!MAY_FAIL.get());
    }
}
