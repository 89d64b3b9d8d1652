//! The tables of the docs are generated from the registries of the code. After a change, update
//! them with `UPDATE_DOCS=1 cargo test --test docs`.

use inundate::automata::registry::AUTOMATA;
use inundate::automata::techniques::TECHNIQUES;
use inundate::engine::clock::Clock;
use inundate::engine::neighbourhood::Neighbourhood;
use inundate::engine::solver::SOLVERS;
use inundate::input::tables::class_table::{BUNDLED, ClassTable};
use inundate::output::layers::{DEFAULTS, LAYERS, Layer, Needs, TimeScope};
use inundate::scenario::options;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// Writes `table` between the marks of `name` in a page, or checks that it is there.
fn page_holds(page: &str, name: &str, table: &str) {
    // Tests run in parallel, and several write the same page.
    static WRITING: Mutex<()> = Mutex::new(());
    let _alone = WRITING.lock();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, end) = (format!("<!-- generated: {name} -->\n"), "<!-- end -->");
    let (before, rest) = text.split_once(&start).expect("the page has the start mark");
    let (now, after) = rest.split_once(end).expect("the page has the end mark");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{start}{table}{end}{after}")).unwrap();
    } else {
        assert_eq!(now, table, "{page} is out of date: UPDATE_DOCS=1 cargo test --test docs");
    }
}

#[test]
fn the_scenario_reference_lists_every_key() {
    let mut table = String::from("| key | what |\n|---|---|\n");
    let mut section = String::new();
    for options::OptionHelp { key, help, heading } in options::describe() {
        if heading != section {
            writeln!(table, "| **{heading}** | |").unwrap();
            section = heading;
        }
        writeln!(table, "| `{key}` | {help} |").unwrap();
    }
    page_holds("docs/scenario.md", "keys", &table);
}

#[test]
fn the_automata_page_lists_every_automaton_and_technique() {
    let mut table = String::from("| automaton | what | states |\n|---|---|---|\n");
    for automaton in &AUTOMATA {
        let names =
            automaton.names.iter().enumerate().map(|(state, name)| format!("{state} {name}"));
        let states = match (automaton.names, &automaton.states) {
            ([], (usual, may)) => {
                format!("{} to {} of them, {usual} unless given", may.start(), may.end())
            }
            _ => names.collect::<Vec<_>>().join("; "),
        };
        writeln!(table, "| `{}` | {} | {states} |", automaton.name, automaton.about).unwrap();
    }
    page_holds("docs/automata.md", "automata", &table);
    let mut table =
        String::from("| technique | what | paper | automata | on |\n|---|---|---|---|---|\n");
    for technique in &TECHNIQUES {
        let on = if technique.cpu.is_some() { "CPU, GPU" } else { "GPU" };
        let automata = match technique.automata.len() {
            5 => "all".to_string(),
            _ => technique.automata.join(", "),
        };
        let most = if technique.most_states < 32 && technique.automata.contains(&"cyclic") {
            format!(" (to {} states)", technique.most_states)
        } else {
            String::new()
        };
        let paper = technique.paper.unwrap_or("");
        writeln!(
            table,
            "| `{}` | {} | {paper} | {automata}{most} | {on} |",
            technique.name, technique.about
        )
        .unwrap();
    }
    page_holds("docs/automata.md", "techniques", &table);
}

/// Returns when a layer is written.
fn written(layer: &Layer) -> String {
    let default = DEFAULTS.iter().any(|default| default.key == layer.key);
    let needs = match layer.needs {
        Needs::Soil => ", with losses to the ground",
        needs if needs.is_of_flow() => ", not with automata",
        _ => "",
    };
    let series = if layer.scope == TimeScope::Now { ", in series too" } else { "" };
    format!(
        "{}{needs}{series}",
        if default { "unless others are asked for" } else { "if asked for" }
    )
}

#[test]
fn the_outputs_page_lists_every_layer() {
    let clocks = [Clock::adaptive(1.0, 1.0, 1.0), Clock::seconds(1.0, 1), Clock::steps(1)];
    let mut table =
        String::from("| file | band | unit | what | written |\n|---|---|---|---|---|\n");
    for layer in LAYERS {
        let each = |unit: fn(&Clock) -> &'static str| {
            let mut texts = clocks.iter().map(unit).collect::<Vec<_>>();
            texts.dedup();
            texts.join(" / ")
        };
        writeln!(
            table,
            "| `{}.tif` | {} | {} | {} | {} |",
            layer.key,
            each(layer.long_name),
            each(layer.unit),
            layer.about,
            written(layer)
        )
        .unwrap();
    }
    page_holds("docs/outputs.md", "layers", &table);
}

#[test]
fn the_theory_page_lists_every_solver() {
    let mut table = String::from(
        "| solver | what it does | source | default α (von Neumann, Moore) |\n|---|---|---|---|\n",
    );
    for solver in SOLVERS {
        let alphas = Neighbourhood::ALL.map(|near| solver.default_alpha(near));
        let alphas = match alphas {
            [Some(four), Some(eight)] => format!("{four}, {eight}"),
            _ => "none: in physical time".into(),
        };
        let order =
            if solver.order == 1 { String::new() } else { format!(", `order = {}`", solver.order) };
        writeln!(
            table,
            "| `{}`{order} | {} | {} | {alphas} |",
            solver.name, solver.about, solver.source
        )
        .unwrap();
    }
    page_holds("docs/theory.md", "solvers", &table);
}

#[test]
fn the_scenario_reference_lists_the_bundled_land_cover_tables() {
    for (name, about, text) in BUNDLED {
        let mut table = format!("`{name}`: {about}\n\n| class | n | what |\n|---|---|---|\n");
        for line in ClassTable::parse(text.as_bytes(), name).unwrap().classes {
            let what = line.name.as_deref().unwrap_or_default();
            writeln!(table, "| {} | {} | {what} |", line.class, line.n).unwrap();
        }
        page_holds("docs/scenario.md", &format!("land cover {name}"), &table);
    }
}

#[test]
fn the_schemas_in_the_docs_match_the_program() {
    for (page, schema) in [
        ("docs/scenario.schema.json", inundate::scenario::schema::scenario()),
        ("docs/study.schema.json", inundate::study::schema::study()),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let now = std::fs::read_to_string(&path).unwrap();
            assert!(now == text, "{page} is out of date: UPDATE_DOCS=1 cargo test --test docs");
        }
    }
}
