//! Setup of a case: terrain, roughness, and forcing. Plain numbers in SI units, independent of the
//! engine except for subgrid tables.

use inundate::engine::forcing::link::Link;
use inundate::engine::forcing::structures::Structure;
use inundate::engine::grid::Bed;
use inundate::engine::subgrid::build::Builder;
use inundate::engine::subgrid::reaches::Courses;
use inundate::engine::subgrid::river::{Land, River};
use inundate::engine::subgrid::tables::Tables;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Manning's n [s/m^⅓].
#[derive(Clone)]
pub enum Roughness {
    /// Uniform.
    Uniform(f64),
    /// Per cell, row-major.
    Cells(Vec<f64>),
}

/// Rain [m/s] from each time [s] on, over some cells or all.
#[derive(Clone)]
pub struct Rain {
    pub cells: Option<Vec<usize>>,
    pub pieces: Vec<(f64, f64)>,
}

/// A quantity given at times [s] and linear between them: a discharge [m³/s] distributed over
/// cells, or the level [m] of the cells.
#[derive(Clone)]
pub struct Given {
    pub cells: Vec<usize>,
    pub points: Vec<(f64, f64)>,
}

/// Open sides: north, east, south, west.
pub type Sides = [bool; 4];

/// A case, row-major from the north-west corner.
#[derive(Clone)]
pub struct Setup {
    pub columns: usize,
    pub rows: usize,
    pub dx: f64,
    pub dy: f64,
    /// Level [m], in multiples of 2⁻¹⁶ m; NaN outside the domain. With tables, the level of the
    /// lowest pixel.
    pub bed: Vec<f64>,
    /// Subgrid tables of the cells.
    pub tables: Option<Arc<Tables>>,
    /// Initial depth [m].
    pub depth: Vec<f64>,
    /// Initial velocity of all water [m/s], to the east and to the south.
    pub speed: [f64; 2],
    pub roughness: Roughness,
    pub open: Sides,
    /// Slope beyond the east side, if water leaves there at normal depth.
    pub runs_out: Option<f64>,
    pub rain: Vec<Rain>,
    pub inflows: Vec<Given>,
    pub held: Vec<Given>,
    /// Structures, with the tables of their laws. Those that wait for a trigger start at once.
    pub structures: Vec<Structure>,
    pub law_tables: Vec<f32>,
    /// Pumps and culverts.
    pub links: Vec<Link>,
    /// Set if discharges can be read although the solver does not store them.
    pub keeps_discharge: bool,
    /// Maximum step [s].
    pub dt_max: f64,
    /// Share of the step allowed by the solver.
    pub step_share: f64,
}

impl Setup {
    /// Creates a flat, dry and closed setup.
    pub fn new(columns: usize, rows: usize, dx: f64, n: f64) -> Setup {
        Setup {
            columns,
            rows,
            dx,
            dy: dx,
            bed: vec![0.0; columns * rows],
            tables: None,
            runs_out: None,
            depth: vec![0.0; columns * rows],
            speed: [0.0; 2],
            roughness: Roughness::Uniform(n),
            open: [false; 4],
            rain: Vec::new(),
            inflows: Vec::new(),
            held: Vec::new(),
            structures: Vec::new(),
            law_tables: Vec::new(),
            links: Vec::new(),
            keeps_discharge: false,
            dt_max: 30.0,
            step_share: 1.0,
        }
    }

