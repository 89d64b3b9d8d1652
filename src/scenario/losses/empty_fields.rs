//! Empty fields of a table of losses without a default: the class loses nothing there.

use super::plan::{Classes, Plan};
use super::rasters::{NO_CLASS, Rasters};
use crate::engine::losses::parameter::{Model, Parameter};
use crate::input::dem::topography::Topography;
use crate::input::tables::loss_table::LossClass;
use crate::words::and_more;
use std::collections::BTreeSet;

/// Number of classes that a warning lists.
const LISTED: usize = 5;

/// Returns a warning for each loss that the table gives some classes, but neither it nor the
/// options give other classes in the domain.
pub fn warnings(plan: &Plan, rasters: &Rasters, ground: Topography) -> Vec<String> {
    let Some(Classes { table, .. }) = &plan.classes else { return Vec::new() };
    let cells = rasters.classes.iter().enumerate();
    let used: BTreeSet<usize> = cells
        .filter(|&(cell, &class)| class != NO_CLASS && ground.is_inside(cell))
        .map(|(_, &class)| class as usize)
        .collect();
    let model = |line: &LossClass| line.model.or(plan.model);
    let has = |line: &LossClass, parameter: Parameter| !parameter.of(&line.values).is_nan();
    let warning = |loss: Parameter, columns: &[Parameter], lacks: &dyn Fn(&LossClass) -> bool| {
        let is_column =
            |parameter: &&Parameter| table.classes.iter().any(|line| has(line, **parameter));
        let columns: Vec<String> =
            columns.iter().filter(is_column).map(|parameter| parameter.column()).collect();
        let lines = used.iter().map(|&at| &table.classes[at]).filter(|line| lacks(line));
        let names: Vec<String> = lines.map(LossClass::named).collect();
        let key = loss.key();
        (!columns.is_empty() && !names.is_empty()).then(|| {
            format!(
                "loss_table: '{}' has no {} for {}, so there is no {} there; write 0 in {} if that is so, or give {key} for all classes without a value",
                table.name(),
                columns.join(" or "),
                and_more(names.iter(), LISTED),
                key.replace('_', " "),
                loss.column(),
            )
        })
    };
    let lacks = |parameter: Parameter| {
        move |line: &LossClass| {
            let applies =
                parameter != Parameter::InitialLoss || model(line) != Some(Model::CurveNumber);
            applies && !has(line, parameter) && plan.given[parameter as usize].is_none()
        }
    };
    let of_models: Vec<Parameter> =
        Parameter::ALL.into_iter().filter(|parameter| parameter.model().is_some()).collect();
    let by_cell = [Parameter::InitialLoss, Parameter::Drainage];
    let infiltration = warning(Parameter::Infiltration, &of_models, &|line| model(line).is_none());
    let others = by_cell.map(|loss| warning(loss, &[loss], &lacks(loss)));
    infiltration.into_iter().chain(others.into_iter().flatten()).collect()
}
