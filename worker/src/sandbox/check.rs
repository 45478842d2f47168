//! Which layers this machine has: tried in a process of its own, since none can be removed again.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::{Limits, Mode, Raised, Refused, Rules};

const PATIENCE: Duration = Duration::from_secs(20);

/// The rules of a child that has nothing to do.
pub fn everything_closed() -> Rules {
    Rules { read: Vec::new(), write: None, gpu: false, limits: Limits::default() }
}

/// Asks `program`, which is a `framefarm-worker`, to enter the sandbox and report which layers are enforced.
pub async fn probe_sandbox(program: &Path) -> io::Result<Raised> {
    let mut command = Command::new(program);
    command.arg("check-sandbox").stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await??;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("the sandbox check failed ({}): {}", output.status, said.trim()))
    })
}

/// Why no child of this machine would open a source; `None` where they would.
pub async fn refusal(program: &Path) -> Result<Option<String>, Refused> {
    let mode = Mode::from_env()?;
    Ok(match probe_sandbox(program).await {
        Ok(raised) => mode.judge(raised).err().map(|refused| refused.to_string()),
        Err(error) if mode == Mode::Required => Some(format!("cannot check the sandbox: {error}")),
        Err(_) => None,
    })
}
