//! Every relative link of the pages leads to an existing file and heading. The contents of the
//! documentation site (docs/SUMMARY.md) list every page once, and `make book` copies every file to
//! which a page links.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap()
}

/// Returns the pages of the documentation site, and its contents.
fn pages() -> Vec<PathBuf> {
    let names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let mut pages: Vec<PathBuf> = names.map(|name| root().join(name)).to_vec();
    for folder in ["data", "docs"] {
        add_pages(&root().join(folder), &mut pages);
    }
    pages
}

/// Returns the relative targets of the links in a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://"))
}

/// Returns the anchors of a page: explicit ones, and those that GitHub and mdBook derive from its
/// headings.
fn anchors(text: &str) -> HashSet<String> {
    let explicit = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut anchors: HashSet<String> = explicit.map(String::from).collect();
    let mut inside_code = false;
    for line in text.lines() {
        inside_code ^= line.starts_with("```");
        if inside_code || !line.starts_with('#') {
            continue;
        }
        let title = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        let anchor: String =
            title.chars().filter(|c| c.is_alphanumeric() || ['-', '_'].contains(c)).collect();
        let mut unique = anchor.clone();
        let mut number = 0;
        while !anchors.insert(unique.clone()) {
            number += 1;
            unique = format!("{anchor}-{number}");
        }
    }
    anchors
}

#[test]
fn every_relative_link_resolves() {
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = match target {
                "" => page.clone(),
                _ => page.parent().unwrap().join(target),
            };
            assert!(file.exists(), "{}: there is no {target}", page.display());
            if !anchor.is_empty() {
                let known = anchors(&std::fs::read_to_string(&file).unwrap()).contains(anchor);
                assert!(known, "{}: there is no heading for {link}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 10, "the pages link to each other, but only {count} links were found");
}

#[test]
fn the_contents_of_the_site_list_every_page_once() {
    let contents = root().join("docs/SUMMARY.md");
    let text = std::fs::read_to_string(&contents).unwrap();
    let page = |link: &str| root().join("docs").join(link).canonicalize().unwrap();
    let listed: Vec<PathBuf> = links(&text).map(page).collect();
    let pages: Vec<PathBuf> = pages().into_iter().filter(|page| *page != contents).collect();
    for page in &pages {
        let count = listed.iter().filter(|other| *other == page).count();
        assert_eq!(count, 1, "docs/SUMMARY.md lists {} {count} times", page.display());
    }
    assert_eq!(listed.len(), pages.len(), "docs/SUMMARY.md lists a file that is not a page");
}

#[test]
fn the_site_contains_every_file_to_which_a_page_links() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let copy = makefile.lines().find(|line| line.starts_with("\tcp -r --parents "));
    let copied: Vec<&str> = copy.expect("`make book` copies files").split_whitespace().collect();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let target = link.split('#').next().unwrap();
            let file = page.parent().unwrap().join(target).canonicalize().unwrap();
            let inside = file.strip_prefix(root()).unwrap().iter().next();
            // A link within its own page has no target, and leads to the page's folder.
            let name = inside.unwrap_or("README.md".as_ref()).to_string_lossy();
            let known = copied.iter().any(|pattern| match pattern.split_once('*') {
                Some((start, end)) => name.starts_with(start) && name.ends_with(end),
                None => *pattern == name,
            });
            assert!(known, "{}: `make book` does not copy {link}", page.display());
        }
    }
}
