//! The modules are layered, and no module depends on a module of a higher layer; none depends on
//! itself through others. The same holds within the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of the crate above the engine (which is a separate crate), from the lowest up. The order
/// within a layer does not matter.
const FLOORS: &[&[&str]] = &[
    &["say", "suggest", "measures"],
    &["machine"],
    &["input"],
    &["output"],
    &["scenario"],
    &["observer"],
    &["results"],
    &["run", "speed"],
    &["study", "bench", "lab"],
    &["cli"],
];

/// Crates for files, terminals and so on, which the engine does not use.
const NOT_IN_THE_ENGINE: &[&str] =
    &["gdal", "gdal_sys", "clap", "indicatif", "csv", "toml", "askama"];

/// Operations that the engine does not use: printing, and opening files.
const NOT_DONE_IN_THE_ENGINE: &[&str] = &[
    "print!",
    "println!",
    "dbg!",
    "stdout()",
    "stderr()",
    "outln!",
    "errln!",
    "File::open",
    "File::create",
];

/// Returns the Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Removes comments and tests from a text; tests may use any module.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the names that follow `from` in a text: `crate::a::b` and `crate::{a, b::c}` after
/// `crate::`.
fn names_after(from: &str, text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in text.split(from).skip(1) {
        let word = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        match rest.strip_prefix('{') {
            None => {
                names.insert(word(rest));
            }
            Some(list) => {
                // The first word of each part directly inside these braces.
                let (mut depth, mut part) = (0, String::new());
                for letter in list.chars() {
                    match letter {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            names.insert(word(&std::mem::take(&mut part)));
                            continue;
                        }
                        _ => {}
                    }
                    part.push(letter);
                }
                names.insert(word(&part));
            }
        }
    }
    names.remove("");
    names
}

/// Returns which modules, by the first part of their path below `root`, name which others after
/// `prefix`, and in which files.
fn arrows(root: &Path, prefix: &str) -> BTreeMap<(String, String), Vec<PathBuf>> {
    let mut arrows: BTreeMap<(String, String), Vec<PathBuf>> = BTreeMap::new();
    let modules = modules(root);
    for file in files(root).into_iter().filter(|file| is_of(root, file)) {
        let below = file.strip_prefix(root).expect("below").components().next().expect("a name");
        let from = below.as_os_str().to_string_lossy().trim_end_matches(".rs").to_string();
        if ["lib", "main", "mod", "build"].contains(&from.as_str()) {
            continue;
        }
        let text = code(&fs::read_to_string(&file).expect("a source"));
        for to in names_after(prefix, &text) {
            if to != from && modules.contains(&to) {
                arrows.entry((from.clone(), to)).or_default().push(file.clone());
            }
        }
    }
    arrows
}

/// Returns `true` if a file belongs to the crate whose sources are in a folder, not to a nested
/// crate.
fn is_of(root: &Path, file: &Path) -> bool {
    let between = file.ancestors().skip(1).take_while(|folder| *folder != root);
    between.into_iter().all(|folder| !folder.join("Cargo.toml").exists())
}

/// Returns the modules directly in a folder.
fn modules(root: &Path) -> BTreeSet<String> {
    let entries =
        fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path());
    let of_rust = |path: &PathBuf| match path.is_dir() {
        // The engine is a separate crate, and the Python module contains one.
        true => files(path).iter().any(|file| is_of(root, file)),
        false => path.extension().is_some_and(|extension| extension == "rs"),
    };
    let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let other = |name: &String| !["lib", "main", "mod", "build"].contains(&name.as_str());
    entries.filter(of_rust).map(name).filter(other).collect()
}

/// Returns the modules on a cycle: those that remain after repeatedly removing modules without
/// dependencies.
fn knot(arrows: &BTreeMap<(String, String), Vec<PathBuf>>) -> BTreeSet<(&str, &str)> {
    let mut left: BTreeSet<(&str, &str)> =
        arrows.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    loop {
        let from: BTreeSet<&str> = left.iter().map(|arrow| arrow.0).collect();
        let to: BTreeSet<&str> = left.iter().map(|arrow| arrow.1).collect();
        let before = left.len();
        left.retain(|(a, b)| to.contains(a) && from.contains(b));
        if left.len() == before {
            return left;
        }
    }
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn every_module_has_a_layer() {
    let named: BTreeSet<String> = FLOORS.iter().copied().flatten().map(|m| m.to_string()).collect();
    assert_eq!(modules(&src()), named, "a module without a floor, or a floor without its module");
}

#[test]
fn no_module_imports_from_a_higher_layer() {
    let floor = |module: &str| {
        FLOORS.iter().position(|floor| floor.contains(&module)).expect("a module with a floor")
    };
    let arrows = arrows(&src(), "crate::");
    assert!(arrows.len() > 40, "only {} arrows: are imports still read?", arrows.len());
    let up: Vec<_> = arrows.iter().filter(|((from, to), _)| floor(to) > floor(from)).collect();
    assert!(up.is_empty(), "{up:#?}");
}

#[test]
fn no_module_imports_itself_through_others() {
    let of_crate = arrows(&src(), "crate::");
    assert!(knot(&of_crate).is_empty(), "{:#?}", knot(&of_crate));
    let within = arrows(&src().join("engine"), "crate::");
    assert!(within.len() > 30, "only {} arrows: are imports still read?", within.len());
    assert!(knot(&within).is_empty(), "{:#?}", knot(&within));
    let laboratory = arrows(&src().join("lab/automata"), "crate::");
    assert!(laboratory.len() > 20, "only {} arrows: are imports still read?", laboratory.len());
    assert!(knot(&laboratory).is_empty(), "{:#?}", knot(&laboratory));
}

#[test]
fn engine_does_not_use_files_terminal_options_or_automata() {
    knows_no_files_no_terminal_and_no_options("engine");
    let manifest = fs::read_to_string(src().join("engine/Cargo.toml")).expect("a manifest");
    assert!(!manifest.contains("automata"));
}

#[test]
fn automata_do_not_use_files_terminal_or_options() {
    knows_no_files_no_terminal_and_no_options("lab/automata");
}

fn knows_no_files_no_terminal_and_no_options(folder: &str) {
    let manifest = fs::read_to_string(src().join(folder).join("Cargo.toml")).expect("a manifest");
    let strange: Vec<_> =
        NOT_IN_THE_ENGINE.iter().filter(|name| manifest.contains(**name)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    for file in files(&src().join(folder)) {
        if file.ends_with("build.rs") {
            continue;
        }
        let text = code(&fs::read_to_string(&file).expect("a source"));
        let done: Vec<_> = NOT_DONE_IN_THE_ENGINE.iter().filter(|w| text.contains(**w)).collect();
        assert!(done.is_empty(), "{}: {done:?}", file.display());
    }
}

#[test]
fn names_are_found_in_imports() {
    let text = "use crate::{a, b::{c, d}, e};\nlet x = crate::f::g(); crate :: no";
    let found: Vec<String> = names_after("crate::", text).into_iter().collect();
    assert_eq!(found, ["a", "b", "e", "f"]);
    let arrow = |from: &str, to: &str| ((from.to_string(), to.to_string()), Vec::new());
    let round = [arrow("a", "b"), arrow("b", "c"), arrow("c", "b"), arrow("c", "d")].into();
    assert_eq!(knot(&round), [("b", "c"), ("c", "b")].into());
}
