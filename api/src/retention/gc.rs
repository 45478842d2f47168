//! Clean-up: finds files and rows that are no longer needed, and deletes them unless it is a dry run.
//!
//! A look and a removal are one walk over the same findings, so the numbers of the one are what the other does. Several
//! instances may walk at once: each removal looks again in its own statement, and only who removed it counts it (an object
//! store says yes to both).

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::wire::event::EventKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{files, media, orphans, rows};
use crate::app::App;
use crate::db::events::Event;
use crate::db::{events, key_value};
use crate::error::Result;
use crate::lifecycle::upload;
use crate::services::Run;

/// What clean-up removes, in this order: rows before the videos that they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Abandoned uploads and their files.
    Uploads,
    /// Partial output of jobs that failed or were cancelled.
    Leftovers,
    /// Originals of ready videos whose source retention has ended.
    Sources,
    CompletedJobs,
    /// Failed and cancelled jobs.
    FailedJobs,
    Events,
    /// Finished file imports.
    Intakes,
    AlertDeliveries,
    /// Expired login sessions.
    Sessions,
    Invitations,
    /// Deleted videos that were not restored in time.
    DeletedVideos,
    /// Stored files that the other kinds released some minutes ago.
    Garbage,
    /// Orphaned files: stored files that nothing refers to.
    Orphans,
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::Uploads,
        Self::Leftovers,
        Self::Sources,
        Self::CompletedJobs,
        Self::FailedJobs,
        Self::Events,
        Self::Intakes,
        Self::AlertDeliveries,
        Self::Sessions,
        Self::Invitations,
        Self::DeletedVideos,
        Self::Garbage,
        Self::Orphans,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Uploads => "uploads",
            Self::Leftovers => "leftovers",
            Self::Sources => "sources",
            Self::CompletedJobs => "completed_jobs",
            Self::FailedJobs => "failed_jobs",
            Self::Events => "events",
            Self::Intakes => "intakes",
            Self::AlertDeliveries => "alert_deliveries",
            Self::Sessions => "sessions",
            Self::Invitations => "invitations",
            Self::DeletedVideos => "deleted_videos",
            Self::Garbage => "garbage",
            Self::Orphans => "orphans",
        }
    }
}

/// How a walk is done.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Only look.
    pub dry_run: bool,
    /// The most of one kind, where each is removed on its own.
    pub most: i64,
    /// A person waits for it: also what the cleaner does more seldom, and all of it.
    pub by_hand: bool,
}

/// What was found of a kind, or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub count: u64,
    /// Of stored files.
    pub bytes: u64,
}

impl Swept {
    pub(super) fn add(&mut self, count: u64, bytes: u64) {
        self.count += count;
        self.bytes += bytes;
    }

    pub(super) fn rows(count: u64) -> Self {
        Self { count, bytes: 0 }
    }
}

/// Many things that go one by one, of which a bad one does not keep the others.
#[derive(Default)]
pub(super) struct Sweep {
    swept: Swept,
    run: Run,
}

impl Sweep {
    /// Whether one went, and the bytes of its files.
    pub(super) fn note(&mut self, went: Result<bool>, bytes: u64) {
        if matches!(went, Ok(true)) {
            self.swept.add(1, bytes);
        }
        self.run.note(went);
    }

    pub(super) fn end(self) -> Result<Swept> {
        self.run.end()?;
        Ok(self.swept)
    }
}

impl std::ops::AddAssign for Swept {
    fn add_assign(&mut self, more: Self) {
        self.add(more.count, more.bytes);
    }
}

/// One kind in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cleaned {
    pub kind: Kind,
    /// The number of rows; of files for `garbage` and `orphans`.
    #[schema(minimum = 0)]
    pub count: u64,
    /// The size of the stored files. They are deleted from the storage some minutes later, as `garbage`.
    #[schema(minimum = 0)]
    pub bytes: u64,
}

/// What clean-up removed, or would remove in a dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    pub dry_run: bool,
    /// Whether a backup is running; `garbage` and `orphans` are kept until it ends.
    pub backup_runs: bool,
    /// Each kind once.
    pub kinds: Vec<Cleaned>,
    /// Kinds that could not be cleaned up; the server log says why.
    pub failed: Vec<Kind>,
}

/// One walk over everything. A kind that fails does not keep the others.
pub async fn walk(app: &App, walk: Walk) -> Result<Report> {
    let (mut kinds, mut failed) = (Vec::with_capacity(Kind::ALL.len()), Vec::new());
    for kind in Kind::ALL {
        let swept = match kind {
            Kind::Uploads => media::uploads(app, walk).await,
            Kind::Leftovers => media::leftovers(app, walk).await,
            Kind::Sources => media::sources(app, walk).await,
            Kind::CompletedJobs => rows::completed_jobs(app, walk).await,
            Kind::FailedJobs => rows::failed_jobs(app, walk).await,
            Kind::Events => rows::events(app, walk).await,
            Kind::Intakes => rows::intakes(app, walk).await,
            Kind::AlertDeliveries => rows::alert_deliveries(app, walk).await,
            Kind::Sessions => rows::sessions(app, walk).await,
            Kind::Invitations => rows::invitations(app, walk).await,
            Kind::DeletedVideos => media::deleted_videos(app, walk).await,
            Kind::Garbage => files::garbage(app, walk).await,
            Kind::Orphans => orphans::orphans(app, walk).await,
        };
        let swept = swept.unwrap_or_else(|error| {
            tracing::warn!(%error, "clean-up of {} failed", kind.name());
            failed.push(kind);
            Swept::default()
        });
        kinds.push(Cleaned { kind, count: swept.count, bytes: swept.bytes });
    }
    Ok(Report { dry_run: walk.dry_run, backup_runs: backup_runs(app).await?, kinds, failed })
}

/// Everything at once, for a person who asks.
pub async fn collect(app: &App, dry_run: bool, actor: &str) -> Result<Report> {
    if !dry_run {
        upload::seal_forgotten(app).await?;
    }
    let report = walk(app, Walk { dry_run, most: i64::MAX, by_hand: true }).await?;
    if !dry_run {
        let mut removed: Vec<String> =
            report.kinds.iter().filter(|kind| kind.count > 0).map(in_words).collect();
        removed.extend(report.failed.iter().map(|kind| format!("{} failed", kind.name().replace('_', " "))));
        let reason = if removed.is_empty() { "nothing to remove".to_owned() } else { removed.join(", ") };
        let mut tx = app.db.begin().await?;
        let event = Event::new(EventKind::CleanupRun, actor).because(reason);
        events::append(&mut tx, event, app.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(report)
}

fn in_words(cleaned: &Cleaned) -> String {
    format!("{} {}", cleaned.count, cleaned.kind.name().replace('_', " "))
}

/// Whether stored files must stay for a backup that copies them.
pub(super) async fn backup_runs(app: &App) -> Result<bool> {
    let until = key_value::get(&app.db, key_value::BACKUP_UNTIL).await?;
    let until = until.as_deref().and_then(key_value::parse_instant);
    Ok(until.is_some_and(|until| app.clock.now() < until))
}

pub(super) fn hours_ago(app: &App, hours: u32) -> DateTime<Utc> {
    before(app, Duration::hours(hours.into()))
}

pub(super) fn days_ago(app: &App, days: u32) -> DateTime<Utc> {
    before(app, Duration::days(days.into()))
}

/// Whoever sets a thousand years keeps everything.
fn before(app: &App, span: Duration) -> DateTime<Utc> {
    app.clock.now().checked_sub_signed(span).unwrap_or(DateTime::UNIX_EPOCH)
}
