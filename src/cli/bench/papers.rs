//! The tables of the papers' comparisons.

use super::BenchArgs;
use crate::automata::papers::TABLES;
use crate::bench::gpu::Gpu;
use crate::cli::print_json;
use crate::engine::lanes::InstructionSet;
use crate::error::{Error, Result};
use crate::lab::papers::sheet::Sheet;
use crate::lab::papers::{aqua_graph, automata, blocks, levels};
use crate::run::with_threads;
use crate::scenario::options::Device;
use serde::Serialize;
use std::path::Path;

/// What `bench --papers --json` prints.
#[derive(Default, Serialize)]
struct Papers {
    /// The GPU.
    gpu: Option<String>,
    /// What was left out, and why.
    left_out: Vec<String>,
    /// CPU against GPU.
    aqua_graph: Vec<aqua_graph::Row>,
    /// Blocks and threads.
    blocks: Vec<blocks::Row>,
    /// Global memory against shared memory.
    level_minimization: Vec<levels::Row>,
    /// Techniques for automata.
    automata: Vec<automata::Row>,
    #[serde(skip)]
    quiet: bool,
}

impl Papers {
    fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            say!("{}", line.as_ref());
        }
    }

    /// Writes every table into a folder.
    fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(|error| {
            Error::input(format!("out: cannot write in '{}'", folder.display()))
                .because(error)
                .hint("choose another folder with --out")
        })?;
        let sheets = self.flow_sheets().into_iter().chain(automata::sheets(&self.automata));
        for sheet in sheets.filter(|sheet| !sheet.rows.is_empty()) {
            sheet.write(folder)?;
        }
        self.say(format!("The tables are in {}.", folder.display()));
        Ok(())
    }

    /// The tables of the flow rules.
    fn flow_sheets(&self) -> [Sheet; 3] {
        let ms = |seconds: f64| 1e3 * seconds;
        let heads = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let cpu_and_gpu = self
            .aqua_graph
            .iter()
            .map(|row| vec![Some(row.size as f64), Some(ms(row.cpu_s)), row.gpu_s.map(ms)]);
        let in_blocks = self.blocks.iter().map(|row| {
            let [size, blocks, threads] = [row.size, row.blocks, row.threads_per_block];
            let counts = [size, blocks, threads].map(|count| Some(count as f64));
            counts.into_iter().chain([Some(ms(row.gpu_s))]).collect()
        });
        let kernels = self.level_minimization.iter().map(|row| {
            let times = row.kernels.iter().map(|speed| Some(speed.ms_per_step));
            std::iter::once(Some(row.size as f64)).chain(times).collect()
        });
        let of_kernels = self.level_minimization.first().map_or(Vec::new(), |row| {
            let names = row.kernels.iter().map(|speed| format!("{} (ms)", speed.kernel));
            std::iter::once("size".to_string()).chain(names).collect()
        });
        [
            Sheet {
                name: "000-aqua-graph",
                title: "AQUA-GRAPH: 1000 steps".into(),
                heads: heads(&["size", "CPU (ms)", "GPU (ms)"]),
                rows: cpu_and_gpu.collect(),
            },
            Sheet {
                name: "000-blocks",
                title: "AQUA-GRAPH in other blocks: 1000 steps".into(),
                heads: heads(&["size", "blocks", "threads per block", "GPU (ms)"]),
                rows: in_blocks.collect(),
            },
            Sheet {
                name: "003-level-minimization",
                title: "Level minimization: a step".into(),
                heads: of_kernels,
                rows: kernels.collect(),
            },
        ]
    }

    fn leave_out(&mut self, why: String) {
        self.say(&why);
        self.left_out.push(why);
    }
}

/// Measures all that there is a device for.
pub fn papers(args: &BenchArgs) -> Result<()> {
    let most = args.size.map_or(usize::MAX, usize::from);
    if most < aqua_graph::SIZES[0] {
        let least = aqua_graph::SIZES[0];
        let what = format!("size: the smallest grid of the papers has {least} x {least} cells");
        return Err(Error::input(what).hint(format!("give --size {least} or more")));
    }
    let gpu = args.gpu(Device::Auto)?;
    let papers = with_threads(args.threads, || {
        let mut papers = Papers { quiet: args.json, ..Papers::default() };
        papers.gpu = gpu.as_ref().ok().map(|gpu| gpu.name.clone());
        cpu_against_gpu(&mut papers, args, most, gpu.as_ref().ok())?;
        match &gpu {
            Err(_) if args.device == Some(Device::Cpu) => {
                papers.leave_out("No GPU was measured: the CPU alone was asked for.".into());
            }
            Err(why) => papers.leave_out(format!("There is no GPU to compare with: {why}.")),
            Ok(gpu) => {
                blocks_and_threads(&mut papers, most, gpu)?;
                global_against_shared(&mut papers, most, gpu)?;
            }
        }
        techniques(&mut papers, args, gpu.as_ref().ok())?;
        Ok(papers)
    })?;
    if let Some(folder) = &args.out {
        papers.write(folder)?;
    }
    if args.json { print_json(&papers) } else { Ok(()) }
}

