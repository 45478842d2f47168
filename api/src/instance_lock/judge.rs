//! The decision whether a record still holds the lock. No I/O but the process table; changes nothing.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::process::{Identity, Process, ProcessTable};
use super::record::{Record, Seen};

/// The kernel derives start times from the wall clock in whole seconds, and a small correction of the clock moves all.
const START_TIME_TOLERANCE_SECONDS: u64 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Free,
    Held(HeldBecause),
    Stale(StaleBecause),
}

/// Why a record is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBecause {
    Running,
    Heartbeat {
        seconds_ago: i64,
    },
    /// Not old enough to be dead for certain.
    Unreadable {
        seconds_ago: i64,
    },
}

/// Why a record may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleBecause {
    ProcessGone,
    PidReused,
    Silent { seconds: i64 },
    Unreadable { seconds: i64 },
}

pub(super) fn judge(
    seen: &Seen,
    now: DateTime<Utc>,
    me: &Identity,
    stale_after: Duration,
    processes: &dyn ProcessTable,
) -> Verdict {
    match seen {
        Seen::Absent => Verdict::Free,
        Seen::Whole(record) if record.hostname == me.hostname => judge_process(record, processes),
        Seen::Whole(record) => {
            let (silent, seconds) = silence(record.last_sign_of_life(), now, stale_after);
            if silent {
                Verdict::Stale(StaleBecause::Silent { seconds })
            } else {
                Verdict::Held(HeldBecause::Heartbeat { seconds_ago: seconds })
            }
        }
        Seen::Broken { modified, .. } => {
            let (silent, seconds) = silence((*modified).into(), now, stale_after);
            if silent {
                Verdict::Stale(StaleBecause::Unreadable { seconds })
            } else {
                Verdict::Held(HeldBecause::Unreadable { seconds_ago: seconds })
            }
        }
    }
}

fn judge_process(record: &Record, processes: &dyn ProcessTable) -> Verdict {
    match processes.look_up(record.pid) {
        Process::Gone => Verdict::Stale(StaleBecause::ProcessGone),
        Process::Alive { start_time_unix: Some(start) }
            if start.abs_diff(record.process_start_time_unix) > START_TIME_TOLERANCE_SECONDS =>
        {
            Verdict::Stale(StaleBecause::PidReused)
        }
        Process::Alive { .. } => Verdict::Held(HeldBecause::Running),
    }
}

/// Whether the silence is long enough, and its seconds. A sign of life from the future is one from now: the clocks of
/// two machines differ.
fn silence(last: DateTime<Utc>, now: DateTime<Utc>, stale_after: Duration) -> (bool, i64) {
    let age = now.signed_duration_since(last).max(TimeDelta::zero());
    (age.to_std().is_ok_and(|age| age >= stale_after), age.num_seconds())
}

impl fmt::Display for HeldBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => f.write_str("the process is running"),
            Self::Heartbeat { seconds_ago } => write!(f, "last heartbeat {seconds_ago} s ago"),
            Self::Unreadable { seconds_ago } => {
                write!(f, "its lock record is unreadable, written {seconds_ago} s ago")
            }
        }
    }
}

impl fmt::Display for StaleBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProcessGone => f.write_str("the process no longer exists"),
            Self::PidReused => f.write_str("the PID now belongs to another process"),
            Self::Silent { seconds } => write!(f, "no heartbeat for {seconds} s"),
            Self::Unreadable { seconds } => {
                write!(f, "the lock record is unreadable and {seconds} s old")
            }
        }
    }
}
