//! How many clients are served at once.

use anyhow::bail;
use clap::Args;
use rustix::process::{Resource, getrlimit};

#[derive(Clone, Copy, Debug, Args)]
pub struct ConnectionSettings {
    /// Maximum number of concurrent client connections per instance; further ones are closed. An address can
    /// open connections while it has fewer than are still free, so that there is always room for others; a
    /// trusted proxy can use all. A quarter of the open-file limit (`ulimit -n`) is reserved for other uses
    #[arg(long, env = "FRAMEFARM_CONNECTIONS", default_value_t = 20_000)]
    pub connections: usize,
}

impl ConnectionSettings {
    pub fn check(self) -> anyhow::Result<()> {
        if self.connections < 16 {
            bail!("connections = {}: must be at least 16", self.connections);
        }
        Ok(())
    }

    /// As many as the limit of open files allows.
    pub fn room(self) -> usize {
        self.connections.min(allowed(getrlimit(Resource::Nofile).current))
    }
}

fn allowed(open_files: Option<u64>) -> usize {
    let files = open_files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    (files - files / 4).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_rest() {
        assert_eq!(allowed(Some(1024)), 768);
        assert_eq!(allowed(Some(0)), 1);
        assert!(allowed(None) > 1 << 40);
    }
}
