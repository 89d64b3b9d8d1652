//! File format of checkpoints and other stored arrays: a mark with the format version, a JSON
//! header, the arrays in compressed blocks, and a SHA-256 of everything before it.
//!
//! Arrays are written and read block by block, so there is never a second copy of the grid in
//! memory.

use super::links;
use crate::input::checksum;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Content type of a file, with its format version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Name of the content type, part of the mark.
    pub of: &'static str,
    /// Version of the file format.
    pub version: u32,
}

/// Content type of checkpoints.
pub const CHECKPOINT: Kind = Kind { of: "checkpoint", version: 4 };

impl Kind {
    /// Returns the common beginning of the files of every version.
    pub fn any_mark(self) -> String {
        format!("inundate {} ", self.of)
    }

    /// Returns the beginning of the file.
    fn mark(self) -> Vec<u8> {
        format!("{}{}\n", self.any_mark(), self.version).into_bytes()
    }
}

/// Size of the checksum at the end (bytes).
const CHECKSUM: usize = 32;

/// Numbers per compressed block.
const PIECE: usize = 1 << 18;

/// Longest plausible header (bytes).
const LONGEST_HEADER: u64 = 1 << 32;

/// Reason why a checkpoint cannot be read.
#[derive(Debug)]
pub enum CheckpointFault {
    /// The content is damaged.
    Damaged(String),
    /// It was written in another version of the format.
    OtherVersion,
}

impl std::fmt::Display for CheckpointFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckpointFault::Damaged(why) => f.write_str(why),
            CheckpointFault::OtherVersion => f.write_str("it was written by another version"),
        }
    }
}

impl From<io::Error> for CheckpointFault {
    fn from(error: io::Error) -> CheckpointFault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => CheckpointFault::Damaged("it is cut short".into()),
            _ => CheckpointFault::Damaged(format!("it cannot be read: {error}")),
        }
    }
}

/// Writes a checkpoint: the header, then all numbers of its arrays, in order.
pub struct Writer<'a> {
    to: BufWriter<&'a File>,
    hasher: Sha256,
    waiting: Vec<u32>,
    /// Numbers to collect before they are compressed.
    batch: usize,
}

impl<'a> Writer<'a> {
    /// Starts a file with the header.
    pub fn new(to: &'a File, kind: Kind, header: &impl Serialize) -> io::Result<Writer<'a>> {
        let batch = PIECE * rayon::current_num_threads();
        let (to, hasher, waiting) = (BufWriter::new(to), Sha256::new(), Vec::new());
        let mut writer = Writer { to, hasher, waiting, batch };
        let header = serde_json::to_vec(header)?;
        writer.put(&kind.mark())?;
        writer.put(&(header.len() as u64).to_le_bytes())?;
        writer.put(&header)?;
        Ok(writer)
    }

    /// Appends numbers to the arrays.
    pub fn add(&mut self, numbers: &[u32]) -> io::Result<()> {
        self.waiting.extend_from_slice(numbers);
        if self.waiting.len() >= self.batch { self.compress() } else { Ok(()) }
    }

    /// Writes the remaining numbers and the checksum. The file is not yet synced to disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.compress()?;
        let checksum = self.hasher.finalize();
        self.to.write_all(&checksum)?;
        self.to.flush()
    }

