//! Every message that docs/gpu.md and docs/troubleshooting.md explain exists in the program.

use std::path::Path;

/// Returns the text of every source file below a folder.
fn sources(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all += &std::fs::read_to_string(path).unwrap();
        }
    }
    all
}

#[test]
fn every_explained_message_exists_in_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(&root.join("src"));
    for page in ["docs/gpu.md", "docs/troubleshooting.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let table = text.split("<!-- messages -->").nth(1);
        let table = table.and_then(|rest| rest.split("<!-- end -->").next());
        let mut count = 0;
        for line in table.expect("the page has a table of messages").lines() {
            let Some(message) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next())
            else {
                continue;
            };
            assert!(sources.contains(message), "{page}: nothing says: {message}");
            count += 1;
        }
        assert!(count > 10, "{page}: only {count} messages were found");
    }
}
