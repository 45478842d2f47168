//! Confirmation of commands that cannot be undone. Only a person at a terminal is asked.

use std::io::{IsTerminal as _, Write as _};

use super::exit::{Ended, Exit};

/// Goes on if the answer is yes, if `--yes` said so before, or if nobody is there to answer.
pub(crate) fn ask(yes: bool, question: &str) -> anyhow::Result<()> {
    if yes || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(());
    }
    eprint!("{question} [y/N] ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Ended::with(Exit::Failure, "aborted; nothing was changed"))
}
