//! Options of losses.

use crate::engine::losses::parameter::Parameter;
use crate::input::tables::bundled;
use crate::input::tables::loss_table::BUNDLED;
use crate::scenario::value_or_file::{TableName, ValueOrFile};
use crate::scenario::visit::{Key, Value};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Default fraction of the retention that is lost first (USDA NRCS 2004, eq. 10-9).
pub const DEFAULT_INITIAL_SHARE: f64 = 0.2;

options! {
/// Losses to the ground, sewers and the air. Unset options mean none.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LossOptions {
    /// Initial loss: the first rain, held by leaves and hollows; a depth ("5 mm") or a raster (mm)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub initial_loss: Option<ValueOrFile> = "5 mm"
        => "interception abstraction initial_abstraction depression_storage",
    /// Infiltration after that: a capacity ("12 mm/h"), a raster (mm/h), or a model: horton,
    /// green-ampt, curve-number
    #[arg(
        long,
        value_name = "RATE|FILE|MODEL",
        allow_hyphen_values = true,
        help_heading = "Losses"
    )]
    pub infiltration: Option<ValueOrFile> = "12 mm/h" => "soil",
    /// Horton: initial capacity of the ground ("75 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_first: Option<ValueOrFile> = "75 mm/h",
    /// Horton: final capacity ("12 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_last: Option<ValueOrFile> = "12 mm/h",
    /// Horton: decay rate from the initial to the final capacity ("4 1/h"), or a raster (1/h)
    #[arg(long, value_name = "DECAY|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub horton_decay: Option<ValueOrFile> = "4 1/h",
    /// Green and Ampt: saturated conductivity ("6.5 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_conductivity: Option<ValueOrFile> = "6.5 mm/h"
        => "conductivity hydraulic_conductivity ksat",
    /// Green and Ampt: suction head at the wetting front ("167 mm"), or a raster (mm)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_suction: Option<ValueOrFile> = "167 mm" => "suction suction_head",
    /// Green and Ampt: moisture deficit at the start, 0 to 1, or a raster
    #[arg(long, value_name = "PART|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub green_ampt_deficit: Option<ValueOrFile> = "0.34" => "deficit moisture_deficit",
    /// Curve number of the USDA's NRCS, up to 100, or a raster
    #[arg(long, value_name = "CN|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub curve_number: Option<ValueOrFile> = "78" => "cn scs",
    /// Initial loss of a curve number, as a fraction of its retention (default: 0.2)
    #[arg(long, value_name = "PART", allow_hyphen_values = true, help_heading = "Losses")]
    pub curve_number_initial: Option<f64> = "0.2" => "initial_abstraction_ratio",
    /// Capacity of sewers ("3 mm/h"), or a raster (mm/h)
    #[arg(long, value_name = "RATE|RASTER", allow_hyphen_values = true, help_heading = "Losses")]
    pub drainage: Option<ValueOrFile> = "3 mm/h" => "sewer storm_drain storm_drains",
    /// Classes of soil or land cover whose losses are in loss_table: a raster (default: land_cover)
    #[arg(long, value_name = "RASTER", help_heading = "Losses")]
    pub loss_classes: Option<PathBuf> = "soil.tif" => "soil_classes",
    /// Losses by class: a bundled table, or a CSV
    #[arg(long, value_name = "NAME|CSV", help_heading = "Losses")]
    #[arg(help = format!(
        "Losses by class: a bundled table ({}) or a CSV with a column class and any of initial_loss_mm, infiltration_mm_h, curve_number ...",
        bundled::names(&BUNDLED)
    ))]
    pub loss_table: Option<TableName> = "soil.csv" => "soil_table infiltration_table",
    /// Evaporation from open water: a rate ("5 mm/day"), or a CSV of time and rate
    #[arg(long, value_name = "RATE|CSV", allow_hyphen_values = true, help_heading = "Losses")]
    pub evaporation: Option<ValueOrFile> = "5 mm/day" => "evapotranspiration et pet",
}
}

impl LossOptions {
    /// Returns a parameter, if given.
    pub fn of(&self, parameter: Parameter) -> Option<&ValueOrFile> {
        let given = match parameter {
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
        given.as_ref()
    }
}
