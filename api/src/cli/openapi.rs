//! `framefarm openapi`.

use anyhow::Context;
use clap::Args;

use super::{Failure, output};
use crate::http::router;

/// Print the OpenAPI document
#[derive(Args)]
#[command(after_help = "Example:\n  framefarm openapi > openapi.json")]
pub(super) struct Openapi {}

impl Openapi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self {} = self;
        let text = router::document().to_pretty_json().context("cannot serialize the OpenAPI document")?;
        output::say(&text)?;
        Ok(())
    }
}
