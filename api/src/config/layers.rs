//! Where settings come from. clap reads flags and `FRAMEFARM_*`; a TOML file, `*_FILE` secrets and the preset replace
//! defaults before clap parses, so that flag > environment > file > preset > default holds everywhere.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Settings, alerts};

/// Settings whose values are never shown; each may also come from a file named by `<ENV>_FILE`.
pub(crate) const SECRETS: &[&str] =
    &["database_url", "redis_url", "admin_password", "admin_secret", alerts::SECRETS[0], alerts::SECRETS[1]];

pub(super) const FAST: &[(&str, &str)] = &[
    ("worker_claim_duration_minutes", "0.3333333333"),
    ("worker_heartbeat_interval", "5"),
    ("worker_offline_threshold_minutes", "0.3333333333"),
    ("stale_job_check_interval", "5"),
    ("redelivery_delay", "5"),
];

impl Settings {
    /// Reads the layers below flags and environment and gives them to clap as defaults. `arguments` are needed
    /// to find the config file and the preset first.
    pub fn layered(command: Command, arguments: &[OsString]) -> anyhow::Result<Command> {
        let early = |name: &str| early_value(arguments, name);
        let mut defaults: Vec<(String, String)> = Vec::new();
        let file = match early("config") {
            Some(path) => read_file(&path)?,
            None => Vec::new(),
        };
        let preset =
            early("preset").or_else(|| file.iter().find(|(name, _)| name == "preset").map(|p| p.1.clone()));
        if preset.as_deref() == Some("fast") {
            defaults.extend(FAST.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        }
        defaults.extend(file);
        for secret in SECRETS {
            let variable = format!("FRAMEFARM_{}_FILE", secret.to_uppercase());
            if let Some(path) = std::env::var_os(&variable) {
                let path = PathBuf::from(path);
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("{variable}: cannot read {}", path.display()))?;
                defaults.push(((*secret).to_owned(), text.trim_end_matches(['\r', '\n']).to_owned()));
            }
        }
        apply_defaults(command, defaults)
    }

    pub fn from_matches(matches: &ArgMatches) -> anyhow::Result<Self> {
        let settings = Self::from_arg_matches(matches)?;
        settings.check()?;
        Ok(settings)
    }

    /// The settings alone, from the environment and defaults; for tests and tools.
    pub fn defaults() -> anyhow::Result<Self> {
        let matches = Self::augment_args(Command::new("framefarm")).try_get_matches_from(["framefarm"])?;
        Self::from_matches(&matches)
    }
}

/// The value of a flag or variable before clap has parsed.
fn early_value(arguments: &[OsString], name: &str) -> Option<String> {
    let flag = format!("--{name}");
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    for (index, text) in texts.iter().enumerate() {
        if *text == flag {
            return texts.get(index + 1).map(|value| (*value).to_owned());
        }
        if let Some(value) = text.strip_prefix(&flag).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    std::env::var(format!("FRAMEFARM_{}", name.to_uppercase())).ok()
}

fn read_file(path: &str) -> anyhow::Result<Vec<(String, String)>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the config file {path}"))?;
    let table: toml::Table = text.parse().with_context(|| format!("{path}: invalid TOML"))?;
    table
        .into_iter()
        .map(|(name, value)| Ok((name.clone(), plain(value).with_context(|| format!("{path}: {name}"))?)))
        .collect()
}

fn plain(value: toml::Value) -> anyhow::Result<String> {
    Ok(match value {
        toml::Value::String(text) => text,
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        other => bail!("expected a string, number or boolean, found {}", other.type_str()),
    })
}

fn apply_defaults(mut command: Command, defaults: Vec<(String, String)>) -> anyhow::Result<Command> {
    for (name, value) in defaults {
        if name == "config" || !command.get_arguments().any(|arg| arg.get_id() == name.as_str()) {
            bail!("unknown setting `{name}`; `framefarm config --reference` lists all settings");
        }
        // The help shows defaults; a secret must not become one of them.
        let hidden = SECRETS.contains(&name.as_str());
        command = command.mut_arg(&name, |arg| arg.default_value(value).hide_default_value(hidden));
    }
    Ok(command)
}
