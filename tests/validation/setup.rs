//! What a case is made of: terrain, roughness, and what brings and takes water. Plain numbers in SI units,
//! and of the engine but the tables of finer ground.

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
    /// The same everywhere.
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

/// Something given at times [s] and linear between them: a discharge [m³/s] spread over cells, or the level
/// [m] of those cells.
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
    /// Level [m], in multiples of 2⁻¹⁶ m; NaN outside the domain. With tables, that of the lowest pixel.
    pub bed: Vec<f64>,
    /// Tables of finer ground in the cells.
    pub tables: Option<Arc<Tables>>,
    /// Depth at the start [m].
    pub depth: Vec<f64>,
    /// Velocity of all water at the start [m/s], to the east and to the south.
    pub speed: [f64; 2],
    pub roughness: Roughness,
    pub open: Sides,
    /// The slope beyond the east side, if water leaves there at normal depth.
    pub runs_out: Option<f64>,
    pub rain: Vec<Rain>,
    pub inflows: Vec<Given>,
    pub held: Vec<Given>,
    /// Whether discharges can be read though the rule remembers none.
    pub keeps_discharge: bool,
    /// The longest step [s].
    pub dt_max: f64,
    /// Share of the step that the rule allows.
    pub step_share: f64,
}

impl Setup {
    /// Flat, dry and closed.
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
            keeps_discharge: false,
            dt_max: 30.0,
            step_share: 1.0,
        }
    }

    pub fn cell(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// Bed by column and row, rounded to what the engine stores, so that levels can be compared exactly.
    pub fn with_bed(mut self, level: impl Fn(usize, usize) -> f64) -> Setup {
        let at = |cell: usize| level(cell % self.columns, cell / self.columns);
        self.bed = (0..self.bed.len()).map(at).map(|z| (z * 65536.0).round() / 65536.0).collect();
        self
    }

    /// The same dry terrain on cells `by` times as wide: means of bed and roughness, outside the domain where
    /// any cell is. Cells left over at the east and south edges are left off; rain and all else too.
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

    /// The same dry terrain on cells `by` times as wide that know it by tables; rain, what comes in and where it leaves, too.
    pub fn on_tables(&self, by: usize) -> Setup {
        self.on_tables_with(by, &[])
    }

    /// The same with rivers that are narrower than those cells.
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

    /// Still water up to `level` [m].
    pub fn with_lake(mut self, level: f64) -> Setup {
        self.depth = self.bed.iter().map(|z| (level - z).max(0.0)).collect();
        self
    }

    /// `discharge` [m³/s] spread evenly over `cells`, linear between its points.
    pub fn with_inflow(mut self, cells: Vec<usize>, points: Vec<(f64, f64)>) -> Setup {
        self.inflows.push(Given { cells, points });
        self
    }

    /// The level [m] of `cells`, linear between its points.
    pub fn with_held(mut self, cells: Vec<usize>, points: Vec<(f64, f64)>) -> Setup {
        self.held.push(Given { cells, points });
        self
    }

    pub fn with_rain(mut self, cells: Option<Vec<usize>>, pieces: Vec<(f64, f64)>) -> Setup {
        self.rain.push(Rain { cells, pieces });
        self
    }
}

/// A smooth rough bed of ± `height` [m] with a little noise, the same for ever.
pub fn rough_bed(column: usize, row: usize, height: f64) -> f64 {
    let (i, j) = (column as f64, row as f64);
    let waves = (TAU * i / 17.0).sin() * (TAU * j / 13.0).cos();
    height * (0.8 * waves + 0.2 * noise(column, row))
}

/// A number in [−1, 1) of a cell (the finalizer of SplitMix64, Steele, Lea, Flood 2014).
pub fn noise(column: usize, row: usize) -> f64 {
    let mut bits = (column as u64) << 32 | row as u64;
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
