//! Structures of a subdomain's frame on the device: the twins of kernels/structures.cuh and
//! structures.cu.

use crate::backend::cuda::clock::step_constants::ConstantAddresses;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{float_assertions, layouts, twin};
use crate::backend::sites::{StructureAt, SubdomainForcing};
use crate::error::Result;
use crate::forcing::structures::{CLOSED, LEAST_DROP, NUMBERS, StructureKind, VELOCITIES};
use crate::solver::edge::EdgeField;
use cudarc::driver::CudaStream;
use std::sync::Arc;

twin! {
    /// A structure on the edge east (0) or south (1) of a cell of a frame.
    Structure {
        /// Column in the frame.
        column: u32,
        /// Row in the frame.
        row: u32,
        /// Axis of its edge.
        axis: u32,
        /// Number of its kind in the registry.
        kind: u32,
        /// Crest height above the datum (2⁻¹⁶ m).
        crest: i32,
        /// Parameters of its law.
        numbers: [f32; NUMBERS],
        /// Length of the structure's edges over the length of its line.
        detour: f32,
        /// Set if it waits for a trigger stored in cells.
        waits: u32,
        /// Columns and rows of these two cells in the frame.
        watched: [u32; 4],
    }
}

twin! {
    /// The structures of a frame: addresses, and their number.
    Structures {
        /// Device array of [`Structure`]s.
        structures: u64,
        /// Array of the rate layers' [`crate::forcing::Increment`]s.
        rates: u64,
        /// Array of the levels of the stage boundaries (grains, i64).
        levels: u64,
        /// Lookup [tables](crate::forcing::table) of laws (f32).
        tables: u64,
        /// Number of structures in the frame.
        count: u64,
        /// Set (1) if the water moves with discharges computed earlier, 0 if fluxes are computed in
        /// the flow.
        stores_discharge: u64,
        /// Quantity that the solver keeps: discharges (1) or velocities (2).
        kept: u64,
    }
}

/// The structures of a subdomain.
pub(crate) struct DeviceStructures {
    block: Block,
    count: usize,
    stores_discharge: bool,
    kept: u64,
}

/// Returns the kernels' code of the edge quantity that a solver keeps.
pub fn code_of(remembers: Option<EdgeField>) -> u64 {
    match remembers {
        None => 0,
        Some(EdgeField::Discharge) => 1,
        Some(EdgeField::Velocity) => 2,
    }
}

impl DeviceStructures {
    /// Copies the structures to the device; `stores_discharge` is set if the water moves with
    /// discharges computed earlier, in addition to the quantity that the solver keeps.
    pub fn new(
        stream: &Arc<CudaStream>,
        forcing: &SubdomainForcing,
        stores_discharge: bool,
        remembers: Option<EdgeField>,
    ) -> Result<DeviceStructures> {
        let entries = entries(forcing);
        let block = Block::of(stream, &entries)?;
        Ok(DeviceStructures {
            block,
            count: entries.len(),
            stores_discharge,
            kept: code_of(remembers),
        })
    }

    /// Returns `true` if there are any.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// Returns the kernel's parameters for a step with constants at `place`; `tables` is the
    /// address of the run's tables.
    pub fn parameters(&self, place: ConstantAddresses, tables: u64) -> Structures {
        Structures {
            structures: self.block.address,
            rates: place.increments,
            levels: place.levels,
            tables,
            count: self.count as u64,
            stores_discharge: self.stores_discharge.into(),
            kept: self.kept,
        }
    }
}

/// Converts the structures of a subdomain to the kernels' format.
pub fn entries(forcing: &SubdomainForcing) -> Vec<Structure> {
    let entry = |&StructureAt { column, row, crest, watched, structure }: &StructureAt| Structure {
        column,
        row,
        axis: structure.axis as u32,
        kind: structure.kind as u32,
        crest,
        numbers: structure.numbers,
        detour: structure.detour,
        waits: watched.is_some().into(),
        watched: watched.map_or([0; 4], |[a, b]| [a.0, a.1, b.0, b.1]),
    };
    forcing.structures.iter().map(entry).collect()
}

/// Returns C++ with the laws of all kinds, the dispatch by kind, and the kinds that only limit the
/// flux. The laws are in a namespace of their own, because a kind of sites may have the same name.
pub fn laws() -> String {
    let headers = StructureKind::ALL.iter().map(|kind| kind.info().cuda.header);
    let headers: String = headers.map(|header| format!("#include \"{header}\"\n")).collect();
    let case = |kind: &StructureKind| {
        let name = kind.info().cuda.name;
        let law = format!("structure_laws::{name}::discharge(numbers, heads, now)");
        format!("    case {}: return {law};\n", *kind as u32)
    };
    let cases: String = StructureKind::ALL.iter().map(case).collect();
    let limiting = StructureKind::ALL.iter().filter(|kind| kind.info().limits);
    let limiting: String = limiting.map(|kind| format!(" || kind == {}", *kind as u32)).collect();
    format!(
        "#include \"structures.cuh\"\nnamespace structure_laws {{\n{headers}}}\n__device__ __forceinline__ float discharge_of(unsigned kind, const float (&numbers)[{NUMBERS}], \
         const FaceHeads &heads,\n    const StepContext &now)\n{{\n    switch (kind) {{\n{cases}    }}\n    return 0.0f;\n}}\n\
         __device__ __forceinline__ bool limits(unsigned kind) {{ return false{limiting}; }}\n"
    )
}

/// Returns C++ that fails to compile if the structs have different layouts or the constants differ.
pub(crate) fn structure_assertions() -> String {
    let [least, most] = VELOCITIES;
    let limits = [("LEAST_VELOCITY", least), ("MOST_VELOCITY", most), ("LEAST_DROP", LEAST_DROP)];
    let kept = [
        ("KEEPS_NOTHING", None),
        ("KEEPS_DISCHARGE", Some(EdgeField::Discharge)),
        ("KEEPS_VELOCITY", Some(EdgeField::Velocity)),
    ]
    .map(|(name, kept)| (name, code_of(kept) as f32));
    let numbers = [&[("CLOSED", CLOSED)][..], &limits, &kept].concat();
    layouts!(Structure Structures) + &float_assertions(&numbers)
}
