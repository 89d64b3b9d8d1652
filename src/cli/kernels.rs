//! `inundate kernels`: compiles every kernel, and prints its resource usage. Needs no GPU.

use crate::automata::techniques;
use crate::engine::backend::cuda::compile::embedded::{self, packed, stamped};
use crate::engine::backend::cuda::compile::nvrtc::Nvrtc;
use crate::engine::backend::cuda::compile::source::{Unit, every_unit};
use crate::engine::backend::cuda::compile::usage::{Usage, usages};
use crate::engine::backend::cuda::compile::{Target as Code, compile_with, compiler};
use crate::error::{Error, Result};
use crate::output::guard::OutputTarget;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Options that name folders.
const PTX: &str = "ptx";
const CUBIN: &str = "cubin";

#[derive(clap::Args)]
pub struct KernelsArgs {
    /// Architecture of the machine code
    #[arg(long, value_name = "sm_NN", default_value = "sm_90", value_parser = architecture)]
    arch: u32,
    /// Only this unit, by its name in the table; can be given several times [default: all]
    #[arg(long = "unit", value_name = "NAME")]
    units: Vec<String>,
    /// Also write the PTX of every unit to this folder, for the feature embedded-ptx
    #[arg(long, value_name = "FOLDER")]
    ptx: Option<PathBuf>,
    /// Also write the machine code of the solvers' units to this folder, for the same purpose
    #[arg(long, value_name = "FOLDER")]
    cubin: Option<PathBuf>,
}

fn architecture(text: &str) -> std::result::Result<u32, String> {
    let number = text.strip_prefix("sm_").and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| "write it like sm_90".into())
}

/// Compiles every unit, prints a table, and writes PTX and machine code if requested.
pub fn kernels(args: &KernelsArgs) -> Result<()> {
    let nvrtc = compiler()?;
    check(nvrtc, args.arch, "arch")?;
    if args.ptx.is_some() {
        check(nvrtc, embedded::CAPABILITY, PTX)?;
    }
    let laboratory = techniques::every_unit();
    let of_flow = every_unit();
    let mut units: Vec<(usize, &Unit)> = of_flow.iter().chain(&laboratory).enumerate().collect();
    let is_known = |name: &&String| units.iter().any(|(_, unit)| unit.name == **name);
    if let Some(unknown) = args.units.iter().find(|name| !is_known(name)) {
        return Err(Error::input(format!("unit: there is no unit '{unknown}'"))
            .hint("`inundate kernels` lists them"));
    }
    units.retain(|(_, unit)| args.units.is_empty() || args.units.contains(&unit.name));
    for (option, folder) in [(PTX, &args.ptx), (CUBIN, &args.cubin)] {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder).map_err(|error| unusable(option, folder, error))?;
        }
    }
    for (at, unit) in &units {
        for (option, path) in files(args, unit, *at < of_flow.len()) {
            // Files from an earlier call may be replaced.
            OutputTarget { option, path: &path, overwrite: true }.check(&[], is_ours)?;
        }
    }
    outln!("NVRTC {}, machine code for sm_{}", nvrtc.version, args.arch);
    outln!(
        "{:<40} {:<24} {:>9} {:>7} {:>7} {:>8}",
        "unit",
        "kernel",
        "registers",
        "stack B",
        "spill B",
        "shared B"
    );
    let compile = |&(at, unit): &(usize, &Unit)| {
        let compiled = compile_with(nvrtc, unit, Code::Sm(args.arch))?;
        for (option, path) in files(args, unit, at < of_flow.len()) {
            let code = if option == PTX {
                let ptx = compile_with(nvrtc, unit, Code::Ptx(embedded::CAPABILITY))?.code;
                stamped(&String::from_utf8_lossy(&ptx)).into_bytes()
            } else {
                packed(&compiled.code, nvrtc.version)
            };
            write(option, &path, &code)?;
        }
        Ok(usages(&compiled.log))
    };
    // In batches, so that the table grows while units are compiled.
    for some in units.chunks(2 * rayon::current_num_threads()) {
        let all = some.par_iter().map(compile).collect::<Result<Vec<_>>>()?;
        let each = some.iter().zip(&all);
        for (unit, usage) in each.flat_map(|(of, all)| all.iter().map(move |usage| (of.1, usage))) {
            let Usage { function, registers, stack, shared, .. } = usage;
            let (name, spills) = (&unit.name, usage.spills());
            outln!("{name:<40} {function:<24} {registers:>9} {stack:>7} {spills:>7} {shared:>8}");
        }
    }
    Ok(())
}

/// Returns the files written for a unit, each with the option that names its folder.
fn files(args: &KernelsArgs, unit: &Unit, of_flow: bool) -> Vec<(&'static str, PathBuf)> {
    let ptx = args.ptx.iter().map(|folder| (PTX, folder.join(format!("{}.ptx", unit.name))));
    let cubin = args.cubin.iter().filter(|_| of_flow);
    let name = format!("{}.sm_{}.cubin", unit.name, args.arch);
    ptx.chain(cubin.map(|folder| (CUBIN, folder.join(&name)))).collect()
}

/// Returns `true` if a file was written by this command.
fn is_ours(path: &Path) -> bool {
    path.is_file() && std::fs::read(path).is_ok_and(|found| embedded::is_stamped(&found))
}

/// Checks that NVRTC supports an architecture.
fn check(nvrtc: &Nvrtc, wanted: u32, option: &str) -> Result<()> {
    if nvrtc.architectures.contains(&wanted) {
        return Ok(());
    }
    let known: Vec<String> = nvrtc.architectures.iter().map(|arch| format!("sm_{arch}")).collect();
    let what = format!("{option}: NVRTC {} does not support sm_{wanted}", nvrtc.version);
    Err(Error::input(what).hint(format!("it supports {}", known.join(", "))))
}

fn write(option: &str, path: &Path, contents: &[u8]) -> Result<()> {
    std::fs::write(path, contents).map_err(|error| unusable(option, path, error))
}

fn unusable(option: &str, path: &Path, error: std::io::Error) -> Error {
    Error::input(format!("{option}: cannot write '{}'", path.display())).because(error)
}
