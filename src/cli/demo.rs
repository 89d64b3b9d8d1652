//! `inundate demo`: a storm over the bundled terrain.

use super::run::run_to_end;
use super::{print_json, summary};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use crate::output::folder::{self, RUN};
use crate::output::project::PROJECT;
use crate::scenario::options::Options;
use std::io::Write;
use std::path::PathBuf;

/// The bundled files: terrain, storm and scenario.
const FILES: [(&str, &[u8]); 3] = [
    ("jacksboro.tif", include_bytes!("../../data/jacksboro.tif")),
    ("storm.csv", include_bytes!("../../data/storm.csv")),
    ("demo.toml", include_bytes!("../../data/demo.toml")),
];

#[derive(clap::Args)]
pub struct DemoArgs {
    /// Folder for the demo's input and results; results of an earlier demo in it are replaced
    #[arg(long, value_name = "FOLDER", default_value = "demo-results")]
    out: PathBuf,
    /// CPU threads (default: all)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Show no progress and no summary
    #[arg(short, long)]
    quiet: bool,
    /// Print the report as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Writes the bundled scenario to a folder and runs it.
pub fn demo(args: DemoArgs) -> Result<()> {
    let unusable = |error: std::io::Error| {
        Error::input(format!("out: cannot write in '{}'", args.out.display()))
            .because(error)
            .hint("choose another folder with --out")
    };
    std::fs::create_dir_all(&args.out).map_err(unusable)?;
    // Only results of an earlier demo are replaced without being asked.
    let again = FILES.iter().all(|(name, _)| args.out.join(name).exists());
    folder::check(&args.out, &RUN, again)?;
    for (name, contents) in FILES {
        let path = args.out.join(name);
        let is_file = links::is(&path, |found| found.is_file());
        if is_file && links::bytes(&path).ok().as_deref() != Some(contents) {
            return Err(Error::input(format!(
                "out: '{}' was not made by the demo",
                path.display()
            ))
            .hint(
                "if you edited it, run it with `inundate run`; or choose another folder with --out",
            ));
        }
        links::fresh(&path).and_then(|mut file| file.write_all(contents)).map_err(unusable)?;
    }
    let scenario = args.out.join("demo.toml");
    let flags = Options {
        out: Some(args.out.clone()),
        threads: args.threads,
        overwrite: again,
        quiet: args.quiet,
        json: args.json,
        ..Options::default()
    };
    let options = flags.over(Options::from_file(&scenario)?);
    if !args.quiet {
        tell!("running {} (edit it and run it again with `inundate run`)", scenario.display());
    }
    let finished = run_to_end(&options)?;
    if args.json {
        print_json(&finished.report)?;
    } else if !args.quiet {
        let project = format!("qgis {}", args.out.join(PROJECT).display());
        summary::print(&finished, &["open it in QGIS:".into(), format!("  {project}")]);
    }
    Ok(())
}
