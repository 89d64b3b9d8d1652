//! Collects the PTX and machine code that the feature `embedded-ptx` embeds in the binary: an archive
//! of all PTX, and one of the machine code of each architecture. Units resemble each other, so that
//! together they compress to a fifth of what they take alone.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=INUNDATE_PTX_DIR");
    #[cfg(feature = "embedded-ptx")]
    archives::write();
}

#[cfg(feature = "embedded-ptx")]
mod archives {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    const HELP: &str =
        "embedded-ptx: INUNDATE_PTX_DIR must name the folder that `inundate kernels --ptx` wrote";

    /// Distance over which repetitions are found, as a power of two: more than all PTX.
    const WINDOW: u32 = 27;

    /// Writes `embedded.rs`, with the beginning of a PTX file and the archives by name, and the
    /// archives.
    pub fn write() {
        let folder = env::var("INUNDATE_PTX_DIR").expect(HELP);
        println!("cargo:rerun-if-changed={folder}");
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{HELP}: '{folder}': {error}"));
        let mut archives: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for path in entries.map(|entry| entry.expect(HELP).path()) {
            let name = path.file_name().expect(HELP).to_string_lossy();
            let archive = match name.strip_suffix(".cubin") {
                Some(unit) => unit.rsplit_once('.').expect(HELP).1.to_string(),
                None => "ptx".to_string(),
            };
            archives.entry(archive).or_default().push(path);
        }
        let ptx = archives.get("ptx").unwrap_or_else(|| panic!("{HELP}: there is no PTX"));
        let text = fs::read_to_string(&ptx[0]).expect(HELP);
        let head: String = text.split_inclusive('\n').take(20).collect();
        let folder = PathBuf::from(env::var_os("OUT_DIR").expect(HELP));
        let mut lines = String::new();
        for (name, mut paths) in archives {
            paths.sort();
            let to = folder.join(format!("{name}.zst"));
            fs::write(&to, archive(&paths)).expect(HELP);
            lines += &format!("    ({name:?}, include_bytes!({to:?})),\n");
        }
        let text = format!(
            "pub const PTX_HEAD: &str = {head:?};\npub const ARCHIVES: &[(&str, &[u8])] = &[\n{lines}];\n"
        );
        fs::write(folder.join("embedded.rs"), text).expect(HELP);
    }

    /// Returns an archive of files: for each its name up to the first dot and its length, a line
    /// each, and its bytes.
    fn archive(paths: &[PathBuf]) -> Vec<u8> {
        let mut contents = Vec::new();
        for path in paths {
            let bytes = fs::read(path).expect(HELP);
            contents.extend(format!("{}\n{}\n", name(path), bytes.len()).into_bytes());
            contents.extend(bytes);
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), 19).expect(HELP);
        encoder.long_distance_matching(true).expect(HELP);
        encoder.window_log(WINDOW).expect(HELP);
        std::io::Write::write_all(&mut encoder, &contents).expect(HELP);
        encoder.finish().expect(HELP)
    }

    fn name(path: &Path) -> String {
        let name = path.file_name().expect(HELP).to_string_lossy();
        name.split('.').next().expect(HELP).to_string()
    }
}
