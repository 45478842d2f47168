//! In tests the database itself rejects every transition that the table of the state machine does not list.

use std::fmt::Display;

use framefarm_shared::state_machine::{JOB_MOVES, Move, QUALITY_MOVES, VIDEO_MOVES, WORKER_MOVES};
use sqlx::AssertSqlSafe;

use crate::db::{Db, Engine, Tx, sql};

/// The setting of a transaction that switches the triggers off; only PostgreSQL has such settings.
const ANY_MOVE: &str = "framefarm_test.any_move";

/// Whose `status` moves, with the legal pairs as SQL: `('pending', 'running'), …`.
fn machines() -> [(&'static str, String); 4] {
    fn pairs<S: Display>(moves: &[Move<S>]) -> String {
        let pairs: Vec<_> = moves.iter().map(|(from, to, _)| format!("('{from}', '{to}')")).collect();
        pairs.join(", ")
    }
    [
        ("job", pairs(JOB_MOVES)),
        ("video", pairs(VIDEO_MOVES)),
        ("quality", pairs(QUALITY_MOVES)),
        ("worker", pairs(WORKER_MOVES)),
    ]
}

/// What [`enforce`] depends on, beside the migrations.
pub(super) fn fingerprint() -> String {
    postgres()
}

pub(super) async fn enforce(db: &Db) {
    let text = if db.is_sqlite() { sqlite() } else { postgres() };
    let mut tx = db.begin().await.unwrap();
    run(&mut tx, text).await.unwrap();
    tx.commit().await.unwrap();
}

/// Runs SQL that may move anything anywhere.
pub(super) async fn run_without(tx: &mut Tx, text: &str) -> sqlx::Result<()> {
    if matches!(tx.engine(), Engine::Sqlite(_)) {
        let dropped = machines().map(|(table, _)| format!("DROP TRIGGER IF EXISTS {table}_moves;"));
        run(tx, dropped.concat()).await?;
        run(tx, text.to_owned()).await?;
        run(tx, sqlite()).await
    } else {
        run(tx, format!("SET LOCAL {ANY_MOVE} = 'on'")).await?;
        run(tx, text.to_owned()).await?;
        run(tx, format!("SET LOCAL {ANY_MOVE} = 'off'")).await
    }
}

pub(super) async fn run(tx: &mut Tx, text: String) -> sqlx::Result<()> {
    sql!(tx, |conn| sqlx::raw_sql(AssertSqlSafe(text)).execute(conn).await.map(drop))
}

fn sqlite() -> String {
    let triggers = machines().map(|(table, pairs)| {
        format!(
            "CREATE TRIGGER IF NOT EXISTS {table}_moves BEFORE UPDATE OF status ON {table} \
             WHEN OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (VALUES {pairs}) \
             BEGIN SELECT RAISE(ABORT, 'illegal move: {table} ' || OLD.status || ' -> ' || NEW.status); END;"
        )
    });
    triggers.concat()
}

fn postgres() -> String {
    let triggers = machines().map(|(table, pairs)| {
        format!(
            "CREATE FUNCTION {table}_moves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE 'illegal move: {table} % -> %', OLD.status, NEW.status; END $$; \
             CREATE TRIGGER {table}_moves BEFORE UPDATE OF status ON {table} FOR EACH ROW \
             WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN ({pairs}) \
             AND current_setting('{ANY_MOVE}', true) IS DISTINCT FROM 'on') \
             EXECUTE FUNCTION {table}_moves();"
        )
    });
    triggers.concat()
}
