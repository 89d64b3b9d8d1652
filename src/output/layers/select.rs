//! Selects the layers that a run writes, and the diagnostics to record for them.

use super::{
    ARRIVAL_TIME, DEPTH, DURATION, DepthThresholds, Fine, INFILTRATION, LAYERS, Layer, MAX_AIDR,
    MAX_DEPTH, MAX_HAZARD, MAX_LEVEL, MAX_UNIT_DISCHARGE, MAX_VELOCITY, Needs,
};
use crate::engine::cell_diagnostics::CellDiagnostic;
use crate::error::{Error, Result};
use crate::suggest;

/// Layers written by default.
pub static DEFAULTS: [&Layer; 3] = [&DEPTH, &MAX_DEPTH, &ARRIVAL_TIME];

/// Name that selects all layers of a run.
pub const ALL: &str = "all";

/// Selected layers of a run.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The layers, in registry order.
    pub layers: Vec<&'static Layer>,
    /// Further arrival depths, written as `arrival_time_above_<depth>m.tif` (m).
    pub arrivals: Vec<f64>,
}

impl Chosen {
    /// Returns `true` if a layer needs the bed.
    pub fn needs_bed(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer.needs, Needs::Bed))
    }

    /// Returns `true` if a layer shows velocities or discharges.
    pub fn shows_flow(&self) -> bool {
        let reads = |needs: Needs| {
            let diagnostic = needs.diagnostic(DepthThresholds::default());
            matches!(needs, Needs::Flow) || diagnostic.is_some_and(|of| of.flows().is_some())
        };
        self.layers.iter().any(|layer| reads(layer.needs))
    }

    /// Returns `true` if discharges must be stored.
    pub fn needs_discharge(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer.needs, Needs::Flow))
    }
}

/// Finds a layer by key.
pub fn find(key: &str) -> Option<&'static Layer> {
    LAYERS.iter().copied().find(|layer| layer.key == key)
}

/// Selects layers by name; `timed` is set for solvers with physical time, `losses` if there are
/// losses to the ground. Without names, selects [`DEFAULTS`].
pub fn choose(names: &[String], timed: bool, losses: bool) -> Result<Vec<&'static Layer>> {
    if names.is_empty() {
        return Ok(DEFAULTS.to_vec());
    }
    let lacks = |layer: &Layer| match layer.needs {
        Needs::Soil => !losses,
        needs => needs.is_of_flow() && !timed,
    };
    let mut chosen = vec![false; LAYERS.len()];
    for name in names.iter().flat_map(|names| names.split(',')).map(str::trim) {
        if name == ALL {
            LAYERS.iter().zip(&mut chosen).for_each(|(layer, chosen)| *chosen |= !lacks(layer));
            continue;
        }
        let key = name.replace('-', "_");
        let Some(number) = LAYERS.iter().position(|layer| layer.key == key) else {
            let known = LAYERS.iter().map(|layer| (layer.key, ""));
            return Err(Error::input(format!("layers: there is no layer '{name}'"))
                .hint(suggest::hint(&suggest::meant(&key, known), "`inundate layers` lists all")));
        };
        if lacks(LAYERS[number]) {
            let (what, hint) = match LAYERS[number].needs {
                Needs::Soil => {
                    ("the run has no losses to the ground", "add losses, or leave the layer out")
                }
                _ => (
                    "the solver has no physical time, so there is no discharge",
                    "use --solver shallow-water, or leave the layer out",
                ),
            };
            return Err(Error::input(format!("layers: '{key}': {what}")).hint(hint));
        }
        chosen[number] = true;
    }
    let of = LAYERS.iter().zip(chosen).filter(|(_, chosen)| *chosen);
    Ok(of.map(|(layer, _)| *layer).collect())
}

