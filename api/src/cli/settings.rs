//! The settings as flags of the commands that need them.

use std::ffi::OsString;

use clap::Command;

use super::Failure;
use crate::config::Settings;

/// Settings that say where the data is: the only ones that every command shows in its help.
const WHERE: &[&str] = &["config", "data_dir", "database_url", "database_connections"];

/// Gives every command with settings the layers below flags and environment.
pub(super) fn layered(command: Command, arguments: &[OsString]) -> anyhow::Result<Command> {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command;
    for name in names {
        let Some(sub) = command.find_subcommand(&name).cloned() else { continue };
        let mut sub = layered(sub, arguments)?;
        if sub.get_arguments().any(|arg| arg.get_id() == "data_dir") {
            sub = Settings::layered(sub, arguments)?;
            if !matches!(name.as_str(), "serve" | "config") {
                sub = sub.mut_args(|arg| if is_elsewhere(&arg) { arg.hide(true) } else { arg });
            }
        }
        command = command.mut_subcommand(&name, |_| sub);
    }
    Ok(command)
}

fn is_elsewhere(arg: &clap::Arg) -> bool {
    let is_setting = arg.get_env().is_some();
    is_setting && !WHERE.contains(&arg.get_id().as_str())
}

/// The settings, if they fit together.
pub(super) fn checked(settings: Settings) -> Result<Settings, Failure> {
    settings.check().map_err(Failure::usage)?;
    Ok(settings)
}
