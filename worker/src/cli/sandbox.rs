//! `framefarm-worker check-sandbox`: for the worker itself, see [`crate::sandbox::probe_sandbox`].

use crate::sandbox::{Mode, enforce_in, everything_closed};

pub(super) fn check() -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(&enforce_in(Mode::from_env()?, &everything_closed()))?);
    Ok(())
}
