//! `framefarm alerts`: alerts, their endpoints and deliveries.

mod deliveries;
mod endpoints;
mod list;
mod replay;
mod test;

pub(super) use list::firing;

use clap::{Args, Subcommand};

use super::Failure;

/// Show alerts, endpoints and deliveries
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm alerts list
  framefarm alerts test ops            send a test message and show the result
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
