//! The two folders of migrations say the same, and running them harms nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use framefarm_api::db::{self, Db};
use framefarm_api::lifecycle::claim;
use framefarm_api::testing::{Farm, TestDatabase, settings};
use sqlx::Connection;
use sqlx::migrate::Migrator;

use super::world::{a_generation, a_running_job};
use super::{dump, texts};

fn folder(engine: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(engine)
}

fn files(engine: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(engine)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn both_folders_have_the_same_numbers_and_names() {
    let (postgres, sqlite) = (files("postgres"), files("sqlite"));
    assert_eq!(postgres, sqlite);
    for (number, name) in (1..).zip(&sqlite) {
        assert!(name.starts_with(&format!("{number:04}_")), "{name} is not number {number}");
        assert_eq!(Path::new(name).extension().unwrap(), "sql");
    }
}

#[test]
fn every_migration_begins_by_saying_what_it_is_for() {
    for engine in ["postgres", "sqlite"] {
        for name in files(engine) {
            let text = std::fs::read_to_string(folder(engine).join(&name)).unwrap();
            assert!(text.starts_with("-- "), "{engine}/{name}");
        }
    }
}

/// Indexes that a migration named; those behind keys and constraints are named by the engine.
async fn indexes(farm: &Farm) -> BTreeSet<String> {
    let sql = if farm.app.db.is_sqlite() {
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    } else {
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() \
         AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace)"
    };
    texts(farm, sql).await.into_iter().collect()
}

#[tokio::test]
async fn both_engines_have_the_same_tables_columns_and_indexes() {
    let (sqlite, postgres) = (Farm::sqlite().await, Farm::postgres().await);
    let mut columns = Vec::new();
    for farm in [&sqlite, &postgres] {
        columns.push(db::columns(&farm.app.db).await.unwrap().into_iter().collect::<BTreeSet<_>>());
    }
    assert!(columns[0].contains("job.fence") && columns[0].len() > 100, "{:?}", columns[0]);
    assert_eq!(columns[0], columns[1]);
    let named = indexes(&sqlite).await;
    assert!(named.contains("job_live_identity"), "{named:?}");
    assert_eq!(named, indexes(&postgres).await);
}

framefarm_api::on_both_engines! {
    async fn migrating_twice_changes_nothing(farm: Farm) {
        a_running_job(&farm, "clip").await;
        a_generation(&farm, &["720p"]).await;
        let before = dump(&farm).await;
        farm.app.db.migrate().await.unwrap();
        assert_eq!(dump(&farm).await, before);
        let farm = farm.restarted(|_| {}).await;
        assert_eq!(dump(&farm).await, before);
    }

    async fn instances_that_start_at_once_migrate_once(farm: Farm) {
        let before = dump(&farm).await;
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let db = farm.app.db.clone();
            starts.spawn(async move { db.migrate().await });
        }
        for done in starts.join_all().await {
            done.unwrap();
        }
        assert_eq!(dump(&farm).await, before);
    }
}

/// The migrations as they were when there were only so many.
async fn the_first_migrations(engine: &str, count: usize) -> Migrator {
    let copy = tempfile::tempdir().unwrap();
    for name in files(engine).iter().take(count) {
        std::fs::copy(folder(engine).join(name), copy.path().join(name)).unwrap();
    }
    Migrator::new(copy.path()).await.unwrap()
}

/// Rows that every schema since the first one takes: a queue that is paused, a video that plays, one that waits.
const ROWS: &str = "INSERT INTO fact (name, value) VALUES ('admin_password', 'hash');
     INSERT INTO queue (queue_type, paused, retry_mode) VALUES ('transcode', {true}, 'manual');
     INSERT INTO video (id, slug, title, status, source_name, source_size, source_sha256, identity, generation,
         last_generation, created_at, ready_at) VALUES
         ({ready}, 'ready', 'Ready', 'ready', 'a', 1, 'x', 'i1', 1, 1, {at}, {at}),
         ({waits}, 'waits', 'Waits', 'pending', 'b', 1, 'y', 'i2', 0, 1, {at}, NULL);
     INSERT INTO generation (video_id, number, created_at) VALUES ({ready}, 1, {at}), ({waits}, 1, {at});
     INSERT INTO job (id, video_id, queue_type, identity, sort_at, enqueued_at, claimable_at, generation, fence,
         max_attempts, max_lost) VALUES ({waits}, {waits}, 'transcode', 'i2', {at}, {at}, {at}, 1, 7, 3, 3);
     INSERT INTO quality (video_id, generation, name, position, kind, status, width, height, bitrate_kbps, segments_total,
         segments_completed) VALUES ({ready}, 1, '720p', 0, 'video', 'completed', 1280, 720, 2500, 1, 1);
     INSERT INTO segment (video_id, generation, quality, position, sha256, size, start_ticks, duration_ticks)
         VALUES ({ready}, 1, '720p', 0, {bytes}, 9, 0, 90000);";

