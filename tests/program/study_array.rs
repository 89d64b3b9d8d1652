//! A study as a Slurm job array: the scripts of docs/study.md, unchanged except for the number of
//! tasks in `make test`, with a stand-in for `sbatch`.

use crate::cli_common;
use crate::common::tier::few_or_all;

use cli_common::{Raster, Workshop};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::SystemTime;

/// The part of `sbatch` that the page needs. All tasks of an array run at the same time, with
/// Slurm's environment variables; the task named `$KILLED` is killed, with everything it started,
/// as soon as its run `$RUN` is in progress. It returns when they have ended, so that dependent
/// jobs can start immediately.
const SBATCH: &str = r#"#!/bin/bash
set -eu
case "$1" in
--parsable)
    range=$(sed -n 's/^#SBATCH --array=\([0-9]*-[0-9]*\).*/\1/p' "$2")
    export SLURM_ARRAY_JOB_ID=77 SLURM_NTASKS=1 SLURM_PROCID=0 SLURM_LOCALID=0
    for task in $(seq "${range%-*}" "${range#*-}"); do
        SLURM_JOB_ID=$((77 + task)) SLURM_ARRAY_TASK_ID=$task setsid bash "$2" >"slurm-77_$task.txt" 2>&1 &
        if [ "$task" = "${KILLED-}" ]; then
            while [ ! -e "study/runs/$RUN/run.log" ]; do sleep 0.01; done
            kill -KILL -- "-$!"
        fi
    done
    wait
    echo 77
    ;;
--dependency=afterany:77)
    [ "$2" = --wrap ]
    exec bash -c "$3" >slurm-collected.txt 2>&1
    ;;
*) exit 2 ;;
esac
"#;

/// The task that is killed, and the number of tasks in the page.
const KILLED: usize = 7;
const TASKS: usize = 40;

/// Returns the number of tasks here.
fn tasks() -> usize {
    few_or_all(9, TASKS)
}

/// Returns the two scripts under a heading of the page.
fn scripts() -> [String; 2] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/study.md");
    let page = std::fs::read_to_string(page).unwrap();
    let section = page.split("\n## On a cluster\n").nth(1).expect("the heading");
    let mut blocks = section.split("```bash\n").skip(1);
    [0; 2].map(|_| blocks.next().expect("two").split("```").next().expect("an end").to_string())
}

fn name(task: usize) -> String {
    format!("run-{task}")
}

/// Creates a study of as many short runs as there are tasks; the killed one takes longer.
fn workshop() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    workshop.file("scenario.toml", "dem = 'dem.tif'\nsteps = 20\nthreads = 1\n");
    let run = |task: usize| {
        let what = match task {
            KILLED => "rain = '0.001 mm/step'\nsteps = 100000".into(),
            _ => format!("rain = '{task} mm/step'"),
        };
        format!("[[run]]\nname = '{}'\n{what}\n", name(task))
    };
    let runs: String = (1..=tasks()).map(run).collect();
    for (file, out) in [("study.toml", "study"), ("at-once.toml", "at-once")] {
        workshop.file(file, format!("base = 'scenario.toml'\nout = '{out}'\n{runs}"));
    }
    let [array, _] = scripts();
    let array = array.replace(&format!("=1-{TASKS} "), &format!("=1-{} ", tasks()));
    workshop.file("array.sh", array);
    std::fs::create_dir(workshop.path("bin")).unwrap();
    workshop.file("bin/sbatch", SBATCH);
    let program = Path::new(env!("CARGO_BIN_EXE_inundate"));
    std::os::unix::fs::symlink(program, workshop.path("bin/inundate")).unwrap();
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(workshop.path("bin/sbatch"), may_run).unwrap();
    workshop
}

/// Runs the commands that submit the jobs.
fn submit(workshop: &Workshop, killed: Option<usize>) -> Output {
    let [_, submit] = scripts();
    let path = format!("{}:{}", workshop.path("bin").display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-c", &submit]).current_dir(workshop.path("")).env("PATH", path);
    if let Some(killed) = killed {
        bash.env("KILLED", killed.to_string()).env("RUN", name(killed));
    }
    bash.output().unwrap()
}

/// Returns when the reports of all runs were written, if they exist.
fn written(workshop: &Workshop) -> Vec<Option<SystemTime>> {
    let report = |task| workshop.path(&format!("study/runs/{}/run.json", name(task)));
    let written = |task| std::fs::metadata(report(task)).ok()?.modified().ok();
    (1..=tasks()).map(written).collect()
}

/// Reads a column of the table.
fn column(workshop: &Workshop, folder: &str, name: &str) -> Vec<String> {
    workshop.column(&format!("{folder}/runs.csv"), name)
}

#[test]
fn the_documented_job_array_runs_a_study_and_repairs_killed_runs() {
    let [array, _] = scripts();
    assert!(array.contains(&format!("#SBATCH --array=1-{TASKS} ")), "{array}");
    let workshop = workshop();
    let first = submit(&workshop, Some(KILLED));
    let said = |name: &str| workshop.text(name);
    let collected = said("slurm-collected.txt");
    assert!(first.status.success(), "{collected}");
    let missing = format!("1 of {} runs have no results yet", tasks());
    assert!(collected.contains(&missing) && collected.contains(&name(KILLED)), "{collected}");
    let before = written(&workshop);
    for (at, written) in before.iter().enumerate() {
        let task = at + 1;
        let log = || said(&format!("slurm-77_{task}.txt"));
        assert_eq!(written.is_some(), task != KILLED, "task {task}: {}", log());
    }
    let status = column(&workshop, "study", "status");
    let missing = status.iter().enumerate().filter(|(_, status)| *status != "done");
    assert_eq!(missing.map(|(at, _)| at + 1).collect::<Vec<_>>(), [KILLED], "{status:?}");

    let second = submit(&workshop, None);
    assert!(second.status.success(), "{}", said("slurm-collected.txt"));
    assert_eq!(column(&workshop, "study", "status"), vec!["done"; tasks()]);
    let again = written(&workshop);
    for (at, (before, again)) in before.iter().zip(&again).enumerate() {
        assert_eq!(before == again, at + 1 != KILLED, "what is done is not done again: {}", at + 1);
    }
    // The table and the maps equal the results of a single command.
    workshop.inundate("study at-once.toml").done();
    for name in ["name", "max_depth_m", "rain_m3", "steps_taken"] {
        assert_eq!(column(&workshop, "study", name), column(&workshop, "at-once", name), "{name}");
    }
    let map = |folder: &str| {
        cli_common::pixels(workshop.path(folder).join("aggregates/max_depth_mean.tif"))
    };
    assert_eq!(map("study"), map("at-once"));
}
