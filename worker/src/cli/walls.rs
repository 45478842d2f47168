//! `framefarm-worker check-walls`: for the worker itself, see [`crate::walls::probe_walls`].

use crate::walls::{everything_closed, put_up};

pub(super) fn check() -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(&put_up(&everything_closed()))?);
    Ok(())
}
