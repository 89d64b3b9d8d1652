//! `inundate schema`: the JSON Schema of a scenario or study file, for editors.

use super::print_json;
use crate::error::Result;
use crate::{scenario, study};

pub const HELP: &str = "\
An editor that knows it offers keys and values, shows what they mean, and marks slips. Write it
beside the scenario, whose first line names it if it comes from `inundate new`:
  inundate schema > scenario.schema.json
  #:schema ./scenario.schema.json
Editors that heed this line: VS Code with Even Better TOML, and whatever else uses taplo.";

#[derive(clap::Args)]
pub struct SchemaArgs {
    /// Schema of a study file instead
    #[arg(long)]
    study: bool,
}

/// Prints a schema.
pub fn schema(args: &SchemaArgs) -> Result<()> {
    print_json(&if args.study { study::schema::study() } else { scenario::schema::scenario() })
}