    pub fn cell(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// Sets the bed by column and row, rounded as in the engine, so that levels can be compared
    /// exactly.
    pub fn with_bed(mut self, level: impl Fn(usize, usize) -> f64) -> Setup {
        let at = |cell: usize| level(cell % self.columns, cell / self.columns);
        self.bed = (0..self.bed.len()).map(at).map(|z| (z * 65536.0).round() / 65536.0).collect();
        self
    }

    /// Returns the dry terrain on cells `by` times as wide: means of bed and roughness, outside the
    /// domain if any of the cells is. Remaining cells at the east and south edges are dropped, and
    /// so are rain and everything else.
    pub fn coarser(&self, by: usize) -> Setup {
        let (columns, rows) = (self.columns / by, self.rows / by);
        let mean = |values: &[f64], column: usize, row: usize| {
            let cells = (0..by * by).map(|i| (column * by + i % by, row * by + i / by));
            let sum: f64 = cells.map(|(column, row)| values[self.cell(column, row)]).sum();
            sum / (by * by) as f64
        };
        let coarse = Setup {
            dy: self.dy * by as f64,
            open: self.open,
            ..Setup::new(columns, rows, self.dx * by as f64, 0.0)
        };
        let roughness = match &self.roughness {
            Roughness::Uniform(n) => Roughness::Uniform(*n),
            Roughness::Cells(n) => {
                let cells = (0..columns * rows).map(|cell| mean(n, cell % columns, cell / columns));
                Roughness::Cells(cells.collect())
            }
        };
        Setup { roughness, ..coarse }.with_bed(|column, row| mean(&self.bed, column, row))
    }

    /// Returns the dry terrain on cells `by` times as wide with tables; includes rain, inflow and
    /// outflow.
    pub fn on_tables(&self, by: usize) -> Setup {
        self.on_tables_with(by, &[])
    }

    /// Returns such a setup with rivers narrower than its cells.
    pub fn on_tables_with(&self, by: usize, rivers: &[River]) -> Setup {
        let [columns, rows] = [self.columns, self.rows].map(|cells| cells / by);
        let (fine, wide) = (Bed::from_metres(self.bed.iter().copied()).levels, columns * by);
        let roughness = match &self.roughness {
            Roughness::Uniform(_) => None,
            Roughness::Cells(n) => Some(n),
        };
        let pixel = [self.dx, self.dy];
        let builder = Builder::new([wide, rows * by], pixel, by, roughness.is_some());
        let all = (0..rows * by).flat_map(|row| (0..wide).map(move |i| (i, row)));
        let levels: Vec<i32> = all.map(|(i, row)| fine[self.cell(i, row)]).collect();
        let land = Land { levels: &levels, columns: wide, pixel, ratio: by };
        let (channels, _) = Courses::of(rivers, land).channels(&levels);
        let mut builder = builder.with_channels(channels);
        for row in (0..rows * by).step_by(by) {
            let pixels = || (row..row + by).flat_map(|row| (0..wide).map(move |i| (i, row)));
            let band: Vec<i32> = pixels().map(|(i, j)| fine[self.cell(i, j)]).collect();
            let n = roughness.map(|n| -> Vec<f32> {
                pixels().map(|(i, j)| n[self.cell(i, j)] as f32).collect()
            });
            builder.band(&band, n.as_deref());
        }
        let tables = builder.finish();
        let level = |&z: &i32| if z == Bed::OUTSIDE { f64::NAN } else { f64::from(z) / 65536.0 };
        let over = |fine: &Given| {
            let coarse = |&cell: &usize| {
                let (column, row) = (cell % self.columns / by, cell / self.columns / by);
                row * columns + column
            };
            let mut cells: Vec<usize> = fine.cells.iter().map(coarse).collect();
            cells.sort_unstable();
            cells.dedup();
            Given { cells, points: fine.points.clone() }
        };
        Setup {
            dy: self.dy * by as f64,
            bed: tables.bed.iter().map(level).collect(),
            roughness: match &self.roughness {
                Roughness::Uniform(n) => Roughness::Uniform(*n),
                Roughness::Cells(_) => {
                    Roughness::Cells(tables.roughness.iter().map(|n| f64::from(*n)).collect())
                }
            },
            tables: Some(Arc::new(tables)),
            open: self.open,
            runs_out: self.runs_out,
            rain: self.rain.clone(),
            inflows: self.inflows.iter().map(over).collect(),
            keeps_discharge: self.keeps_discharge,
            ..Setup::new(columns, rows, self.dx * by as f64, 0.0)
        }
    }

    /// Adds still water up to `level` [m].
    pub fn with_lake(mut self, level: f64) -> Setup {
        self.depth = self.bed.iter().map(|z| (level - z).max(0.0)).collect();
        self
    }

    /// Adds `discharge` [m³/s] distributed evenly over `cells`, linear between its points.
    pub fn with_inflow(mut self, cells: Vec<usize>, points: Vec<(f64, f64)>) -> Setup {
        self.inflows.push(Given { cells, points });
        self
    }

    /// Holds the level [m] of `cells`, linear between its points.
    pub fn with_held(mut self, cells: Vec<usize>, points: Vec<(f64, f64)>) -> Setup {
        self.held.push(Given { cells, points });
        self
    }

    pub fn with_rain(mut self, cells: Option<Vec<usize>>, pieces: Vec<(f64, f64)>) -> Setup {
        self.rain.push(Rain { cells, pieces });
        self
    }
}

/// Returns a smooth rough bed of ± `height` [m] with a little noise, which never changes.
pub fn rough_bed(column: usize, row: usize, height: f64) -> f64 {
    let (i, j) = (column as f64, row as f64);
    let waves = (TAU * i / 17.0).sin() * (TAU * j / 13.0).cos();
    height * (0.8 * waves + 0.2 * noise(column, row))
}

/// Returns a cell's pseudo-random number in [−1, 1) (the finalizer of SplitMix64, Steele, Lea,
/// Flood 2014).
pub fn noise(column: usize, row: usize) -> f64 {
    let mut bits = (column as u64) << 32 | row as u64;
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
