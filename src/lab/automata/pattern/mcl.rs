//! MCell patterns (`.mcl`): lines beginning with `#L` hold run-length encoded rows, and `#BOARD`
//! the size of the board in whose middle the pattern is placed.

use super::rle;
use crate::grid::Grid;
use inundate_engine::error::{Error, Result};

/// Reads a pattern; `from` names it in messages.
///
/// # Errors
/// If the text is not such a pattern, or the pattern is larger than its board.
pub fn read(text: &str, from: &str) -> Result<Grid> {
    let lines = || text.lines().map(str::trim);
    let body: String = lines().filter_map(|line| line.strip_prefix("#L")).collect();
    if body.trim().is_empty() {
        return Err(Error::input(format!("in: '{from}' has no line that begins with #L"))
            .hint("MCell patterns have such lines; the names of RLE files end in .rle"));
    }
    let pattern = rle::decode(&body, None, from)?;
    let Some(board) = lines().find_map(|line| line.strip_prefix("#BOARD")) else {
        return Ok(pattern);
    };
    let size = board
        .trim()
        .split_once('x')
        .and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    let Some((columns, rows)) = size else {
        return Err(Error::input(format!(
            "in: '{from}': '{}' is not the size of a board",
            board.trim()
        ))
        .hint("write it like #BOARD 100x80"));
    };
    super::centred(&pattern, columns, rows).ok_or_else(|| {
        let (has, of) = (pattern.columns, pattern.rows);
        Error::input(format!(
            "in: '{from}': {has} x {of} cells do not fit the board of {columns} x {rows}"
        ))
        .hint("correct #BOARD, or leave it out")
    })
}
