//! Parts of a SWMM input file that SWMM's library does not return: the coordinates of nodes, the
//! options, the crowns of the conduits, and the subcatchments.

use crate::error::{Error, Result};
use crate::machine::swmm::network::decoded;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns a name in the form in which names are compared: SWMM ignores the case of ASCII letters.
pub fn id(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// Parts of a SWMM input file, in its own units. Maps and `staged` have the [ids](id) of the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SewerFile {
    /// Options by name, both in capitals.
    pub options: BTreeMap<String, String>,
    /// Coordinates of nodes.
    pub coordinates: BTreeMap<String, (f64, f64)>,
    /// Height of the highest crown of the conduits at each node over its invert.
    pub crowns: BTreeMap<String, f64>,
    /// Subcatchments on which rain falls.
    pub subcatchments: Vec<Subcatchment>,
    /// Outfalls whose stage the file sets: fixed, tidal or a series.
    pub staged: BTreeSet<String>,
    /// Other files that SWMM reads for it: series, rain and interface files.
    pub reads: BTreeSet<PathBuf>,
    /// Files that SWMM would write beside its report and results.
    pub saves: BTreeSet<PathBuf>,
    /// Nodes with inflow that SWMM derives from rain.
    pub rain_inflows: BTreeSet<String>,
    /// Set if SWMM computes the flow of some periods only.
    pub has_events: bool,
}

/// Subcatchment of a SWMM input file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subcatchment {
    /// Name of the subcatchment.
    pub name: String,
    /// Name of the node or the subcatchment that receives its runoff.
    pub outlet: String,
    /// Corners of its polygon; empty if the file has none.
    pub corners: Vec<(f64, f64)>,
}

impl SewerFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read. SWMM reports what is wrong in it.
    pub fn read(path: &Path) -> Result<SewerFile> {
        let bytes = std::fs::read(path).map_err(|error| {
            Error::input(format!("sewers: cannot read '{}'", path.display()))
                .because(error)
                .hint("give the input file (.inp) of EPA SWMM")
        })?;
        if [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"]
            .iter()
            .any(|mark| bytes.starts_with(mark))
        {
            return Err(Error::input(format!(
                "sewers: '{}' begins with a byte order mark, which SWMM cannot read",
                path.display()
            ))
            .hint("save it as plain text without the mark: \"UTF-8\" rather than \"UTF-8 with BOM\" or \"Unicode\""));
        }
        let mut file = SewerFile::parse(&decoded(&bytes));
        // SWMM takes relative paths from the folder of the input file.
        let folder = path.parent().unwrap_or(Path::new(""));
        for paths in [&mut file.reads, &mut file.saves] {
            *paths = paths.iter().map(|path| folder.join(path)).collect();
        }
        Ok(file)
    }

    fn parse(text: &str) -> SewerFile {
        let mut file = SewerFile::default();
        // The nodes of each conduit with their offsets, and the height of its section.
        let mut conduits = BTreeMap::<String, [(String, f64); 2]>::new();
        let mut heights = BTreeMap::<String, f64>::new();
        let mut corners = BTreeMap::<String, Vec<(f64, f64)>>::new();
        let mut section = String::new();
        for line in text.lines() {
            let line = line.split(';').next().unwrap_or_default().trim();
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']).to_uppercase();
                continue;
            }
            let words = words_of(line);
            let Some(name) = words.first().map(ToString::to_string) else { continue };
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
            let text = |at: usize| words.get(at).map(ToString::to_string).unwrap_or_default();
            let point = number(1).zip(number(2));
            // SWMM recognizes sections by their first letters.
            let is = |head: &str| section.starts_with(head);
            if is("OPTION") {
                file.options.insert(name.to_uppercase(), text(1).to_uppercase());
            } else if is("COORD") {
                file.coordinates.extend(point.map(|point| (id(&name), point)));
            } else if is("POLYG") {
                corners.entry(id(&name)).or_default().extend(point);
            } else if is("CONDUIT") {
                let ends = [(1, 5), (2, 6)];
                let ends =
                    ends.map(|(node, offset)| (id(&text(node)), number(offset).unwrap_or(0.0)));
                conduits.insert(id(&name), ends);
            } else if is("XSECT") {
                heights.insert(id(&name), number(2).unwrap_or_default());
            } else if is("OUTFALL") {
                let kind = text(2).to_uppercase();
                if ["FIXED", "TIDAL", "TIMESERIES"].contains(&kind.as_str()) {
                    file.staged.insert(id(&name));
                }
            } else if is("TIMESERIES") && text(1).eq_ignore_ascii_case("FILE") {
                file.reads.insert(text(2).into());
            } else if is("TEMP") && name.eq_ignore_ascii_case("FILE") {
                file.reads.insert(text(1).into());
            } else if is("RAINGAGE") {
                let at = words.iter().position(|word| word.eq_ignore_ascii_case("FILE"));
                file.reads.extend(at.map(|at| PathBuf::from(text(at + 1))));
            } else if is("FILE") {
                let paths = match name.to_uppercase().as_str() {
                    "SAVE" => &mut file.saves,
                    _ => &mut file.reads,
                };
                paths.insert(text(2).into());
            } else if is("RDII") {
                file.rain_inflows.insert(name);
            } else if is("EVENT") {
                file.has_events = true;
            } else if is("SUBCATCH") {
                let outlet = text(2);
                file.subcatchments.push(Subcatchment { name, outlet, corners: Vec::new() });
            }
        }
        // Offsets that are levels are no heights over the invert.
        let are_levels = file.has("LINK_OFFSETS", "ELEVATION");
        for (name, ends) in conduits {
            let height = heights.get(&name).copied().unwrap_or_default();
            for (node, offset) in ends {
                let crown = height + if are_levels { 0.0 } else { offset };
                let highest = file.crowns.entry(node).or_default();
                *highest = highest.max(crown);
            }
        }
        for subcatchment in &mut file.subcatchments {
            subcatchment.corners = corners.remove(&id(&subcatchment.name)).unwrap_or_default();
        }
        file
    }

    /// Returns `true` if an option is set to a value (both in capitals).
    pub fn has(&self, option: &str, value: &str) -> bool {
        self.options.get(option).is_some_and(|found| found == value)
    }
}

