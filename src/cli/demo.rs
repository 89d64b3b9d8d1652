//! `inundate demo`: a storm over a bundled terrain.

use super::run::run_to_end;
use super::{print_json, summary};
use crate::error::{Error, Result};
use crate::output::checkpoint::links;
use crate::output::folder::{self, RUN};
use crate::output::project::PROJECT;
use crate::scenario::options::Options;
use std::io::Write;
use std::path::PathBuf;

/// Bundled scenario with its inputs.
struct Bundle {
    /// Default output folder.
    folder: &'static str,
    /// Name of the scenario, which is one of the files.
    scenario: &'static str,
    /// Names and contents of the files.
    files: &'static [(&'static str, &'static [u8])],
}

/// A storm over mountains, on cells of 80 m.
const MOUNTAINS: Bundle = Bundle {
    folder: "demo-results",
    scenario: "demo.toml",
    files: &[
        ("jacksboro.tif", include_bytes!("../../data/jacksboro.tif")),
        ("storm.csv", include_bytes!("../../data/storm.csv")),
        ("demo.toml", include_bytes!("../../data/demo.toml")),
    ],
};

/// A cloudburst over a town, on cells of 2 m.
const TOWN: Bundle = Bundle {
    folder: "town-results",
    scenario: "town.toml",
    files: &[
        ("town.tif", include_bytes!("../../data/town/town.tif")),
        ("cover.tif", include_bytes!("../../data/town/cover.tif")),
        ("buildings.geojson", include_bytes!("../../data/town/buildings.geojson")),
        ("culverts.csv", include_bytes!("../../data/town/culverts.csv")),
        ("bridge.csv", include_bytes!("../../data/town/bridge.csv")),
        ("brooks.geojson", include_bytes!("../../data/town/brooks.geojson")),
        ("mill_brook.csv", include_bytes!("../../data/town/mill_brook.csv")),
        ("park_brook.csv", include_bytes!("../../data/town/park_brook.csv")),
        ("roughness.csv", include_bytes!("../../data/town/roughness.csv")),
        ("losses.csv", include_bytes!("../../data/town/losses.csv")),
        ("town.toml", include_bytes!("../../data/town/town.toml")),
    ],
};

#[derive(clap::Args)]
pub struct DemoArgs {
    /// Run a cloudburst over an artificial town in cells of 2 m, with streets, buildings, culverts
    /// and a bridge, instead of the storm over mountains in cells of 80 m
    #[arg(long)]
    town: bool,
    /// Folder for the demo's input and results; results of an earlier demo in it are replaced
    /// (default: demo-results, with --town town-results)
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
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
    let bundle = if args.town { &TOWN } else { &MOUNTAINS };
    let out = args.out.unwrap_or_else(|| PathBuf::from(bundle.folder));
    let unusable = |error: std::io::Error| {
        Error::input(format!("out: cannot write in '{}'", out.display()))
            .because(error)
            .hint("choose another folder with --out")
    };
    std::fs::create_dir_all(&out).map_err(unusable)?;
    // Only results of an earlier demo are replaced without being asked.
    let again = bundle.files.iter().all(|(name, _)| out.join(name).exists());
    folder::check(&out, &RUN, again)
        .map_err(|error| error.hint("choose another folder with --out"))?;
    for (name, contents) in bundle.files {
        let path = out.join(name);
        let is_file = links::is(&path, |found| found.is_file());
        if is_file && links::bytes(&path).ok().as_deref() != Some(*contents) {
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
    let scenario = out.join(bundle.scenario);
    let flags = Options {
        out: Some(out.clone()),
        threads: args.threads,
        overwrite: again,
        quiet: args.quiet,
        json: args.json,
        ..Options::default()
    };
    let options = flags.over(Options::from_file(&scenario)?);
    if !args.quiet {
        errln!("running {} (edit it and run it again with `inundate run`)", scenario.display());
    }
    let finished = run_to_end(&options)?;
    if args.json {
        print_json(&finished.report)?;
    } else if !args.quiet {
        let project = format!("qgis {}", out.join(PROJECT).display());
        summary::print(&finished, &["open it in QGIS:".into(), format!("  {project}")]);
    }
    Ok(())
}
