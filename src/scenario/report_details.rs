//! Title, project, author, date, logo and background of the report.

use super::values::Moment;
use super::visit::{Key, Value};
use crate::error::{Error, Result};
use crate::input::logo::Logo;
use crate::input::notice::Reading;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

options! {
/// Title, project, author, date, logo and background of the report. Unset options are left blank.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReportOptions {
    /// Title of the report, of the sheets to print and of the QGIS project (default: what brought
    /// the water, and the name of the scenario file)
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub title: Option<String> = "A hundred-year flood of the Clinch River",
    /// Project that the report and the sheets belong to
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub project: Option<String> = "Flood protection Clinton, 2026-014",
    /// Author of the report and the sheets
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub author: Option<String> = "Smith & Sons, Knoxville",
    /// Date of the report and the sheets, printed as written
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub date: Option<Moment> = "1 March 2026",
    /// Logo on the report and the sheets: a PNG, JPEG or SVG
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub logo: Option<PathBuf> = "logo.svg",
    /// Picture of the ground under the maps of the report and the project: a raster with a
    /// georeference, such as an aerial photograph
    #[arg(long, value_name = "RASTER", help_heading = "Report")]
    pub background: Option<PathBuf> = "ortho.tif" => "basemap orthophoto aerial",
}
}

/// Title, project, author, date and logo, read and checked.
#[derive(Clone, Debug, Default)]
pub struct ReportDetails {
    /// Title of the report.
    pub title: Option<String>,
    /// Project that the report belongs to.
    pub project: Option<String>,
    /// Author of the report.
    pub author: Option<String>,
    /// Date as printed in the report.
    pub date: Option<String>,
    /// Logo on the report and the sheets.
    pub logo: Option<Logo>,
}

impl ReportDetails {
    /// Reads the files that the options name, and checks the texts.
    pub fn read(options: &ReportOptions) -> Result<Reading<ReportDetails>> {
        let mut report_details = Reading::<ReportDetails>::default();
        let date = options.date.as_ref().map(|Moment(text)| text);
        report_details.value.title = line("title", options.title.as_ref())?;
        report_details.value.project = line("project", options.project.as_ref())?;
        report_details.value.author = line("author", options.author.as_ref())?;
        report_details.value.date = line("date", date)?;
        if let Some(path) = &options.logo {
            report_details.value.logo = Some(Logo::read(path)?);
            report_details.notices.read("logo", path)?;
        }
        Ok(report_details)
    }
}

/// Checks that a text is a single line, if there is one.
fn line(key: &str, said: Option<&String>) -> Result<Option<String>> {
    let Some(text) = said.map(|text| text.trim()) else { return Ok(None) };
    if text.is_empty() {
        return Err(
            Error::input(format!("{key}: the text is empty")).hint("write a text, or leave it out")
        );
    }
    if text.contains(char::is_control) {
        return Err(Error::input(format!(
            "{key}: the text has more than one line, or unprintable characters"
        ))
        .hint("write it on one line"));
    }
    Ok(Some(text.to_string()))
}