/// Returns the layers reported at points: the available ones of a fixed set that refers to the
/// whole run, and further `chosen` layers that can be combined over several cells.
pub fn at_points(timed: bool, chosen: &[&'static Layer]) -> Vec<&'static Layer> {
    let always = [&MAX_DEPTH, &MAX_LEVEL, &MAX_VELOCITY, &MAX_HAZARD, &ARRIVAL_TIME, &DURATION];
    let mut layers: Vec<&'static Layer> = always.into_iter().collect();
    layers.retain(|layer| timed || !layer.needs.is_of_flow());
    let more = [&MAX_UNIT_DISCHARGE, &MAX_AIDR, &INFILTRATION];
    let requested = |layer: &&&'static Layer| chosen.iter().any(|known| known.key == layer.key);
    layers.extend(more.iter().filter(requested));
    layers
}

/// Returns the diagnostics to record for layers; `arrivals` are further arrival depths (grains).
pub fn cell_diagnostics(
    layers: &[&Layer],
    depths: DepthThresholds,
    arrivals: &[i32],
) -> Vec<CellDiagnostic> {
    let recorded = layers.iter().filter_map(|layer| layer.needs.diagnostic(depths));
    recorded.chain(arrivals.iter().map(|&above| CellDiagnostic::Arrival { above })).collect()
}

/// Like [`cell_diagnostics`], for layers on the fine grid of cells with tables; `arrivals` are all
/// arrival depths (grains).
pub fn fine_cell_diagnostics(
    layers: &[&Layer],
    depths: DepthThresholds,
    arrivals: &[i32],
) -> Vec<CellDiagnostic> {
    let mut cell_diagnostics = Vec::new();
    for layer in layers {
        let diagnostic = match layer.fine {
            Fine::Arrival => {
                arrivals.iter().max().map(|&above| CellDiagnostic::LevelArrivals { above })
            }
            Fine::Hazard(_, speed, _) | Fine::UnitDischarge(_, speed) => {
                speed.needs.diagnostic(depths)
            }
            _ => layer.needs.diagnostic(depths),
        };
        cell_diagnostics
            .extend(diagnostic.filter(|diagnostic| !cell_diagnostics.contains(diagnostic)));
    }
    if arrivals.len() > 1 && !layers.iter().any(|layer| matches!(layer.fine, Fine::Arrival)) {
        cell_diagnostics
            .extend(arrivals.iter().max().map(|&above| CellDiagnostic::LevelArrivals { above }));
    }
    cell_diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_chosen_by_name_and_refused_where_they_cannot_be_had() {
        let names = |text: &str| vec![text.to_string()];
        let keys = |layers: Vec<&Layer>| layers.iter().map(|layer| layer.key).collect::<Vec<_>>();
        assert_eq!(keys(choose(&[], true, false).unwrap()), ["depth", "max_depth", "arrival_time"]);
        let two = choose(&names("max-velocity, depth"), true, false).unwrap();
        assert_eq!(
            cell_diagnostics(&two, DepthThresholds { wet: 5, hazard: 6, ticks: 64 }, &[7]),
            [CellDiagnostic::Speed, CellDiagnostic::Arrival { above: 7 }]
        );
        assert_eq!(keys(two), ["depth", "max_velocity"]);
        let fine = choose(&names("arrival-time,max-hazard,max-aidr,duration"), true, false);
        assert_eq!(
            fine_cell_diagnostics(
                &fine.unwrap(),
                DepthThresholds { wet: 5, hazard: 6, ticks: 64 },
                &[5, 9]
            ),
            [
                CellDiagnostic::LevelArrivals { above: 9 },
                CellDiagnostic::Wet { above: 5, ticks: 64 },
                CellDiagnostic::Speed
            ]
        );
        assert_eq!(
            fine_cell_diagnostics(&[], DepthThresholds::default(), &[5, 9]),
            [CellDiagnostic::LevelArrivals { above: 9 }]
        );
        assert_eq!(choose(&names("all"), true, true).unwrap().len(), LAYERS.len());
        let automaton = choose(&names("all"), false, false).unwrap();
        assert!(
            keys(automaton).iter().all(|key| !key.contains("velocity") && *key != "infiltration")
        );
        for (text, says) in [
            ("max_dept", "did you mean 'max_depth'"),
            ("xyz", "`inundate layers`"),
            ("velocity", "physical time"),
            ("infiltration", "no losses"),
        ] {
            let error = choose(&names(text), false, false).unwrap_err();
            let said = format!("{} {}", error.what, error.hint.as_deref().unwrap_or_default());
            assert!(said.contains(says), "{said}");
        }
    }
}
