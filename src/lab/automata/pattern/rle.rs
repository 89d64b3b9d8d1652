//! Run-length encoded patterns (Golly's "Extended RLE"): `b` or `.` for state 0, `o` or `A` for 1,
//! `B` for 2 and so on, `$` for the end of a row, `!` for the end of the pattern, each preceded by
//! a repeat count if greater than one.

use crate::grid::Grid;
use inundate_engine::error::{Error, Result};

/// Maximum number of cells of a pattern.
const MOST: usize = 1 << 30;

/// Reads a pattern; `from` names it in messages. The size comes from the header, or else from the
/// longest row.
///
/// # Errors
/// If the text is not such a pattern.
pub fn read(text: &str, from: &str) -> Result<Grid> {
    let mut size = None;
    let mut body = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if line.starts_with('x') {
            size = Some(header(line, from)?);
        } else {
            body.push_str(line);
        }
    }
    decode(&body, size, from)
}

/// Reads columns and rows from a header: `x = 3, y = 3, rule = B3/S23`.
fn header(line: &str, from: &str) -> Result<(usize, usize)> {
    let number = |key: &str| {
        let mut parts = line.split(',').filter_map(|part| part.split_once('='));
        parts.find(|(name, _)| name.trim() == key).and_then(|(_, value)| value.trim().parse().ok())
    };
    number("x").zip(number("y")).ok_or_else(|| {
        Error::input(format!("in: '{from}': the header '{line}' has no size"))
            .hint("it should begin like: x = 36, y = 9, rule = B3/S23")
    })
}

/// Decodes the cells.
///
/// # Errors
/// If the text contains invalid characters, or more cells than the size allows.
pub fn decode(body: &str, size: Option<(usize, usize)>, from: &str) -> Result<Grid> {
    let mut rows: Vec<Vec<u8>> = vec![Vec::new()];
    let mut count: usize = 0;
    let mut cells: usize = 0;
    for letter in body.chars() {
        let times = count.max(1);
        match letter {
            '0'..='9' => {
                let digit = letter as usize - '0' as usize;
                count = count.saturating_mul(10).saturating_add(digit);
                continue;
            }
            ' ' | '\t' => continue,
            '!' => break,
            '$' => {
                too_large(rows.len().saturating_add(times), from)?;
                rows.resize(rows.len() + times, Vec::new());
            }
            'b' | '.' | 'o' | 'A'..='X' => {
                cells = cells.saturating_add(times);
                too_large(cells, from)?;
                let state = match letter {
                    'b' | '.' => 0,
                    'o' => 1,
                    letter => letter as u8 - b'A' + 1,
                };
                let row = rows.last_mut().expect("there is one");
                row.resize(row.len() + times, state);
            }
            other => {
                return Err(Error::input(format!("in: '{from}': '{other}' is not a state")).hint(
                    "a pattern consists of b, o, ., A to X, numbers and $, and ends with !",
                ));
            }
        }
        count = 0;
    }
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let (columns, lines) = size.unwrap_or((longest, rows.len()));
    if longest > columns || rows.len() > lines {
        let has = rows.len();
        return Err(Error::input(format!(
            "in: '{from}': there are {longest} x {has} cells, but the header says {columns} x {lines}"
        ))
        .hint("correct the header, or leave it out"));
    }
    too_large(columns.saturating_mul(lines), from)?;
    let mut grid = Grid::new(columns, lines, 1);
    for (y, row) in rows.iter().enumerate() {
        let start = grid.place(0, y, 0);
        grid.states[start..start + row.len()].copy_from_slice(row);
    }
    Ok(grid)
}

fn too_large(cells: usize, from: &str) -> Result<()> {
    if cells <= MOST {
        return Ok(());
    }
    Err(Error::input(format!("in: '{from}' has more than {MOST} cells"))
        .hint("is a number in it wrong?"))
}
