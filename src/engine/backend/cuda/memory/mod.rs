//! Blocks of device memory, and copies of rectangles between them and the host.

pub(crate) mod pinned_staging;
pub(crate) mod share;
pub(crate) mod sum;
pub mod transfer;

use crate::backend::cuda::device::failure::failed;
use crate::error::Result;
use cudarc::driver::sys::{self, CUDA_MEMCPY2D, CUDA_MEMCPY3D_PEER, CUmemorytype};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr, result};
use std::ffi::c_void;
use std::sync::Arc;

/// A block of device memory, initially zero.
pub struct Block {
    slice: Arc<CudaSlice<u8>>,
    /// Address on the device.
    pub address: u64,
    bytes: usize,
}

impl Block {
    /// Allocates a block of `bytes` bytes.
    pub fn new(stream: &Arc<CudaStream>, bytes: usize) -> Result<Block> {
        let slice = stream
            .alloc_zeros::<u8>(bytes.max(1))
            .map_err(|error| failed("allocating device memory", error))?;
        let address = slice.device_ptr(stream).0;
        Ok(Block { slice: Arc::new(slice), address, bytes: bytes.max(1) })
    }

    /// Allocates a block and fills it with numbers from the host.
    pub fn of<T: DeviceRepr>(stream: &Arc<CudaStream>, numbers: &[T]) -> Result<Block> {
        let mut block = Block::new(stream, size_of_val(numbers))?;
        block.fill(stream, numbers)?;
        Ok(block)
    }

    /// Allocates `count` contiguous blocks of `bytes` bytes.
    pub fn parts(stream: &Arc<CudaStream>, count: usize, bytes: usize) -> Result<Vec<Block>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let Block { slice, address, .. } = Block::new(stream, count * bytes)?;
        let part = |number: usize| Block {
            slice: slice.clone(),
            address: address + (number * bytes) as u64,
            bytes,
        };
        Ok((0..count).map(part).collect())
    }

    /// Sets all its bytes to zero, in the stream's order.
    pub fn clear(&self, stream: &CudaStream) -> Result<()> {
        // SAFETY: the block is allocated with this many bytes and lives as long as `self`.
        unsafe { clear(stream, self.address, self.bytes) }
    }

    /// Fills it with numbers from the host, and waits.
    pub fn fill<T: DeviceRepr>(&mut self, stream: &CudaStream, from: &[T]) -> Result<()> {
        self.write(stream, from)?;
        stream.synchronize().map_err(|error| failed("copying to the device", error))
    }

    /// Copies a few numbers from the host to its start, in the stream's order.
    pub fn write<T: DeviceRepr>(&mut self, stream: &CudaStream, from: &[T]) -> Result<()> {
        assert!(size_of_val(from) <= self.bytes);
        // SAFETY: the assertion guarantees that the block has room for `from`.
        unsafe { copy_to(stream, self.address, from) }
    }

    /// Reads numbers from its start, and waits.
    pub fn read<T: DeviceRepr>(&self, stream: &CudaStream, to: &mut [T]) -> Result<()> {
        assert!(size_of_val(to) <= self.bytes);
        // SAFETY: the assertion guarantees that the block holds this many bytes. `to` stays
        // borrowed until the stream is synchronized.
        unsafe { result::memcpy_dtoh_async(to, self.address, stream.cu_stream()) }
            .and_then(|()| stream.synchronize())
            .map_err(|error| failed("copying from the device", error))
    }
}

/// Sets device memory to zero, in the stream's order.
///
/// # Safety
/// The memory must be part of one block.
pub unsafe fn clear(stream: &CudaStream, address: u64, bytes: usize) -> Result<()> {
    // SAFETY: the caller guarantees that the range is part of one block.
    unsafe { result::memset_d8_async(address, 0, bytes, stream.cu_stream()) }
        .map_err(|error| failed("clearing device memory", error))
}

/// Copies bytes within device memory, in the stream's order.
///
/// # Safety
/// Source and destination must each be within one block.
pub(crate) unsafe fn copy_on_device(
    stream: &CudaStream,
    from: u64,
    to: u64,
    bytes: usize,
) -> Result<()> {
    // SAFETY: the caller guarantees that both ranges are within one block each.
    unsafe { result::memcpy_dtod_async(to, from, bytes, stream.cu_stream()) }
        .map_err(|error| failed("copying on the device", error))
}

/// Reads a few numbers from device memory, and waits.
///
/// # Safety
/// They must be part of one block.
pub(crate) unsafe fn copy_from<T: DeviceRepr + Default + Copy, const N: usize>(
    stream: &CudaStream,
    from: u64,
) -> Result<[T; N]> {
    let mut to = [T::default(); N];
    // SAFETY: the caller guarantees that the numbers are part of one block. `to` lives until the
    // stream is synchronized.
    unsafe { result::memcpy_dtoh_async(&mut to, from, stream.cu_stream()) }
        .and_then(|()| stream.synchronize())
        .map_err(|error| failed("copying from the device", error))?;
    Ok(to)
}

/// Writes a few numbers to device memory, in the stream's order.
///
/// # Safety
/// There must be room for them in one block.
pub(crate) unsafe fn copy_to<T: DeviceRepr>(
    stream: &CudaStream,
    to: u64,
    from: &[T],
) -> Result<()> {
    // SAFETY: the caller guarantees that the block has room for `from`. If that is not pinned, the
    // driver copies it before returning.
    unsafe { result::memcpy_htod_async(to, from, stream.cu_stream()) }
        .map_err(|error| failed("copying to the device", error))
}

