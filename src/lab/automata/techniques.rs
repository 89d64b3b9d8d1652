//! Registry of the techniques, with the automata that each supports.

use crate::cpu::{cells, cloud_words, tiles};
use crate::cuda::kernels::{Ghosts, Holds, Kernels, Threads};
use crate::cuda::{gpu, source};
use crate::machine::{Machine, Setup};
use crate::registry::{Model, kernel};
use cudarc::driver::CudaContext;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::error::{Error, Result};
use std::sync::Arc;

/// Function that starts a technique on a CPU.
pub type OnCpu = fn(&Setup) -> Box<dyn Machine>;

/// A technique of taking steps.
#[derive(Clone, Copy)]
pub struct Technique {
    /// Name on the command line.
    pub name: &'static str,
    /// Description, for the help text.
    pub about: &'static str,
    /// Number of the paper that describes it, if any.
    pub paper: Option<&'static str>,
    /// Names of the supported automata.
    pub automata: &'static [&'static str],
    /// Maximum number of states.
    pub most_states: usize,
    /// CPU implementation, if any.
    pub cpu: Option<OnCpu>,
    /// Kernels of the GPU implementation.
    pub cuda: Kernels,
}

impl Technique {
    /// Returns `true` if it supports an automaton.
    pub fn goes_with(&self, model: Model) -> bool {
        self.automata.contains(&model.automaton.name) && model.states <= self.most_states
    }

    /// Returns the compilation unit for an automaton.
    pub fn unit(&self, model: Model) -> Unit {
        source::unit(model, self.name, &self.cuda)
    }

    /// Starts it on a GPU.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn start_on(&self, context: &Arc<CudaContext>, setup: &Setup) -> Result<Box<dyn Machine>> {
        gpu::start(context, self.name, &self.cuda, setup)
    }
}

