//! Takes state and table files apart, and reassembles them with a valid checksum.

use inundate_engine::field::Field;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Number of values compressed together.
const PIECE: usize = 1 << 18;

/// Content of a state or table file.
#[derive(Clone)]
pub struct StateFile {
    mark: Vec<u8>,
    pub header: Value,
    pub numbers: Vec<u32>,
}

impl StateFile {
    pub fn read(path: &Path) -> StateFile {
        let bytes = std::fs::read(path).unwrap();
        let begins = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let (mark, rest) = bytes[..bytes.len() - 32].split_at(begins);
        let (length, rest) = rest.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let (header, mut pieces) = rest.split_at(length);
        let mut numbers = Vec::new();
        while !pieces.is_empty() {
            let (length, rest) = pieces.split_at(4);
            let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
            let (piece, rest) = rest.split_at(length);
            let bytes = lz4_flex::decompress_size_prepended(piece).unwrap();
            let count = bytes.len() / 4;
            let number = |at: usize| std::array::from_fn(|kind| bytes[kind * count + at]);
            numbers.extend((0..count).map(|at| u32::from_le_bytes(number(at))));
            pieces = rest;
        }
        StateFile { mark: mark.to_vec(), header: serde_json::from_slice(header).unwrap(), numbers }
    }

    pub fn write(&self, path: &Path) {
        let header = serde_json::to_vec(&self.header).unwrap();
        let mut bytes = self.mark.clone();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        for numbers in self.numbers.chunks(PIECE) {
            let kinds = (0..4).flat_map(|kind| numbers.iter().map(move |n| n.to_le_bytes()[kind]));
            let piece = lz4_flex::compress_prepend_size(&kinds.collect::<Vec<u8>>());
            bytes.extend((piece.len() as u32).to_le_bytes());
            bytes.extend(piece);
        }
        let sum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&sum);
        std::fs::write(path, bytes).unwrap();
    }

    /// Returns the fields of a state on a grid of (columns, rows), each with the index of its first
    /// number.
    pub fn fields(&self, grid: (usize, usize)) -> Vec<(Field, usize)> {
        let fields: Vec<Field> = serde_json::from_value(self.header["arrays"].clone()).unwrap();
        let mut at = 0;
        let fields = fields.into_iter().map(|field| {
            let (width, lines) = field.shape(grid);
            at += width * lines;
            (field, at - width * lines)
        });
        fields.collect()
    }
}
