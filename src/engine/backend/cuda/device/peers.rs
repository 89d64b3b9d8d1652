//! Peer access between GPUs: with it, halos are copied directly from one GPU to another; otherwise
//! the driver copies them through the host.

use crate::backend::cuda::device::failure::failed;
use crate::error::Result;
use crate::notices;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{
    self, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType, CUresult,
};
use std::sync::Arc;

/// Enables peer access between all of these GPUs, if the machine supports it.
pub(crate) fn befriend(contexts: &[Arc<CudaContext>]) -> Result<()> {
    let mut each: Vec<&Arc<CudaContext>> = contexts.iter().collect();
    each.sort_by_key(|context| context.ordinal());
    each.dedup_by_key(|context| context.ordinal());
    for (number, one) in each.iter().enumerate() {
        for other in &each[number + 1..] {
            if !(reaches(one, other)? && reaches(other, one)?) {
                let (one, other) = (one.ordinal(), other.ordinal());
                notices::say(&format!(
                    "GPU {one} and GPU {other} cannot access each other's memory: they exchange data through host memory"
                ));
            }
        }
    }
    Ok(())
}

/// Enables access to another GPU's memory; returns `true` if that is possible.
fn reaches(from: &Arc<CudaContext>, to: &Arc<CudaContext>) -> Result<bool> {
    let asking = |error| failed("checking which GPUs can access each other", error);
    from.bind_to_thread().map_err(asking)?;
    let mut can = 0;
    // SAFETY: both devices are open, and the pointer is to a local.
    unsafe { sys::cuDeviceCanAccessPeer(&mut can, from.cu_device(), to.cu_device()) }
        .result()
        .map_err(asking)?;
    if can == 0 {
        return Ok(false);
    }
    // SAFETY: both contexts are open, and the peer's context lives as long as its worker.
    let enabled = unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) };
    if enabled != CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && enabled.result().is_err() {
        return Ok(false);
    }
    // Memory allocated in stream order must be made accessible through its pool.
    let access = CUmemAccessDesc {
        location: CUmemLocation {
            type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: from.cu_device(),
        },
        flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    let mut pool = std::ptr::null_mut();
    // SAFETY: both devices are open. The pool is only used if the first call succeeds, and the
    // descriptor is a valid local.
    let opened = unsafe {
        sys::cuDeviceGetDefaultMemPool(&mut pool, to.cu_device())
            .result()
            .and_then(|()| sys::cuMemPoolSetAccess(pool, &access, 1).result())
    };
    Ok(opened.is_ok())
}