    fn compress(&mut self) -> io::Result<()> {
        let pieces: Vec<Vec<u8>> = self.waiting.par_chunks(PIECE).map(pack).collect();
        self.waiting.clear();
        for piece in pieces {
            self.put(&(piece.len() as u32).to_le_bytes())?;
            self.put(&piece)?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.to.write_all(bytes)
    }
}

/// Compresses a block of numbers. Bytes of equal significance are stored together, because the
/// higher ones hardly differ between cells.
fn pack(numbers: &[u32]) -> Vec<u8> {
    let count = numbers.len();
    let mut bytes = vec![0; 4 * count];
    for (place, number) in numbers.iter().enumerate() {
        for (kind, byte) in number.to_le_bytes().into_iter().enumerate() {
            bytes[kind * count + place] = byte;
        }
    }
    lz4_flex::compress_prepend_size(&bytes)
}

/// Decompresses a block of numbers.
fn unpack(piece: &[u8]) -> Result<Vec<u32>, CheckpointFault> {
    let damaged = || CheckpointFault::Damaged("a block of it cannot be decompressed".into());
    let size = piece.first_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    if size > 4 * PIECE || !size.is_multiple_of(4) {
        return Err(damaged());
    }
    let bytes = lz4_flex::decompress_size_prepended(piece).map_err(|_| damaged())?;
    let count = bytes.len() / 4;
    let number =
        |place: usize| u32::from_le_bytes(std::array::from_fn(|kind| bytes[kind * count + place]));
    Ok((0..count).map(number).collect())
}

/// Reads a checkpoint with a valid checksum.
#[derive(Debug)]
pub struct CheckpointReader {
    from: io::Take<BufReader<File>>,
    /// Start and end of the arrays in the file (bytes).
    arrays: std::ops::Range<u64>,
    numbers: Vec<u32>,
    /// Numbers of the current block already returned.
    taken: usize,
}

impl CheckpointReader {
    /// Opens a file. The whole file is verified against its checksum before anything is
    /// interpreted.
    pub fn open<H: DeserializeOwned>(
        path: &Path,
        kind: Kind,
    ) -> Result<(H, CheckpointReader), CheckpointFault> {
        let mut file = BufReader::new(links::read(path)?);
        let length = file.get_ref().metadata()?.len();
        let own = kind.mark();
        let mut mark = vec![0; own.len()];
        if length < (mark.len() + 8 + CHECKSUM) as u64 {
            return Err(CheckpointFault::Damaged("it is cut short".into()));
        }
        file.read_exact(&mut mark)?;
        let body = length - CHECKSUM as u64;
        if checksum::of(links::read(path)?.take(body))? != checksum_at_the_end(path, body)? {
            return Err(CheckpointFault::Damaged("its checksum does not fit".into()));
        }
        if mark != own {
            let other = mark.starts_with(kind.any_mark().as_bytes());
            let no = || CheckpointFault::Damaged("it does not begin like one".into());
            return Err(if other { CheckpointFault::OtherVersion } else { no() });
        }
        let mut from = file.take(body - own.len() as u64);
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEADER.min(from.limit()) {
            return Err(CheckpointFault::Damaged("its header is too long".into()));
        }
        let mut header = vec![0; length as usize];
        from.read_exact(&mut header)?;
        let header = serde_json::from_slice(&header).map_err(|error| {
            CheckpointFault::Damaged(format!("its header cannot be read: {error}"))
        })?;
        let arrays = body - from.limit()..body;
        Ok((header, CheckpointReader { from, arrays, numbers: Vec::new(), taken: 0 }))
    }

    /// Goes back to the first number.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.from.get_mut().seek(SeekFrom::Start(self.arrays.start))?;
        self.from.set_limit(self.arrays.end - self.arrays.start);
        (self.numbers, self.taken) = (Vec::new(), 0);
        Ok(())
    }

    /// Reads the next numbers of the arrays.
    pub fn take(&mut self, mut to: &mut [u32]) -> Result<(), CheckpointFault> {
        while !to.is_empty() {
            if self.taken == self.numbers.len() {
                let mut length = [0; 4];
                self.from.read_exact(&mut length)?;
                let length = u64::from(u32::from_le_bytes(length)).min(self.from.limit());
                let mut piece = vec![0; length as usize];
                self.from.read_exact(&mut piece)?;
                (self.numbers, self.taken) = (unpack(&piece)?, 0);
            }
            let count = to.len().min(self.numbers.len() - self.taken);
            let (now, later) = to.split_at_mut(count);
            now.copy_from_slice(&self.numbers[self.taken..self.taken + count]);
            self.taken += count;
            to = later;
        }
        Ok(())
    }

    /// Returns `true` if all numbers have been read.
    pub fn is_at_the_end(&self) -> bool {
        self.taken == self.numbers.len() && self.from.limit() == 0
    }
}

fn checksum_at_the_end(path: &Path, body: u64) -> io::Result<Vec<u8>> {
    let mut file = links::read(path)?;
    file.seek(SeekFrom::Start(body))?;
    let mut checksum = vec![0; CHECKSUM];
    file.read_exact(&mut checksum)?;
    Ok(checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_and_smooth_ones_are_small() {
        let numbers: Vec<u32> = (0..1000u32).map(|i| 0x4120_0000 + i % 100).collect();
        let piece = pack(&numbers);
        assert!(piece.len() < 1000);
        assert_eq!(unpack(&piece).unwrap(), numbers);
        assert!(
            unpack(&piece[..20]).is_err() && unpack(&[]).is_err() && unpack(&[255; 9]).is_err()
        );
    }
}
