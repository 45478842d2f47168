//! `framefarm config`.

use clap::{ArgMatches, Args};
use framefarm_shared::state_machine;

use super::{Failure, output, settings};
use crate::config::{self, Settings};

/// Show the settings: those in force, or all there are
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm config --print                          what `framefarm serve` would use here
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
    /// Print the settings in force as TOML, without secrets
    #[arg(long)]
    print: bool,
    /// Print the page about every setting
    #[arg(long)]
    reference: bool,
    /// Print the page about states and transitions
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
