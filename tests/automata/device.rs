//! This processor as a device: kernels compiled as C++, and plain memory.

use crate::compile::Twins;
use inundate_automata::board::Board;
use inundate_automata::cuda::device::{Device, Launch};
use inundate_automata::registry::Model;
use inundate_automata::techniques::{TECHNIQUES, Technique};
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::error::Result;
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// Macros that a unit's text defines.
const DEFINED: &str = "STATES CELLS_X CELLS_Y CELLS_Z BITS PLANES REACH REACH_Z BLOCK_X BLOCK_Y BLOCK_Z TILE_X TILE_Y WORDS \
                       ROWS CLOUDS TABLE_COLUMNS";

/// Returns the techniques of an automaton.
pub fn techniques(model: Model) -> impl Iterator<Item = &'static Technique> {
    TECHNIQUES.iter().filter(move |technique| technique.goes_with(model))
}

fn space(technique: &Technique) -> String {
    format!("of_{}", technique.name.replace('-', "_"))
}

/// Compiles all kernels of an automaton for this processor.
pub fn compiled(model: Model) -> Twins {
    let mut source = String::from("#include \"automata.h\"\n");
    for technique in techniques(model) {
        for name in DEFINED.split_whitespace() {
            let _ = writeln!(source, "#undef {name}");
        }
        let (space, text) = (space(technique), technique.unit(model).source);
        let _ = writeln!(source, "namespace {space} {{\n{text}\n}}");
        for part in text.split("ENTRY ").skip(1) {
            let Some(name) = part.strip_prefix("step_").map(|rest| &rest[..1]) else { continue };
            let _ = writeln!(source, "EXPORT_STEP({space}, step_{name})");
        }
        for name in ["ghosts", "ghost_rows", "ghost_columns", "begin", "out", "back", "settle"] {
            if text.contains(&format!("ENTRY {name}(")) {
                let _ = writeln!(source, "EXPORT_STEP({space}, {name})");
            }
        }
    }
    let name = format!("automata-{}-{}", model.automaton.name, model.states);
    Twins::new(&Unit { name, source }, "automata.h")
}

/// Memory in words, so that 64-bit elements are aligned.
pub struct Memory(Vec<u64>, usize);

/// Layout of `HostTexture`.
#[repr(C)]
struct Texture {
    cells: *const u64,
    columns: i32,
    rows: i32,
    pitch: i32,
}

/// This processor with the kernels of a technique.
pub struct Host<'a> {
    twins: &'a Twins,
    space: String,
    textures: RefCell<Vec<Rc<Texture>>>,
}

impl Host<'_> {
    /// Selects a technique's kernels.
    pub fn new<'a>(twins: &'a Twins, technique: &Technique) -> Host<'a> {
        Host { twins, space: space(technique), textures: RefCell::default() }
    }
}

fn bytes(memory: &Memory) -> &[u8] {
    // SAFETY: the memory has that many bytes.
    unsafe { std::slice::from_raw_parts(memory.0.as_ptr().cast(), memory.1) }
}

impl Device for Host<'_> {
    type Memory = Memory;

    fn take(&self, bytes: usize) -> Result<Memory> {
        Ok(Memory(vec![0; bytes.div_ceil(8)], bytes))
    }

    fn write(&self, to: &mut Memory, from: &[u8]) -> Result<()> {
        assert!(from.len() <= to.1);
        // SAFETY: there is enough room.
        unsafe {
            std::ptr::copy_nonoverlapping(from.as_ptr(), to.0.as_mut_ptr().cast(), from.len())
        };
        Ok(())
    }

    fn read(&self, from: &Memory, to: &mut [u8]) -> Result<()> {
        to.copy_from_slice(&bytes(from)[..to.len()]);
        Ok(())
    }

    fn texture(&self, of: &Memory, board: &Board) -> Result<u64> {
        let [columns, rows, _] = board.cells;
        let texture =
            Rc::new(Texture { cells: of.0.as_ptr(), columns, rows, pitch: board.size[0] });
        let address = &raw const *texture as u64;
        self.textures.borrow_mut().push(texture);
        Ok(address)
    }

    fn launch(&self, launch: Launch, board: &Board, now: &Memory, next: &Memory) -> Result<()> {
        let arguments: [*const (); 3] =
            [(&raw const *board).cast(), now.0.as_ptr().cast(), next.0.as_ptr().cast()];
        let name = format!("{}_{}", self.space, launch.kernel);
        // SAFETY: every kernel takes a board and two addresses.
        unsafe { self.twins.launch_along(&name, &launch.blocks, &launch.threads, &arguments) };
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        Ok(())
    }
}
