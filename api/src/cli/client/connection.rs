//! Which farm, and with which token: the flags of every command that talks to one.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use reqwest::Url;

use super::Farm;
use super::error::how_to_get_a_token;
use crate::auth::Scope;
use crate::cli::exit::{Exit, Failure};

#[derive(Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// URL of the farm, as in the browser
    #[arg(long, env = "FRAMEFARM_API", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    api: Url,

    /// API token. Other users on this machine can see command lines; prefer the file or the environment
    /// variable
    #[arg(
        long,
        env = "FRAMEFARM_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        conflicts_with = "token_file"
    )]
    token: Option<String>,

    /// File that contains the API token
    #[arg(long, env = "FRAMEFARM_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Connection {
    /// For a command that needs this scope.
    pub(crate) fn open(&self, needs: Scope) -> Result<Farm, Failure> {
        let token = self.read_token(needs)?;
        Farm::new(self.api.clone(), &token, needs).map_err(Failure::usage)
    }

    fn read_token(&self, needs: Scope) -> Result<String, Failure> {
        let text = match (&self.token, &self.token_file) {
            (Some(token), _) => token.clone(),
            (None, Some(path)) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))
                .map_err(Failure::usage)?,
            (None, None) => {
                let error = anyhow::anyhow!(
                    "this command needs an API token: set FRAMEFARM_TOKEN or use --token-file. {}",
                    how_to_get_a_token(needs)
                );
                return Err(Failure { exit: Exit::NotAllowed, error });
            }
        };
        Ok(text.trim().to_owned())
    }
}

/// The flags of every command that shows something.
#[derive(Args)]
pub(crate) struct Common {
    /// Print the API response as JSON on one line
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) connection: Connection,
}
