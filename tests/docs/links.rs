//! Every relative link of the README and the docs leads to an existing file.

use std::path::{Path, PathBuf};

fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

#[test]
fn every_relative_link_resolves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages(&root.join("docs"), &mut all);
    let mut count = 0;
    for page in all {
        let text = std::fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let file = page.parent().unwrap().join(target);
            assert!(file.exists(), "{}: there is no {target}", page.display());
            count += 1;
        }
    }
    assert!(count > 10, "the pages link to each other, but only {count} links were found");
}
