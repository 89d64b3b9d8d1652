//! `inundate devices` and `--device` on machines of every kind, most of them simulated by a fake
//! driver.

use crate::cli_common;

use cli_common::{Ran, Raster, Workshop};
use serde_json::Value;
use std::process::Command;

/// Only what the test provides: no toolkit and no NVRTC of this machine.
const BARE: &str = "INUNDATE_NVRTC=./none";
/// The fake driver and the fake NVRTC.
const FAKE: &str = "LD_LIBRARY_PATH=./fake:$LD_LIBRARY_PATH INUNDATE_NVRTC=./fake";
const RUN: &str = "run --dem dem.tif --rain '1 mm/step' --steps 3 --quiet";

/// Creates a workshop with fake libraries in `fake/`.
fn faked() -> Workshop {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("fake")).unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/fake_nvidia/fake.c");
    for library in ["fake/libcuda.so", "fake/libnvrtc.so.13"] {
        compile(&workshop, source, library);
    }
    workshop
}

fn compile(workshop: &Workshop, source: &str, library: &str) {
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(workshop.path(library)).arg(source);
    assert!(cc.status().expect("there is a C compiler, as Rust needs one").success());
}

/// Runs the program with environment variables set.
fn with(workshop: &Workshop, variables: &str, command: &str) -> Ran {
    workshop.shell(&format!("export {variables}; exec \"$INUNDATE\" {command}"))
}

/// Asserts that the program refuses a GPU, with exit code 2 and the reason.
fn refuses(workshop: &Workshop, variables: &str, device: &str, parts: &[&str]) {
    with(workshop, variables, &format!("{RUN} --device {device}"))
        .says(parts)
        .exits(2)
        .says(&["error: device: ", "hint: "])
        .never_says("panicked");
}

#[test]
fn lists_and_uses_the_cpu_without_a_gpu() {
    let workshop = Workshop::new();
    let hidden = format!("CUDA_VISIBLE_DEVICES=-1 INUNDATE_CACHE=/a/cache {BARE}");
    let ran = with(&workshop, &hidden, "devices").done();
    ran.prints(&["cpu     ", " threads, ", "gpu     none: ", "ptx     none embedded"]);
    ran.prints(&["nvrtc   none: INUNDATE_NVRTC is ", "cache   /a/cache/kernels"]);
    let last = ran.out.lines().last().unwrap();
    assert!(last.starts_with("`--device auto` takes the CPU, because "), "{last}");
    let json = with(&workshop, &hidden, "devices --json").done();
    let devices = json.json();
    assert_eq!(devices["auto"]["what"], "cpu");
    assert!(devices["cpu"]["threads"].as_u64().unwrap() > 0);
    assert_eq!(devices["gpus"].as_array().unwrap().len(), 0);
    assert!(devices["obstacle"]["hint"].is_string());
    for device in ["cuda", "cuda:0", "cuda:all", "cuda:0,1"] {
        refuses(&workshop, &hidden, device, &["NVIDIA"]);
    }
    for device in ["auto", "cpu"] {
        with(&workshop, &hidden, &format!("{RUN} --overwrite --device {device}")).done();
        assert_eq!(workshop.report("results")["parameters"]["device"], device);
    }
}

#[test]
fn lists_the_valid_devices_for_an_unknown_one() {
    let workshop = Workshop::new();
    for wrong in ["quantum", "cuda:x", "cuda:", "CUDA", "cuda:1,1", "cuda:0,"] {
        let run = format!("run --dem dem.tif --steps 3 --device '{wrong}'");
        workshop.refuses(&run, &[wrong, "auto, cpu, cuda, cuda:N"]);
        workshop.file("s.toml", format!("dem = 'dem.tif'\nsteps = 3\ndevice = '{wrong}'\n"));
        workshop.refuses("run s.toml", &["line 3: device: ", wrong, "auto, cpu, cuda, cuda:N"]);
    }
    let help = workshop.inundate("run --help").done();
    help.prints(&["- cuda:N:   the GPU of that number", "- cuda:N,M: the GPUs of these"]);
}

#[test]
fn reports_a_broken_driver_without_a_panic() {
    let workshop = Workshop::new();
    for folder in ["text", "empty"] {
        std::fs::create_dir(workshop.path(folder)).unwrap();
    }
    for name in ["text/libcuda.so", "text/libcuda.so.1", "text/libnvrtc.so.13"] {
        workshop.file(name, "no library");
    }
    workshop.file("empty.c", "int nothing;\n");
    let source = workshop.path("empty.c");
    for library in ["empty/libcuda.so", "empty/libnvrtc.so.13"] {
        compile(&workshop, source.to_str().unwrap(), library);
    }
    let place = |folder: &str| {
        format!(
            "CUDA_VISIBLE_DEVICES=-1 LD_LIBRARY_PATH=./{folder}:$LD_LIBRARY_PATH INUNDATE_NVRTC=./{folder}"
        )
    };
    let text = with(&workshop, &place("text"), "devices").done().never_says("panicked");
    text.prints(&[
        "takes the CPU",
        "nvrtc   none: NVRTC cannot be loaded: ",
        "text/libnvrtc.so.13",
    ]);
    let empty = with(&workshop, &place("empty"), "devices").done().never_says("panicked");
    empty
        .prints(&["loaded as NVIDIA's driver is not the driver: it lacks cuInit", "takes the CPU"]);
    empty.prints(&["nvrtc   none: NVRTC cannot be loaded: ", "nvrtcVersion"]);
    refuses(&workshop, &place("empty"), "cuda", &["it lacks cuInit", "LD_LIBRARY_PATH"]);
}