/// Copies rows of bytes from one device to another, in the order of the destination's stream. Each
/// side is given by a stream of its device, the address of the first row, and the bytes from one
/// row to the next.
///
/// # Safety
/// Both must be within memory that lives, and that nothing else uses, until the copy is done.
pub(crate) unsafe fn copy_between_devices(
    to: (&CudaStream, u64, usize),
    from: (&CudaStream, u64, usize),
    (width, rows): (usize, usize),
) -> Result<()> {
    if width == 0 || rows == 0 {
        return Ok(());
    }
    let device = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    let copy = CUDA_MEMCPY3D_PEER {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: device,
        srcHost: std::ptr::null(),
        srcArray: std::ptr::null_mut(),
        srcDevice: from.1,
        srcContext: from.0.context().cu_ctx(),
        srcPitch: from.2,
        srcHeight: rows,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: device,
        dstHost: std::ptr::null_mut(),
        dstArray: std::ptr::null_mut(),
        dstDevice: to.1,
        dstContext: to.0.context().cu_ctx(),
        dstPitch: to.2,
        dstHeight: rows,
        WidthInBytes: width,
        Height: rows,
        Depth: 1,
    };
    // SAFETY: the caller guarantees that the rows are valid on both devices and are used by nothing
    // else until the copy is done.
    unsafe { sys::cuMemcpy3DPeerAsync(&copy, to.0.cu_stream()) }
        .result()
        .map_err(|error| failed("copying between devices", error))
}

/// Layout of rows of cells in memory, on the host or the device.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Address of column 0, row 0.
    pub address: u64,
    /// Distance from one row to the next (cells).
    pub stride: usize,
}

impl Rows {
    /// Describes the rows of a host array.
    pub fn of<T>(array: &[T], stride: usize) -> Rows {
        Rows { address: array.as_ptr() as u64, stride }
    }

    /// Describes the rows of a host array that is written to.
    pub(crate) fn of_mut<T>(array: &mut [T], stride: usize) -> Rows {
        Rows { address: array.as_mut_ptr() as u64, stride }
    }
}

/// A cell in rows in memory: the first of a rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Rows that contain the cell.
    pub array: Rows,
    /// Column of the cell.
    pub column: usize,
    /// Row of the cell.
    pub row: usize,
}

/// Direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// From the host to the device.
    In,
    /// From the device to the host.
    Out,
}

/// Copies a rectangle of cells of `bytes` bytes each, in the stream's order.
///
/// # Safety
/// Both rectangles must be within memory that lives, and that nothing else uses, until the copy is
/// done.
pub(crate) unsafe fn copy_cells(
    stream: &CudaStream,
    way: CopyDirection,
    bytes: usize,
    host: Corner,
    device: Corner,
    (columns, rows): (usize, usize),
) -> Result<()> {
    if columns == 0 || rows == 0 {
        return Ok(());
    }
    let place = |Corner { array, column, row }: Corner| {
        array.address + ((row * array.stride + column) * bytes) as u64
    };
    let host_address = place(host) as *mut c_void;
    let device_address = place(device);
    let (host_pitch, device_pitch) = (host.array.stride * bytes, device.array.stride * bytes);
    let (host_type, device_type) =
        (CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
    let inward = way == CopyDirection::In;
    let copy = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: if inward { host_type } else { device_type },
        srcHost: if inward { host_address } else { std::ptr::null_mut() },
        srcDevice: if inward { 0 } else { device_address },
        srcArray: std::ptr::null_mut(),
        srcPitch: if inward { host_pitch } else { device_pitch },
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: if inward { device_type } else { host_type },
        dstHost: if inward { std::ptr::null_mut() } else { host_address },
        dstDevice: if inward { device_address } else { 0 },
        dstArray: std::ptr::null_mut(),
        dstPitch: if inward { device_pitch } else { host_pitch },
        WidthInBytes: columns * bytes,
        Height: rows,
    };
    // SAFETY: the caller guarantees that both rectangles are within live memory and are used by
    // nothing else until the copy is done.
    unsafe { sys::cuMemcpy2DAsync_v2(&copy, stream.cu_stream()) }
        .result()
        .map_err(|error| failed("copying", error))
}

/// Value of `CU_MEMHOSTREGISTER_PORTABLE`.
const FOR_ALL_DEVICES: u32 = 1;

/// Pinned host memory, which is not moved or swapped out, so that copies run concurrently with
/// everything else.
pub struct Pinned(Vec<u64>);

impl Pinned {
    /// Creates an empty set of pinned arrays.
    pub fn none() -> Pinned {
        Pinned(Vec::new())
    }

    /// Pins an array, which must live and stay in place as long as this. Returns false if the
    /// system does not allow it, which only makes copies slower.
    pub fn add<T>(&mut self, array: &[T]) -> bool {
        let address = array.as_ptr() as *mut c_void;
        // SAFETY: the address and size are those of a live array.
        let pinned =
            unsafe { sys::cuMemHostRegister_v2(address, size_of_val(array), FOR_ALL_DEVICES) };
        let done = pinned.result().is_ok();
        if done {
            self.0.push(address as u64);
        }
        done
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        for &address in &self.0 {
            // SAFETY: the address was registered in `add`. An error here cannot be reported.
            let _ = unsafe { sys::cuMemHostUnregister(address as *mut c_void) };
        }
    }
}
