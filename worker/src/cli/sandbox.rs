//! `framefarm-worker check-sandbox`: for the worker itself, see [`crate::sandbox::probe_sandbox`].

use crate::sandbox::{Mode, everything_closed, put_up_in};

pub(super) fn check() -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(&put_up_in(Mode::from_env()?, &everything_closed()))?);
    Ok(())
}
