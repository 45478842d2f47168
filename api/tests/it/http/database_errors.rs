//! What callers get when the database reports an error of its own.

use framefarm_api::testing::{Farm, TestDatabase};
use framefarm_shared::id::BootId;
use serde_json::json;

use super::Site;

/// The first `times` heartbeats end in this error of PostgreSQL.
async fn fail_heartbeats(site: &Site, code: &str, times: u32) {
    site.farm
        .sql(&format!(
            "CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF nextval('tries') <= {times} THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '{code}'; END IF; \
             RETURN NEW; END $$; \
             CREATE TRIGGER fail BEFORE UPDATE ON worker FOR EACH ROW EXECUTE FUNCTION fail()"
        ))
        .await;
}

async fn heartbeat_that_fails(code: &str, times: u32) -> super::Answer {
    let site = Site::on(TestDatabase::postgres().await, |_| {}).await;
    let key = site.worker_key("w1").await;
    fail_heartbeats(&site, code, times).await;
    let body = json!({ "boot_id": BootId::new(&site.farm.clock), "status": "idle", "held": [] });
    site.as_bearer(&key, "POST /api/worker/heartbeat", Some(body)).await
}

#[tokio::test]
async fn whoever_met_another_halfway_does_not_hear_of_it() {
    for code in ["40P01", "40001"] {
        heartbeat_that_fails(code, 4).await.ok();
    }
}

#[tokio::test]
async fn whoever_meets_others_again_and_again_is_told_to_come_back() {
    let answer = heartbeat_that_fails("40P01", 100).await;
    assert_eq!((answer.problem(), answer.header("retry-after")), ((503, "overtaken"), "1"));
}

#[tokio::test]
async fn a_database_that_cannot_answer_now_is_told_from_a_mistake_of_ours() {
    for (code, told) in [
        ("55P03", "database_busy"),
        ("57014", "database_busy"),
        ("57P01", "database_unavailable"),
        ("53300", "database_unavailable"),
        ("25006", "database_unavailable"),
    ] {
        let answer = heartbeat_that_fails(code, 100).await;
        assert_eq!(answer.problem(), (503, told), "{code}");
        assert!(!answer.header("retry-after").is_empty());
    }
}

#[tokio::test]
async fn no_statement_waits_for_ever() {
    let farm = Farm::postgres().await;
    for (setting, value) in [("lock_timeout", "10s"), ("statement_timeout", "30s")] {
        let mut tx = farm.app.db.begin().await.unwrap();
        let framefarm_api::db::Engine::Postgres(conn) = tx.engine() else { unreachable!() };
        let found: String =
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SHOW {setting}"))).fetch_one(conn).await.unwrap();
        assert_eq!(found, value, "{setting}");
    }
}
