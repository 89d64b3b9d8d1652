//! No file depends on itself through others. Imports and paths in the code are followed through
//! re-exports to the file that defines the name. What a module defines for the modules below it does
//! not count: it is common to them.

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
            if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                module.pop();
            }
            *into.entry(module).or_default() +=
                &code(&fs::read_to_string(&path).expect("a source"));
        }
    }
    let mut found = BTreeMap::new();
    of(root, root, &mut found);
    // The engine's build script is a program of its own.
    if root.join("Cargo.toml").exists() {
        found.remove(&vec!["build".to_string()]);
    }
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

/// A path in the code, and the name it is imported under if it is renamed.
type Import = (Module, Option<String>);

/// Returns the paths at the start of a text, several if they are in braces. A glob ends with `*`.
fn imports(text: &str) -> Vec<Import> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let (mut depth, mut start, mut all) = (0, 0, Vec::new());
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    all.extend(imports(&list[start..at]));
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
    if text.starts_with('*') {
        return vec![(vec!["*".into()], None)];
    }
    let (word, rest) = word(text);
    let alias = rest.trim_start().strip_prefix("as ").map(|rest| self::word(rest).0.to_string());
    let below = rest.strip_prefix("::").map_or_else(|| vec![(Vec::new(), alias)], imports);
    let with = |(path, alias): Import| ([vec![word.to_string()], path].concat(), alias);
    below.into_iter().map(with).collect()
}

/// Splits the identifier off the start of a text.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

/// Returns the positions at which an identifier starts a path or stands alone.
fn positions<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let alone = move |at: &usize| {
        !text[..*at].ends_with(|c: char| inside(c) || c == ':' || c == '.')
            && !text[at + name.len()..].starts_with(inside)
    };
    text.match_indices(name).map(|(at, _)| at).filter(alone)
}

/// The modules of a crate, and the names that each re-exports.
struct Crate {
    /// Texts of the modules without their re-exports.
    modules: BTreeMap<Module, String>,
    /// Absolute paths behind the names that a module re-exports.
    names: BTreeMap<Module, BTreeMap<String, Module>>,
    /// Absolute paths of the modules that a module re-exports as a whole.
    globs: BTreeMap<Module, Vec<Module>>,
}

impl Crate {
    /// Separates the re-exports from the texts of modules.
    fn of(texts: BTreeMap<Module, String>) -> Crate {
        let (names, globs) = (BTreeMap::new(), BTreeMap::new());
        let mut all = Crate { modules: texts.clone(), names, globs };
        for (module, text) in texts {
            let mut own = text.clone();
            for statement in text.split_inclusive(';') {
                let visible = statement.rfind("pub use ").or(statement.rfind("pub(crate) use "));
                let Some(start) = visible.or(statement.rfind("pub(super) use ")) else { continue };
                let statement = &statement[start..];
                let (_, path) = statement.split_once(" use ").expect("a use");
                for (path, alias) in imports(path) {
                    let Some(mut path) = all.absolute(&module, &path) else { continue };
                    if path.last().is_some_and(|last| last == "*") {
                        path.pop();
                        all.globs.entry(module.clone()).or_default().push(path);
                        continue;
                    }
                    let name = alias.or_else(|| path.last().cloned()).expect("a name");
                    all.names.entry(module.clone()).or_default().insert(name, path);
                }
                own = own.replace(statement, "");
            }
            all.modules.insert(module, own);
        }
        all
    }

