//! Large arrays in host memory, on huge pages if the system has them. Pages are mapped when first
//! touched, which on some machines takes as long as the first steps if pages are 4 KiB.

/// Minimum array size (bytes) for huge pages to be worthwhile: a few huge pages.
const LARGE: usize = 8 << 20;

/// Allocates `count` zeros, whose memory is mapped on first touch.
pub fn zeros<T: Copy + Default>(count: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); count];
    on_large_pages(&mut zeros);
    zeros
}

/// Asks the system to map the untouched pages of an array as huge pages. The contents do not
/// change, whether or not the system complies.
pub fn on_large_pages<T>(array: &mut Vec<T>) {
    let bytes = array.capacity() * size_of::<T>();
    if bytes < LARGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        // SAFETY: `sysconf` only returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = array.as_mut_ptr() as usize;
        let (first, end) = (start.next_multiple_of(page), (start + bytes) / page * page);
        // SAFETY: the range consists of whole pages of the array, and this advice does not change
        // their contents. A system without huge pages returns an error, which is harmless.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays() {
        let count = LARGE / 4 + 777;
        assert!(zeros::<u32>(count).iter().all(|bits| *bits == 0));
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        on_large_pages(&mut numbers);
        assert!(numbers.iter().enumerate().all(|(at, number)| *number == at as u32));
        assert_eq!(zeros::<u8>(3), [0; 3]);
    }
}