/// Divides a line into words; quotes keep blanks.
fn words_of(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (word, after) =
            quoted.unwrap_or_else(|| rest.split_once(char::is_whitespace).unwrap_or((rest, "")));
        words.push(word.trim_matches('"'));
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_file_are_read_with_comments_and_quotes() {
        let file = SewerFile::parse(
            "[OPTIONS]\nflow_routing dynwave ; as usual\n\n[CONDUITS]\n;; name\nC1 A B 50 0.013 0 0.5\n\
             \"C 2\" x\n[XSECTIONS]\nc1 CIRCULAR 2 0 0 0 3\n[COORDINATES]\na 1.5 2\nB x y\n\
             [Polygons]\nS 0 0\ns 1 0\nS 1 1\n[SUBCATCHMENTS]\nS rain A 1 50 100 1 0\n\
             [OUTFALLS]\nB 0 fixed 2.5 NO\nD 0 FREE NO\n[TIMESERIES]\nT FILE \"my q.dat\"\nU 0 1\n\
             [RAINGAGES]\nG INTENSITY 0:05 1 FILE r.dat S1 MM\n[FILES]\nUSE INFLOWS i.txt\n\
             SAVE OUTFLOWS o.txt\n[RDII]\nA uh 1\n[TEMPERATURE]\nFILE cl.dat\nWINDSPEED FILE\n",
        );
        let reads = ["cl.dat", "i.txt", "my q.dat", "r.dat"];
        assert_eq!(Vec::from_iter(&file.reads), reads.map(Path::new));
        assert_eq!(Vec::from_iter(&file.saves), [Path::new("o.txt")]);
        assert_eq!(Vec::from_iter(&file.rain_inflows), ["A"]);
        assert!(!file.has_events);
        assert!(file.has("FLOW_ROUTING", "DYNWAVE"));
        assert_eq!(file.coordinates.len(), 1);
        assert_eq!(file.coordinates["A"], (1.5, 2.0));
        assert_eq!((file.crowns["A"], file.crowns["B"]), (2.0, 2.5));
        assert_eq!(file.subcatchments[0].corners.len(), 3);
        assert_eq!(file.subcatchments[0].outlet, "A");
        assert_eq!(Vec::from_iter(&file.staged), ["B"]);
    }
}
