//! `framefarm alerts`: what goes on, where it is told, and what was told.

mod deliveries;
mod endpoints;
mod list;
mod replay;
mod test;

pub(super) use list::firing;

use clap::{Args, Subcommand};

use super::Failure;

/// Show alerts, where they go, and what was sent
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm alerts list
  framefarm alerts test ops            sends a message and tells how it went
  framefarm alerts deliveries --status failed")]
pub(super) struct AlertsCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(list::List),
    Endpoints(endpoints::Endpoints),
    Test(test::Test),
    Deliveries(deliveries::Deliveries),
    Replay(replay::Replay),
}

impl AlertsCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::List(command) => command.run(),
            Action::Endpoints(command) => command.run(),
            Action::Test(command) => command.run(),
            Action::Deliveries(command) => command.run(),
            Action::Replay(command) => command.run(),
        }
    }
}
