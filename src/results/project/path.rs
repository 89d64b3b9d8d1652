//! Paths within a project.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of the project, to which its paths are relative.
pub struct Base(Option<PathBuf>);

impl Base {
    /// Creates the base of an existing folder.
    pub fn of(folder: &Path) -> Base {
        Base(fs::canonicalize(folder).ok())
    }

    /// Returns the path of a file for the project: relative to it, beginning with `./` or `../`, so
    /// that both can be moved together. The path is unchanged if both share only the root folder,
    /// which is never moved, or if it is not a file but another GDAL source.
    pub fn source(&self, file: &Path) -> String {
        let as_it_is = || file.to_string_lossy().into_owned();
        let (Some(base), Ok(file)) = (&self.0, fs::canonicalize(file)) else { return as_it_is() };
        let [from, to] = [base, &file].map(|path| path.components().collect::<Vec<_>>());
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let named = to[..shared].iter().any(|part| matches!(part, Component::Normal(_)));
        if !named {
            return file.to_string_lossy().into_owned();
        }
        let up = from.len() - shared;
        let mut parts = vec![if up == 0 { "." } else { ".." }; up.max(1)];
        let rest: Vec<_> =
            to[shared..].iter().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.extend(rest.iter().map(|part| &**part));
        // QGIS writes slashes on every system.
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_relative_to_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let study = folder.path().join("a & b");
        fs::create_dir_all(study.join("out/deep")).unwrap();
        for name in ["dem.tif", "out/depth.tif"] {
            fs::write(study.join(name), "").unwrap();
        }
        let source = |base: &str, file: &str| Base::of(&study.join(base)).source(&study.join(file));
        assert_eq!(source("out", "out/depth.tif"), "./depth.tif");
        assert_eq!(source("out", "dem.tif"), "../dem.tif");
        assert_eq!(source("out/deep", "out/../dem.tif"), "../../dem.tif");
        assert_eq!(source(".", "out/depth.tif"), "./out/depth.tif");
        assert_eq!(Base::of(&study).source(Path::new("/vsicurl/x.tif")), "/vsicurl/x.tif");
        #[cfg(unix)]
        assert!(Path::new(&Base::of(&study).source(Path::new("/bin/sh"))).is_absolute());
    }
}
