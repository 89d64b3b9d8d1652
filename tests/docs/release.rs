//! The parts of a release have the same version, and name existing files.

use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn all_packaging_recipes_name_the_current_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (name, line) in [
        ("CITATION.cff", format!("version: {version}")),
        ("data/release/conda/recipe.yaml", format!("  version: \"{version}\"")),
    ] {
        assert!(text(name).lines().any(|other| other == line), "{name} has no line '{line}'");
    }
}

#[test]
fn containers_copy_only_files_that_exist_or_are_built_by_make_dist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let makefile = text("Makefile");
    let (containerfile, apptainer) =
        (text("data/release/Containerfile"), text("data/release/inundate.def"));
    let copied = containerfile.lines().filter_map(|line| line.strip_prefix("COPY "));
    let copied = copied.flat_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[..words.len() - 1].to_vec()
    });
    let files = apptainer.lines().skip_while(|line| *line != "%files").skip(1);
    let files = files.take_while(|line| !line.is_empty());
    let files = files.filter_map(|line| line.split_whitespace().next());
    let all: Vec<&str> = copied.chain(files).collect();
    assert_eq!(all.len(), 8, "{all:?}");
    for name in all {
        let made = name.strip_prefix("target/").map(|rest| format!("$(TARGET)/{rest}"));
        let there = made.map_or(root.join(name).exists(), |made| makefile.contains(&made));
        assert!(there, "{name}");
    }
}
