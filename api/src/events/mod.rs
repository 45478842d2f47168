//! Events for SSE subscribers.
//!
//! Rows of the table `event` are read once per process, in the order of their ids, and each subscriber has a place in
//! that order. What changes many times a second (progress, heartbeats) is no row: the newest of each is kept here, and
//! each subscriber has a place in the order of changes. So a slow subscriber needs no buffer, misses no row, and gets
//! the newest progress when it is ready for it.

mod live;
mod message;
mod subscription;
mod tail;
mod topic;

pub use message::{GpuSign, Hello, Message, Progress, QualityPace, WorkerSign};
pub use subscription::Subscription;
pub(crate) use tail::Tail;
pub use tail::follow;
pub use topic::Topics;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use framefarm_shared::id::{BootId, JobId};
use tokio::sync::{Notify, watch};

use self::live::Live;
use crate::app::App;
use crate::cluster::{Cluster, ClusterMessage};
use crate::db::events as table;
use crate::error::{ApiError, Result};
use crate::responses::events::Event;

/// Rows kept in memory: enough for everybody who keeps up.
const RECENT: usize = 1024;
/// Rows read at once.
const BATCH: u16 = 500;
/// Whoever is further behind is told to look at everything again.
const MOST_BEHIND: i64 = 5_000;

/// Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<Hub>);

struct Hub {
    /// Of this process: a subscriber that reconnects to another one notices.
    boot: BootId,
    cluster: Cluster,
    /// The last row that every subscriber may see; none before the first look at the table.
    settled: watch::Sender<Option<i64>>,
    recent: Mutex<Recent>,
    live: Mutex<Live>,
    somebody_came: Notify,
    most_subscribers: usize,
}

/// The newest rows, for everybody who keeps up.
#[derive(Default)]
struct Recent {
    rows: VecDeque<Arc<Event>>,
    /// Higher each time that somebody came after nobody had watched: what was read before is not for them.
    watch: u64,
    /// What was there when this watch began: it is read again for the sake of ids that are late, and is no news.
    old: Arc<HashSet<i64>>,
}

impl Events {
    pub fn new(boot: BootId, cluster: Cluster, most_subscribers: usize) -> Self {
        Self(Arc::new(Hub {
            boot,
            cluster,
            most_subscribers,
            settled: watch::Sender::new(None),
            recent: Mutex::default(),
            live: Mutex::default(),
            somebody_came: Notify::new(),
        }))
    }

    /// To be called after the commit of what it tells. Nobody watching, nothing is kept.
    pub fn progress(&self, progress: Progress) {
        self.0.cluster.tell(ClusterMessage::Progress { fence: progress.fence, progress: progress.clone() });
        self.publish(|live| live.progress(progress));
    }

    pub fn worker(&self, sign: WorkerSign) {
        self.0.cluster.tell(ClusterMessage::Worker(sign.clone()));
        self.publish(|live| live.worker(sign));
    }

    /// What another instance told.
    pub fn heard_progress(&self, fence: i64, progress: Progress) {
        self.publish(|live| live.progress(Progress { fence, ..progress }));
    }

    pub fn heard_worker(&self, sign: WorkerSign) {
        self.publish(|live| live.worker(sign));
    }

    fn publish(&self, change: impl FnOnce(&mut Live)) {
        let mut live = self.live();
        if self.is_watched() {
            change(&mut live);
        } else {
            live.forget();
        }
    }

    /// A new subscriber, whose next message is the one after the event `last`, or what happens from now on.
    pub async fn subscribe(&self, app: &App, topics: Topics, last: Option<i64>) -> Result<Subscription> {
        let most = self.0.most_subscribers;
        if self.0.settled.receiver_count() >= most {
            let detail = format!(
                "The limit of {most} SSE subscribers is reached; close some pages, or raise `sse_clients`."
            );
            return Err(ApiError::unavailable("too_many_watchers", detail));
        }
        // First listen, then look: what happens in between is heard.
        let mut settled = self.listen();
        let changed = self.live().subscribe(topics.interest());
        self.0.somebody_came.notify_one();
        let newest = match settled.wait_for(Option::is_some).await {
            Ok(found) => (*found).unwrap_or_default(),
            Err(_) => return Err(ApiError::stopping()),
        };
        let (missed, old) = match last {
            Some(last) => (missed(app, last, newest).await?, Arc::default()),
            None => (Missed::Nothing, Arc::clone(&self.recent().old)),
        };
        Ok(Subscription::new(app.clone(), topics, settled, changed, newest, missed, old))
    }

