//! No file depends on itself through others. Imports by `crate::` and `super::` are read, and paths
//! in the code. What a file shares with those in its folder does not count as a cycle: it is their
//! common module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module, as its path below the root of its crate.
type Module = Vec<String>;

/// Returns the modules of a crate, each with the text of its file, without comments and tests.
fn modules(root: &Path) -> BTreeMap<Module, String> {
    fn of(folder: &Path, root: &Path, into: &mut BTreeMap<Module, String>) {
        for entry in fs::read_dir(folder).expect("a folder of the sources") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                // Skip nested crates.
                if !path.join("Cargo.toml").exists() {
                    of(&path, root, into);
                }
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let below = path.strip_prefix(root).expect("below").with_extension("");
            let mut module: Module =
                below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main" | "build")) {
                module.pop();
            }
            if !module.is_empty() {
                into.insert(module, code(&fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    let mut found = BTreeMap::new();
    of(root, root, &mut found);
    found
}

/// Removes comments and test modules from a text.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut parts = text.split("#[cfg(test)]");
    let mut code = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let mut depth = 0;
        // To the end of the marked item.
        let end = part.find(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && (letter == '}' || letter == ';')
        });
        code.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    code
}

/// Returns the paths at the start of a text; braces make several.
fn paths(text: &str) -> Vec<Module> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let (mut depth, mut start, mut all) = (0, 0, Vec::new());
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    all.extend(paths(&list[start..at]));
                    start = at + 1;
                    if letter == '}' {
                        break;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return all;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let below = rest.strip_prefix("::").map_or_else(|| vec![Vec::new()], paths);
    below.into_iter().map(|path| [vec![word.to_string()], path].concat()).collect()
}

/// Returns the other modules that a module's text names.
fn named(module: &Module, text: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for (prefix, base) in [("crate::", &[][..]), ("super::", &module[..module.len() - 1])] {
        for (at, _) in text.match_indices(prefix) {
            // Not the end of another word, nor another `super` of a path.
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let (mut base, mut rest) = (base.to_vec(), &text[at + prefix.len()..]);
            while let Some(further) = rest.strip_prefix("super::") {
                base.pop();
                rest = further;
            }
            for path in paths(rest) {
                let mut path = [base.clone(), path].concat();
                while !path.is_empty() && !modules.contains_key(&path) {
                    path.pop();
                }
                // An enclosing module is shared with others there.
                if !path.is_empty() && !module.starts_with(&path) {
                    found.insert(path);
                }
            }
        }
    }
    let below = modules.keys().filter(|other| other.len() == module.len() + 1);
    for child in below.filter(|other| other.starts_with(module)) {
        let name = format!("{}::", child.last().expect("a name"));
        let apart = |at: usize| {
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
        };
        if text.match_indices(&name).any(|(at, _)| apart(at)) {
            found.insert(child.clone());
        }
    }
    found
}

/// Returns the cycles of a crate: modules that depend on each other through others.
fn circles(root: &Path) -> Vec<BTreeSet<String>> {
    let modules = modules(root);
    let arrows: BTreeMap<&Module, BTreeSet<Module>> =
        modules.iter().map(|(module, text)| (module, named(module, text, &modules))).collect();
    assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > 30, "are imports still read?");
    let reached = |from: &Module| {
        let (mut known, mut waiting) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = waiting.pop() {
            for other in &arrows[&module] {
                if known.insert(other.clone()) {
                    waiting.push(other.clone());
                }
            }
        }
        known
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        modules.keys().map(|module| (module, reached(module))).collect();
    let circle = |module: &Module| {
        let of = reached[module].iter().filter(|other| reached[other].contains(module));
        of.map(|other| other.join("::")).collect::<BTreeSet<String>>()
    };
    let all: BTreeSet<_> = modules.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

#[test]
fn no_file_imports_itself_through_others() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for root in [src.clone(), src.join("engine"), src.join("lab/automata")] {
        let circles = circles(&root);
        assert!(circles.is_empty(), "below {}: {circles:#?}", root.display());
    }
}

#[test]
fn import_cycles_are_detected() {
    let module = |name: &str| name.split("::").map(String::from).collect::<Module>();
    let texts = ["a", "a::b", "a::c", "d"].map(|name| (module(name), String::new()));
    let modules: BTreeMap<_, _> = texts.into();
    let named = |of: &str, text: &str| named(&module(of), text, &modules);
    let only = |name: &str| BTreeSet::from([module(name)]);
    assert_eq!(named("a::b", "use super::c::{X, Y};"), only("a::c"));
    assert_eq!(named("a::b", "use super::super::d::X; let y = super::Z;"), only("d"));
    assert_eq!(named("d", "use crate::{a::{b::X, Q}, e};").len(), 2);
    assert_eq!(named("a", "c::of(1)"), only("a::c"));
    assert_eq!(code("a #[cfg(test)] mod t { {} b } c"), "a  c");
}
