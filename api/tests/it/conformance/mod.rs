//! Every function of `db`, run directly on both engines: what it promises, and that it changes nothing anywhere in
//! the database when its guard does not hold.

/// One call in a transaction of its own.
macro_rules! commit {
    ($farm:expr, |$tx:ident| $call:expr) => {{
        let mut transaction = $farm.app.db.begin().await.unwrap();
        let result = {
            let $tx = &mut transaction;
            $call.await.unwrap()
        };
        transaction.commit().await.unwrap();
        result
    }};
}

/// A call that leaves every row of every table as it was. Gives what it returned.
macro_rules! unchanged {
    ($farm:expr, |$tx:ident| $call:expr) => {{
        let before = crate::conformance::dump(&$farm).await;
        let result = commit!($farm, |$tx| $call);
        assert_eq!(crate::conformance::dump(&$farm).await, before);
        result
    }};
}

/// The kind of constraint that refuses a call.
macro_rules! refused {
    ($farm:expr, |$tx:ident| $call:expr) => {{
        let mut transaction = $farm.app.db.begin().await.unwrap();
        let error = {
            let $tx = &mut transaction;
            $call.await.expect_err("no constraint refused it")
        };
        transaction.rollback().await.unwrap();
        error.as_database_error().unwrap_or_else(|| panic!("{error}")).kind()
    }};
}

mod alert_conditions;
mod alert_deliveries;
mod alert_endpoints;
mod alerts;
mod attempts;
mod claim_at_once;
mod claim_context;
mod claim_effects;
mod claim_order;
mod collections;
mod concurrency;
mod credentials;
mod end_effects;
mod events;
mod extra_files;
mod foreign_keys;
mod garbage;
mod generations;
mod intakes;
mod invitations;
mod job_bulk;
mod job_claim;
mod job_end;
mod job_import;
mod job_lists;
mod job_outlook;
mod job_renew;
mod job_retention;
mod jobs;
mod key_value;
mod kinds;
mod leader;
mod legal_moves;
mod migrations;
mod notify;
mod qualities;
mod quality_progress;
mod queues;
mod restored;
mod rules;
mod schema;
mod segments;
mod sources;
mod space;
mod sqlite;
mod upload_turns;
mod uploads;
mod video_lists;
mod videos;
mod watched_files;
mod worker_gpus;
mod worker_keys;
mod workers;
mod world;

use std::collections::BTreeMap;

use framefarm_api::db::{self, Engine};
use framefarm_api::testing::Farm;
use sqlx::AssertSqlSafe;
use sqlx::error::ErrorKind;

/// Every row of every table as text, for comparing before and after.
pub(crate) async fn dump(farm: &Farm) -> Vec<String> {
    let mut tables = BTreeMap::<String, Vec<String>>::new();
    for name in db::columns(&farm.app.db).await.unwrap() {
        let (table, column) = name.split_once('.').unwrap();
        tables.entry(table.to_owned()).or_default().push(column.to_owned());
    }
    let mut rows = Vec::new();
    for (table, columns) in tables {
        let cell = |column: &String| {
            if farm.app.db.is_sqlite() {
                format!("quote(\"{column}\")")
            } else {
                format!("COALESCE(quote_literal(\"{column}\"), 'NULL')")
            }
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let cells = cells.join(" || ', ' || ");
        rows.extend(texts(farm, &format!("SELECT '{table}: ' || {cells} FROM {table} ORDER BY 1")).await);
    }
    rows
}

/// The first column of a query, which must be text.
async fn texts(farm: &Farm, sql: &str) -> Vec<String> {
    let sql = AssertSqlSafe(sql.to_owned());
    let mut tx = farm.app.db.begin().await.unwrap();
    match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
        Engine::Sqlite(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
    }
    .unwrap()
}

/// How the engine would run a statement.
async fn plan(farm: &Farm, sql: &str) -> String {
    use sqlx::Row as _;
    let mut tx = farm.app.db.begin().await.unwrap();
    let lines: Vec<String> = match tx.engine() {
        Engine::Postgres(conn) => {
            let rows = sqlx::query(AssertSqlSafe(format!("EXPLAIN {sql}"))).fetch_all(conn).await.unwrap();
            rows.iter().map(|row| row.get(0)).collect()
        }
        Engine::Sqlite(conn) => {
            let rows = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")))
                .fetch_all(conn)
                .await
                .unwrap();
            rows.iter().map(|row| row.get("detail")).collect()
        }
    };
    lines.join("\n")
}

async fn count(farm: &Farm, table: &str) -> usize {
    let counted = texts(farm, &format!("SELECT CAST(count(*) AS text) FROM {table}")).await;
    counted[0].parse().unwrap()
}

/// The kind of constraint that refuses a statement.
async fn refused_sql(farm: &Farm, sql: &str) -> ErrorKind {
    let error = farm.refused_sql(sql).await;
    error.as_database_error().unwrap_or_else(|| panic!("{error}")).kind()
}
