//! What the user can say about losses.

use crate::engine::losses::parameter::Parameter;
use crate::input::bundled;
use crate::input::loss_table::BUNDLED;
use crate::scenario::values::{Quantity, looks_like_a_file};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The share of the retention that is lost first, unless the user says otherwise (USDA NRCS 2004, eq. 10-9).
pub const DEFAULT_INITIAL_SHARE: f64 = 0.2;

/// Losses: what the ground, sewers and the air take. Unset means none.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LossOptions {
    /// Initial loss: the first water, which stays on leaves and in hollows; a depth ("5 mm") or a raster (mm)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub initial_loss: Option<Quantity>,
    /// Infiltration after that: a capacity ("12 mm/h"), a raster (mm/h), or a model: horton, green-ampt,
    /// curve-number
    #[arg(
        long,
        value_name = "RATE|FILE|MODEL",
        allow_hyphen_values = true,
        help_heading = "Losses"
    )]
    pub infiltration: Option<Quantity>,
    /// Horton: capacity of the ground at first ("75 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_first: Option<Quantity>,
    /// Horton: capacity in the end ("12 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_last: Option<Quantity>,
    /// Horton: how fast the first falls to the last ("4 1/h"), or a raster (1/h)
    #[arg(long, value_name = "DECAY|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_decay: Option<Quantity>,
    /// Green and Ampt: saturated conductivity ("6.5 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_conductivity: Option<Quantity>,
    /// Green and Ampt: suction head at the wetting front ("167 mm"), or a raster (mm)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_suction: Option<Quantity>,
    /// Green and Ampt: moisture deficit at the start, 0 to 1, or a raster
    #[arg(long, value_name = "PART|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_deficit: Option<Quantity>,
    /// Curve number of the USDA's NRCS, up to 100, or a raster
    #[arg(long, value_name = "CN|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub curve_number: Option<Quantity>,
    /// Initial loss of a curve number, as a part of its retention (default: 0.2)
    #[arg(long, value_name = "PART", allow_hyphen_values = true, help_heading = "Losses")]
    pub curve_number_initial: Option<f64>,
    /// Capacity of sewers ("3 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub drainage: Option<Quantity>,
    /// Classes of soil or land cover whose losses are in loss_table: a raster (default: land_cover)
    #[arg(long, value_name = "RASTER", help_heading = "Losses")]
    pub loss_classes: Option<PathBuf>,
    /// Losses by class: a bundled table, or a CSV
    #[arg(long, value_name = "NAME|CSV", help_heading = "Losses")]
    #[arg(help = format!(
        "Losses by class: a bundled table ({}) or a CSV with a column class and any of initial_loss_mm, infiltration_mm_h, curve_number ...",
        bundled::names(&BUNDLED)
    ))]
    pub loss_table: Option<PathBuf>,
    /// Evaporation from water that stands or flows: a rate ("5 mm/day"), or a CSV of time and rate
    #[arg(long, value_name = "RATE|CSV", allow_hyphen_values = true, help_heading = "Losses")]
    pub evaporation: Option<Quantity>,
}

impl LossOptions {
    /// What is said of a parameter.
    pub fn of(&self, parameter: Parameter) -> Option<&str> {
        let said = match parameter {
            Parameter::InitialLoss => &self.initial_loss,
            Parameter::Infiltration => &self.infiltration,
            Parameter::HortonFirst => &self.horton_first,
            Parameter::HortonLast => &self.horton_last,
            Parameter::HortonDecay => &self.horton_decay,
            Parameter::Conductivity => &self.green_ampt_conductivity,
            Parameter::Suction => &self.green_ampt_suction,
            Parameter::Deficit => &self.green_ampt_deficit,
            Parameter::CurveNumber => &self.curve_number,
            Parameter::Drainage => &self.drainage,
        };
        said.as_ref().map(|Quantity(text)| text.as_str())
    }

    /// These options, with those of a file where they are unset.
    pub fn over(self, file: LossOptions) -> LossOptions {
        LossOptions {
            initial_loss: self.initial_loss.or(file.initial_loss),
            infiltration: self.infiltration.or(file.infiltration),
            horton_first: self.horton_first.or(file.horton_first),
            horton_last: self.horton_last.or(file.horton_last),
            horton_decay: self.horton_decay.or(file.horton_decay),
            green_ampt_conductivity: self.green_ampt_conductivity.or(file.green_ampt_conductivity),
            green_ampt_suction: self.green_ampt_suction.or(file.green_ampt_suction),
            green_ampt_deficit: self.green_ampt_deficit.or(file.green_ampt_deficit),
            curve_number: self.curve_number.or(file.curve_number),
            curve_number_initial: self.curve_number_initial.or(file.curve_number_initial),
            drainage: self.drainage.or(file.drainage),
            loss_classes: self.loss_classes.or(file.loss_classes),
            loss_table: self.loss_table.or(file.loss_table),
            evaporation: self.evaporation.or(file.evaporation),
        }
    }

    /// The key and the paths that may not be UTF-8, for the report.
    pub fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.loss_classes.iter_mut().chain(&mut self.loss_table)
    }

    /// Makes relative paths relative to a folder instead of the working folder.
    pub fn make_relative_to(&mut self, folder: &Path) {
        let table = self.loss_table.as_mut().filter(|table| !bundled::is_one(table, &BUNDLED));
        let paths = self.loss_classes.iter_mut().chain(table);
        paths.for_each(|path| *path = folder.join(&*path));
        let texts = [
            &mut self.initial_loss,
            &mut self.infiltration,
            &mut self.horton_first,
            &mut self.horton_last,
            &mut self.horton_decay,
            &mut self.green_ampt_conductivity,
            &mut self.green_ampt_suction,
            &mut self.green_ampt_deficit,
            &mut self.curve_number,
            &mut self.drainage,
            &mut self.evaporation,
        ];
        for Quantity(text) in texts.into_iter().flatten() {
            let path = folder.join(&*text);
            if path.exists() || looks_like_a_file(text) {
                *text = path.to_string_lossy().into_owned();
            }
        }
    }

    /// Values for the commented keys of a template.
    pub fn example(key: &str) -> Option<&'static str> {
        Some(match key {
            "initial_loss" => "\"5 mm\"",
            "infiltration" => "\"12 mm/h\"",
            "horton_first" => "\"75 mm/h\"",
            "horton_last" => "\"12 mm/h\"",
            "horton_decay" => "\"4 1/h\"",
            "green_ampt_conductivity" => "\"6.5 mm/h\"",
            "green_ampt_suction" => "\"167 mm\"",
            "green_ampt_deficit" => "0.34",
            "curve_number" => "78",
            "curve_number_initial" => "0.2",
            "drainage" => "\"3 mm/h\"",
            "loss_classes" => "\"soil.tif\"",
            "loss_table" => "\"soil.csv\"",
            "evaporation" => "\"5 mm/day\"",
            _ => return None,
        })
    }
}
