//! Kernels for the maximum number of states of a technique compile, and the fast ones keep all data
//! in registers. The usual numbers of states are compiled with the flow's kernels
//! (`tests/program/kernels_compile.rs`). Needs NVRTC but no GPU; without NVRTC the test is skipped
//! with a message, unless INUNDATE_REQUIRE_NVRTC is 1.

use inundate_automata::registry::Model;
use inundate_automata::techniques::TECHNIQUES;
use inundate_engine::backend::cuda::compile::nvrtc::nvrtc;
use inundate_engine::backend::cuda::compile::usage::usages;
use inundate_engine::backend::cuda::compile::{Target, compile_with, compiler};
use std::io::Write;

fn can_compile() -> bool {
    let Err(why) = nvrtc() else { return true };
    let required = std::env::var("INUNDATE_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    assert!(!required, "NVRTC is required, but: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED, no kernel was compiled: {why}");
    false
}

#[test]
fn kernels_with_the_most_states_compile_and_fast_ones_do_not_spill() {
    if !can_compile() {
        return;
    }
    let nvrtc = compiler().unwrap();
    let cyclic = Model::named("cyclic", Some(32)).unwrap();
    let largest = TECHNIQUES.iter().filter(|technique| technique.goes_with(cyclic));
    let largest = largest.map(|technique| technique.unit(cyclic));
    for unit in largest {
        let compiled =
            compile_with(nvrtc, &unit, Target::Sm(90)).unwrap_or_else(|error| panic!("{error}"));
        let usages = usages(&compiled.log);
        assert!(usages.len() >= 2, "{}: {}", unit.name, compiled.log);
        for usage in usages {
            let _ = writeln!(
                std::io::stderr(),
                "{:<40} {:<16} {:>3} registers, {} B spills",
                unit.name,
                usage.function,
                usage.registers,
                usage.spills()
            );
            if unit.name.contains("-fused-") {
                assert_eq!(usage.spills(), 0, "{}: {usage:?}", unit.name);
            }
        }
    }
}
