//! What a reader finds beside the results: title, project, author, date and logo, and a background under the maps.

use super::values::Moment;
use super::visit::Names::{File, Nothing};
use super::visit::{Key, Said};
use crate::error::{Error, Result};
use crate::input::logo::Logo;
use crate::input::notice::Reading;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

options! {
/// What the report, the sheets and the project tell of whose they are. Unset means nothing.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ImprintOptions {
    /// Title of the report, of the sheets to print and of the QGIS project (default: what brought the water, and the name of
    /// the scenario file)
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub title: Option<String> = (Nothing, "A hundred-year flood of the Clinch River"),
    /// Project that the report and the sheets belong to
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub project: Option<String> = (Nothing, "Flood protection Clinton, 2026-014"),
    /// Author of the report and the sheets
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub author: Option<String> = (Nothing, "Smith & Sons, Knoxville"),
    /// Date of the report and the sheets, as it is to stand there
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub date: Option<Moment> = (Nothing, "1 March 2026"),
    /// Logo on the report and the sheets: a PNG, JPEG or SVG
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub logo: Option<PathBuf> = (File, "logo.svg"),
    /// Picture of the ground under the maps of the report and the project: a raster with a georeference, such as an aerial
    /// photograph
    #[arg(long, value_name = "RASTER", help_heading = "Report")]
    pub background: Option<PathBuf> = (File, "ortho.tif"),
}
}

/// What the report, the sheets and the project tell of whose they are, read and checked.
#[derive(Clone, Debug, Default)]
pub struct Imprint {
    /// Title.
    pub title: Option<String>,
    /// Project.
    pub project: Option<String>,
    /// Author.
    pub author: Option<String>,
    /// Date.
    pub date: Option<String>,
    /// Logo.
    pub logo: Option<Logo>,
}

impl Imprint {
    /// Reads what the options name.
    pub fn read(options: &ImprintOptions) -> Result<Reading<Imprint>> {
        let mut imprint = Reading::<Imprint>::default();
        let date = options.date.as_ref().map(|Moment(text)| text);
        imprint.value.title = line("title", options.title.as_ref())?;
        imprint.value.project = line("project", options.project.as_ref())?;
        imprint.value.author = line("author", options.author.as_ref())?;
        imprint.value.date = line("date", date)?;
        if let Some(path) = &options.logo {
            imprint.value.logo = Some(Logo::read(path)?);
            imprint.notices.read("logo", path)?;
        }
        Ok(imprint)
    }
}

/// A line of text, if there is one.
fn line(key: &str, said: Option<&String>) -> Result<Option<String>> {
    let Some(text) = said.map(|text| text.trim()) else { return Ok(None) };
    if text.is_empty() {
        return Err(
            Error::input(format!("{key}: it is empty")).hint("say something, or leave it out")
        );
    }
    if text.contains(char::is_control) {
        return Err(Error::input(format!(
            "{key}: it has more than one line, or characters that cannot be printed"
        ))
        .hint("write it on one line"));
    }
    Ok(Some(text.to_string()))
}
