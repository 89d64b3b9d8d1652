//! Errors of the command line: unknown flags and commands, and values that the shell has split.

use super::Cli;
use crate::error::Error;
use crate::scenario::options;
use crate::suggest;
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::any::TypeId;
use std::path::{Path, PathBuf};

/// Returns the error for words that the argument parser refused, or the parser's own error if that
/// one explains more. `words` follow the program's name.
pub fn explain(error: clap::Error, words: &[String]) -> std::result::Result<Error, clap::Error> {
    let all = Cli::command();
    let named = |kind| error.get(kind).map(ToString::to_string);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = named(ContextKind::InvalidSubcommand).unwrap_or_default();
            Ok(unknown_command(&all, &word))
        }
        ErrorKind::UnknownArgument => {
            let Some(command) = command_of(&all, words) else { return Err(error) };
            let word = named(ContextKind::InvalidArg).unwrap_or_default();
            if word.starts_with('-') {
                return Ok(unknown_flag(&all, command, &word, words));
            }
            Ok(split_value(words).unwrap_or_else(|| one_too_many(command, &word)))
        }
        ErrorKind::ArgumentConflict
            if error.get(ContextKind::InvalidArg) == error.get(ContextKind::PriorArg) =>
        {
            let argument = named(ContextKind::InvalidArg).unwrap_or_default();
            let flag = argument.split(' ').next().unwrap_or_default();
            Ok(Error::input(format!("{flag} is given twice"))
                .hint("give it once; `--help` shows the values that it takes"))
        }
        _ => Err(error),
    }
}

/// Returns the command that the first word names.
fn command_of<'a>(all: &'a Command, words: &[String]) -> Option<&'a Command> {
    words.first().and_then(|name| all.find_subcommand(name))
}

fn unknown_command(all: &Command, word: &str) -> Error {
    let error = Error::input(format!("there is no command '{word}'"));
    if word.ends_with(".toml") {
        return error.hint(format!("to run a scenario: inundate run {word}"));
    }
    let commands = all.get_subcommands().map(|command| (command.get_name(), ""));
    error.hint(suggest::hint(
        &suggest::meant(word, commands),
        "`inundate --help` lists the commands",
    ))
}

fn unknown_flag(all: &Command, command: &Command, word: &str, words: &[String]) -> Error {
    // The parser takes `-duration` for `-d`.
    let whole = words.iter().find(|whole| !word.starts_with("--") && whole.starts_with(word));
    let word = whole.map_or(word, |whole| whole);
    let name = command.get_name();
    let list = format!("`inundate {name} --help` lists the flags");
    let error = Error::input(format!("{name} has no flag '{word}'"));
    let is_of_run = all
        .find_subcommand("run")
        .is_some_and(|run| flags(run).any(|flag| flag.get_long() == word.strip_prefix("--")));
    if is_of_run {
        return error.hint(format!("'{word}' is a flag of `inundate run`; {list}"));
    }
    let synonyms = options::synonyms();
    let of = |flag: &Arg| {
        let known = synonyms.iter().find(|(key, _)| flag.get_id() == *key);
        known.map_or("", |(_, synonyms)| synonyms)
    };
    let known = flags(command).filter_map(|flag| Some((flag.get_long()?, of(flag))));
    let meant: Vec<String> =
        suggest::meant(word, known).iter().map(|flag| format!("--{flag}")).collect();
    error.hint(suggest::hint(&meant, &list))
}

fn one_too_many(command: &Command, word: &str) -> Error {
    let name = command.get_name();
    Error::input(format!("{name} does not take the word '{word}'")).hint(match name {
        "compare" => format!("name the other result with a flag: --with {word}"),
        _ => format!("`inundate {name} --help` shows the usage"),
    })
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_positional())
}

/// Returns the error for values like `1 hour` that the shell has split into several words, if there
/// are any.
pub fn split_value(words: &[String]) -> Option<Error> {
    let all = Cli::command();
    let command = command_of(&all, words)?;
    let mut split: Vec<(String, String)> = Vec::new();
    let mut words = words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let (flag, value) = word.split_once('=').unwrap_or((word, ""));
        let is_this = |argument: &&Arg| argument.get_long() == flag.strip_prefix("--");
        let Some(argument) = flags(command).find(is_this) else { continue };
        if !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append) {
            continue;
        }
        let first =
            if word.contains('=') { Some(value) } else { words.next().map(|word| &word[..]) };
        let Some(first) = first else { continue };
        let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let mut rest: Vec<&str> = Vec::new();
        // After a stray word, the next ones may exist: "4 mm / 15min".
        let is_more = |word: &str, goes_on| {
            !is_path && may_be_value(word) && (goes_on || !Path::new(word).exists())
        };
        while let Some(more) = words.next_if(|word| is_more(word, !rest.is_empty())) {
            rest.push(more);
        }
        if !rest.is_empty() {
            let rest = rest.join(" ");
            split.push((format!("{flag} {first}"), rest));
        }
    }
    let (before, after) = split.first()?;
    let quoted = split.iter().map(|(before, after)| {
        let (flag, first) = before.split_once(' ').unwrap_or((before, ""));
        format!("{flag} \"{first} {after}\"")
    });
    let quoted: Vec<String> = quoted.collect();
    Some(
        Error::input(format!(
            "'{before}' is followed by '{after}', which is neither a flag nor a file"
        ))
        .hint(format!("put a value with blanks in quotes: {}", quoted.join(" "))),
    )
}

/// Returns true if a word is neither a flag nor named like a scenario.
fn may_be_value(word: &str) -> bool {
    !word.starts_with('-') && !word.ends_with(".toml")
}
