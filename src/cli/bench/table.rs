//! A table of whole cases, told row by row as they are measured.

use super::BenchArgs;
use crate::bench::whole::Case;
use crate::cli::print_json;
use crate::error::{Error, Result};
use crate::run::with_threads;
use serde::Serialize;
use std::path::Path;

/// The columns: what stands over each, and how wide it is.
pub struct Table<const N: usize>(pub [(&'static str, usize); N]);

impl<const N: usize> Table<N> {
    /// Measures cases, each in a folder of its own, and tells of each as `cells` does, below some words; or prints them all as
    /// JSON if that is asked for.
    pub fn fill<M: Serialize + Send>(
        &self,
        args: &BenchArgs,
        words: &str,
        cases: &[Case],
        measure: impl Fn(&Case, &Path) -> Result<M> + Sync,
        cells: impl Fn(&M) -> [String; N] + Sync,
    ) -> Result<()> {
        let unusable = |error: std::io::Error| {
            Error::run("cannot write where the runs are made")
                .because(error)
                .hint("set TMPDIR to a folder with room")
        };
        let tell = |line: String| {
            if !args.json {
                say!("{line}");
            }
        };
        tell(words.into());
        tell(self.row(&self.0.map(|(head, _)| head.to_string())));
        let results = with_threads(args.threads, || {
            let mut results = Vec::new();
            for case in cases {
                let folder = tempfile::tempdir().map_err(unusable)?;
                let measured = measure(case, folder.path())?;
                tell(self.row(&cells(&measured)));
                results.push(measured);
            }
            Ok(results)
        })?;
        if args.json { print_json(&results) } else { Ok(()) }
    }

    /// The first column begins at the left, all others end at the right.
    fn row(&self, cells: &[String; N]) -> String {
        let padded =
            self.0.iter().zip(cells).enumerate().map(|(at, ((_, width), cell))| match at {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
        padded.collect::<Vec<_>>().join(" ")
    }
}

/// Columns and rows as people write them.
pub fn grid((columns, rows): (usize, usize)) -> String {
    format!("{columns} x {rows}")
}

/// The side of a map (cells) that is asked for, or else `usual`, for cases of which a smaller one leaves nothing.
pub fn side(args: &BenchArgs, usual: u16, option: &str) -> Result<usize> {
    let size = usize::from(args.size.unwrap_or(usual));
    if size < 128 {
        return Err(Error::input(format!("size: with {option} {size} cells are too few"))
            .hint("give --size 128 or more"));
    }
    Ok(size)
}
