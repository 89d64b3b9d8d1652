//! Protects files against being overwritten: no command replaces one of its inputs, or a file that
//! this program did not make.

use crate::error::{Error, Result};
use crate::input::checksum;
use crate::output::own_files::origin;
use std::fs;
use std::path::{Path, PathBuf};

/// Identity of an existing file or folder, independent of the path that leads to it.
struct Identity {
    /// Absolute path without links.
    path: PathBuf,
    /// Device and inode, which hard links share.
    node: Option<(u64, u64)>,
}

impl Identity {
    /// Identifies the file or folder at a path; `None` if there is none, or only a dangling link.
    fn of(path: &Path) -> Option<Identity> {
        let real = fs::canonicalize(path).ok()?;
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(&real).ok().map(|found| (found.dev(), found.ino()))
        };
        #[cfg(not(unix))]
        let node = None;
        Some(Identity { path: real, node })
    }

    /// Returns `true` if replacing or removing this file affects `input`: it is the input, a folder
    /// that contains it, or a file of a folder that is read as a whole.
    fn takes(&self, input: &Identity) -> bool {
        (self.node.is_some() && self.node == input.node)
            || input.path.starts_with(&self.path)
            || self.path.parent() == Some(&input.path)
    }
}

/// Checks that none of the `files` to be replaced or removed is among the `inputs` of a command
/// (`run`, say), or is read by a VRT among them. `option` names the files.
///
/// # Errors
/// If one is.
pub fn spare_inputs<P: AsRef<Path>>(
    option: &str,
    command: &str,
    files: impl IntoIterator<Item = P>,
    inputs: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<()> {
    let files: Vec<Identity> =
        files.into_iter().filter_map(|file| Identity::of(file.as_ref())).collect();
    if files.is_empty() {
        return Ok(());
    }
    for input in inputs {
        let input = input.as_ref();
        let read = checksum::all_files(input);
        let taken = read.iter().find(|read| {
            Identity::of(read).is_some_and(|read| files.iter().any(|file| file.takes(&read)))
        });
        let Some(taken) = taken else { continue };
        let (shown, by) = (taken.display(), input.display());
        let by = if taken == input { String::new() } else { format!(" (by way of '{by}')") };
        return Err(Error::input(format!(
            "{option}: '{shown}' is an input of this {command}{by} and would be replaced"
        ))
        .hint(format!("choose another --{option}, or rename the input")));
    }
    Ok(())
}

/// A file that a command is to write, named by one of its options.
#[derive(Clone, Copy, Debug)]
pub struct OutputTarget<'a> {
    /// Name of the option.
    pub option: &'a str,
    /// Path of the file.
    pub path: &'a Path,
    /// Set if a file made by an earlier command may be replaced.
    pub overwrite: bool,
}

impl OutputTarget<'_> {
    /// Checks that the file may be written: it is not one of the `inputs` of the command, and does
    /// not exist yet unless it is one of `ours` and overwriting is allowed.
    ///
    /// # Errors
    /// If it may not, or if it is a folder.
    pub fn check(&self, inputs: &[&Path], ours: impl Fn(&Path) -> bool) -> Result<()> {
        let OutputTarget { option, path, overwrite } = *self;
        spare_inputs(option, "command", [path], inputs)?;
        if fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let shown = path.display();
        let refuse = |what: &str, hint: &str| {
            Err(Error::input(format!("{option}: '{shown}' {what}")).hint(hint))
        };
        match (ours(path), overwrite) {
            _ if path.is_dir() => refuse("is a folder", "choose another name"),
            (false, _) => {
                let origin = origin(path).unwrap_or("was not made by inundate");
                refuse(
                    &format!("exists already, and {origin}"),
                    "choose another name, or move that file away",
                )
            }
            (true, false) => {
                refuse("exists already", "choose another name, or replace it with --overwrite")
            }
            (true, true) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(file: &Path, input: &Path) -> bool {
        spare_inputs("out", "run", [file], [input]).is_err()
    }

    #[test]
    fn a_file_is_known_by_every_way_that_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("rain")).unwrap();
        for name in ["dem.tif", "other.tif", "rain/a.tif"] {
            fs::write(at(name), name).unwrap();
        }
        assert!(
            takes(&at("dem.tif"), &at("dem.tif")) && takes(&at("dem.tif"), &at("rain/../dem.tif"))
        );
        assert!(
            !takes(&at("other.tif"), &at("dem.tif")) && !takes(&at("none.tif"), &at("none.tif"))
        );
        // Replacing a folder affects its files; a file in a folder that is read is an input.
        assert!(takes(&at("rain"), &at("rain/a.tif")) && takes(&at("rain/a.tif"), &at("rain")));
        assert!(!takes(&at("dem.tif"), &at("rain")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("dem.tif"), at("link.tif")).unwrap();
            fs::hard_link(at("dem.tif"), at("hard.tif")).unwrap();
            for name in ["link.tif", "hard.tif"] {
                assert!(
                    takes(&at(name), &at("dem.tif")) && takes(&at("dem.tif"), &at(name)),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn only_files_of_ours_are_replaced_and_only_if_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.tif");
        let check = |overwrite, ours| {
            OutputTarget { option: "to", path: &path, overwrite }.check(&[], |_| ours)
        };
        assert!(check(false, false).is_ok());
        fs::write(&path, "x").unwrap();
        assert!(check(true, true).is_ok());
        for (overwrite, ours) in [(false, true), (true, false), (false, false)] {
            let error = check(overwrite, ours).unwrap_err();
            assert!(error.what.contains("exists already"), "{}", error.what);
        }
    }
}
