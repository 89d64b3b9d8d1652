//! Every kernel of every technique compiles, to machine code and to PTX, and the fast ones keep all in registers. Needs NVRTC
//! but no GPU; without NVRTC it says that it is skipped, unless INUNDATE_REQUIRE_NVRTC is 1.

use crate::tier;
use inundate_automata::registry::Model;
use inundate_automata::techniques::TECHNIQUES;
use inundate_engine::backend::cuda::compile::embedded;
use inundate_engine::backend::cuda::compile::nvrtc::nvrtc;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::backend::cuda::compile::usage::usages;
use inundate_engine::backend::cuda::compile::{Target, compile};
use std::io::Write;

fn can_compile() -> bool {
    let Err(why) = nvrtc() else { return true };
    let required = std::env::var("INUNDATE_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    assert!(!required, "NVRTC is required, but: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED, no kernel was compiled: {why}");
    false
}

/// Every unit, or of a technique that goes with several automata the first, which tells most.
fn few() -> impl Iterator<Item = Unit> {
    let mut known = std::collections::HashSet::new();
    let of_units = |model: Model| {
        TECHNIQUES.iter().filter(move |t| t.goes_with(model)).map(move |t| (model, t))
    };
    let units = Model::all().flat_map(of_units);
    let units = units.filter(move |(_, t)| tier::all() || known.insert(t.name));
    units.filter_map(|(model, technique)| technique.unit(model))
}

#[test]
fn every_kernel_compiles_and_those_that_march_do_not_spill() {
    if !can_compile() {
        return;
    }
    let cyclic = Model::named("cyclic", Some(32)).unwrap();
    let largest = TECHNIQUES.iter().filter(|technique| technique.goes_with(cyclic));
    let largest = largest.filter_map(|technique| technique.unit(cyclic));
    for unit in few().chain(largest) {
        let compiled = compile(&unit, Target::Sm(90)).unwrap_or_else(|error| panic!("{error}"));
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
            if unit.name.contains("-fused-") || unit.name.contains("-march-") {
                assert_eq!(usage.spills(), 0, "{}: {usage:?}", unit.name);
            }
        }
    }
}

#[test]
fn every_kernel_compiles_to_ptx() {
    if !can_compile() {
        return;
    }
    for unit in few() {
        let ptx = compile(&unit, Target::Ptx(embedded::CAPABILITY))
            .unwrap_or_else(|error| panic!("{error}"));
        let ptx = String::from_utf8(ptx.code).unwrap();
        assert!(ptx.contains(".target sm_75") && ptx.contains("step_1"), "{}", unit.name);
    }
}
