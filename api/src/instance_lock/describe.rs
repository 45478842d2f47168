//! The lock in one line, for the status command. Reads only; judges nothing.

use std::fmt;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::record::{self, Record, Seen};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Free,
    Held { record: Record, seconds_since_sign_of_life: i64 },
    Unreadable { why: String, seconds_since_written: i64 },
}

pub fn describe(dir: &Path, now: DateTime<Utc>) -> io::Result<Status> {
    let seconds_since = |then: DateTime<Utc>| now.signed_duration_since(then).num_seconds().max(0);
    Ok(match record::look(dir)? {
        Seen::Absent => Status::Free,
        Seen::Whole(record) => {
            Status::Held { seconds_since_sign_of_life: seconds_since(record.last_sign_of_life()), record }
        }
        Seen::Broken { why, modified, .. } => {
            Status::Unreadable { why, seconds_since_written: seconds_since(modified.into()) }
        }
    })
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::Held { record: Record { hostname, pid, .. }, seconds_since_sign_of_life: seconds } => {
                write!(f, "held by {hostname} (PID {pid}), last heartbeat {seconds} s ago")
            }
            Self::Unreadable { why, seconds_since_written } => {
                write!(f, "unreadable lock record ({why}), written {seconds_since_written} s ago")
            }
        }
    }
}