    /// Returns a path from the root of the crate; `None` for paths into other crates.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut base, mut path) = (module.clone(), path);
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => path = &path[1..],
            "super" => {
                while let Some(("super", rest)) = path.split_first().map(|(a, b)| (a.as_str(), b)) {
                    base.pop();
                    path = rest;
                }
            }
            child => {
                let child = [module.clone(), vec![child.to_string()]].concat();
                self.modules.contains_key(&child).then_some(())?;
            }
        }
        let ends = path.iter().filter(|part| *part != "self").cloned();
        Some(base.into_iter().chain(ends).collect())
    }

    /// Returns the module that defines what a path names, following re-exports.
    fn definer(&self, path: &Module) -> Option<Module> {
        let known = (0..=path.len()).rev().map(|end| &path[..end]);
        let module = known.into_iter().find(|part| self.modules.contains_key(*part))?.to_vec();
        let Some(name) = path.get(module.len()) else { return Some(module) };
        let rest = &path[module.len() + 1..];
        if let Some(path) = self.names.get(&module).and_then(|names| names.get(name)) {
            return self.definer(&[path, rest].concat());
        }
        let defines = |text: &str| {
            let kinds =
                ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];
            kinds.iter().any(|kind| positions(text, &format!("{kind} {name}")).next().is_some())
        };
        for glob in self.globs.get(&module).into_iter().flatten() {
            let found = self.definer(&[glob, &path[module.len()..]].concat());
            if let Some(found) = found.filter(|found| defines(&self.modules[found])) {
                return Some(found);
            }
        }
        Some(module)
    }

    /// Returns the other modules that a module depends on.
    fn named(&self, module: &Module) -> BTreeSet<Module> {
        let text = &self.modules[module];
        let children = self.modules.keys().filter(|other| other.len() == module.len() + 1);
        let children = children.filter(|other| other.starts_with(module));
        let children = children.filter_map(|other| other.last().map(String::as_str));
        let mut paths = Vec::new();
        for start in ["crate", "super", "self"].into_iter().chain(children) {
            for at in positions(text, start) {
                if text[at + start.len()..].starts_with("::") {
                    let found = imports(&text[at..]).into_iter();
                    paths.extend(found.filter_map(|(path, _)| self.absolute(module, &path)));
                }
            }
        }
        let names = self.names.get(module).into_iter().flatten();
        let used = names.filter(|(name, _)| positions(text, name).next().is_some());
        paths.extend(used.map(|(_, path)| path.clone()));
        let found = paths.iter().filter_map(|path| self.definer(path));
        // What an enclosing module defines is common to all modules below it.
        found.filter(|found| !module.starts_with(found)).collect()
    }
}

/// Returns the cycles of a crate: modules that depend on each other through others.
fn circles(root: &Path) -> Vec<BTreeSet<String>> {
    let all = Crate::of(modules(root));
    let modules = &all.modules;
    let arrows: BTreeMap<&Module, BTreeSet<Module>> =
        modules.keys().map(|module| (module, all.named(module))).collect();
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
fn imports_are_followed_through_re_exports() {
    let module = |name: &str| name.split("::").map(String::from).collect::<Module>();
    let named = |of: &str, text: &str, parent: &str| {
        let texts = [("a", parent), ("a::b", ""), ("a::c", "fn of"), ("a::c::e", ""), ("d", "")];
        let mut texts: BTreeMap<_, _> =
            texts.map(|(name, text)| (module(name), text.to_string())).into();
        texts.insert(module(of), text.to_string());
        Crate::of(texts).named(&module(of))
    };
    let only = |name: &str| BTreeSet::from([module(name)]);
    assert_eq!(named("a::b", "use super::c::{X, Y};", ""), only("a::c"));
    assert_eq!(named("a::b", "use super::super::d::X; let y = super::Z;", ""), only("d"));
    assert_eq!(named("d", "use crate::{a::{b::X, Q}, e};", "").len(), 2);
    assert_eq!(named("a", "c::of(1)", "c::of(1)"), only("a::c"));
    // The parent's names are those of the files that define them.
    let parent = "pub use c::{X, e::Y as Z}; pub use self::c::*;";
    assert_eq!(named("a::b", "use super::X;", parent), only("a::c"));
    assert_eq!(named("d", "use crate::a::Z;", parent), only("a::c::e"));
    assert_eq!(named("d", "use crate::a::of;", parent), only("a::c"));
    assert_eq!(named("d", "use crate::a::Own;", parent), only("a"));
    assert_eq!(named("a", parent, parent), BTreeSet::new());
    assert_eq!(named("a", &format!("{parent} fn f(x: X)"), parent), only("a::c"));
    assert_eq!(code("a #[cfg(test)] mod t { {} b } c"), "a  c");
}