fn cpu_against_gpu(
    papers: &mut Papers,
    args: &BenchArgs,
    most: usize,
    gpu: Option<&Gpu>,
) -> Result<()> {
    let seconds = args.seconds.unwrap_or(1.0);
    let of_gpu = gpu.map_or(String::new(), |gpu| {
        format!("GPU: {}, kernel fused, the median of up to five times 1000 steps.\n", gpu.name)
    });
    papers.say(format!(
        "AQUA-GRAPH, von Neumann, alpha {}, the same water on every cell of an inclined plane\n\
         (Rinaldi et al. 2008, table 1): seconds per 1000 steps, without the time to make the grid and copy it.\n\
         CPU: 1 thread, {}, as many steps as fit into {seconds} s, scaled to 1000.\n\
         {of_gpu}{:>13} {:>10} {:>12} {:>12} {:>9}",
        aqua_graph::ALPHA,
        InstructionSet::best().name(),
        "grid",
        "CPU steps",
        "CPU s",
        "GPU s",
        "CPU/GPU"
    ));
    for size in aqua_graph::SIZES.into_iter().filter(|&size| size <= most) {
        let row = aqua_graph::row(size, gpu, seconds)?;
        let shown = |number: Option<f64>, decimals| {
            number.map_or("-".into(), |number| format!("{number:.decimals$}"))
        };
        papers.say(format!(
            "{:>13} {:>10} {:>12.4} {:>12} {:>9}",
            grid(size),
            row.cpu_steps,
            row.cpu_s,
            shown(row.gpu_s, 6),
            shown(row.speed_up, 1)
        ));
        let fits = row.gpu_s.is_some();
        papers.aqua_graph.push(row);
        if gpu.is_some() && !fits {
            papers.leave_out(format!("{} cells do not fit the device memory.", grid(size)));
            break;
        }
    }
    Ok(())
}

fn blocks_and_threads(papers: &mut Papers, most: usize, gpu: &Gpu) -> Result<()> {
    let sizes: Vec<usize> = blocks::SIZES.into_iter().filter(|&size| size <= most).collect();
    if sizes.is_empty() {
        return Ok(());
    }
    papers.say(format!(
        "\nThe same in other blocks of threads, on {}: seconds per 1000 steps.\n\
         {:>13} {:<8} {:<22} {:>8} {:>8} {:>12}",
        gpu.name, "grid", "kernel", "block", "blocks", "threads", "GPU s"
    ));
    let compiles = gpu.has_compiler()?;
    for size in sizes {
        for setting in blocks::settings() {
            if !setting.is_usual() && !compiles {
                continue;
            }
            let Some(row) = blocks::row(size, setting, gpu)? else { continue };
            papers.say(format!(
                "{:>13} {:<8} {:<22} {:>8} {:>8} {:>12.6}",
                grid(size),
                setting.kernel.name(),
                setting.to_string(),
                row.blocks,
                row.threads_per_block,
                row.gpu_s
            ));
            papers.blocks.push(row);
        }
    }
    if !compiles {
        papers.leave_out(
            "Other blocks are compiled when they are asked for, and there is no NVRTC: only the usual ones \
             were measured."
                .into(),
        );
    }
    Ok(())
}

fn global_against_shared(papers: &mut Papers, most: usize, gpu: &Gpu) -> Result<()> {
    let sizes: Vec<usize> = levels::SIZES.into_iter().filter(|&size| size <= most).collect();
    if sizes.is_empty() {
        return Ok(());
    }
    papers.say(format!(
        "\nLevel minimization, von Neumann, every cell of a rough slope wet, on {}\n\
         (Topa & Mlocek 2013): two kernels through global memory; one with the padded tile in shared memory;\n\
         the fused kernel of this program.\n\
         {:>13} {:<8} {:>8} {:>12} {:>10} {:>12}",
        gpu.name, "grid", "kernel", "steps", "ms/step", "G/s", "over global"
    ));
    for size in sizes {
        let Some(row) = levels::row(size, gpu)? else {
            papers.leave_out(format!("{} cells do not fit the device memory.", grid(size)));
            break;
        };
        for speed in &row.kernels {
            papers.say(format!(
                "{:>13} {:<8} {:>8} {:>12.5} {:>10.2} {:>12.2}",
                grid(size),
                speed.kernel.name(),
                row.steps,
                speed.ms_per_step,
                speed.cell_steps_per_s / 1e9,
                speed.speed_up
            ));
        }
        papers.level_minimization.push(row);
    }
    if !papers.level_minimization.is_empty() {
        papers.say("On every grid the water of the three was the same to the bit in the end.");
    }
    Ok(())
}

/// Seconds that each technique for an automaton is measured for at the most.
const TECHNIQUE_SECONDS: f64 = 0.2;

fn techniques(papers: &mut Papers, args: &BenchArgs, gpu: Option<&Gpu>) -> Result<()> {
    let seconds = args.seconds.unwrap_or(TECHNIQUE_SECONDS).min(TECHNIQUE_SECONDS);
    let on = gpu.map_or("the CPU", |gpu| gpu.name.as_str());
    let most = args.size.map(usize::from);
    for table in &TABLES {
        papers.say(format!(
            "\n{}, on {on}: ms of {} steps, and what is printed",
            table.title, table.steps
        ));
        for size in automata::sizes(table, most, gpu.is_some()) {
            let row = automata::row(table, size, gpu, seconds)?;
            for time in &row.times {
                let shown = |ms: Option<f64>| ms.map_or("-".into(), |ms| format!("{ms:.2}"));
                papers.say(format!(
                    "{size:>6} {:<14} {:>12} {:>12} {}",
                    time.technique,
                    shown(time.ours_ms),
                    shown(time.printed_ms),
                    time.column
                ));
            }
            papers.automata.push(row);
        }
    }
    if gpu.is_none() && most.is_none() {
        let (plane, clouds) = automata::ON_CPU;
        papers.leave_out(format!(
            "On the CPU the tables of automata end at {plane} cells along a side, of clouds at {clouds}: give --size for more."
        ));
    }
    Ok(())
}

fn grid(size: usize) -> String {
    format!("{size} x {size}")
}
