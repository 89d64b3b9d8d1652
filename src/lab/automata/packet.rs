//! Packets: cells packed one to a byte into words of 16, 32 or 64 bits (002, section 5.2).

use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// A word of cells, a byte each; the cell on the left is the lowest byte. States and counts lie below 128.
pub trait Packet:
    Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Cells of a word.
    const CELLS: usize;

    /// The same number in every byte.
    fn bytes(byte: u8) -> Self;
    /// From and to its bytes.
    fn from_cells(cells: &[u8]) -> Self;
    /// Writes its bytes.
    fn to_cells(self, to: &mut [u8]);

    /// 1 in the bytes that are 0, else 0.
    #[inline(always)]
    fn zero_bytes(self) -> Self {
        (((self + Self::bytes(0x7f)) >> 7) & Self::bytes(1)) ^ Self::bytes(1)
    }

    /// Every bit of the bytes that are 1, none of those that are 0.
    #[inline(always)]
    fn spread(self) -> Self {
        let low = self | (self << 1);
        let low = low | (low << 2);
        low | (low << 4)
    }
}

macro_rules! packet {
    ($($type:ty)*) => {$(
        impl Packet for $type {
            const CELLS: usize = size_of::<$type>();

            #[inline(always)]
            fn bytes(byte: u8) -> $type {
                <$type>::MAX / 255 * <$type>::from(byte)
            }
            #[inline(always)]
            fn from_cells(cells: &[u8]) -> $type {
                <$type>::from_le_bytes(cells[..Self::CELLS].try_into().expect("as many"))
            }
            #[inline(always)]
            fn to_cells(self, to: &mut [u8]) {
                to[..Self::CELLS].copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
packet!(u16 u32 u64);
