//! Several API instances on one PostgreSQL, with and without a Redis beside it.

mod clocks;
mod hints;
mod kinds_of_redis;
mod leading;
mod message;
mod outages;

use std::time::Duration;

use framefarm_api::app::App;
use framefarm_api::config::{JobQueueMode, Settings};
use framefarm_api::testing::{Farm, TestDatabase, TestRedis, TestWorker};
use framefarm_api::{cluster, dispatch, events};
use framefarm_shared::wire::worker_api::ClaimedJob;
use tokio::task::{JoinHandle, JoinSet};

/// More than enough for anything that is going to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Nothing in these tests is found by polling, unless they say so.
const NEVER: f64 = 30.0;

fn through_redis(redis: &TestRedis) -> impl Fn(&mut Settings) + use<> {
    let url = redis.url();
    move |settings| {
        settings.redis_url.clone_from(&url);
        settings.job_queue_mode = JobQueueMode::Hybrid;
        settings.redis_retry_seconds = 1;
        settings.claim_poll_interval = NEVER;
    }
}

fn through_postgres(settings: &mut Settings) {
    settings.claim_poll_interval = NEVER;
}

/// Instances with their tasks, which end with this.
struct Several {
    farm: Farm,
    other: App,
    _tasks: JoinSet<()>,
}

impl Several {
    async fn with(change: impl Fn(&mut Settings)) -> Self {
        let farm = Farm::on(TestDatabase::postgres().await, &change).await;
        let other = farm.beside(&change).await;
        let mut tasks = JoinSet::new();
        for app in [&farm.app, &other] {
            start(app, &mut tasks);
        }
        Self { farm, other, _tasks: tasks }
    }
}

/// What an instance does about the others.
fn start(app: &App, tasks: &mut JoinSet<()>) {
    dispatch::start(app, tasks);
    tasks.spawn(events::follow(app.clone()));
    let outgoing = app.take_outgoing().expect("nobody took it");
    tasks.spawn(cluster::run(app.clone(), outgoing));
}

/// Begins to wait at an instance; returns once it has looked and found nothing.
async fn waits(worker: &TestWorker, app: &App) -> JoinHandle<Option<ClaimedJob>> {
    let before = app.waiters.waiting();
    let worker = worker.at(app);
    let waiting = tokio::spawn(async move { worker.wait_for_job(25).await });
    tokio::time::timeout(PATIENCE, async {
        while app.waiters.waiting() <= before {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it waits");
    waiting
}

async fn gets(waiting: JoinHandle<Option<ClaimedJob>>, why: &str) -> ClaimedJob {
    let job =
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{why}: nobody was woken"));
    job.unwrap().unwrap_or_else(|| panic!("{why}: there was nothing"))
}
