//! A GPU as a device.

use super::device::{Device, Launch};
use super::kernels::Kernels;
use super::machine::OnDevice;
use super::source::unit;
use crate::board::Board;
use crate::machine::{Machine, Setup};
use crate::registry::Model;
use cudarc::driver::sys::{
    self, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUarray_format, CUresourcetype,
};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DeviceRepr, LaunchConfig, PushKernelArg,
};
use inundate_engine::backend::cuda::compile::load::load;
use inundate_engine::backend::cuda::device::failure::failed;
use inundate_engine::backend::cuda::memory::Block;
use inundate_engine::error::{Error, Result};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

// SAFETY: `Board` consists of plain numbers in C layout, as declared in the kernels' headers.
unsafe impl DeviceRepr for Board {}

/// Maximum rows of a texture.
const TEXTURE_ROWS: i32 = 65_000;
/// Maximum columns of a texture.
const TEXTURE_COLUMNS: i32 = 131_072;

/// A GPU with the kernels of a technique.
pub struct Gpu {
    module: Arc<CudaModule>,
    stream: Arc<CudaStream>,
    functions: RefCell<HashMap<String, CudaFunction>>,
    textures: RefCell<Vec<u64>>,
}

/// Copies a grid to a GPU, to be stepped with the kernels of the technique `name`.
///
/// # Errors
/// If the kernels do not compile, or there is not enough memory.
pub fn start(
    context: &Arc<CudaContext>,
    name: &str,
    kernels: &Kernels,
    setup: &Setup,
) -> Result<Box<dyn Machine>> {
    let gpu = Gpu::new(context, name, kernels, setup.model)?;
    Ok(Box::new(OnDevice::new(gpu, kernels, setup, None)?))
}

impl Gpu {
    /// Compiles the kernels of a technique for an automaton.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn new(
        context: &Arc<CudaContext>,
        name: &str,
        kernels: &Kernels,
        model: Model,
    ) -> Result<Gpu> {
        let module = load(context, &unit(model, name, kernels))?;
        let stream = context.default_stream();
        Ok(Gpu { module, stream, functions: RefCell::default(), textures: RefCell::default() })
    }

    fn function(&self, name: &str) -> Result<CudaFunction> {
        if let Some(function) = self.functions.borrow().get(name) {
            return Ok(function.clone());
        }
        let function =
            self.module.load_function(name).map_err(|error| failed("finding a kernel", error))?;
        self.functions.borrow_mut().insert(name.to_string(), function.clone());
        Ok(function)
    }
}

impl Device for Gpu {
    type Memory = Block;

    fn take(&self, bytes: usize) -> Result<Block> {
        Block::new(&self.stream, bytes)
    }

    fn write(&self, to: &mut Block, from: &[u8]) -> Result<()> {
        to.fill(&self.stream, from)
    }

    fn read(&self, from: &Block, to: &mut [u8]) -> Result<()> {
        from.read(&self.stream, to)
    }

    fn texture(&self, of: &Block, board: &Board) -> Result<u64> {
        let [columns, rows, _] = board.size;
        if columns > TEXTURE_COLUMNS || rows > TEXTURE_ROWS {
            return Err(Error::input(format!(
                "technique: {columns} x {rows} cells do not fit in a texture"
            ))
            .hint(format!(
                "the maximum is {TEXTURE_COLUMNS} x {TEXTURE_ROWS}: choose another technique"
            )));
        }
        // SAFETY: both descriptors consist of plain numbers and pointers, for which zero is valid.
        let (mut resource, mut texture): (CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D.devPtr = of.address;
        resource.res.pitch2D.format = CUarray_format::CU_AD_FORMAT_SIGNED_INT32;
        resource.res.pitch2D.numChannels = 1;
        resource.res.pitch2D.width = board.cells[0] as usize;
        resource.res.pitch2D.height = board.cells[1] as usize;
        resource.res.pitch2D.pitchInBytes = columns as usize * size_of::<i32>();
        // Reads outside the texture return 0.
        texture.addressMode = [CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER; 3];
        texture.flags = sys::CU_TRSF_READ_AS_INTEGER;
        let mut handle = 0;
        // SAFETY: the memory lives as long as the device's machine, and `drop` destroys the texture
        // with the device.
        unsafe { sys::cuTexObjectCreate(&mut handle, &resource, &texture, std::ptr::null()) }
            .result()
            .map_err(|error| failed("making a texture", error))?;
        self.textures.borrow_mut().push(handle);
        Ok(handle)
    }

    fn launch(&self, launch: Launch, board: &Board, now: &Block, next: &Block) -> Result<()> {
        let function = self.function(launch.kernel)?;
        let [x, y, z] = launch.blocks;
        let [tx, ty, tz] = launch.threads;
        let config =
            LaunchConfig { grid_dim: (x, y, z), block_dim: (tx, ty, tz), shared_mem_bytes: 0 };
        let mut args = self.stream.launch_builder(&function);
        args.arg(board).arg(&now.address).arg(&next.address);
        // SAFETY: every kernel takes a board and two addresses. The memory at both lives until the
        // stream is synchronized.
        unsafe { args.launch(config) }
            .map(|_| ())
            .map_err(|error| failed("launching a kernel", error))
    }

    fn wait(&self) -> Result<()> {
        self.stream.synchronize().map_err(|error| failed("stepping", error))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        for handle in self.textures.borrow().iter() {
            // SAFETY: the texture was created by `cuTexObjectCreate`, and no kernel that reads it
            // is running.
            unsafe { sys::cuTexObjectDestroy(*handle) };
        }
    }
}
