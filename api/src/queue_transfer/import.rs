//! An exported queue comes back, to the farm it is from or to another one that has the files.
//!
//! A job is known by its id: one that is here stays as it is, so an import may be repeated. Nothing of what is here is
//! changed, other than that a failed video waits again when a job of it does.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use framefarm_shared::id::{CollectionId, JobId, VideoId};
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;

use super::check;
use super::document::{Export, ExportedJob, ExportedVideo, SCHEMA};
use super::dry_run::Tried;
use super::report::{Imported, Outcome};
use super::stored::{self, Missing};
use super::{garbage, rows};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::JobRow;
use crate::db::job::import::KnownVideo;
use crate::db::{Tx, collections, events, job};
use crate::error::{ApiError, Result};
use crate::lifecycle::retranscode::everything;

/// Jobs of one transaction: as many as a statement of SQLite takes values.
const BATCH: usize = 900;
/// Attempts of one statement.
const ATTEMPTS: usize = 2000;
/// A job keeps its number unless that would skip more than this.
const FAR: i64 = 1_000_000;

pub async fn import(app: &App, document: Export, actor: &str, dry_run: bool) -> Result<Imported> {
    if document.schema != SCHEMA {
        let detail = format!("`schema` is {:?}, but this farm only reads {SCHEMA:?}.", document.schema);
        return Err(ApiError::unprocessable("unknown_schema", detail));
    }
    check::times("exported_at", [Some(document.exported_at)]).map_err(|field| {
        ApiError::unprocessable("bad_field", format!("The field `{field}` has an invalid value."))
    })?;
    let Export { exported_at, videos, pending, running, completed, errors, .. } = document;
    let mut jobs: Vec<ExportedJob> = [pending, running, completed, errors].into_iter().flatten().collect();
    // In the order in which they were enqueued, so that new numbers rise as the old ones did.
    jobs.sort_by_key(|job| job.number);
    let videos: HashMap<VideoId, ExportedVideo> = videos.into_iter().map(|video| (video.id, video)).collect();
    let live = live(&jobs);
    let missing = stored::missing(app, &jobs, &videos, &live, dry_run).await?;
    let done = Imported::new(dry_run);
    let (seen, names, tried) = (HashSet::new(), HashMap::new(), dry_run.then(Tried::default));
    let mut importing = Importing { app, exported_at, videos, missing, live, names, seen, tried, done };
    let mut rest = jobs.into_iter().peekable();
    while rest.peek().is_some() {
        let mut tx = app.db.begin().await?;
        importing.batch(&mut tx, rest.by_ref().take(BATCH).collect(), actor).await?;
        if dry_run {
            tx.rollback().await?;
            importing.names.clear();
        } else {
            tx.commit().await?;
        }
    }
    let done = importing.done.finished();
    if dry_run {
        return Ok(done);
    }
    let mut tx = app.db.begin().await?;
    let Imported { imported, duplicate, refused, .. } = done;
    let reason = format!("{imported} imported, {duplicate} duplicate, {refused} refused");
    events::append(&mut tx, Event::new(EventKind::QueueImported, actor).because(reason), app.clock.now())
        .await?;
    tx.commit().await?;
    Ok(done)
}

/// The generations that waiting and running jobs work on.
fn live(jobs: &[ExportedJob]) -> HashMap<VideoId, Vec<i32>> {
    let mut live = HashMap::<_, Vec<_>>::new();
    let at_work = jobs.iter().filter(|job| matches!(job.status, JobStatus::Pending | JobStatus::Running));
    for job in at_work.filter(|job| job.queue_type.makes_generation()) {
        live.entry(job.video_id).or_default().push(job.generation);
    }
    live
}

/// A stable word, and a sentence.
type Refusal = (&'static str, String);

struct Importing<'a> {
    app: &'a App,
    exported_at: DateTime<Utc>,
    videos: HashMap<VideoId, ExportedVideo>,
    /// What videos that are not here need of the storage and do not find there.
    missing: HashMap<VideoId, Missing>,
    live: HashMap<VideoId, Vec<i32>>,
    names: HashMap<String, CollectionId>,
    seen: HashSet<JobId>,
    /// Of a dry run.
    tried: Option<Tried>,
    done: Imported,
}

