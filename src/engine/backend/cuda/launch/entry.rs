//! Kernels that can be launched, and what they are launched with.
//!
//! A step is a few kernels of some microseconds each, and between one and the next lies a microsecond in which nothing is
//! computed. So, where the GPU can (compute capability 9.0), a kernel is launched while the one before it still runs: it is made ready
//! beside it, and waits by itself, in its first statement (kernels/previous_kernel.cuh), until that one is done and all can see what
//! it wrote.

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

/// The compute capability from which kernels wait by themselves: they do if they are compiled for it.
const WAITS: i32 = 90;

/// The oldest driver that records such launches in graphs.
const RECORDS: Version = Version::new(12, 3);

/// A kernel.
pub struct Entry {
    function: CudaFunction,
    /// Whether it waits by itself for the one before it.
    waits: bool,
    /// Blocks of the size that it is launched in that a multiprocessor holds at once, once that was asked for.
    resident: OnceLock<u32>,
}

/// What a kernel is launched with: addresses of plain numbers, in the order in which it declares them.
#[derive(Default)]
pub struct Args<'a> {
    addresses: Vec<*mut c_void>,
    alive: PhantomData<&'a ()>,
}

impl<'a> Args<'a> {
    /// Adds one.
    pub fn arg<T: DeviceRepr>(&mut self, argument: &'a T) -> &mut Self {
        self.addresses.push(std::ptr::from_ref(argument).cast_mut().cast());
        self
    }
}

impl Entry {
    /// The kernel of a module by its name.
    pub fn find(module: &Arc<CudaModule>, name: &str) -> Result<Entry> {
        let lacking = |error| failed("loading kernels", error).at(format_args!("kernel {name}"));
        let function = module.load_function(name).map_err(lacking)?;
        // That for which the code was made, whatever it runs on.
        let made_for = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_PTX_VERSION;
        let waits = function.get_attribute(made_for).map_err(lacking)? >= WAITS
            && driver().is_ok_and(|driver| driver >= RECORDS);
        Ok(Entry { function, waits, resident: OnceLock::new() })
    }

    /// Blocks of so many threads, which are always as many, that a multiprocessor holds at once.
    pub fn resident(&self, threads: u32) -> u32 {
        let find = || {
            let found =
                self.function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
            found.unwrap_or(1).max(1)
        };
        *self.resident.get_or_init(find)
    }

    /// Launches it in a stream.
    ///
    /// # Safety
    /// The arguments are what the kernel declares, and what they point to lives until the stream is waited for.
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
        // SAFETY: the configuration and the arguments outlive the call, which copies them; the rest is the caller's.
        let launched =
            unsafe { sys::cuLaunchKernelEx(&config, function, addresses, std::ptr::null_mut()) };
        launched.result().map_err(failed)
    }
}
