//! `framefarm config`.

use clap::{ArgMatches, Args};
use framefarm_shared::state_machine;

use super::{Failure, output, settings};
use crate::config::{self, Settings};

/// Show the effective settings, or the reference of all settings
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm config --print                          settings that `framefarm serve` would use
  framefarm config --print --config framefarm.toml
  framefarm config --reference                      every setting, as Markdown")]
pub(super) struct Config {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Print the effective settings as TOML, without secrets
    #[arg(long)]
    print: bool,
    /// Print the reference of all settings as Markdown
    #[arg(long)]
    reference: bool,
    /// Print the reference of states and transitions as Markdown
    #[arg(long)]
    state_machine: bool,
}

impl Config {
    pub(super) fn run(self, matches: &ArgMatches) -> Result<(), Failure> {
        if self.what.reference {
            output::print(&config::reference())?;
        } else if self.what.state_machine {
            output::print(&state_machine::document())?;
        } else if let Some((_, matches)) = matches.subcommand() {
            settings::checked(self.settings)?;
            output::print(&config::effective(matches))?;
        }
        Ok(())
    }
}
