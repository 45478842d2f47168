//! A command line that holds a secret does not stay where others can read it.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use framefarm_shared::secret_arguments::{SecretFlag, hide};

const SECRETS: [SecretFlag; 7] = [
    ("--token", "FRAMEFARM_TOKEN"),
    ("--database-url", "FRAMEFARM_DATABASE_URL"),
    ("--redis-url", "FRAMEFARM_REDIS_URL"),
    ("--admin-password", "FRAMEFARM_ADMIN_PASSWORD"),
    ("--admin-secret", "FRAMEFARM_ADMIN_SECRET"),
    ("--alert-webhook-url", "FRAMEFARM_ALERT_WEBHOOK_URL"),
    ("--alert-webhook-secret", "FRAMEFARM_ALERT_WEBHOOK_SECRET"),
];

/// Becomes the same program with its secrets in the environment, if there are any on the command line. Where that
/// fails, it goes on as it is.
pub fn hide_secrets(arguments: &[OsString]) {
    // It ends at once, and tells flags and variables apart.
    if arguments.get(1).is_some_and(|command| command == "config") {
        return;
    }
    let (Some(hidden), Ok(program)) = (hide(arguments, &SECRETS), env::current_exe()) else { return };
    let Some((name, rest)) = hidden.arguments.split_first() else { return };
    let error = Command::new(program).arg0(name).args(rest).envs(hidden.variables).exec();
    eprintln!("framefarm: cannot hide the secret on this command line from other users: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_setting_is_hidden() {
        for name in crate::config::SECRETS {
            let flag =
                (format!("--{}", name.replace('_', "-")), format!("FRAMEFARM_{}", name.to_uppercase()));
            assert!(SECRETS.contains(&(flag.0.as_str(), flag.1.as_str())), "{flag:?}");
        }
    }
}
