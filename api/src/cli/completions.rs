//! `framefarm completions`.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Failure, output};

/// Print shell completions
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm completions bash > ~/.local/share/bash-completion/completions/framefarm
  framefarm completions zsh > ~/.zfunc/_framefarm
  framefarm completions fish > ~/.config/fish/completions/framefarm.fish")]
pub(super) struct Completions {
    /// Shell to complete commands in
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "framefarm", &mut script);
        Ok(output::print(&String::from_utf8_lossy(&script))?)
    }
}
