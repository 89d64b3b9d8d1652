//! Sites and structures in the frames of a plan's subdomains.

use super::Problem;
use super::ground::{BedCell, GhostBed, bed_cell};
use crate::forcing::sites::{PlacedSite, SiteKind, SiteParameters, SiteTiming};
use crate::forcing::structures::Structure;
use crate::grid::Bed;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{Subdomain, on_padded_grid};
use crate::units::Metre;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A site in a subdomain's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct SiteAt {
    /// Column in the frame.
    pub column: u32,
    /// Row in the frame.
    pub row: u32,
    /// Set if it is one of the subdomain's own cells, whose water counts.
    pub own: bool,
    /// Parameters of the site.
    pub given: SiteParameters,
}

/// A structure in a subdomain's frame, which contains both its cells.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct StructureAt {
    /// Column of its cell in the frame.
    pub column: u32,
    /// Row of its cell in the frame.
    pub row: u32,
    /// Crest height above the datum (2⁻¹⁶ m), not below the beds of its cells.
    pub crest: i32,
    /// Column and row in the frame of the cells that store its trigger, if it waits for one.
    pub watched: Option<[(u32, u32); 2]>,
    /// Parameters of the structure.
    pub structure: Structure,
}

/// Sites and structures in a subdomain's frame, except for sites that a flag of the padded grid
/// marks ([`SiteTiming::WithFlow`]).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct SubdomainForcing {
    /// Sites by kind, in the order in which they act.
    pub sites: Vec<SiteAt>,
    /// Structures in the frame.
    pub structures: Vec<StructureAt>,
}

impl SubdomainForcing {
    /// Collects the sites of a problem in the frames of some subdomains; `inside` returns
    /// `true` if a cell of the grid is in the domain.
    pub fn of(
        problem: &Problem,
        subdomains: &[Subdomain],
        inside: impl Fn(usize) -> bool,
    ) -> Vec<SubdomainForcing> {
        let (solver, columns) = (problem.solver.info(), problem.grid.columns);
        let datum = problem.bed.datum();
        let listed = SiteKind::ALL.iter().filter(|kind| {
            (kind.info().when)(solver).is_some_and(|when| when != SiteTiming::WithFlow)
        });
        let placed = listed.flat_map(|kind| kind.cells(&problem.forcing));
        let mut placed: Vec<PlacedSite> = placed.filter(|site| inside(site.cell)).collect();
        mark_approaches(problem, &mut placed);
        let structures = problem.forcing.structures.iter();
        let structures = structures.filter_map(|structure| {
            let ahead = structure.ahead(&problem.grid)?;
            let on_ground = inside(structure.cell) && inside(ahead);
            on_ground.then(|| (*structure, structure.crest_over(ahead, &problem.bed, datum)))
        });
        let structures: Vec<(Structure, i32)> = structures.collect();
        let of = |subdomain: &Subdomain| {
            let here = |site: &PlacedSite| {
                let (column, row) = on_padded_grid(site.cell, columns);
                subdomain.extent.holds(column, row).then(|| SiteAt {
                    column: (column - subdomain.extent.column) as u32,
                    row: (row - subdomain.extent.row) as u32,
                    own: subdomain.own.holds(column, row),
                    given: match site.given.kind {
                        SiteKind::Stage => within(site.given, (column, row), &subdomain.extent),
                        _ => site.given,
                    },
                })
            };
            let structures = structures.iter().filter_map(|(structure, crest)| {
                let (column, row) = on_padded_grid(structure.cell, columns);
                let ahead = (column + 1 - structure.axis, row + structure.axis);
                let holds = |(column, row)| subdomain.extent.holds(column, row);
                let place = |(column, row)| {
                    let Rect { column: first, row: top, .. } = subdomain.extent;
                    ((column - first) as u32, (row - top) as u32)
                };
                let watched = |cells: [usize; 2]| {
                    let cells = cells.map(|cell| on_padded_grid(cell, columns));
                    let there = cells.iter().all(|cell| holds(*cell));
                    there.then(|| cells.map(place)).expect("plans keep a structure and it together")
                };
                (holds((column, row)) && holds(ahead)).then(|| StructureAt {
                    column: place((column, row)).0,
                    row: place((column, row)).1,
                    crest: *crest,
                    watched: structure.waits.map(watched),
                    structure: *structure,
                })
            });
            SubdomainForcing {
                sites: placed.iter().filter_map(here).collect(),
                structures: structures.collect(),
            }
        };
        subdomains.iter().map(of).collect()
    }

    /// Returns `true` if none of them adds water; removal does not matter where there is none.
    pub(crate) fn brings_nothing(&self) -> bool {
        !self.sites.iter().any(|site| site.given.kind.info().brings)
    }
}

