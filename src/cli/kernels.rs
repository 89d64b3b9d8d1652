//! `inundate kernels`: every kernel compiled, and what it takes of a GPU. Needs no GPU.

use crate::automata::techniques;
use crate::bench::papers;
use crate::engine::backend::cuda::compile::{Target, compile_with, compiler};
use crate::engine::backend::cuda::embedded::{self, stamped};
use crate::engine::backend::cuda::nvrtc::Nvrtc;
use crate::engine::backend::cuda::source::{Unit, every_unit};
use crate::engine::backend::cuda::usage::usages;
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct KernelsArgs {
    /// Architecture of the machine code
    #[arg(long, value_name = "sm_NN", default_value = "sm_90", value_parser = architecture)]
    arch: u32,
    /// Also write PTX of every unit into this folder, for the feature embedded-ptx
    #[arg(long, value_name = "FOLDER")]
    ptx: Option<PathBuf>,
}

fn architecture(text: &str) -> std::result::Result<u32, String> {
    let number = text.strip_prefix("sm_").and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| "write it like sm_90".into())
}

/// Compiles every unit, prints a table, and writes PTX if asked to.
pub fn kernels(args: &KernelsArgs) -> Result<()> {
    let nvrtc = compiler()?;
    check(nvrtc, args.arch, "arch")?;
    if let Some(folder) = &args.ptx {
        check(nvrtc, embedded::CAPABILITY, "ptx")?;
        std::fs::create_dir_all(folder).map_err(|error| unusable(folder, error))?;
    }
    say!("NVRTC {}, machine code for sm_{}", nvrtc.version, args.arch);
    say!(
        "{:<40} {:<24} {:>9} {:>7} {:>7} {:>8}",
        "unit",
        "kernel",
        "registers",
        "stack B",
        "spill B",
        "shared B"
    );
    let laboratory = papers::kernels::every_unit().into_iter().chain(techniques::every_unit());
    let units: Vec<Unit> = every_unit().into_iter().chain(laboratory).collect();
    let compile = |unit: &Unit| {
        let compiled = compile_with(nvrtc, unit, Target::Sm(args.arch))?;
        let written = args.ptx.as_ref().map(|folder| write_ptx(nvrtc, unit, folder));
        written.unwrap_or(Ok(())).map(|()| usages(&compiled.log))
    };
    // Some at a time, so that the table grows as they are done.
    for some in units.chunks(2 * rayon::current_num_threads()) {
        let all = some.par_iter().map(compile).collect::<Result<Vec<_>>>()?;
        for (unit, usage) in
            some.iter().zip(&all).flat_map(|(unit, of)| of.iter().map(move |usage| (unit, usage)))
        {
            say!(
                "{:<40} {:<24} {:>9} {:>7} {:>7} {:>8}",
                unit.name,
                usage.function,
                usage.registers,
                usage.stack,
                usage.spills(),
                usage.shared
            );
        }
    }
    Ok(())
}

/// Refuses an architecture that NVRTC does not know.
fn check(nvrtc: &Nvrtc, wanted: u32, option: &str) -> Result<()> {
    if nvrtc.architectures.contains(&wanted) {
        return Ok(());
    }
    let known: Vec<String> = nvrtc.architectures.iter().map(|arch| format!("sm_{arch}")).collect();
    let what = format!("{option}: NVRTC {} does not know sm_{wanted}", nvrtc.version);
    Err(Error::input(what).hint(format!("it knows {}", known.join(", "))))
}

fn write_ptx(nvrtc: &Nvrtc, unit: &Unit, folder: &Path) -> Result<()> {
    let ptx = compile_with(nvrtc, unit, Target::Ptx(embedded::CAPABILITY))?.code;
    let path = folder.join(format!("{}.ptx", unit.name));
    std::fs::write(&path, stamped(&String::from_utf8_lossy(&ptx)))
        .map_err(|error| unusable(&path, error))
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    Error::input(format!("ptx: cannot write '{}'", path.display())).because(error)
}
