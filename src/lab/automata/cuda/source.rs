//! Kernel sources and the compilation units: one per automaton and technique.
//!
//! A unit is a single text with all its includes, and its name ends in a digest of it. So code
//! compiled from other sources, in the cache or in the binary, is never mistaken for it.

use super::kernels::{Holds, Kernels, Threads};
use crate::board::Board;
use crate::labels;
use crate::registry::Model;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::words::hexadecimal;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const BOARD: &str = include_str!("../kernels/automata/board.cuh");
const RULE: &str = include_str!("../kernels/automata/rule.cuh");
const LOGIC: &str = include_str!("../kernels/automata/logic.cuh");
const GHOSTS: &str = include_str!("../kernels/automata/ghosts.cuh");

/// Returns the compilation unit of a named technique.
pub fn unit(model: Model, name: &str, kernels: &Kernels) -> Unit {
    let source = text(model, kernels);
    let digest = hexadecimal(&Sha256::digest(&source));
    let states = match model.states {
        usual if usual == model.automaton.states.0 => String::new(),
        other => format!("-{other}"),
    };
    let name = format!("{}{states}-{name}-{}", model.automaton.name, &digest[..8]);
    Unit { name, source }
}

fn text(model: Model, kernels: &Kernels) -> String {
    let packing = kernels.packing(model);
    let [cells_x, cells_y, cells_z] = packing.cells;
    let deep = model.automaton.deep;
    let reach = if deep { 2 } else { 1 };
    let tile = if let Threads::Tiles(x, y) = kernels.threads { (x, y) } else { (1, 1) };
    let mut text =
        String::from("#ifndef ENTRY\n#define ENTRY extern \"C\" __global__ void\n#endif\n");
    for (name, value) in [
        ("STATES", model.states),
        ("CELLS_X", cells_x),
        ("CELLS_Y", cells_y),
        ("CELLS_Z", cells_z),
        ("BITS", packing.bits),
        ("PLANES", packing.planes),
        ("REACH", reach),
        ("REACH_Z", if deep { reach } else { 0 }),
        ("BLOCK_X", kernels.block[0] as usize),
        ("BLOCK_Y", kernels.block[1] as usize),
        ("BLOCK_Z", kernels.block[2] as usize),
        ("TILE_X", tile.0 as usize),
        ("TILE_Y", tile.1 as usize),
        ("WORDS", 1),
        ("ROWS", 1),
    ] {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text += BOARD;
    let _ = writeln!(text, "static_assert(sizeof(Board) == {}, \"Board\");", size_of::<Board>());
    let _ = writeln!(text, "typedef {} Element;", kernels.element.0);
    text += &model.automaton.source.1.replace("#include \"logic.cuh\"\n", LOGIC);
    text += RULE;
    text += &table(model, kernels);
    text += GHOSTS;
    text += kernels.source.1;
    text.replace("#pragma once\n", "")
}

/// Returns the lookup table as source text, or nothing for techniques without one.
fn table(model: Model, kernels: &Kernels) -> String {
    let (columns, next) = match kernels.holds {
        Holds::States | Holds::Planes => return String::new(),
        Holds::Labels => {
            let table = labels::table(model);
            (table.columns, table.next)
        }
        Holds::Compact => (2, labels::compact(model)),
    };
    let next: Vec<String> = next.iter().map(u8::to_string).collect();
    format!(
        "#define TABLE_COLUMNS {columns}\nstatic __device__ const unsigned char TABLE[] = {{{}}};\n",
        next.join(",")
    )
}
