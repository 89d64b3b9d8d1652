//! The tables of the papers: what they print, and which technique of ours stands beside each column.
//!
//! 001 (the tutorial "CUDA Game of Life" of Oak Ridge's Leadership Computing Facility) prints no times, and 004 (Hua, "Cellular
//! Automata Cloud Simulation") shows its curves as pictures alone: of both the techniques and sizes are measured, and nothing
//! stands beside them. 002 (Cagigas-Muñiz et al. 2022, Simulation Modelling Practice and Theory 118, 102519) prints times of
//! 1024 steps in milliseconds, on an NVIDIA GTX 1650 Ti.

use crate::grid::Edges;
use crate::machine::{Machine, Setup};
use crate::measure::step_time;
use crate::registry::Model;
use crate::techniques::{TECHNIQUES, Technique};
use inundate_engine::error::Result;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What the paper calls it; empty if it is ours alone.
    pub printed: &'static str,
    /// The technique.
    pub technique: &'static str,
}

/// A table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// A name that is fit for a file.
    pub name: &'static str,
    /// The paper, and the table or figure.
    pub title: &'static str,
    /// The automaton.
    pub automaton: &'static str,
    /// Steps that a time is of.
    pub steps: u64,
    /// The columns.
    pub columns: &'static [Column],
    /// Cells along each side, and the times that are printed, in milliseconds: as many as columns that are the paper's.
    pub rows: &'static [(usize, &'static [Option<f64>])],
}

const fn column(printed: &'static str, technique: &'static str) -> Column {
    Column { printed, technique }
}

/// Every table.
pub static TABLES: [Table; 6] = [
    Table {
        name: "001-life-memories",
        title: "001: Life in global, shared and texture memory",
        automaton: "life",
        steps: 1024,
        columns: &[
            column("global memory", "ghosts"),
            column("shared memory", "shared"),
            column("texture memory", "texture"),
            column("", "planes64"),
            column("", "fused"),
        ],
        rows: &[(1024, &[None, None, None])],
    },
    Table {
        name: "002-table-1-life",
        title: "002, table 1: Game of Life",
        automaton: "life",
        steps: 1024,
        columns: &[
            column("baseline", "byte"),
            column("look-up table", "table"),
            column("AN5D (temporal blocking)", "blocked4"),
            column("32 bits packet coding", "packet32"),
            column("64 bits packet coding", "packet64"),
            column("", "planes64"),
            column("", "fused"),
        ],
        rows: &[
            (256, &[Some(6.2), Some(5.8), Some(25.7), Some(3.7), Some(3.9)]),
            (512, &[Some(20.9), Some(20.4), Some(34.9), Some(8.9), Some(10.5)]),
            (1024, &[Some(88.5), Some(87.4), Some(82.3), Some(39.6), Some(38.6)]),
            (2048, &[Some(325.2), Some(305.0), Some(264.8), Some(128.1), Some(114.9)]),
            (4096, &[Some(1299.2), Some(1234.4), Some(1036.0), Some(488.5), Some(436.0)]),
            (8192, &[Some(5300.5), Some(5052.2), Some(4228.5), Some(1977.6), Some(1770.2)]),
            (16384, &[Some(21303.0), Some(20324.4), Some(17066.8), Some(7960.2), Some(6996.2)]),
        ],
    },
    Table {
        name: "002-table-2-forest-fire",
        title: "002, table 2: forest fire",
        automaton: "forest-fire",
        steps: 1024,
        columns: &[
            column("baseline", "byte"),
            column("look-up table", "table"),
            column("compact look-up table", "compact-table"),
            column("AN5D (temporal blocking)", "blocked4"),
            column("", "packet64"),
            column("", "planes64"),
            column("", "fused"),
        ],
        rows: &[
            (256, &[Some(5.0), Some(5.0), Some(6.0), Some(18.7)]),
            (512, &[Some(17.5), Some(17.5), Some(21.5), Some(20.1)]),
            (1024, &[Some(80.5), Some(81.8), Some(90.3), Some(59.1)]),
            (2048, &[Some(289.5), Some(281.1), Some(320.1), Some(210.1)]),
            (4096, &[Some(1152.0), Some(1145.1), Some(1289.8), Some(677.3)]),
            (8192, &[Some(4655.6), Some(4714.0), Some(5275.1), Some(2588.1)]),
            (16384, &[Some(18692.4), Some(18023.8), Some(23371.4), Some(10775.4)]),
        ],
    },
    Table {
        name: "002-table-3-cyclic",
        title: "002, table 3: cyclic automaton of 15 states",
        automaton: "cyclic",
        steps: 1024,
        columns: &[
            column("baseline", "byte"),
            column("compact look-up table", "compact-table"),
            column("16 bits packet coding", "packet16"),
            column("32 bits packet coding", "packet32"),
            column("64 bits packet coding", "packet64"),
            column("", "planes64"),
            column("", "fused"),
        ],
        rows: &[
            (256, &[Some(11.7), Some(5.5), Some(8.0), Some(3.7), Some(6.4)]),
            (512, &[Some(41.4), Some(19.4), Some(26.1), Some(10.1), Some(13.1)]),
            (1024, &[Some(136.4), Some(87.1), Some(97.4), Some(42.1), Some(42.3)]),
            (2048, &[Some(514.6), Some(303.2), Some(330.2), Some(132.1), Some(127.7)]),
            (4096, &[Some(2102.3), Some(1236.2), Some(1328.8), Some(528.1), Some(499.7)]),
            (8192, &[Some(8302.9), Some(4887.5), Some(5264.6), Some(1974.1), Some(1858.9)]),
            (16384, &[Some(33602.7), Some(21761.4), Some(20818.0), Some(8033.1), Some(7289.8)]),
        ],
    },
    Table {
        name: "002-table-4-wireworld",
        title: "002, table 4: WireWorld",
        automaton: "wireworld",
        steps: 1024,
        columns: &[
            column("baseline", "byte"),
            column("compression (2 cells a byte)", "compressed"),
            column("look-up table", "table"),
            column("AN5D (temporal blocking)", "blocked4"),
            column("64 bits packet coding", "packet64"),
            column("", "planes64"),
            column("", "fused"),
        ],
        rows: &[
            (256, &[Some(6.1), Some(4.7), Some(6.0), Some(24.0), Some(4.0)]),
            (512, &[Some(20.8), Some(13.7), Some(20.5), Some(26.3), Some(11.1)]),
            (1024, &[Some(86.1), Some(51.2), Some(89.3), Some(87.9), Some(40.5)]),
            (2048, &[Some(311.9), Some(183.7), Some(319.4), Some(287.5), Some(125.9)]),
            (4096, &[Some(1240.4), Some(722.6), Some(1230.8), Some(961.2), Some(460.4)]),
            (8192, &[Some(5176.8), Some(3069.8), Some(5067.6), None, Some(1881.0)]),
            (16384, &[Some(21746.7), Some(12428.2), Some(20498.8), None, Some(7721.0)]),
        ],
    },
    Table {
        name: "004-clouds",
        title: "004: clouds",
        automaton: "clouds",
        steps: 1000,
        columns: &[
            column("naive", "byte"),
            column("shared memory", "shared-bytes"),
            column("two cells a byte", "compressed"),
            column("8x1x1", "8x1x1"),
            column("2x2x2", "2x2x2"),
            column("", "64x1x1"),
            column("", "march"),
        ],
        rows: &[(64, &[None; 5]), (128, &[None; 5]), (256, &[None; 5]), (512, &[None; 5])],
    },
];