#[test]
fn reports_a_driver_that_does_not_start_and_the_remedy() {
    let workshop = faked();
    for (variables, parts) in [
        ("FAKE_INIT=803", ["CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (so says", "restart the machine"]),
        ("FAKE_INIT=34", ["CUDA_ERROR_STUB_LIBRARY", "made for linking only"]),
        ("FAKE_INIT=999", ["CUDA_ERROR_UNKNOWN", "nvidia-smi"]),
        ("FAKE_INIT=100", ["finds no GPU", "nvidia-smi"]),
        ("FAKE_GPUS=0", ["finds no GPU", "nvidia-smi"]),
        ("CUDA_VISIBLE_DEVICES=9 FAKE_GPUS=0", ["finds no GPU", "CUDA_VISIBLE_DEVICES is '9'"]),
        ("FAKE_DRIVER=11040", ["too old: it supports CUDA 11.4, but 12.0 is required", "update"]),
    ] {
        let variables = format!("{FAKE} {variables}");
        refuses(&workshop, &variables, "cuda", &parts);
        refuses(&workshop, &variables, "cuda:0", &parts);
        let ran = with(&workshop, &variables, "devices").done();
        ran.prints(&parts);
        ran.prints(&["`--device auto` takes the CPU, because "]);
    }
}

#[test]
fn lists_gpus_and_picks_the_one_with_the_most_free_memory() {
    let workshop = faked();
    let ran = with(&workshop, FAKE, "devices").done();
    ran.prints(&[
        "cuda:0  Fake A, 16.0 GiB, 1.0 free, compute capability 9.0, 132 multiprocessors",
        "cuda:1  Fake B, 16.0 GiB, 2.0 free",
        "kernels compiled by NVRTC for sm_90",
        "driver  for CUDA 13.0",
        "nvrtc   13.0, ",
        "fake/libnvrtc.so.13",
        "`--device auto` takes GPU 1, because it has the most free memory of 2 GPUs",
    ]);
    let json = with(&workshop, FAKE, "devices --json").done();
    let devices = json.json();
    assert_eq!((&devices["driver"], &devices["obstacle"]), (&"13.0".into(), &Value::Null));
    assert_eq!(devices["auto"]["what"]["gpu"], 1);
    let gpu = &devices["gpus"][1];
    assert_eq!((&gpu["name"], &gpu["way"]), (&"Fake B".into(), &"sm_90".into()));
    assert_eq!(gpu["free_bytes"], 2u64 << 30);
    refuses(&workshop, FAKE, "cuda:7", &["no GPU 7", "GPU 0 (Fake A) and GPU 1 (Fake B)"]);
}

#[test]
fn explains_why_a_gpu_cannot_be_used() {
    let workshop = faked();
    for (variables, parts) in [
        ("FAKE_CAPABILITY=70", ["compute capability is 7.0, and 7.5 is needed", "Turing"]),
        ("FAKE_OPEN=2", ["cannot be opened: CUDA_ERROR_OUT_OF_MEMORY", "nvidia-smi"]),
        ("FAKE_DRIVER=12040", ["it supports CUDA 12.4, but 13.0 is required", "an NVRTC 12"]),
        ("FAKE_CAPABILITY=80", ["does not support GPUs as old", "INUNDATE_NVRTC"]),
        ("INUNDATE_NVRTC=./none", ["its kernels cannot be compiled", "pip install nvidia-cuda"]),
    ] {
        let variables = format!("{FAKE} {variables}");
        refuses(&workshop, &variables, "cuda", &parts);
        refuses(&workshop, &variables, "cuda:1", &parts);
        let ran = with(&workshop, &variables, "devices").done();
        ran.prints(&parts);
        ran.prints(&[
            "cuda:1  Fake B",
            "cannot be used: ",
            "takes the CPU, because GPU 0 (Fake A)",
        ]);
    }
    // The suggested NVRTC is compatible with the driver.
    let bare = format!("{FAKE} INUNDATE_NVRTC=./none FAKE_DRIVER=12040");
    refuses(&workshop, &bare, "cuda", &["its kernels cannot be compiled", "nvrtc-cu12"]);
    // PTX for a GPU that NVRTC does not support yet.
    let later = with(&workshop, &format!("{FAKE} FAKE_CAPABILITY=120"), "devices").done();
    later.prints(&["compute capability 12.0", "kernels compiled by NVRTC for compute_90"]);
    // An older NVRTC works with a newer driver.
    let older = with(&workshop, &format!("{FAKE} FAKE_NVRTC=12"), "devices").done();
    older.prints(&["nvrtc   12.0", "takes GPU 1"]);
}

