//! Where settings come from. clap reads flags and `FRAMEFARM_*`; a TOML file, `*_FILE` secrets and the timing preset replace
//! defaults before clap parses, so that flag > environment > file > timing > default holds everywhere.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{Settings, alerts};

/// Settings whose values are never shown; each may also come from a file named by `<ENV>_FILE`.
pub(crate) const SECRETS: &[&str] =
    &["database_url", "redis_url", "admin_password", "admin_secret", alerts::SECRETS[0], alerts::SECRETS[1]];

/// Settings with an earlier name, which still works.
const RENAMED: &[(&str, &str)] = &[("preset", "timing")];

pub(super) const FAST: &[(&str, &str)] = &[
    ("worker_claim_duration_minutes", "0.3333333333"),
    ("worker_heartbeat_interval", "5"),
    ("worker_offline_threshold_minutes", "0.3333333333"),
    ("stale_job_check_interval", "5"),
    ("redelivery_delay", "5"),
];

impl Settings {
    /// Reads the layers below flags and environment and gives them to clap as defaults. `arguments` are needed
    /// to find the config file and the timing preset first.
    pub fn layered(command: Command, arguments: &[OsString]) -> anyhow::Result<Command> {
        let early = |name: &str| early_value(arguments, name);
        let mut defaults: Vec<(String, String)> = Vec::new();
        let file = match early("config") {
            Some(path) => read_file(&path)?,
            None => Vec::new(),
        };
        let from_file = || file.iter().find(|(name, _)| name == "timing").map(|(_, value)| value.clone());
        let timing = early("timing").or_else(|| renamed_value("timing")).or_else(from_file);
        if timing.as_deref() == Some("fast") {
            defaults.extend(FAST.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        }
        defaults.extend(file);
        for (old, new) in RENAMED {
            if let Some(value) = renamed_value(new) {
                warn_renamed(&variable(old), &variable(new));
                defaults.push(((*new).to_owned(), value));
            }
            let (flag, now) = (format!("--{old}"), format!("--{new}"));
            if arguments.iter().any(|argument| is_flag(argument, &flag)) {
                warn_renamed(&flag, &now);
            }
        }
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
    let names = [name].into_iter().chain(earlier_name(name));
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    for flag in names.map(|name| format!("--{name}")) {
        for (index, text) in texts.iter().enumerate() {
            if *text == flag {
                return texts.get(index + 1).map(|value| (*value).to_owned());
            }
            if let Some(value) = text.strip_prefix(&flag).and_then(|rest| rest.strip_prefix('=')) {
                return Some(value.to_owned());
            }
        }
    }
    std::env::var(variable(name)).ok()
}

fn variable(name: &str) -> String {
    format!("FRAMEFARM_{}", name.to_uppercase())
}

fn earlier_name(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(_, new)| *new == name).map(|(old, _)| *old)
}

/// The value of the variable with the earlier name, unless the one with the present name is set.
fn renamed_value(name: &str) -> Option<String> {
    let unset = std::env::var_os(variable(name)).is_none();
    earlier_name(name).filter(|_| unset).and_then(|old| std::env::var(variable(old)).ok())
}

fn is_flag(argument: &OsString, flag: &str) -> bool {
    let rest = argument.to_str().and_then(|text| text.strip_prefix(flag));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Logging has not started when settings are read.
fn warn_renamed(old: &str, new: &str) {
    eprintln!("framefarm: warning: `{old}` is now called `{new}`; the old name still works");
}

fn read_file(path: &str) -> anyhow::Result<Vec<(String, String)>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the config file {path}"))?;
    let mut table: toml::Table = text.parse().with_context(|| format!("{path}: invalid TOML"))?;
    for (old, new) in RENAMED {
        if let Some(value) = table.remove(*old) {
            warn_renamed(&format!("{path}: {old}"), new);
            table.entry(*new).or_insert(value);
        }
    }
    let texts = table.into_iter().map(|(name, value)| {
        let value = plain(value).with_context(|| format!("{path}: {name}"))?;
        Ok((name, value))
    });
    texts.collect()
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
