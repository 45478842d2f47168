//! The lock record: what `instance-lock.json` says, and how it is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub(super) const FILE: &str = "instance-lock.json";
pub(super) const VERSION: u32 = 4;
/// The first version whose holders send heartbeats.
const HEARTBEAT_SINCE: u32 = 4;
const MAX_BYTES: u64 = 64 * 1024;

/// Who holds the data directory. Only the holder writes it; only one who proved the holder dead replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    pub pid: u32,
    pub process_start_time_unix: u64,
    pub hostname: String,
    pub started_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_at: Option<DateTime<Utc>>,
    pub version: u32,
    /// Random for each acquisition: two holders are never the same one, whatever their PIDs and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl Record {
    pub fn last_sign_of_life(&self) -> DateTime<Utc> {
        self.heartbeat_at.unwrap_or(self.started_at)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let record: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        // Judging a current holder by `startedAt` would take the lock from one that merely runs for long.
        if record.version >= HEARTBEAT_SINCE && record.heartbeat_at.is_none() {
            return Err(format!("version {} record without heartbeatAt", record.version));
        }
        Ok(record)
    }
}

/// What stood in the directory at one moment. Equal means that nobody wrote in between: a record has its token and its
/// heartbeat, a broken one its bytes and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Absent,
    Whole(Record),
    Broken { why: String, bytes: Vec<u8>, modified: SystemTime },
}

impl Seen {
    pub(super) fn record(&self) -> Option<&Record> {
        match self {
            Self::Whole(record) => Some(record),
            Self::Absent | Self::Broken { .. } => None,
        }
    }
}

/// Reads the record for one who wants the lock: a record that is there but cannot be read is an answer, not an error.
pub(super) fn look(dir: &Path) -> io::Result<Seen> {
    read(dir).or_else(|error| {
        let modified = dir.join(FILE).symlink_metadata()?.modified()?;
        Ok(Seen::Broken { why: error.to_string(), bytes: Vec::new(), modified })
    })
}

/// Reads the record for its holder, who has not lost the lock because a read failed.
pub(super) fn read(dir: &Path) -> io::Result<Seen> {
    let file = match File::open(dir.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Absent),
        file => file?,
    };
    let modified = file.metadata()?.modified()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(match Record::parse(&bytes) {
        Ok(record) => Seen::Whole(record),
        Err(why) => Seen::Broken { why, bytes, modified },
    })
}
