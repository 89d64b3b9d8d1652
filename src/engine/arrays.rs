//! Large arrays in the host's memory, on large pages where the system has them: a page is brought in when its first number is
//! touched, and on some machines that takes, in pages of 4 KiB, as long as the first steps.

/// Bytes from which on an array is worth it: a few large pages.
const LARGE: usize = 8 << 20;

/// So many zeros, which take memory as they are touched.
pub fn zeros<T: Copy + Default>(count: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); count];
    on_large_pages(&mut zeros);
    zeros
}

/// Asks the system to have an array on large pages, those of its pages that nothing has touched yet. The contents stay what they
/// are, whatever the system says.
pub fn on_large_pages<T>(array: &mut Vec<T>) {
    let bytes = array.capacity() * size_of::<T>();
    if bytes < LARGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        // SAFETY: it only asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = array.as_mut_ptr() as usize;
        let (first, end) = (start.next_multiple_of(page), (start + bytes) / page * page);
        // SAFETY: whole pages of the array, and advice on how they lie changes nothing in them. Where the system has no large
        // pages it is an error, and nothing is lost.
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
