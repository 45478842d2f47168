//! A real farm for tests: the app on a fresh database of either engine, a clock that the test moves, and actors.

#![expect(clippy::missing_panics_doc, reason = "a test helper that cannot go on fails its test")]
#![expect(clippy::unwrap_used, reason = "a test helper that cannot go on fails its test")]

pub mod media;

mod database;
mod legal_moves;
mod queue;
mod redis;
mod watchdog;
mod worker;

pub use self::redis::{RedisVersion, TestRedis};
pub use database::TestDatabase;
pub use worker::TestWorker;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::clock::Clock;
use framefarm_shared::gpu::{Gpu, GpuEncoder, GpuHistory, GpuKind, GpuState};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::plan::{AudioTrack, Plan, SourceInfo, VideoTrack};
use framefarm_shared::wire::worker_api::RegisterRequest;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::config::Settings;
use crate::db::job::JobRow;
use crate::db::uploads::UploadRequest;
use crate::db::videos::VideoRow;
use crate::db::{job, key_value, videos, workers};
use crate::lifecycle;
use crate::lifecycle::enqueue::{Enqueued, Source, enqueue};

/// Writes one test body for both engines: `postgres::name` and `sqlite::name`.
#[macro_export]
macro_rules! on_both_engines {
    ($($(#[$meta:meta])* async fn $name:ident($farm:ident: Farm) $body:block)+) => {
        mod bodies {
            #[expect(clippy::wildcard_imports, reason = "the bodies were written at the level above")]
            use super::*;
            $($(#[$meta])* pub(super) async fn $name($farm: $crate::testing::Farm) $body)+
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                Box::pin(super::bodies::$name($crate::testing::Farm::sqlite().await)).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                Box::pin(super::bodies::$name($crate::testing::Farm::postgres().await)).await;
            })+
        }
    };
}

/// The same where stored objects matter: a third time, `s3::name`, on PostgreSQL and an object store.
#[macro_export]
macro_rules! on_both_storages {
    ($($(#[$meta:meta])* async fn $name:ident($farm:ident: Farm) $body:block)+) => {
        $crate::on_both_engines! { $($(#[$meta])* async fn $name($farm: Farm) $body)+ }
        mod s3 {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                Box::pin(super::bodies::$name($crate::testing::Farm::postgres_s3().await)).await;
            })+
        }
    };
}

/// An empty place of its own in the S3 server that `scripts/with-services` started.
pub fn s3_url() -> String {
    let bucket = std::env::var("FRAMEFARM_TEST_S3_URL").unwrap_or_else(|_| {
        panic!("FRAMEFARM_TEST_S3_URL is not set: run the tests by `make test` or `scripts/with-services`")
    });
    format!("{bucket}/t/{:032x}", rand::random::<u128>())
}

/// Noon of an ordinary day: the time at which every test begins.
pub fn the_beginning() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

/// What an upload became, with its job.
#[derive(Clone, Debug)]
pub struct Uploaded {
    pub video: VideoRow,
    pub job: JobRow,
    pub deduplicated: bool,
    pub source_kept: bool,
}

pub struct Farm {
    pub app: App,
    pub clock: Clock,
    pub database: TestDatabase,
}

impl Farm {
    pub async fn sqlite() -> Self {
        Self::on(TestDatabase::sqlite(), |_| {}).await
    }

    pub async fn postgres() -> Self {
        Self::on(TestDatabase::postgres().await, |_| {}).await
    }

    pub async fn postgres_s3() -> Self {
        Self::on(TestDatabase::postgres().await, |settings| settings.storage_url = s3_url()).await
    }

    pub async fn on(database: TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        watchdog::start();
        let clock = Clock::manual(the_beginning());
        let mut settings = settings(&database);
        change(&mut settings);
        let app = App::start(settings, clock.clone()).await.unwrap();
        if app.db.is_sqlite() {
            legal_moves::enforce(&app.db).await;
        }
        Self { app, clock, database }
    }

    /// The same database under an app with other settings, as after a restart.
    pub async fn restarted(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.app.settings.clone();
        change(&mut settings);
        self.app.shutdown.cancel();
        let app = App::start(settings, self.clock.clone()).await.unwrap();
        Self { app, ..self }
    }

    /// Another instance on the same database and disk.
    pub async fn beside(&self, change: impl FnOnce(&mut Settings)) -> App {
        let mut settings = self.app.settings.clone();
        change(&mut settings);
        App::start(settings, self.clock.clone()).await.unwrap()
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn wait(&self, span: Duration) {
        self.clock.advance(span);
    }

    /// The same while an API is alive and says so all the time.
    pub async fn live_through(&self, span: Duration) {
        self.wait(span);
        let mut tx = self.app.db.begin().await.unwrap();
        key_value::set(&mut tx, key_value::LAST_TICK, &key_value::format_instant(self.now())).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A new video with content of its own, waiting for a worker.
    pub async fn upload(&self, name: &str) -> Uploaded {
        self.upload_with(name, |_| {}).await
    }

    pub async fn upload_with(&self, name: &str, change: impl FnOnce(&mut UploadRequest)) -> Uploaded {
        let mut request = UploadRequest { file_name: name.to_owned(), ..UploadRequest::default() };
        change(&mut request);
        let source = Source {
            video: VideoId::new(&self.clock),
            size: 1_000_000,
            sha256: hex::encode(Sha256::digest(name.as_bytes())),
            since: self.now(),
        };
        let Enqueued { video, job, deduplicated, source_kept } =
            enqueue(&self.app, source, request, "test").await.unwrap();
        Uploaded { video, job: job.unwrap(), deduplicated, source_kept }
    }

    pub async fn worker(&self, name: &str) -> TestWorker {
        self.register(name, serde_json::json!({})).await
    }

    /// An idle worker with one GPU.
    pub async fn gpu_worker(&self, name: &str) -> TestWorker {
        let worker = self.register(name, serde_json::json!({ "gpus": [{ "name": "test GPU" }] })).await;
        worker.beat(&[]).await.unwrap();
        worker
    }

    async fn register(&self, name: &str, capabilities: serde_json::Value) -> TestWorker {
        let request = RegisterRequest {
            name: Some(name.to_owned()),
            worker_type: None,
            capabilities: Some(capabilities),
            metadata: None,
        };
        let reply = lifecycle::workers::register(&self.app, request).await.unwrap();
        TestWorker::new(self.app.clone(), reply.worker_id)
    }

    /// Every event so far, the oldest first.
    pub async fn events(&self) -> Vec<crate::db::events::EventRow> {
        crate::db::events::after(&self.app.db, 0, 10_000).await.unwrap()
    }

    pub async fn job(&self, id: JobId) -> JobRow {
        job::get(&self.app.db, id).await.unwrap().unwrap()
    }

    pub async fn video(&self, id: VideoId) -> VideoRow {
        videos::get(&self.app.db, id).await.unwrap().unwrap()
    }

    pub async fn worker_row(&self, id: WorkerId) -> workers::WorkerRow {
        workers::get(&self.app.db, id).await.unwrap().unwrap()
    }

    /// One run of the reaper.
    pub async fn reap(&self) -> crate::services::Counts {
        crate::services::reaper::run_once(self.app.clone()).await.unwrap()
    }

    /// One run of the cleaner.
    pub async fn clean(&self) -> crate::services::Counts {
        crate::services::cleaner::run_once(self.app.clone()).await.unwrap()
    }

    /// Runs SQL as it stands, to bring about what no API call can.
    pub async fn sql(&self, text: &str) {
        let mut tx = self.app.db.begin().await.unwrap();
        legal_moves::run_without(&mut tx, text).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Why the database refuses this SQL, which changes nothing.
    pub async fn refused_sql(&self, text: &str) -> sqlx::Error {
        let mut tx = self.app.db.begin().await.unwrap();
        let done = legal_moves::run_without(&mut tx, text).await;
        tx.rollback().await.unwrap();
        done.err().unwrap_or_else(|| panic!("nothing refused it: {text}"))
    }

    /// What the database says to this SQL, which is taken back, while it allows legal moves alone.
    pub async fn attempted_sql(&self, text: &str) -> sqlx::Result<()> {
        let mut tx = self.app.db.begin().await.unwrap();
        let done = legal_moves::run(&mut tx, text.to_owned()).await;
        tx.rollback().await.unwrap();
        done
    }

    /// The one number that a query gives.
    pub async fn number(&self, query: &'static str) -> i64 {
        crate::db::sql!(self.app.db, |pool| sqlx::query_scalar(query).fetch_one(pool).await).unwrap()
    }

    /// From now on every write to a table fails, as a full disk or a broken constraint would make it.
    pub async fn break_table(&self, table: &str) {
        if self.app.db.is_sqlite() {
            for operation in ["INSERT", "UPDATE", "DELETE"] {
                self.sql(&format!(
                    "CREATE TRIGGER broken_{table}_{operation} BEFORE {operation} ON {table} \
                     BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END"
                ))
                .await;
            }
        } else {
            self.sql(&format!(
                "CREATE FUNCTION broken_{table}() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE EXCEPTION 'broken on purpose'; END $$; \
                 CREATE TRIGGER broken BEFORE INSERT OR UPDATE OR DELETE ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION broken_{table}()"
            ))
            .await;
        }
    }

    /// From now on every change of this job fails.
    pub async fn break_job(&self, number: i64) {
        self.break_row("job", "UPDATE", &format!("OLD.number = {number}")).await;
    }

    /// From now on this video cannot be removed.
    pub async fn break_video(&self, title: &str) {
        self.break_row("video", "DELETE", &format!("OLD.title = '{title}'")).await;
    }

    async fn break_row(&self, table: &str, operation: &str, condition: &str) {
        self.sql(&if self.app.db.is_sqlite() {
            format!(
                "CREATE TRIGGER broken_{table} BEFORE {operation} ON {table} WHEN {condition} \
                 BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END"
            )
        } else {
            format!(
                "CREATE FUNCTION broken_{table}() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE EXCEPTION 'broken on purpose'; END $$; \
                 CREATE TRIGGER broken BEFORE {operation} ON {table} FOR EACH ROW WHEN ({condition}) \
                 EXECUTE FUNCTION broken_{table}()"
            )
        })
        .await;
    }

    pub async fn mend_table(&self, table: &str) {
        if self.app.db.is_sqlite() {
            for operation in ["INSERT", "UPDATE", "DELETE"] {
                self.sql(&format!("DROP TRIGGER broken_{table}_{operation}")).await;
            }
        } else {
            self.sql(&format!("DROP FUNCTION broken_{table} CASCADE")).await;
        }
    }

    /// Past the delay after which a lost job may be claimed again.
    pub fn pass_redelivery(&self) {
        self.wait(Duration::seconds(i64::from(self.app.settings.redelivery_delay)));
    }
}

pub fn settings(database: &TestDatabase) -> Settings {
    let mut settings = Settings::defaults().unwrap();
    settings.data_dir = database.data_dir();
    settings.database_url = database.url();
    settings.database_connections = 10;
    settings.claim_poll_interval = 0.05;
    settings.disk_reserve_bytes = 0;
    settings
}

/// A GPU that is ready and encodes H.264 up to 4K.
pub fn a_gpu(id: &str) -> Gpu {
    let encoder = GpuEncoder {
        name: "h264_nvenc".to_owned(),
        codec: VideoCodec::H264,
        max_side: 4096,
        fps: 200.0,
        on_gpu: false,
    };
    Gpu {
        id: id.to_owned(),
        kind: GpuKind::Nvenc,
        name: "test GPU".to_owned(),
        state: GpuState::Ready,
        reason: None,
        encoders: vec![encoder],
        sessions: 0,
        session_limit: Some(3),
        memory_bytes: Some(8 << 30),
        sample: None,
        history: GpuHistory::default(),
    }
}

/// 18 seconds of 720p with one audio track: three segments, four qualities and a few skipped ones.
pub fn a_plan() -> Plan {
    plan_of(18_000_000)
}

pub fn plan_of(duration_us: u64) -> Plan {
    Plan::regular(SourceInfo {
        duration_us,
        video: Some(VideoTrack { width: 1280, height: 720, frame_rate: 25.0, codec: "h264".to_owned() }),
        has_cover: None,
        audio: vec![AudioTrack { language: Some("en".to_owned()), title: None, channels: 2 }],
        subtitles: vec![],
        notes: vec![],
    })
}