/// Directions to the west, east, north and south.
const OUTWARD: [[isize; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

/// Returns a stage boundary in a frame that has its cell (column and row of the padded grid): with
/// those of its marked sides whose cells beyond and inside the frame has.
fn within(given: SiteParameters, cell: (usize, usize), frame: &Rect) -> SiteParameters {
    let holds = |[right, down]: [isize; 2]| {
        frame.holds(cell.0.wrapping_add_signed(right), cell.1.wrapping_add_signed(down))
    };
    let held = |side: usize| holds(OUTWARD[side]) && holds(OUTWARD[side ^ 1]);
    let sides: u32 = (0..4).filter(|&side| held(side)).map(|side| 1 << side).sum();
    let [group, marked] = given.numbers;
    SiteParameters { numbers: [group, marked & sides], ..given }
}

/// Returns whether a cell is among some in ascending order.
fn has(cells: &[usize], cell: usize) -> bool {
    cells.binary_search(&cell).is_ok()
}

/// Returns whether cells with a level, in ascending order, are a section of flowing water: they border on
/// ground below the level, or on an open side, in one direction only, so that the section ends at banks.
/// Elsewhere water could leave and enter again beside it, with a velocity that nothing limits.
fn is_section(problem: &Problem, around: &GhostBed, cells: &[usize], level: Metre) -> bool {
    let mut direction = None;
    cells.iter().all(|cell| {
        let (column, row) = problem.grid.column_row(*cell);
        OUTWARD.iter().all(|by| {
            let place = [column as isize + by[0], row as isize + by[1]];
            let is_free = bed_cell(problem, around, place).is_some_and(|beside| {
                let ground = f64::from(problem.bed.levels[beside.source]) / Bed::PER_METRE;
                beside.port.is_some() || (ground < level && !has(cells, beside.source))
            });
            !is_free || direction.get_or_insert(*by) == by
        })
    })
}

/// Lists the holders of levels that are not sections of flowing water, with their cells in ascending
/// order: under a solver with momentum, water enters from rest there ([`crate::forcing::approach`]).
pub fn enters_from_rest(problem: &Problem) -> Vec<(u32, Vec<usize>)> {
    still_holders(problem, &GhostBed::of(problem))
}

fn still_holders(problem: &Problem, around: &GhostBed) -> Vec<(u32, Vec<usize>)> {
    let mut still = Vec::new();
    for stage in &problem.forcing.stage_boundaries {
        let highest = stage.level.pieces().iter().map(|piece| piece.value);
        let highest = highest.fold(f64::NEG_INFINITY, f64::max);
        let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (&cell, &holder) in stage.cells.iter().zip(&stage.holders) {
            holders.entry(holder).or_default().push(cell);
        }
        holders.retain(|_, cells| !is_section(problem, around, cells, highest));
        still.extend(holders);
    }
    still
}

/// Marks the sides of stage cells across which water enters with a velocity
/// ([`crate::forcing::approach`]): the cells are a section of flowing water, on the line outward there are
/// only other stage cells, if any, up to the edge of the map, and the cell opposite is in the domain and
/// has no site of its own, whose water would change at the same time. `sites` are all that act in a step.
fn mark_approaches(problem: &Problem, sites: &mut [PlacedSite]) {
    let is_stage = |site: &PlacedSite| site.given.kind == SiteKind::Stage;
    if !problem.solver.has_momentum() || !sites.iter().any(is_stage) {
        return;
    }
    let around = GhostBed::of(problem);
    let ascending = |mut cells: Vec<usize>| {
        cells.sort_unstable();
        cells
    };
    let cells = |which: &dyn Fn(&PlacedSite) -> bool| {
        ascending(sites.iter().filter(|site| which(site)).map(|site| site.cell).collect())
    };
    let held = cells(&is_stage);
    let acts = cells(&|site| site.given.kind != SiteKind::Trigger);
    let still = still_holders(problem, &around).into_iter().flat_map(|(_, cells)| cells);
    let still = ascending(still.collect());
    let flows = |site: &&mut PlacedSite| is_stage(site) && !has(&still, site.cell);
    for site in sites.iter_mut().filter(flows) {
        let (column, row) = problem.grid.column_row(site.cell);
        let ground = |side: usize, steps: isize| {
            let [right, down] = OUTWARD[side].map(|by| by * steps);
            bed_cell(problem, &around, [column as isize + right, row as isize + down])
        };
        let enters = |side: &usize| {
            let inside = ground(*side, -1).filter(|cell| cell.port.is_none());
            if inside.is_none_or(|cell| has(&acts, cell.source)) {
                return false;
            }
            let is_held = |cell: &BedCell| cell.port.is_none() && has(&held, cell.source);
            let mut beyond = (1..).map(|steps| ground(*side, steps));
            beyond.find(|cell| !cell.as_ref().is_some_and(is_held)).flatten().is_none()
        };
        site.given.numbers[1] = (0..4).filter(enters).map(|side| 1 << side).sum();
    }
}
