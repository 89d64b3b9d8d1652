//! Ways to take steps, a line each, and which goes with which automaton.

use crate::cpu::{cells, cloud_words, tiles};
use crate::cuda::kernels::{Ghosts, Holds, Kernels, Threads};
use crate::cuda::{gpu, source};
use crate::machine::{Machine, Setup};
use crate::registry::Model;
use cudarc::driver::CudaContext;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::error::{Error, Result};
use std::sync::Arc;

/// How a technique starts on a CPU.
pub type OnCpu = fn(&Setup) -> Box<dyn Machine>;

/// A technique.
#[derive(Clone, Copy)]
pub struct Technique {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, for help.
    pub about: &'static str,
    /// The paper that it is of, by its number, or none.
    pub paper: Option<&'static str>,
    /// The automata that it goes with.
    pub automata: &'static [&'static str],
    /// Most states that it can hold.
    pub most_states: usize,
    /// How it starts on a CPU.
    pub cpu: Option<OnCpu>,
    /// Its kernels.
    pub cuda: Option<Kernels>,
}

impl Technique {
    /// Whether it goes with an automaton.
    pub fn goes_with(&self, model: Model) -> bool {
        self.automata.contains(&model.automaton.name) && model.states <= self.most_states
    }

    /// What is compiled of it; none if it has no kernels.
    pub fn unit(&self, model: Model) -> Option<Unit> {
        self.cuda.as_ref().map(|kernels| source::unit(model, self.name, kernels))
    }

