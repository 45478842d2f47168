//! `instance-lock.log`: one JSON line for each event, kept below two files of 1 MB.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::guard::Section;
use super::process::Identity;
use super::record::Record;

const FILE: &str = "instance-lock.log";
const OLD_FILE: &str = "instance-lock.log.1";
const MAX_BYTES: u64 = 1_000_000;
const LONGEST_WAIT_TO_NOTE: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    Acquired,
    Takeover,
    LostRace,
    Corrupt,
    Refused,
    RenewFailed,
    Lost,
    Released,
    Error,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    at: DateTime<Utc>,
    event: Event,
    pid: u32,
    hostname: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<&'a Record>,
}

/// Notes the events of one process. A journal that cannot be written never decides about the lock.
#[derive(Debug, Clone)]
pub(super) struct Journal {
    pub(super) me: Identity,
}

impl Journal {
    /// For those who are inside a section already; rotation needs one.
    pub(super) fn note(
        &self,
        section: &Section,
        at: DateTime<Utc>,
        event: Event,
        why: &str,
        holder: Option<&Record>,
    ) {
        let line = Line { at, event, pid: self.me.pid, hostname: &self.me.hostname, why, holder };
        if let Err(error) = append(&section.dir, &line) {
            tracing::warn!(%error, ?event, "instance lock: could not log the event");
        }
    }

    pub(super) fn note_outside(
        &self,
        dir: &Path,
        at: DateTime<Utc>,
        event: Event,
        why: &str,
        holder: Option<&Record>,
    ) {
        match Section::enter(dir, LONGEST_WAIT_TO_NOTE) {
            Ok(section) => self.note(&section, at, event, why, holder),
            Err(error) => {
                tracing::warn!(%error, ?event, "instance lock: could not log the event");
            }
        }
    }
}

fn append(dir: &Path, line: &Line<'_>) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let path = dir.join(FILE);
    let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    if size + text.len() as u64 > MAX_BYTES {
        fs::rename(&path, dir.join(OLD_FILE))?;
    }
    File::options().create(true).append(true).open(path)?.write_all(&text)
}
