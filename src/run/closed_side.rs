//! Warning of water that collects at a closed side of the DEM.

use crate::engine::boundary::OpenSides;
use crate::engine::grid::Grid;
use crate::observer::greatest::Greatest;

/// Depth from which water at a closed side is reported (m).
const DEEP: f64 = 0.5;

/// Returns a warning about a run without outflow whose deepest cell is at closed sides of the DEM;
/// `open` are the sides that are open somewhere.
pub(super) fn warning(deepest: &Greatest, grid: &Grid, open: OpenSides) -> Option<String> {
    let at = deepest.at;
    let sides = OpenSides {
        north: at.row == 0,
        east: at.column + 1 == grid.columns,
        south: at.row + 1 == grid.rows,
        west: at.column == 0,
    };
    let closed = sides.without(open);
    (closed == sides && sides != OpenSides::CLOSED && deepest.value >= DEEP).then(|| {
        let names = sides.names();
        format!(
            "water is deepest at the {} side of the DEM ({:.1} m), which is closed: if the terrain falls beyond it, open it (--open {}), or the water ponds there",
            names.join(" and "),
            deepest.value,
            names.join(",")
        )
    })
}
