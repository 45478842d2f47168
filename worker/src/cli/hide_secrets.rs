//! A command line that holds a secret does not stay where others can read it.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use framefarm_shared::secret_arguments::{SecretFlag, hide};

const SECRETS: [SecretFlag; 3] = [
    ("--join", "FRAMEFARM_WORKER_JOIN"),
    ("--key", "FRAMEFARM_WORKER_KEY"),
    ("--admin-secret", "FRAMEFARM_ADMIN_SECRET"),
];

/// Becomes the same program with its secrets in the environment, if there are any on the command line. Where that
/// fails, it goes on as it is.
pub fn hide_secrets() {
    let arguments: Vec<_> = env::args_os().collect();
    let (Some(hidden), Ok(program)) = (hide(&arguments, &SECRETS), env::current_exe()) else { return };
    let Some((name, rest)) = hidden.arguments.split_first() else { return };
    let error = Command::new(program).arg0(name).args(rest).envs(hidden.variables).exec();
    eprintln!("framefarm-worker: cannot hide the secret on the command line from other users: {error}");
}
