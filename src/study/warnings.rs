//! Warnings about the runs of a study: one line for all runs with the same warning, and one for the
//! doubtful runs.

use super::check::Checked;
use crate::words::and_more;

/// Maximum number of doubtful runs listed by name.
const NAMED: usize = 8;

/// Texts of different runs that differ at most in their numbers.
struct Shared<'a> {
    /// The text of the first run.
    text: &'a str,
    /// Words of the texts without numbers, and the number of such texts before it in a run.
    kind: (Vec<&'a str>, usize),
    /// Names of the runs.
    runs: Vec<&'a str>,
    /// `true` if the texts are identical.
    is_same: bool,
}

/// Returns the warnings about runs: the doubtful ones, then the warnings of all runs. Warnings of a
/// finished run are those of its report, others those of its input.
pub fn of_runs(runs: &[Checked]) -> Vec<String> {
    doubtful(runs).into_iter().chain(merged(runs, Checked::warnings)).collect()
}

/// Returns the texts of all runs, each once, with the runs that have it.
pub fn merged<'a>(
    runs: &'a [Checked<'a>],
    texts: impl Fn(&'a Checked<'a>) -> &'a [String],
) -> Vec<String> {
    merge(runs.iter().map(|checked| (&checked.run.name[..], texts(checked))), runs.len())
}

/// Returns a warning that names the doubtful runs, if there are any.
fn doubtful(runs: &[Checked]) -> Option<String> {
    let is_doubtful =
        |checked: &&Checked| checked.state.past().is_some_and(|past| past.first_doubt().is_some());
    let names: Vec<&String> =
        runs.iter().filter(is_doubtful).map(|checked| &checked.run.name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} of {} runs are doubtful by their own checks, but maps and statistics over the runs include them: {}",
            names.len(),
            runs.len(),
            and_more(names.iter(), NAMED)
        )
    })
}

/// Merges the texts of `count` runs, given with the runs' names.
fn merge<'a>(runs: impl Iterator<Item = (&'a str, &'a [String])>, count: usize) -> Vec<String> {
    let mut all: Vec<Shared> = Vec::new();
    for (run, texts) in runs {
        let kinds: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
        for (at, text) in texts.iter().enumerate() {
            let before = kinds[..at].iter().filter(|other| **other == kinds[at]).count();
            let kind = (kinds[at].clone(), before);
            match all.iter_mut().find(|known| known.kind == kind) {
                Some(known) => {
                    known.runs.push(run);
                    known.is_same &= known.text == text;
                }
                None => all.push(Shared { text, kind, runs: vec![run], is_same: true }),
            }
        }
    }
    all.iter().map(|shared| shared.line(count)).collect()
}

impl Shared<'_> {
    /// Returns the text with its runs, of `count` in all.
    fn line(&self, count: usize) -> String {
        let (first, text) = (self.runs[0], self.text);
        let who = match self.runs.len() {
            1 => format!("run '{first}'"),
            all if all == count => format!("all {all} runs"),
            many => format!("run '{first}' and {} more", many - 1),
        };
        let whose = if self.is_same { String::new() } else { format!(" (details of '{first}')") };
        format!("{who}{whose}: {text}")
    }
}

/// Returns the words of a text without numbers, names with numbers and units of time, which depend
/// on the duration (`34 s`, `4 min 34 s`).
fn words(text: &str) -> Vec<&str> {
    let is_number = |word: &str| {
        let unit = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains(|c: char| c.is_ascii_digit()) || ["h", "min", "s"].contains(&unit)
    };
    text.split_whitespace().filter(|word| !is_number(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged_of(runs: &[(&str, &[&str])]) -> Vec<String> {
        let own = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let runs: Vec<(&str, Vec<String>)> =
            runs.iter().map(|(name, texts)| (*name, own(texts))).collect();
        merge(runs.iter().map(|(name, texts)| (*name, &texts[..])), runs.len())
    }

    #[test]
    fn a_shared_warning_is_said_once_with_its_runs() {
        let slow = "too fast on 16 % of the flow (after 4 min 34 s)";
        let fast = "too fast on 1.5 % of the flow (after 34 s)";
        let dry = "no water";
        let runs: [(&str, &[&str]); 3] = [("a", &[slow, dry]), ("b", &[]), ("c", &[dry, fast])];
        let who = "run 'a' and 1 more";
        let both = [format!("{who} (details of 'a'): {slow}"), format!("{who}: {dry}")];
        assert_eq!(merged_of(&runs), both);
        let runs: [(&str, &[&str]); 2] = [("a", &[dry]), ("b", &[dry])];
        assert_eq!(merged_of(&runs), ["all 2 runs: no water"]);
    }

    #[test]
    fn all_warnings_of_a_run_are_kept() {
        let [first, second] =
            ["the discharge through 'w1' swings", "the discharge through 'w2' swings"];
        let runs: [(&str, &[&str]); 2] = [("a", &[first, second]), ("b", &[second])];
        let lines = [format!("all 2 runs (details of 'a'): {first}"), format!("run 'a': {second}")];
        assert_eq!(merged_of(&runs), lines);
    }
}