    fn listen(&self) -> watch::Receiver<Option<i64>> {
        let mut recent = self.recent();
        if !self.is_watched() {
            recent.watch += 1;
            (recent.rows, recent.old) = Default::default();
            self.0.settled.send_replace(None);
        }
        self.0.settled.subscribe()
    }

    /// Which watch it is; a tail that was begun for another one is of no use.
    fn watch(&self) -> u64 {
        self.recent().watch
    }

    /// The watch begins with these rows in the table.
    fn begin(&self, old: HashSet<i64>, watch: u64) {
        let mut recent = self.recent();
        if recent.watch == watch {
            recent.old = Arc::new(old);
        }
    }

    /// Rows after `after`, oldest first, at most a batch; from memory if they are there.
    async fn rows(&self, app: &App, after: i64, until: i64) -> Result<Vec<Arc<Event>>> {
        {
            let recent = &self.recent().rows;
            if recent.front().is_some_and(|oldest| oldest.id <= after + 1) {
                return Ok(recent.iter().filter(|row| row.id > after && row.id <= until).cloned().collect());
            }
        }
        let rows = table::after(&app.db, after, BATCH.into()).await?;
        Ok(rows.into_iter().filter(|row| row.id <= until).map(|row| Arc::new(row.into())).collect())
    }

    /// Rows that have come to rest, in order, of this watch.
    fn settle(&self, rows: Vec<Event>, until: i64, watch: u64) {
        let mut live = self.live();
        let mut recent = self.recent();
        if recent.watch != watch {
            return;
        }
        for row in rows {
            if let Some((video, run)) = row.video_id.zip(ended(&row)) {
                live.end(video, run);
            }
            recent.rows.push_back(Arc::new(row));
        }
        let surplus = recent.rows.len().saturating_sub(RECENT);
        recent.rows.drain(..surplus);
        self.0.settled.send_replace(Some(until));
    }

    /// Streams that are open.
    pub fn subscribers(&self) -> usize {
        self.0.settled.receiver_count()
    }

    fn is_watched(&self) -> bool {
        self.subscribers() > 0
    }

    fn live(&self) -> std::sync::MutexGuard<'_, Live> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.0.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What somebody who comes back has not seen.
#[derive(Clone, Copy)]
enum Missed {
    /// It begins here.
    Nothing,
    /// The rows after this one.
    After(i64),
    /// More than can be told, or it knows a row that never was.
    TooMuch,
}

async fn missed(app: &App, last: i64, newest: i64) -> Result<Missed> {
    if last > newest {
        // Another process may have been quicker than we are; but nobody has seen what is not in the table.
        let known = table::range(&app.db).await?.is_some_and(|(_, newest)| last <= newest);
        return Ok(if known { Missed::After(last) } else { Missed::TooMuch });
    }
    let oldest = table::range(&app.db).await?.map_or(newest, |(oldest, _)| oldest);
    // After a restore, somebody may have seen what never was here: a number that was skipped.
    let seen_here = last == newest || last + 1 == oldest || table::is_known(&app.db, last).await?;
    let complete = last + 1 >= oldest && newest - last <= MOST_BEHIND && seen_here;
    Ok(if complete { Missed::After(last) } else { Missed::TooMuch })
}

/// The run of a job that this event ends, by its fence.
fn ended(event: &Event) -> Option<(JobId, i64)> {
    use framefarm_shared::wire::event::EventKind as Kind;
    let over = matches!(
        event.kind,
        Kind::JobCompleted
            | Kind::JobFailed
            | Kind::JobRetryScheduled
            | Kind::JobReleased
            | Kind::JobLost
            | Kind::JobCancelled
    );
    let fence = event.data.as_ref().and_then(|data| data.get("fence")).and_then(serde_json::Value::as_i64);
    event.job_id.zip(fence).filter(|_| over)
}
