//! The structures of a subdomain's frame on the device: the twins of kernels/structures.cuh and structures.cu.

use crate::backend::cuda::clock::step_constants::Place;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{float_assertions, layouts, twin};
use crate::backend::sites::{StructureAt, SubdomainForcing};
use crate::error::Result;
use crate::forcing::structures::{CLOSED, DISCHARGES, LIMIT, NUMBERS, StructureKind, VELOCITIES};
use crate::rule::edge::EdgeField;
use cudarc::driver::CudaStream;
use std::sync::Arc;

twin! {
    /// A structure on the edge east (0) or south (1) of a cell of a frame.
    Structure {
        /// Column in the frame.
        column: u32,
        /// Row in the frame.
        row: u32,
        /// The axis of its edge.
        axis: u32,
        /// Its kind, by its number in the registry.
        kind: u32,
        /// Its crest above the datum (2⁻¹⁶ m).
        crest: i32,
        /// What its law has as parameters.
        numbers: [f32; NUMBERS],
        /// Whether it waits for what cells remember.
        waits: u32,
        /// Column and row in the frame of both of these.
        watched: [u32; 4],
    }
}

twin! {
    /// The structures of a frame: addresses, and how many there are.
    Structures {
        /// The [`Structure`]s.
        structures: u64,
        /// The [`crate::forcing::Increment`]s of the rate layers.
        rates: u64,
        /// The held levels (grains, i64).
        levels: u64,
        /// The [tables](crate::forcing::table) that laws look up (f32).
        tables: u64,
        /// How many structures there are.
        count: u64,
        /// Whether the water moves with the discharges that edges have (1), or what crosses them is worked out (0).
        told: u64,
        /// Whether the rule remembers discharges (1) or velocities (2).
        knows: u64,
    }
}

/// The structures of a subdomain.
pub(crate) struct DeviceStructures {
    block: Block,
    count: usize,
    told: bool,
    knows: u64,
}

/// What a rule remembers of edges, as kernels know it.
pub fn knows(remembers: Option<EdgeField>) -> u64 {
    match remembers {
        None => 0,
        Some(EdgeField::Discharge) => 1,
        Some(EdgeField::Velocity) => 2,
    }
}

impl DeviceStructures {
    /// Brings them to the device; `told` says whether the water moves with the discharges that edges have,
    /// beside what the rule remembers of them.
    pub fn new(
        stream: &Arc<CudaStream>,
        forcing: &SubdomainForcing,
        (told, remembers): (bool, Option<EdgeField>),
    ) -> Result<DeviceStructures> {
        let entries = entries(forcing);
        let block = Block::of(stream, &entries)?;
        Ok(DeviceStructures { block, count: entries.len(), told, knows: knows(remembers) })
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// What the kernel is told of them in a step whose constants are at `place`; `tables` is the address of the run's.
    pub fn parameters(&self, place: Place, tables: u64) -> Structures {
        Structures {
            structures: self.block.address,
            rates: place.increments,
            levels: place.levels,
            tables,
            count: self.count as u64,
            told: self.told.into(),
            knows: self.knows,
        }
    }
}

/// The structures of a subdomain as kernels know them.
pub fn entries(forcing: &SubdomainForcing) -> Vec<Structure> {
    let entry = |&StructureAt { column, row, crest, watched, structure }: &StructureAt| Structure {
        column,
        row,
        axis: structure.axis as u32,
        kind: structure.kind as u32,
        crest,
        numbers: structure.numbers,
        waits: watched.is_some().into(),
        watched: watched.map_or([0; 4], |[a, b]| [a.0, a.1, b.0, b.1]),
    };
    forcing.structures.iter().map(entry).collect()
}

/// C++ with the laws of all kinds, which is whose, and which only limit. They have names of their own: a kind of sites may be called the same.
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
         const Heads &heads,\n    const InStep &now)\n{{\n    switch (kind) {{\n{cases}    }}\n    return 0.0f;\n}}\n\
         __device__ __forceinline__ bool limits(unsigned kind) {{ return false{limiting}; }}\n"
    )
}

/// C++ that fails to compile unless the structs are laid out the same, and the constant is.
pub(crate) fn structure_assertions() -> String {
    let [least, most] = VELOCITIES;
    let limits = [("LIMIT", LIMIT), ("LEAST_VELOCITY", least), ("MOST_VELOCITY", most)];
    let numbers = [&[("CLOSED", CLOSED), ("DISCHARGES", DISCHARGES)][..], &limits].concat();
    layouts!(Structure Structures) + &float_assertions(&numbers)
}
