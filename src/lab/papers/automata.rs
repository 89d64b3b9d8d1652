//! The tables of the papers on automata, measured.

use super::sheet::Sheet;
use crate::automata::machine::{Machine, Setup};
use crate::automata::papers::{TABLES, Table, Time};
use crate::automata::techniques::Technique;
use crate::bench::gpu::Gpu;
use crate::error::Result;
use serde::Serialize;

/// A row of a table: the times of a size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The table.
    pub table: &'static str,
    /// Cells along each side.
    pub size: usize,
    /// Steps that times are of.
    pub steps: u64,
    /// Each technique.
    pub times: Vec<Timed>,
}

/// A time of a technique.
#[derive(Clone, Debug, Serialize)]
pub struct Timed {
    /// The technique.
    pub technique: &'static str,
    /// What the paper calls it; empty if it is ours alone.
    pub column: &'static str,
    /// What the paper prints (ms).
    pub printed_ms: Option<f64>,
    /// What was measured (ms).
    pub ours_ms: Option<f64>,
}

/// The largest grid of the plane on a CPU, and of clouds, unless larger ones are asked for (cells along a side).
pub const ON_CPU: (usize, usize) = (1024, 128);

/// The sizes of a table that are measured; `most` is what was asked for.
pub fn sizes(table: &Table, most: Option<usize>, on_gpu: bool) -> Vec<usize> {
    let usual = match (on_gpu, table.automaton) {
        (true, _) => usize::MAX,
        (false, "clouds") => ON_CPU.1,
        (false, _) => ON_CPU.0,
    };
    let most = most.unwrap_or(usual);
    table.rows.iter().map(|(size, _)| *size).filter(|size| *size <= most).collect()
}

/// Measures a row, each technique for about `seconds` (s), on a GPU or on rayon's current threads.
pub fn row(table: &'static Table, size: usize, gpu: Option<&Gpu>, seconds: f64) -> Result<Row> {
    let start = |technique: &Technique, setup: &Setup| -> Option<Result<Box<dyn Machine>>> {
        match gpu {
            Some(gpu) => technique.start_on(&gpu.context, setup),
            None => technique.cpu.map(|cpu| Ok(cpu(setup))),
        }
    };
    let timed = |time: Time| Timed {
        technique: time.technique,
        column: time.column,
        printed_ms: time.printed_ms,
        ours_ms: time.ours_ms,
    };
    let times = table.measure(size, seconds, &start)?.into_iter().map(timed).collect();
    Ok(Row { table: table.name, size, steps: table.steps, times })
}

/// The rows of each table as a sheet: sizes down, what is printed and ours beside it across.
pub fn sheets(rows: &[Row]) -> Vec<Sheet> {
    let of = |table: &Table| {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.table == table.name).collect();
        let first = rows.first()?;
        let mut heads = vec!["size".to_string()];
        for time in &first.times {
            if !time.column.is_empty() {
                heads.push(format!("{} (ms, printed)", time.column));
            }
            heads.push(format!("{} (ms)", time.technique));
        }
        let cells = |row: &&Row| {
            let times = row.times.iter().flat_map(|time| {
                let printed = (!time.column.is_empty()).then_some(time.printed_ms);
                printed.into_iter().chain([time.ours_ms])
            });
            std::iter::once(Some(row.size as f64)).chain(times).collect()
        };
        let title = format!("{}: {} steps", table.title, table.steps);
        Some(Sheet { name: table.name, title, heads, rows: rows.iter().map(cells).collect() })
    };
    TABLES.iter().filter_map(of).collect()
}
