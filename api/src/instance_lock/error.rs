//! Why the lock could not be acquired or kept, in words for the person who started the process.

use std::fmt;
use std::io;
use std::path::PathBuf;

use chrono::SecondsFormat;

use super::judge::HeldBecause;
use super::record::Record;

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it. Nothing was changed.
    #[error(
        "The data directory {} is in use by {holder} ({reason}); stop that process or choose another --data-dir",
        dir.display()
    )]
    Held { dir: PathBuf, holder: Holder, reason: HeldBecause },
    /// We had it once. Whoever sees this must stop writing at once; nothing was overwritten.
    #[error("Lost the lock on the data directory {} to {holder}", dir.display())]
    Lost { dir: PathBuf, holder: Holder },
    #[error("The lock on the data directory {} keeps changing hands; try again", dir.display())]
    Contended { dir: PathBuf },
    #[error("Cannot use the lock on the data directory {}: {source}", dir.display())]
    Io { dir: PathBuf, source: io::Error },
}

/// The process of a record, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    Known(Box<Record>),
    Unknown,
}

impl From<Option<&Record>> for Holder {
    fn from(record: Option<&Record>) -> Self {
        record.map_or(Self::Unknown, |record| Self::Known(Box::new(record.clone())))
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(record) => {
                let (host, pid) = (&record.hostname, record.pid);
                let since = record.started_at.to_rfc3339_opts(SecondsFormat::Secs, true);
                write!(f, "{host} (PID {pid}) since {since}")
            }
            Self::Unknown => f.write_str("an unknown process"),
        }
    }
}
