//! The farm at a glance.

use chrono::{DateTime, Duration, DurationRound, NaiveDate, NaiveDateTime, Utc};
use framefarm_shared::state::JobStatus;
use serde::Serialize;
use utoipa::ToSchema;

use super::health::{self, ServiceHealth};
use super::jobs::{Context, Job};
use crate::app::App;
use crate::db::job;
use crate::db::job::lists::JobFilter;
use crate::db::job::outlook::Ended;
use crate::error::{ApiError, Result};
use crate::estimate::Eta;

const RUNNING: usize = 20;
const FAILURES: i64 = 5;
/// Up to here a span of throughput is an hour, beyond it a day.
const MOST_HOURS_BY_HOUR: i64 = 48;

/// Running jobs, recent failures and the time to clear the queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct Overview {
    pub health: ServiceHealth,
    /// Up to twenty, oldest first.
    pub running: Vec<Job>,
    /// The newest five.
    pub recent_failures: Vec<Job>,
    /// When no job is waiting or running any more.
    pub queue_eta: Option<Eta>,
}

pub async fn overview(app: &App) -> Result<Overview> {
    let mut running = job::running(&app.db).await?;
    running.truncate(RUNNING);
    let failed = JobFilter { status: Some(JobStatus::Failed), ..JobFilter::default() };
    let failures = job::lists::list(&app.db, &failed, None, FAILURES).await?;
    let rows: Vec<_> = running.iter().chain(&failures).cloned().collect();
    let context = Context::load(app, &rows).await?;
    Ok(Overview {
        health: health::service(app).await?,
        running: running.into_iter().map(|row| context.view(row)).collect(),
        recent_failures: failures.into_iter().map(|row| context.view(row)).collect(),
        queue_eta: context.outlook.queue_done(),
    })
}

/// Finished jobs over time.
#[derive(Debug, Serialize, ToSchema)]
pub struct Throughput {
    /// Oldest first, including empty ones; the last one is not over yet.
    pub buckets: Vec<Bucket>,
    /// 3600 or 86400.
    pub bucket_seconds: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Bucket {
    pub start: DateTime<Utc>,
    pub completed: i64,
    pub failed: i64,
    /// Total duration of the completed videos.
    pub video_seconds: f64,
}

pub async fn throughput(app: &App, hours: u16) -> Result<Throughput> {
    let by_day = i64::from(hours) > MOST_HOURS_BY_HOUR;
    let each = if by_day { Duration::days(1) } else { Duration::hours(1) };
    let now = app.clock.now();
    let last = now.duration_trunc(each).map_err(|error| ApiError::internal(&error))?;
    let first = (now - Duration::hours(hours.into())).duration_trunc(each);
    let first = first.map_err(|error| ApiError::internal(&error))? + each;
    let rows = job::outlook::ended_since(&app.db, first, by_day).await?;
    let starts = std::iter::successors(Some(first), |start| (*start < last).then(|| *start + each));
    let buckets = starts.map(|start| bucket(start, &rows)).collect();
    Ok(Throughput { buckets, bucket_seconds: each.num_seconds() })
}

fn bucket(start: DateTime<Utc>, rows: &[Ended]) -> Bucket {
    let mut bucket = Bucket { start, completed: 0, failed: 0, video_seconds: 0.0 };
    for row in rows.iter().filter(|row| begin(&row.span) == Some(start)) {
        match row.status {
            JobStatus::Completed => {
                bucket.completed += row.count;
                #[expect(clippy::cast_precision_loss, reason = "microseconds of years fit in 52 bits")]
                let seconds = row.video_us as f64 / 1e6;
                bucket.video_seconds += seconds;
            }
            JobStatus::Failed => bucket.failed += row.count,
            JobStatus::Cancelled | JobStatus::Pending | JobStatus::Running => {}
        }
    }
    bucket
}

/// `2026-11-16T10` or `2026-11-16`.
fn begin(span: &str) -> Option<DateTime<Utc>> {
    let day = || NaiveDate::parse_from_str(span, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let hour = NaiveDateTime::parse_from_str(&format!("{span}:00"), "%Y-%m-%dT%H:%M").ok();
    hour.or_else(day).map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_begin_where_their_text_says() {
        assert_eq!(begin("2026-11-16T10").unwrap().to_rfc3339(), "2026-11-16T10:00:00+00:00");
        assert_eq!(begin("2026-11-16").unwrap().to_rfc3339(), "2026-11-16T00:00:00+00:00");
        assert_eq!(begin("nonsense"), None);
    }
}