#[test]
fn fails_before_any_reading_or_writing_if_the_device_is_unavailable() {
    let workshop = Workshop::new();
    let hidden = format!("CUDA_VISIBLE_DEVICES=-1 {BARE}");
    let before = workshop.contents();
    for command in ["run", "check"] {
        for (flags, part) in [
            ("--device cuda", "device: "),
            ("--device cuda:3", "device: "),
            ("--device-memory lots", "device_memory: "),
            ("--device cpu --device-memory '2 apples'", "device_memory: "),
            ("--tile 0", "tile: "),
        ] {
            // There is no such DEM, but it is never read.
            let line = format!("{command} --dem none.tif --steps 3 {flags}");
            let ran = with(&workshop, &hidden, &line).says(&[&format!("error: {part}"), "hint: "]);
            assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
            ran.never_says("none.tif");
        }
    }
    assert_eq!(workshop.contents(), before);
}

#[test]
fn gpu_options_on_the_cpu_have_no_effect_and_a_warning() {
    let workshop = Workshop::new();
    let hidden = format!("CUDA_VISIBLE_DEVICES=-1 {BARE}");
    for (flags, part) in [
        (
            "--device-memory 2GiB",
            "device_memory: has no effect on the CPU, which was chosen because",
        ),
        (
            "--device cpu --device-memory 2GiB",
            "device_memory: has no effect on the CPU, which was chosen because it was asked for",
        ),
    ] {
        let run = with(&workshop, &hidden, &format!("{RUN} --overwrite {flags}")).done();
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        run.says(&["warning: ", part]);
        let kept = workshop.report("results")["warnings"].to_string();
        assert!(kept.contains(part), "{part} is not in {kept}");
        let check = format!("check --dem dem.tif --rain '1 mm/step' --steps 3 --overwrite {flags}");
        with(&workshop, &hidden, &check).done().says(&["warning: ", part]);
    }
}

#[test]
fn check_reports_the_device_memory_a_run_needs() {
    let workshop = faked();
    workshop.raster("dem.tif", &Raster::terrain(400, 300));
    let check = "check --dem dem.tif --rain '1 mm/step' --steps 3";
    let cpu = with(&workshop, FAKE, &format!("{check} --device cpu")).done();
    cpu.prints(&[
        "device      the CPU, because it was asked for",
        "tiles       2 of 512 x 256 cells",
    ]);
    cpu.prints(&["run time    about"]);
    let gpu = with(&workshop, FAKE, check).done();
    gpu.prints(&["device      Fake B (cuda:1), because it has the most free memory of 2 GPUs"]);
    gpu.prints(&["on the GPU  whole, in 2.6 MiB of device memory"]);
    // Nothing ran there, so no time is estimated; and the CPU's tiles are not used.
    assert!(!gpu.out.contains("time  ") && !gpu.out.contains("tiles  "), "{}", gpu.out);
    let small = format!("{check} --device cuda:0 --device-memory 1MiB");
    let turns = with(&workshop, FAKE, &small).done();
    turns.prints(&["Fake A (cuda:0), because it was asked for"]);
    for (device, why) in
        [("cuda:all", "they are the 2 GPUs that can be used"), ("cuda:0,1", "they were asked for")]
    {
        let ran = with(&workshop, FAKE, &format!("{check} --device {device}")).done();
        ran.prints(&["Fake A (cuda:0) and Fake B (cuda:1), because ", why]);
        ran.prints(&["on the GPUs 2 strips of up to ", "rows that meet every "]);
    }
    turns.prints(&[
        "12 tiles of up to 112 x 113 cells that take turns of up to 2 steps",
        "(whole it would take 2.6 MiB)",
    ]);
    let tiled = with(&workshop, FAKE, &format!("{check} --tile 100x80")).done();
    tiled.prints(&["16 tiles of up to 100 x 80 cells that take turns of up to 1 step"]);
    let json = with(&workshop, FAKE, &format!("{small} --json")).done();
    let estimate = json.json();
    assert_eq!(estimate["device"]["what"]["gpu"], 0);
    assert_eq!(estimate["gpu"]["steps_per_turn"], 2);
    let bytes = |key: &str| estimate["gpu"][key].as_u64().unwrap();
    assert!(bytes("memory_bytes") <= 1 << 20 && bytes("whole_bytes") > 1 << 21, "{estimate}");
    assert_eq!(estimate["wall_if_all_wet_s"], Value::Null);
    with(&workshop, FAKE, &format!("{check} --device-memory 1KiB"))
        .exits(2)
        .says(&["device_memory: 1.0 KiB are too few", "hint: the whole grid takes 2.6 MiB"]);
}
