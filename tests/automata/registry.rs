//! The tables of automata and techniques.

use inundate_automata::registry::{AUTOMATA, Model};
use inundate_automata::techniques::{TECHNIQUES, choose, every_unit};
use std::collections::HashSet;

#[test]
fn automaton_and_technique_names_are_unique_and_known() {
    let names: HashSet<&str> = TECHNIQUES.iter().map(|technique| technique.name).collect();
    assert_eq!(names.len(), TECHNIQUES.len());
    for technique in &TECHNIQUES {
        for name in technique.automata {
            assert!(
                AUTOMATA.iter().any(|automaton| automaton.name == *name),
                "{technique:?}: {name}"
            );
        }
    }
    let units = every_unit();
    let names: HashSet<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(names.len(), units.len());
    assert!(units.len() > 50, "{}", units.len());
}

#[test]
fn auto_picks_the_fastest_technique_and_unsuitable_ones_are_refused() {
    for model in Model::all() {
        let fastest = if model.automaton.deep { ("64x1x1", "march") } else { ("fused", "fused") };
        assert_eq!(choose("auto", model, false).unwrap().name, fastest.0);
        assert_eq!(choose("auto", model, true).unwrap().name, fastest.1);
    }
    let life = Model::named("life", None).unwrap();
    let many = Model::named("cyclic", Some(32)).unwrap();
    for (name, model, on_gpu, part) in [
        ("quick", life, false, "there is no technique 'quick'"),
        ("texture", life, false, "does not run on the CPU"),
        ("2x2x2", life, true, "does not support life"),
        ("compressed", many, true, "does not support cyclic with 32 states"),
        ("table", many, false, "does not support cyclic"),
    ] {
        let error = choose(name, model, on_gpu).unwrap_err();
        assert!(error.what.contains(part) && error.hint.is_some(), "{error}");
    }
    for (name, states, part) in [
        ("lives", None, "there is no automaton 'lives'"),
        ("life", Some(3), "cannot have 3 states"),
        ("cyclic", Some(33), "cannot have 33 states"),
    ] {
        let error = Model::named(name, states).unwrap_err();
        assert!(error.what.contains(part) && error.exit_code() == 2, "{error}");
    }
}