    /// Starts it on a GPU; none if it has no kernels.
    pub fn start_on(
        &self,
        context: &Arc<CudaContext>,
        setup: &Setup,
    ) -> Option<Result<Box<dyn Machine>>> {
        self.cuda.as_ref().map(|kernels| gpu::start(context, (self.name, kernels), setup))
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

macro_rules! source {
    ($name:literal) => {
        ($name, include_str!(concat!("kernels/automata/", $name)))
    };
}

/// An element a cell, of bytes.
const BYTES: Kernels = Kernels {
    source: source!("cells.cu"),
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

/// The same of ints.
const INTS: Kernels = Kernels { element: ("int", 4), block: [16, 16, 1], ..BYTES };

const fn packet(element: (&'static str, usize)) -> Kernels {
    let cells = [element.1, 1, 1];
    Kernels { source: source!("packet.cu"), element, cells, ghosts: Ghosts::All, ..BYTES }
}

const fn blocked(steps: &'static [u32]) -> Kernels {
    let threads = Threads::Tiles(64, 32);
    Kernels { source: source!("blocked.cu"), ghosts: Ghosts::All, threads, steps, ..BYTES }
}

const fn planes(source: (&'static str, &'static str), element: (&'static str, usize)) -> Kernels {
    let cells = [8 * element.1, 1, 1];
    Kernels { source, element, cells, bits: 1, holds: Holds::Planes, ghosts: Ghosts::All, ..BYTES }
}

/// Of automata in the plane, and as most of 002 are.
const PLANAR: Technique = Technique {
    name: "",
    about: "",
    paper: Some("002"),
    automata: PLANE,
    most_states: 256,
    cpu: None,
    cuda: None,
};

/// Of clouds.
const OF_CLOUDS: Technique = Technique { paper: None, automata: CLOUDS, most_states: 8, ..PLANAR };

/// Every technique, the fastest of an automaton last.
pub static TECHNIQUES: [Technique; 23] = [
    Technique {
        name: "int",
        about: "one int a cell, the rule as it is printed",
        automata: ALL,
        cpu: Some(cells::ints),
        cuda: Some(INTS),
        ..PLANAR
    },
    Technique {
        name: "byte",
        about: "one byte a cell: the baseline of 002, the naive kernel of 004",
        automata: ALL,
        cpu: Some(cells::bytes),
        cuda: Some(BYTES),
        ..PLANAR
    },
    Technique {
        name: "ghosts",
        about: "ints in global memory, ghost rows and columns by kernels of their own",
        paper: Some("001"),
        cuda: Some(Kernels {
            source: source!("margins.cu"),
            ghosts: Ghosts::RowsAndColumns,
            ..INTS
        }),
        ..PLANAR
    },
    Technique {
        name: "shared",
        about: "ints of overlapping blocks in shared memory",
        paper: Some("001"),
        cuda: Some(Kernels {
            source: source!("shared.cu"),
            ghosts: Ghosts::All,
            block: [32, 16, 1],
            threads: Threads::Overlapping,
            ..INTS
        }),
        ..PLANAR
    },
    Technique {
        name: "shared-bytes",
        about: "bytes of overlapping blocks in shared memory",
        paper: Some("004"),
        cuda: Some(Kernels {
            source: source!("shared.cu"),
            ghosts: Ghosts::All,
            block: [16, 8, 8],
            threads: Threads::Overlapping,
            ..BYTES
        }),
        ..OF_CLOUDS
    },
    Technique {
        name: "texture",
        about: "ints through a texture",
        paper: Some("001"),
        cuda: Some(Kernels {
            source: source!("texture.cu"),
            block: [8, 8, 1],
            texture: true,
            ..INTS
        }),
        ..PLANAR
    },
    Technique {
        name: "table",
        about: "bytes of labels, and a look-up table of their sums",
        automata: &["life", "forest-fire", "wireworld"],
        cuda: Some(Kernels {
            source: source!("table.cu"),
            holds: Holds::Labels,
            ghosts: Ghosts::All,
            ..BYTES
        }),
        ..PLANAR
    },
    Technique {
        name: "compact-table",
        about: "bytes, and a look-up table of two columns",
        automata: &["forest-fire", "cyclic"],
        cuda: Some(Kernels {
            source: source!("compact_table.cu"),
            holds: Holds::Compact,
            ghosts: Ghosts::All,
            ..BYTES
        }),
        ..PLANAR
    },
    Technique {
        name: "packet16",
        about: "packets of 2 cells in 16 bits",
        most_states: 127,
        cuda: Some(packet(("u16", 2))),
        ..PLANAR
    },
    Technique {
        name: "packet32",
        about: "packets of 4 cells in 32 bits",
        most_states: 127,
        cuda: Some(packet(("u32", 4))),
        ..PLANAR
    },
    Technique {
        name: "packet64",
        about: "packets of 8 cells in 64 bits",
        most_states: 127,
        cuda: Some(packet(("u64", 8))),
        ..PLANAR
    },
    Technique {
        name: "compressed",
        about: "two cells a byte, four bits each",
        automata: ALL,
        most_states: 16,
        cuda: Some(Kernels {
            source: source!("compressed.cu"),
            cells: [2, 1, 1],
            bits: 4,
            ghosts: Ghosts::All,
            ..BYTES
        }),
        ..PLANAR
    },
    Technique {
        name: "blocked2",
        about: "two steps of overlapping tiles of bytes in shared memory",
        cuda: Some(blocked(&[2, 1])),
        ..PLANAR
    },
    Technique {
        name: "blocked4",
        about: "four steps of overlapping tiles of bytes in shared memory",
        cuda: Some(blocked(&[4, 2, 1])),
        ..PLANAR
    },
    Technique {
        name: "blocked8",
        about: "eight steps of overlapping tiles of bytes in shared memory",
        cuda: Some(blocked(&[8, 4, 2, 1])),
        ..PLANAR
    },
    Technique {
        name: "8x1x1",
        about: "separate bits of humid, active and cloud, 8 cells along x a byte",
        paper: Some("004"),
        cuda: Some(planes(source!("cloud_words.cu"), ("u8", 1))),
        ..OF_CLOUDS
    },
    Technique {
        name: "2x2x2",
        about: "the same, cubes of 2 x 2 x 2 cells a byte",
        paper: Some("004"),
        cuda: Some(Kernels { cells: [2, 2, 2], ..planes(source!("cloud_blocks.cu"), ("u8", 1)) }),
        ..OF_CLOUDS
    },
    Technique {
        name: "planes32",
        about: "bit planes, 32 cells a word, one step a visit",
        paper: None,
        most_states: 32,
        cuda: Some(planes(source!("planes.cu"), ("u32", 4))),
        ..PLANAR
    },
    Technique {
        name: "planes64",
        about: "bit planes, 64 cells a word, one step a visit",
        paper: None,
        most_states: 32,
        cuda: Some(planes(source!("planes.cu"), ("u64", 8))),
        ..PLANAR
    },
    Technique {
        name: "32x1x1",
        about: "separate bits, 32 cells along x a word",
        cuda: Some(planes(source!("cloud_words.cu"), ("u32", 4))),
        ..OF_CLOUDS
    },
    Technique {
        name: "64x1x1",
        about: "separate bits, 64 cells along x a word",
        cpu: Some(cloud_words::CloudWords::start),
        cuda: Some(planes(source!("cloud_words.cu"), ("u64", 8))),
        ..OF_CLOUDS
    },
    Technique {
        name: "march",
        about: "separate bits, 32 cells a word, layers at hand in registers",
        cuda: Some(Kernels {
            block: [256, 1, 1],
            steps: &[17, 3, 1],
            threads: Threads::Columns(1),
            ghosts: Ghosts::UnlessWhole,
            ..planes(source!("cloud_march.cu"), ("u32", 4))
        }),
        ..OF_CLOUDS
    },
    Technique {
        name: "fused",
        about: "bit planes, several steps a visit: in registers on a GPU, in caches on a CPU",
        paper: None,
        most_states: 32,
        cpu: Some(tiles::fused),
        cuda: Some(Kernels {
            threads: Threads::Warps(1),
            steps: &[8, 4, 2, 1],
            ..planes(source!("fused.cu"), ("u32", 4))
        }),
        ..PLANAR
    },
];

/// What is compiled of every technique, for the automata with their usual numbers of states.
pub fn every_unit() -> Vec<Unit> {
    let of = |model: Model| {
        let fits = TECHNIQUES.iter().filter(move |technique| technique.goes_with(model));
        fits.filter_map(move |technique| technique.unit(model))
    };
    Model::all().flat_map(of).collect()
}

/// The technique of a name that goes with an automaton; with `auto` the fastest, on a GPU or the CPU.
///
/// # Errors
/// If there is none, or it does not go with the automaton or the device.
pub fn choose(name: &str, model: Model, on_gpu: bool) -> Result<&'static Technique> {
    let fits = |technique: &&Technique| {
        technique.goes_with(model)
            && if on_gpu { technique.cuda.is_some() } else { technique.cpu.is_some() }
    };
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
            "technique: {name} does not go with {automaton} of {} states",
            model.states
        ))
        .hint(format!("on {place} take one of {}", names()))),
        None => Err(Error::input(format!("technique: there is none called '{name}'"))
            .hint(format!("for {automaton} on {place} take auto or one of {}", names()))),
    }
}