impl std::fmt::Debug for Technique {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const PLANE: &[&str] = &["life", "forest-fire", "cyclic", "wireworld"];
const ALL: &[&str] = &["life", "forest-fire", "cyclic", "wireworld", "clouds"];
const CLOUDS: &[&str] = &["clouds"];

/// One element per cell, of bytes.
const BYTES: Kernels = Kernels {
    source: kernel!("cells.cu"),
    element: ("u8", 1),
    cells: [1, 1, 1],
    bits: 8,
    holds: Holds::States,
    ghosts: Ghosts::None,
    block: [32, 8, 1],
    threads: Threads::Elements,
    steps: &[1],
    texture: false,
};

/// One element per cell, of ints.
const INTS: Kernels = Kernels { element: ("int", 4), block: [16, 16, 1], ..BYTES };

const fn packet(element: (&'static str, usize)) -> Kernels {
    let cells = [element.1, 1, 1];
    Kernels { source: kernel!("packet.cu"), element, cells, ghosts: Ghosts::All, ..BYTES }
}

const fn blocked(steps: &'static [u32]) -> Kernels {
    let threads = Threads::Tiles(64, 32);
    Kernels { source: kernel!("blocked.cu"), ghosts: Ghosts::All, threads, steps, ..BYTES }
}

const fn planes(source: (&'static str, &'static str), element: (&'static str, usize)) -> Kernels {
    let cells = [8 * element.1, 1, 1];
    Kernels { source, element, cells, bits: 1, holds: Holds::Planes, ghosts: Ghosts::All, ..BYTES }
}

/// Creates a technique with the defaults for planar automata and paper 002.
const fn planar(name: &'static str, about: &'static str, cuda: Kernels) -> Technique {
    let (paper, automata, most_states, cpu) = (Some("002"), PLANE, 256, None);
    Technique { name, about, paper, automata, most_states, cpu, cuda }
}

const fn of_clouds(name: &'static str, about: &'static str, cuda: Kernels) -> Technique {
    planar(name, about, cuda).with(CLOUDS).of(None).up_to(8)
}

impl Technique {
    const fn with(self, automata: &'static [&'static str]) -> Technique {
        Technique { automata, ..self }
    }

    const fn of(self, paper: Option<&'static str>) -> Technique {
        Technique { paper, ..self }
    }

    const fn up_to(self, most_states: usize) -> Technique {
        Technique { most_states, ..self }
    }

    const fn on_cpu(self, cpu: OnCpu) -> Technique {
        Technique { cpu: Some(cpu), ..self }
    }
}

/// All techniques; the fastest for an automaton comes last.
pub static TECHNIQUES: [Technique; 23] = [
    planar("int", "one int a cell, the rule as it is printed", INTS).with(ALL).on_cpu(cells::ints),
    planar("byte", "one byte a cell: the baseline of 002, the naive kernel of 004", BYTES)
        .with(ALL)
        .on_cpu(cells::bytes),
    planar(
        "ghosts",
        "ints in global memory, ghost rows and columns by kernels of their own",
        Kernels { source: kernel!("margins.cu"), ghosts: Ghosts::RowsAndColumns, ..INTS },
    )
    .of(Some("001")),
    planar(
        "shared",
        "ints of overlapping blocks in shared memory",
        Kernels {
            source: kernel!("shared.cu"),
            ghosts: Ghosts::All,
            block: [32, 16, 1],
            threads: Threads::Overlapping,
            ..INTS
        },
    )
    .of(Some("001")),
    of_clouds(
        "shared-bytes",
        "bytes of overlapping blocks in shared memory",
        Kernels {
            source: kernel!("shared.cu"),
            ghosts: Ghosts::All,
            block: [16, 8, 8],
            threads: Threads::Overlapping,
            ..BYTES
        },
    )
    .of(Some("004")),
    planar(
        "texture",
        "ints through a texture",
        Kernels { source: kernel!("texture.cu"), block: [8, 8, 1], texture: true, ..INTS },
    )
    .of(Some("001")),
    planar(
        "table",
        "bytes of labels, and a look-up table of their sums",
        Kernels { source: kernel!("table.cu"), holds: Holds::Labels, ghosts: Ghosts::All, ..BYTES },
    )
    .with(&["life", "forest-fire", "wireworld"]),
    planar(
        "compact-table",
        "bytes, and a look-up table of two columns",
        Kernels {
            source: kernel!("compact_table.cu"),
            holds: Holds::Compact,
            ghosts: Ghosts::All,
            ..BYTES
        },
    )
    .with(&["forest-fire", "cyclic"]),
    planar("packet16", "packets of 2 cells in 16 bits", packet(("u16", 2))).up_to(127),
    planar("packet32", "packets of 4 cells in 32 bits", packet(("u32", 4))).up_to(127),
    planar("packet64", "packets of 8 cells in 64 bits", packet(("u64", 8))).up_to(127),
    planar(
        "compressed",
        "two cells a byte, four bits each",
        Kernels {
            source: kernel!("compressed.cu"),
            cells: [2, 1, 1],
            bits: 4,
            ghosts: Ghosts::All,
            ..BYTES
        },
    )
    .with(ALL)
    .up_to(16),
    planar(
        "blocked2",
        "two steps of overlapping tiles of bytes in shared memory",
        blocked(&[2, 1]),
    ),
    planar(
        "blocked4",
        "four steps of overlapping tiles of bytes in shared memory",
        blocked(&[4, 2, 1]),
    ),
    planar(
        "blocked8",
        "eight steps of overlapping tiles of bytes in shared memory",
        blocked(&[8, 4, 2, 1]),
    ),
    of_clouds(
        "8x1x1",
        "separate bits of humid, active and cloud, 8 cells along x a byte",
        planes(kernel!("cloud_words.cu"), ("u8", 1)),
    )
    .of(Some("004")),
    of_clouds(
        "2x2x2",
        "the same, cubes of 2 x 2 x 2 cells a byte",
        Kernels { cells: [2, 2, 2], ..planes(kernel!("cloud_blocks.cu"), ("u8", 1)) },
    )
    .of(Some("004")),
    planar(
        "planes32",
        "bit planes, 32 cells a word, one step a visit",
        planes(kernel!("planes.cu"), ("u32", 4)),
    )
    .of(None)
    .up_to(32),
    planar(
        "planes64",
        "bit planes, 64 cells a word, one step a visit",
        planes(kernel!("planes.cu"), ("u64", 8)),
    )
    .of(None)
    .up_to(32),
    of_clouds(
        "32x1x1",
        "separate bits, 32 cells along x a word",
        planes(kernel!("cloud_words.cu"), ("u32", 4)),
    ),
    of_clouds(
        "64x1x1",
        "separate bits, 64 cells along x a word",
        planes(kernel!("cloud_words.cu"), ("u64", 8)),
    )
    .on_cpu(cloud_words::CloudWords::start),
    of_clouds(
        "march",
        "separate bits, 32 cells a word, layers at hand in registers",
        Kernels {
            block: [256, 1, 1],
            steps: &[17, 3, 1],
            threads: Threads::Columns,
            ghosts: Ghosts::UnlessWhole,
            ..planes(kernel!("cloud_march.cu"), ("u32", 4))
        },
    ),
    planar(
        "fused",
        "bit planes, several steps a visit: in registers on a GPU, in caches on a CPU",
        Kernels {
            threads: Threads::Warps,
            steps: &[8, 4, 2, 1],
            ..planes(kernel!("fused.cu"), ("u32", 4))
        },
    )
    .of(None)
    .up_to(32)
    .on_cpu(tiles::fused),
];

/// Returns the compilation units of all techniques, for the automata with their default numbers of
/// states.
pub fn every_unit() -> Vec<Unit> {
    let of = |model: Model| {
        let fits = TECHNIQUES.iter().filter(move |technique| technique.goes_with(model));
        fits.map(move |technique| technique.unit(model))
    };
    Model::all().flat_map(of).collect()
}

/// Finds a technique by name that supports an automaton; `auto` selects the fastest for a GPU or
/// the CPU.
///
/// # Errors
/// If there is none, or it does not support the automaton or the device.
pub fn choose(name: &str, model: Model, on_gpu: bool) -> Result<&'static Technique> {
    let fits =
        |technique: &&Technique| technique.goes_with(model) && (on_gpu || technique.cpu.is_some());
    let automaton = model.automaton.name;
    if name == "auto" {
        return TECHNIQUES
            .iter()
            .rfind(fits)
            .ok_or_else(|| Error::run(format!("{automaton} has no technique")));
    }
    let names = || {
        let names: Vec<&str> =
            TECHNIQUES.iter().filter(fits).map(|technique| technique.name).collect();
        names.join(", ")
    };
    let place = if on_gpu { "a GPU" } else { "the CPU" };
    let known = TECHNIQUES.iter().find(|technique| technique.name == name);
    match known {
        Some(technique) if fits(&technique) => Ok(technique),
        Some(technique) if technique.goes_with(model) => {
            Err(Error::input(format!("technique: {name} does not run on {place}"))
                .hint(format!("take one of {} there, or another --device", names())))
        }
        Some(_) => Err(Error::input(format!(
            "technique: {name} does not support {automaton} with {} states",
            model.states
        ))
        .hint(format!("on {place} take one of {}", names()))),
        None => Err(Error::input(format!("technique: there is no technique '{name}'"))
            .hint(format!("for {automaton} on {place} take auto or one of {}", names()))),
    }
}