/// A time of a table, and ours beside it.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The technique.
    pub technique: &'static str,
    /// What the paper calls it; empty if it is ours alone.
    pub column: &'static str,
    /// What is printed (ms).
    pub printed_ms: Option<f64>,
    /// What was measured (ms), scaled to the table's steps; none if the technique does not run here.
    pub ours_ms: Option<f64>,
}

/// How a technique is started on a device; none if it does not run there.
pub type Start<'a> = dyn Fn(&Technique, &Setup) -> Option<Result<Box<dyn Machine>>> + 'a;

impl Table {
    /// Measures the row of a size, each technique for about `seconds` (s).
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn measure(&self, size: usize, seconds: f64, start: &Start) -> Result<Vec<Time>> {
        let row = self.rows.iter().find(|(of, _)| *of == size).expect("a row of the table");
        let model = Model::named(self.automaton, None)?;
        let grid = model.soup(size, size, if model.automaton.deep { size } else { 1 }, 1);
        let setup = Setup { model, edges: Edges::Wrap, grid: &grid };
        let time = |(at, column): (usize, &Column)| {
            let known = TECHNIQUES.iter().find(|technique| technique.name == column.technique);
            let technique = known.expect("columns are of techniques");
            let visit = technique.cuda.map_or(1, |kernels| u64::from(kernels.steps[0]));
            let ours_ms = match start(technique, &setup) {
                None => None,
                Some(machine) => {
                    let step = step_time(&mut *machine?, seconds, visit)?;
                    Some(1e3 * step * self.steps as f64)
                }
            };
            let printed_ms = row.1.get(at).copied().flatten();
            Ok(Time { technique: column.technique, column: column.printed, printed_ms, ours_ms })
        };
        self.columns.iter().enumerate().map(time).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_of_a_technique_that_goes_with_the_automaton() {
        for table in &TABLES {
            let model = Model::named(table.automaton, None).unwrap();
            for column in table.columns {
                let technique =
                    TECHNIQUES.iter().find(|technique| technique.name == column.technique);
                assert!(
                    technique.unwrap().goes_with(model),
                    "{}: {}",
                    table.name,
                    column.technique
                );
            }
            let printed = table.columns.iter().filter(|column| !column.printed.is_empty()).count();
            assert!(table.rows.iter().all(|(_, times)| times.len() == printed), "{}", table.name);
        }
    }

    #[test]
    fn a_row_is_measured_where_techniques_run() {
        let start = |technique: &Technique, setup: &Setup| technique.cpu.map(|cpu| Ok(cpu(setup)));
        let times = TABLES[1].measure(256, 0.001, &start).unwrap();
        assert_eq!((times[0].printed_ms, times[5].printed_ms), (Some(6.2), None));
        assert!(times[0].ours_ms.unwrap() > 0.0);
        assert_eq!(times[2].ours_ms, None);
    }
}
