//! `framefarm worker`: manage a worker.

mod invite;
mod keys;
mod register;
mod show;
mod switch;

use clap::{Args, Subcommand};

use super::Failure;

/// Show, register, drain, disable or delete a worker
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm worker invite                 print a join command for another machine
  framefarm worker drain north            finish its jobs, accept no new ones
  framefarm worker drain north --end      accept jobs again")]
pub(super) struct WorkerCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Show(show::Show),
    Invite(invite::Invite),
    Register(register::Register),
    Drain(switch::Drain),
    Disable(switch::Disable),
    Enable(switch::Enable),
    RotateKey(keys::RotateKey),
    RevokeKey(keys::RevokeKey),
    Delete(switch::Delete),
}

impl WorkerCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Show(command) => command.run(),
            Action::Invite(command) => command.run(),
            Action::Register(command) => command.run(),
            Action::Drain(command) => command.run(),
            Action::Disable(command) => command.run(),
            Action::Enable(command) => command.run(),
            Action::RotateKey(command) => command.run(),
            Action::RevokeKey(command) => command.run(),
            Action::Delete(command) => command.run(),
        }
    }
}
