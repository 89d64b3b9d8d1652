//! Selects the runs of a study: all, some, or the share of a job array task.

use super::{Study, StudyRun};
use crate::error::{Error, Result};

/// Selects the runs of a text such as `3`, `1,4-6` or `smooth`.
pub fn only<'a>(study: &'a Study, text: &str) -> Result<Vec<&'a StudyRun>> {
    let count = study.runs.len();
    let mut wanted = vec![false; count];
    for part in text.split(',').map(str::trim) {
        if let Some(run) = study.runs.iter().find(|run| run.name == part) {
            wanted[run.index - 1] = true;
            continue;
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().ok();
        match (number(first), number(last)) {
            (Some(first), Some(last)) if 1 <= first && first <= last && last <= count => {
                wanted[first - 1..last].fill(true);
            }
            (Some(_), Some(_)) => {
                return Err(Error::input(format!("only: there is no run {part}"))
                    .hint(format!("the runs of this study are 1 to {count}")));
            }
            _ => {
                return Err(Error::input(format!("only: there is no run '{part}'"))
                    .hint("write numbers (3 or 1,4-6) or a name; --dry-run lists both"));
            }
        }
    }
    Ok(study.runs.iter().filter(|run| wanted[run.index - 1]).collect())
}

/// Selects the runs of a text such as `3/10`: every tenth, starting with the third.
pub fn share<'a>(study: &'a Study, text: &str) -> Result<Vec<&'a StudyRun>> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let parts = text.split_once('/').and_then(|(task, of)| Some((number(task)?, number(of)?)));
    match parts {
        Some((task, of)) if 1 <= task && task <= of => {
            Ok(study.runs.iter().skip(task - 1).step_by(of).collect())
        }
        _ => Err(Error::input(format!("array_task: '{text}' is not an array task"))
            .hint("write the task, from 1, and the number of tasks: 3/10")),
    }
}