fn rows(sqlite: bool) -> sqlx::AssertSqlSafe<String> {
    let id = |number: u8| {
        let id = uuid::Uuid::from_u128(number.into());
        if sqlite { format!("x'{}'", id.simple()) } else { format!("'{id}'") }
    };
    let text = ROWS.replace("{true}", if sqlite { "1" } else { "true" });
    let text = text.replace("{bytes}", if sqlite { "x'07'" } else { r"'\x07'" });
    let text = text.replace("{at}", "'2026-09-01T00:00:00+00:00'");
    sqlx::AssertSqlSafe(text.replace("{ready}", &id(1)).replace("{waits}", &id(2)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_every_schema_there_was_is_brought_up_to_date_with_its_rows() {
    for count in 1..=files("sqlite").len() {
        let sqlite = TestDatabase::sqlite();
        let file = sqlite.data_dir().join("framefarm.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
        let mut old = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        the_first_migrations("sqlite", count).await.run(&mut old).await.unwrap();
        sqlx::raw_sql(rows(true)).execute(&mut old).await.unwrap();
        old.close().await.unwrap();
        keeps_its_rows(Db::connect_sqlite(&file).await.unwrap()).await;

        let postgres = TestDatabase::empty_postgres().await;
        let mut old = sqlx::PgConnection::connect(&postgres.url()).await.unwrap();
        the_first_migrations("postgres", count).await.run(&mut old).await.unwrap();
        sqlx::raw_sql(rows(false)).execute(&mut old).await.unwrap();
        old.close().await.unwrap();
        let url = settings(&postgres).database_url;
        keeps_its_rows(Db::connect_postgres(&url, 2).await.unwrap()).await;
    }
}

async fn keeps_its_rows(db: Db) {
    use framefarm_shared::id::VideoId;
    use framefarm_shared::queue::{QueueType, RetryMode};
    use framefarm_shared::state::VideoStatus;
    db.migrate().await.unwrap();
    assert_eq!(
        db::key_value::get(&db, db::key_value::ADMIN_PASSWORD).await.unwrap().as_deref(),
        Some("hash")
    );
    let queues = db::queues::all(&db).await.unwrap();
    assert_eq!(queues.len(), QueueType::ALL.len());
    let kept = queues.iter().find(|queue| queue.queue_type == QueueType::Transcode).unwrap();
    assert_eq!((kept.paused, kept.retry_mode), (true, RetryMode::Manual));
    for (number, status) in [(1, VideoStatus::Ready), (2, VideoStatus::Pending)] {
        let video = db::videos::get(&db, VideoId(uuid::Uuid::from_u128(number))).await.unwrap().unwrap();
        assert_eq!((video.status, video.source_deleted_at), (status, None));
    }
    let waits = db::job::of_video(&db, VideoId(uuid::Uuid::from_u128(2))).await.unwrap();
    assert_eq!((waits.len(), waits[0].fence), (1, 7));
    // A table that is made anew must not take along what refers to it.
    let ready = db::qualities::GenerationKey { video: VideoId(uuid::Uuid::from_u128(1)), number: 1 };
    let segments = db::segments::of_quality(&db, ready, "720p").await.unwrap();
    assert_eq!((segments.len(), segments[0].size), (1, 9));
    db.close().await;
}

/// On SQLite no column is added while claims run: migrations run before anything is served, and nobody else may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_column_is_added_while_claims_run() {
    let farm = Farm::postgres().await;
    farm.fill_queue(600).await;
    let mut claimers = tokio::task::JoinSet::new();
    let (half, mut halfway) = tokio::sync::watch::channel(0_usize);
    let half = std::sync::Arc::new(half);
    for number in 0..4 {
        let (worker, half) = (farm.worker(&format!("w{number}")).await, half.clone());
        claimers.spawn(async move {
            let (mut claimed, mut refused) = (Vec::new(), 0);
            loop {
                match claim::claim_now(worker.app(), worker.id, &worker.claim_request()).await {
                    Ok(reply) => {
                        let Some(job) = reply.job else { break };
                        claimed.push(job.job_id);
                        half.send_modify(|count| *count += 1);
                    }
                    // A statement that knew the table as it was: the worker tries again.
                    Err(error) => {
                        assert_eq!((error.status.as_u16(), error.code), (503, "database_unavailable"));
                        refused += 1;
                    }
                }
            }
            assert!(refused <= 10, "{refused} claims were refused");
            claimed
        });
    }
    halfway.wait_for(|count| *count >= 200).await.unwrap();
    // As the instance of a newer version does it, on a connection of its own.
    let newer = farm.beside(|_| {}).await;
    let mut tx = newer.db.begin().await.unwrap();
    let sql = "ALTER TABLE job ADD COLUMN colour text NOT NULL DEFAULT 'blue'";
    let db::Engine::Postgres(conn) = tx.engine() else { panic!("not PostgreSQL") };
    sqlx::raw_sql(sql).execute(conn).await.unwrap();
    tx.commit().await.unwrap();
    let mut claimed: Vec<_> = claimers.join_all().await.concat();
    claimed.sort_unstable();
    claimed.dedup();
    assert_eq!(claimed.len(), 600, "each job once, and none is forgotten");
    assert_eq!(texts(&farm, "SELECT DISTINCT colour FROM job").await, ["blue"]);
}

/// Servers say it in their own language, so it is not told by its words.
#[tokio::test]
async fn an_error_with_the_words_of_an_outdated_statement_is_none() {
    let farm = Farm::postgres().await;
    let words = "DO $$ BEGIN RAISE 'cached plan must not change result type' USING ERRCODE = '0A000'; END $$";
    let error = farm.attempted_sql(words).await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().as_deref(), Some("0A000"));
    assert!(!db::outdated::noted(&error), "{error}");
}

/// Migrations up to this one were written before tables were large.
const SMALL_TABLES: usize = 10;

#[test]
fn an_index_on_a_large_table_is_built_beside_the_work() {
    for name in files("postgres").iter().skip(SMALL_TABLES) {
        let text = std::fs::read_to_string(folder("postgres").join(name)).unwrap();
        assert_eq!(refusal(&text), None, "{name}");
    }
}

#[test]
fn what_would_stop_the_work_is_refused() {
    for (fine, text) in [
        (true, "-- A table.\nCREATE TABLE note (id uuid);\nCREATE INDEX note_id ON note (id);"),
        (true, "-- no-transaction\nCREATE INDEX CONCURRENTLY job_note ON job (note);"),
        (true, "-- A column.\nALTER TABLE job ADD COLUMN note text NOT NULL DEFAULT '';"),
        (false, "-- An index.\nCREATE INDEX job_note ON job (note);"),
        (false, "-- An index.\nCREATE UNIQUE INDEX job_note ON job (note);"),
        (false, "-- An index.\nCREATE INDEX CONCURRENTLY job_note ON job (note);"),
        (
            false,
            "-- no-transaction\nALTER TABLE job ADD COLUMN a text;\nCREATE INDEX CONCURRENTLY b ON job (a);",
        ),
        (false, "-- Rewrites.\nALTER TABLE job ADD COLUMN at timestamptz DEFAULT clock_timestamp();"),
        (false, "-- Long.\nVACUUM FULL job;"),
    ] {
        assert_eq!(refusal(text).is_none(), fine, "{text}: {:?}", refusal(text));
    }
}

fn statements(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect::<Vec<_>>()
        .join(" ")
        .split(';')
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
        .filter(|statement| !statement.is_empty())
        .collect()
}

/// Nobody reads an altered table before the transaction ends, so its rows are updated in a file of their own.
fn updates_what_it_alters(text: &str) -> bool {
    let statements = statements(text);
    let has = |verb: &str| statements.iter().any(|statement| statement.starts_with(verb));
    has("alter table ") && (has("update ") || has("delete "))
}

#[test]
fn no_row_is_updated_while_its_table_is_locked() {
    /// Migrations up to this one were there before the rule.
    const EARLIER: usize = 16;
    for name in files("postgres").iter().skip(EARLIER) {
        let text = std::fs::read_to_string(folder("postgres").join(name)).unwrap();
        assert!(!updates_what_it_alters(&text), "{name}");
    }
    assert!(updates_what_it_alters(
        "-- A column.\nALTER TABLE job ADD COLUMN a text;\nUPDATE job SET a = '';"
    ));
    assert!(!updates_what_it_alters("-- Rows.\nUPDATE job SET a = '';"));
}

/// Why a migration of PostgreSQL would hold up a farm that runs.
fn refusal(text: &str) -> Option<&'static str> {
    let statements = statements(text);
    for statement in &statements {
        if statement.contains("vacuum full") || statement.starts_with("cluster") {
            return Some("a table is rewritten while nobody can read it");
        }
        if statement.starts_with("alter table")
            && ["now()", "clock_timestamp()", "gen_random_uuid()"].iter().any(|f| statement.contains(f))
        {
            return Some("a default that is another one for each row rewrites the table");
        }
        let Some(index) = statement
            .strip_prefix("create unique index ")
            .or_else(|| statement.strip_prefix("create index "))
        else {
            continue;
        };
        let table =
            index.split_once(" on ").map_or("", |(_, rest)| rest.split([' ', '(']).next().unwrap_or(""));
        if statements.iter().any(|other| other.starts_with(&format!("create table {table} "))) {
            continue;
        }
        if !index.starts_with("concurrently ") {
            return Some("writers of the table wait for an index: build it CONCURRENTLY");
        }
        if !text.starts_with("-- no-transaction") || statements.len() > 1 {
            return Some(
                "an index is built CONCURRENTLY alone in its file, which begins with -- no-transaction",
            );
        }
    }
    None
}
