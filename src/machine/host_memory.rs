//! Host memory available to this process, checked before large allocations.

use super::allocator::may_fail;
use crate::engine::arrays::on_large_pages;
use crate::engine::field::Word;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::units::show_bytes;
use std::alloc::{Layout, alloc_zeroed};
use std::fs;
use std::path::{Path, PathBuf};

/// Address space that a run needs in addition to its rasters (bytes).
const BASE: u64 = 96 << 20;
/// Address space that each thread needs, mostly for its stack (bytes).
const PER_THREAD: u64 = 24 << 20;

/// Memory available to this process, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRoom {
    /// Available memory, including what the process already uses (bytes).
    pub bytes: u64,
    /// The limit that applies, for messages.
    pub why: &'static str,
}

/// Returns the memory available to this process: the minimum of the machine's available memory, the
/// limits of its control groups, and the limits on its address space. `None` if none of these is
/// known.
pub fn room() -> Option<HostRoom> {
    let (size, resident) = own()?;
    let room = |bytes: u64, why| HostRoom { bytes: bytes.saturating_add(resident), why };
    let all = [
        machine().map(|free| room(free, "on this machine")),
        control_groups().map(|free| room(free, "left in its control group")),
        // Compared with the address space in use, part of which is reserved but never filled.
        limit(size).map(|free| room(free, "below the limit of ulimit -v")),
    ];
    all.into_iter().flatten().min_by_key(|room| room.bytes)
}

/// Allocates a vector of `count` copies of a value; `None` if there is not enough memory.
pub fn filled<T: Copy>(value: T, count: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    may_fail(|| all.try_reserve_exact(count)).ok()?;
    on_large_pages(&mut all);
    all.resize(count, value);
    Some(all)
}

/// Allocates a vector of `count` zeros, whose memory is committed on first write; `None` if there
/// is not enough memory.
pub fn zeros<T: Word>(count: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a nonzero size; all bits 0 are a valid number, and a vector of `count`
    // numbers has this layout.
    unsafe {
        let first: *mut T = may_fail(|| alloc_zeroed(layout)).cast();
        (!first.is_null()).then(|| {
            let mut zeros = Vec::from_raw_parts(first, count, count);
            on_large_pages(&mut zeros);
            zeros
        })
    }
}

/// Makes the allocator keep freed memory for later allocations, within bounds. GDAL allocates and
/// frees a block of a raster thousands of times, and each time the system would have to clear it
/// again.
pub fn keep_what_is_given_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` only sets allocator options, and no other threads exist yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
        // Otherwise each thread reserves 64 MiB of address space before its first allocation.
        if limit(0).is_some() {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

/// Checks that a limit on the address space leaves enough for a number of threads.
///
/// # Errors
/// If it does not: the run would wait forever for threads that cannot start.
pub fn check_address_space(threads: usize) -> Result<()> {
    let Some(left) = own().and_then(|(size, _)| limit(size)) else { return Ok(()) };
    let needed = BASE + (threads as u64).saturating_mul(PER_THREAD);
    if left >= needed {
        return Ok(());
    }
    let what = format!(
        "ulimit -v leaves {} of address space, but {} needs {} in addition to its rasters",
        show_bytes(left),
        match threads {
            1 => "a run on one thread".to_string(),
            threads => format!("a run on {threads} threads"),
        },
        show_bytes(needed)
    );
    Err(Error::input(what).hint("raise the limit (ulimit -v), or use fewer --threads"))
}

/// Returns the memory that is free for this process now (bytes); `None` if unknown.
pub fn free() -> Option<u64> {
    let (_, resident) = own()?;
    room().map(|room| room.bytes.saturating_sub(resident))
}

/// Returns the error for a DEM that needs more memory (bytes) than is available, with the commands
/// that make the DEM smaller.
pub fn too_large(dem: &str, grid: &Grid, needed: u64) -> Error {
    let Grid { columns, rows, .. } = *grid;
    let there = match room() {
        Some(HostRoom { bytes, why }) => format!("there are {} {why}", show_bytes(bytes)),
        None => "that much is not available".into(),
    };
    let needed = show_bytes(needed);
    Error::input(format!(
        "dem: '{dem}' has {columns} × {rows} cells (columns × rows): a run needs about {needed} of memory, but {there}"
    ))
    .hint(how_to_cut(dem))
}

/// Explains how to make a raster smaller.
pub fn how_to_cut(path: &str) -> String {
    format!(
        "cut a part out: gdal_translate -srcwin COLUMN ROW COLUMNS ROWS '{path}' part.tif; or make the cells larger: gdalwarp -r average -tr WIDTH HEIGHT '{path}' coarse.tif"
    )
}

/// Returns the address space and the resident memory of this process (bytes).
fn own() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split(' ').map_while(|word| word.parse::<u64>().ok());
    #[cfg(unix)]
    // SAFETY: `sysconf` only returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    #[cfg(not(unix))]
    let page = 4096;
    Some((pages.next()? * page, pages.next()? * page))
}

/// Returns the memory that the machine has free or can free (bytes).
fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    };
    Some(of("MemAvailable")? + of("SwapFree").unwrap_or(0))
}

/// Returns the address space left below the limit (bytes), of which `taken` are in use.
fn limit(taken: u64) -> Option<u64> {
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is to a valid, writable `rlimit`.
        let requested = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
        let is_set = requested == 0 && limit.rlim_cur != libc::RLIM_INFINITY;
        is_set.then(|| limit.rlim_cur.saturating_sub(taken))
    }
    #[cfg(not(unix))]
    {
        let _ = taken;
        None
    }
}

/// Returns the memory left below the limits of this process's control groups (bytes), version 2
/// or 1. Cached files count as free.
fn control_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, limit, used, cached) = if kinds.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ")
        } else if kinds.split(',').any(|kind| kind == "memory") {
            (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file ",
            )
        } else {
            continue;
        };
        let own = PathBuf::from(format!("{root}{group}"));
        for folder in own.ancestors().take_while(|folder| folder.starts_with(root)) {
            let left = left_in(folder, limit, used, cached);
            least = [least, left].into_iter().flatten().min();
        }
    }
    least
}

/// Returns the memory left below the limit of a control group (bytes); `None` if it has no limit.
fn left_in(folder: &Path, limit: &str, used: &str, cached: &str) -> Option<u64> {
    let number =
        |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_little_and_none_for_everything() {
        #[cfg(target_os = "linux")]
        assert!(room().unwrap().bytes > 1 << 20);
        assert_eq!(filled(7u8, 3), Some(vec![7; 3]));
        assert_eq!(filled(0.0, usize::MAX / 16), None);
    }
}
