//! Reference data: files beside these tests, and the real cases, which are not part of the
//! repository.

use std::path::{Path, PathBuf};

/// Returns a file of the real cases, or the reason why they cannot be run. They are in
/// `$INUNDATE_SHARED`, or in `shared/` inside the repository or beside it.
pub fn file(name: &str) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = match std::env::var_os("INUNDATE_SHARED") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => vec![root.join("shared"), root.join("../shared")],
    };
    let path =
        folders.iter().map(|folder| folder.join("data").join(name)).find(|path| path.exists());
    path.ok_or_else(|| format!("data file {name} was not found (set INUNDATE_SHARED)"))
}

/// Reads a reference curve stored beside these tests: rows of numbers under one line of names.
pub fn reference(name: &str) -> Vec<Vec<f64>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validation/reference");
    table(&folder.join(name)).expect("a reference kept in the repository")
}

/// Reads the rows of numbers in a CSV file; other lines (titles, remarks) are skipped.
pub fn table(path: &Path) -> Result<Vec<Vec<f64>>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let row: Result<Vec<f64>, _> = record.iter().map(str::parse).collect();
        rows.extend(row.ok());
    }
    match rows.is_empty() {
        true => Err(format!("no numbers in {}", path.display())),
        false => Ok(rows),
    }
}

/// Returns one column of a table as a function of another.
pub fn curve(table: &[Vec<f64>], x: usize, y: usize) -> Vec<(f64, f64)> {
    table.iter().map(|row| (row[x], row[y])).collect()
}
