//! Kernels that can be launched, and their arguments.
//!
//! A step consists of a few kernels of some microseconds each, with an idle microsecond between one
//! and the next. So, if the GPU supports it (compute capability 9.0), a kernel is launched while
//! the previous one is still running: its start-up overlaps with that kernel, and its first
//! statement (kernels/previous_kernel.cuh) waits until that one is finished and its writes are
//! visible.

use crate::backend::cuda::device::failure::failed;
use crate::backend::cuda::device::library::{Version, driver};
use crate::error::Result;
use cudarc::driver::sys::{
    self, CUfunction_attribute_enum, CUlaunchAttribute, CUlaunchAttributeID,
    CUlaunchAttributeValue, CUlaunchConfig,
};
use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DeviceRepr};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// Compute capability from which kernels wait for the previous one themselves, if compiled for it.
const WAITS: i32 = 90;

/// The oldest driver that can record such launches in graphs.
const RECORDS: Version = Version::new(12, 3);

/// A kernel, ready to be launched.
pub struct Entry {
    function: CudaFunction,
    /// Set if it waits for the previous kernel itself.
    waits: bool,
    /// Number of blocks that a multiprocessor can hold, once queried.
    resident: OnceLock<u32>,
}

/// Arguments of a kernel: addresses of plain numbers, in the order of its declaration.
pub struct Args<'a> {
    addresses: Vec<*mut c_void>,
    alive: PhantomData<&'a ()>,
}

impl<'a> Args<'a> {
    /// Returns a list of one argument.
    pub fn of<T: DeviceRepr>(argument: &'a T) -> Self {
        Args { addresses: Vec::new(), alive: PhantomData }.arg(argument)
    }

    /// Appends an argument.
    pub fn arg<T: DeviceRepr>(mut self, argument: &'a T) -> Self {
        self.addresses.push(std::ptr::from_ref(argument).cast_mut().cast());
        self
    }
}

impl Entry {
    /// Finds a kernel of a module by name.
    pub fn find(module: &Arc<CudaModule>, name: &str) -> Result<Entry> {
        let lacking = |error| failed("loading kernels", error).at(format_args!("kernel {name}"));
        let function = module.load_function(name).map_err(lacking)?;
        // The capability that the code was compiled for, whatever it runs on.
        let made_for = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_PTX_VERSION;
        let waits = function.get_attribute(made_for).map_err(lacking)? >= WAITS
            && driver().is_ok_and(|driver| driver >= RECORDS);
        Ok(Entry { function, waits, resident: OnceLock::new() })
    }

    /// Returns the number of blocks of `threads` threads that a multiprocessor can hold. The block
    /// size must be the same in every call.
    pub fn resident(&self, threads: u32) -> u32 {
        let find = || {
            let found =
                self.function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
            found.unwrap_or(1).max(1)
        };
        *self.resident.get_or_init(find)
    }

    /// Launches the kernel in a stream.
    ///
    /// # Safety
    /// The arguments must match the kernel's declaration, and the memory that they point to must
    /// live until the stream is synchronized.
    pub unsafe fn launch(
        &self,
        stream: &CudaStream,
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        mut args: Args,
    ) -> Result<()> {
        let failed = |error| failed("launching a kernel", error);
        stream.context().bind_to_thread().map_err(failed)?;
        let mut beside = CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = CUlaunchConfig {
            gridDimX: grid.0,
            gridDimY: grid.1,
            gridDimZ: grid.2,
            blockDimX: block.0,
            blockDimY: block.1,
            blockDimZ: block.2,
            sharedMemBytes: 0,
            hStream: stream.cu_stream(),
            attrs: &mut beside,
            numAttrs: self.waits.into(),
        };
        let (function, addresses) = (self.function.cu_function(), args.addresses.as_mut_ptr());
        // SAFETY: the configuration and the arguments outlive the call, which copies them. The
        // caller guarantees that the arguments match the kernel's declaration and that their memory
        // lives until the stream is synchronized.
        let launched =
            unsafe { sys::cuLaunchKernelEx(&config, function, addresses, std::ptr::null_mut()) };
        launched.result().map_err(failed)
    }
}