impl Importing<'_> {
    async fn batch(&mut self, tx: &mut Tx, jobs: Vec<ExportedJob>, actor: &str) -> Result<()> {
        let now = self.app.clock.now();
        let ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
        let known: HashSet<JobId> = job::import::known_jobs(tx, &ids).await?.into_iter().collect();
        let videos: Vec<VideoId> = jobs.iter().map(|job| job.video_id).collect();
        let here = job::import::known_videos(tx, &videos).await?;
        let mut here: HashMap<VideoId, KnownVideo> =
            here.into_iter().map(|video| (video.id, video)).collect();
        let mut chosen = Vec::new();
        for job in jobs {
            if known.contains(&job.id) || !self.seen.insert(job.id) {
                self.leave(&job, Outcome::Duplicate, "known", "This job already exists; it was not changed.");
            } else if let Err((reason, detail)) = self.judge(&job, self.known(&here, job.video_id)) {
                self.leave(&job, Outcome::Refused, reason, &detail);
            } else {
                chosen.push(job);
            }
        }
        let fresh = self.add_videos(tx, &chosen, &mut here, now).await?;
        let (chosen, without): (Vec<_>, Vec<_>) =
            chosen.into_iter().partition(|job| here.contains_key(&job.video_id));
        for job in &without {
            let detail = "Another video already has the slug of its video.";
            self.leave(job, Outcome::Refused, "slug_taken", detail);
        }
        self.add_jobs(tx, chosen, &fresh, actor, now).await?;
        self.done.batches += 1;
        Ok(())
    }

    /// A video that is here, or would be by now.
    fn known<'h>(&'h self, here: &'h HashMap<VideoId, KnownVideo>, id: VideoId) -> Option<&'h KnownVideo> {
        here.get(&id).or_else(|| self.tried.as_ref()?.video(id))
    }

    /// Why a job cannot be imported.
    fn judge(&self, job: &ExportedJob, here: Option<&KnownVideo>) -> std::result::Result<(), Refusal> {
        let wrong = |of: &str, field: &str| {
            ("bad_row", format!("The field `{field}` of the {of} has an invalid value."))
        };
        check::job(job).map_err(|field| wrong("job", field))?;
        if let Some(video) = here {
            let starts = matches!(job.status, JobStatus::Pending | JobStatus::Running);
            let plays = video.status == VideoStatus::Ready && job.retranscode.is_none();
            if video.is_deleted {
                return Err((
                    "video_deleted",
                    "Its video is deleted on this farm; restore it first.".to_owned(),
                ));
            }
            if starts && plays && job.queue_type.makes_generation() {
                return Err((
                    "video_ready",
                    "Its video is ready on this farm; re-transcode it instead.".to_owned(),
                ));
            }
            return Ok(());
        }
        let Some(video) = self.videos.get(&job.video_id) else {
            return Err((
                "video_missing",
                "Its video is neither on this farm nor in the document.".to_owned(),
            ));
        };
        check::video(video).map_err(|field| wrong("video", field))?;
        match self.missing.get(&job.video_id) {
            Some(missing) => Err(missing.told()),
            None => Ok(()),
        }
    }

    /// The videos that were added, each as its waiting jobs need it.
    async fn add_videos(
        &mut self,
        tx: &mut Tx,
        jobs: &[ExportedJob],
        here: &mut HashMap<VideoId, KnownVideo>,
        now: DateTime<Utc>,
    ) -> Result<HashSet<VideoId>> {
        let mut wanted: Vec<VideoId> = jobs.iter().map(|job| job.video_id).collect();
        wanted.retain(|id| !here.contains_key(id));
        wanted.sort_unstable();
        wanted.dedup();
        let (mut new, mut generations) = (Vec::new(), Vec::new());
        let mut prefixes = HashMap::new();
        for id in wanted {
            let Some(video) = self.videos.get(&id).cloned() else { continue };
            let collection = self.collection(tx, video.collection.as_deref(), now).await?;
            let live = self.live.get(&id).map(Vec::as_slice).unwrap_or_default();
            let needed = garbage::prefixes(&video, live);
            let row = rows::video(video, collection, live);
            if self.tried.as_ref().is_some_and(|tried| tried.has_slug_of(&row)) {
                continue;
            }
            prefixes.insert(id, needed);
            generations.extend(live.iter().map(|number| (id, *number)));
            generations.extend((row.generation > 0).then_some((id, row.generation)));
            new.push(row);
        }
        let added: HashSet<VideoId> =
            job::import::insert_videos_unless_taken(tx, &new).await?.into_iter().collect();
        generations.retain(|(video, _)| added.contains(video));
        generations.sort_unstable();
        generations.dedup();
        job::import::insert_generations_unless_known(tx, &generations, now).await?;
        let kept: Vec<String> = added.iter().filter_map(|id| prefixes.remove(id)).flatten().collect();
        garbage::forget(tx, &kept).await?;
        for row in new.iter().filter(|row| added.contains(&row.id)) {
            if let Some(tried) = &mut self.tried {
                tried.add_video(row);
            }
            here.insert(row.id, KnownVideo { id: row.id, status: row.status, is_deleted: false });
        }
        Ok(added)
    }

    async fn add_jobs(
        &mut self,
        tx: &mut Tx,
        jobs: Vec<ExportedJob>,
        fresh: &HashSet<VideoId>,
        actor: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let numbers: Vec<i64> = jobs.iter().map(|job| job.number).collect();
        let taken: HashSet<i64> = job::import::taken_numbers(tx, &numbers).await?.into_iter().collect();
        let last = job::import::last_number(tx).await?;
        let is_kept =
            |number: i64| (1..=last.saturating_add(FAR)).contains(&number) && !taken.contains(&number);
        let mut mine: Vec<JobRow> = Vec::new();
        let mut anew: Vec<JobRow> = Vec::new();
        for job in &jobs {
            let collection = self.collection(tx, job.collection.as_deref(), now).await?;
            let row = rows::job(job, collection, now);
            if self.tried.as_ref().is_some_and(|tried| tried.has_work_of(&row)) {
                continue;
            }
            if is_kept(row.number) && mine.last().is_none_or(|before| before.number < row.number) {
                mine.push(row);
            } else {
                anew.push(row);
            }
        }
        job::import::reserve_numbers(tx, last, mine.last().map_or(0, |row| row.number)).await?;
        let mut added = job::import::insert_jobs_unless_taken(tx, &mine, true).await?;
        added.extend(job::import::insert_jobs_unless_taken(tx, &anew, false).await?);
        let added: HashMap<JobId, i64> = added.into_iter().collect();
        if let Some(tried) = &mut self.tried {
            mine.iter()
                .chain(&anew)
                .filter(|row| added.contains_key(&row.id))
                .for_each(|row| tried.add_job(row));
        }
        let (mut attempts, mut waiting) = (Vec::new(), Vec::new());
        for job in jobs {
            let Some(number) = added.get(&job.id) else {
                let detail = "A pending or running job already does the same work.";
                self.leave(&job, Outcome::Duplicate, "same_work", detail);
                continue;
            };
            self.done.imported += 1;
            self.done.waiting_again += u64::from(job.status == JobStatus::Running);
            if matches!(job.status, JobStatus::Pending | JobStatus::Running)
                && job.queue_type.makes_generation()
                && !fresh.contains(&job.video_id)
            {
                waiting.push(*number);
            }
            attempts.extend(rows::attempts(job, self.exported_at));
        }
        for part in attempts.chunks(ATTEMPTS) {
            job::import::insert_attempts_unless_known(tx, part).await?;
        }
        self.wake_videos(tx, &waiting, now).await?;
        let mut all: Vec<i64> = added.into_values().collect();
        all.sort_unstable();
        events::append_of_jobs(tx, Event::new(EventKind::JobImported, actor), &all, now).await?;
        Ok(())
    }

    /// What a waiting job needs of a video that was here: that it waits too, and a generation to work on.
    async fn wake_videos(&self, tx: &mut Tx, waiting: &[i64], now: DateTime<Utc>) -> Result<()> {
        job::bulk::wait_all_if_failed(tx, waiting).await?;
        let without =
            job::bulk::candidates(tx, waiting).await?.into_iter().filter(|job| job.needs_generation);
        let without: Vec<i64> = without.map(|job| job.number).collect();
        job::bulk::begin_generations(tx, &without, &everything(self.app), now).await?;
        Ok(())
    }

    async fn collection(
        &mut self,
        tx: &mut Tx,
        name: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Option<CollectionId>> {
        let Some(name) = name.map(str::trim) else { return Ok(None) };
        if let Some(id) = self.names.get(name) {
            return Ok(Some(*id));
        }
        let id = collections::ensure(tx, CollectionId::new(&self.app.clock), name, now).await?.id;
        self.names.insert(name.to_owned(), id);
        Ok(Some(id))
    }

    fn leave(&mut self, job: &ExportedJob, outcome: Outcome, reason: &'static str, detail: &str) {
        let line = u64::try_from(job.number).unwrap_or(0);
        self.done.left(line, Some(job.id), outcome, reason, detail);
    }
}
