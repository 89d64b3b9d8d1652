//! The argument parser, and the order of its help: the options that nearly every run needs come
//! first.

use super::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory};

/// Options that come first in the help, in this order.
const FIRST: [&str; 10] = [
    "dem",
    "rain",
    "source",
    "duration",
    "solver",
    "roughness",
    "open",
    "out",
    "layers",
    "output_every",
];

/// Returns the argument parser.
pub fn command() -> Command {
    Cli::command().mut_subcommand("run", order).mut_subcommand("check", order)
}

/// Moves the options that come first to a section of their own, and those without a section to the
/// end.
fn order(command: Command) -> Command {
    let first = |option: Arg| match FIRST.iter().position(|key| option.get_id() == *key) {
        Some(at) => option.help_heading("Most used").display_order(at),
        None => option,
    };
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version);
    command
        .mut_args(first)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .next_help_heading("Other")
        .arg(help.help("Print help, with details by --help"))
        .arg(version.help("Print version"))
}
