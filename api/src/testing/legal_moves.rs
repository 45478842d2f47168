//! In tests the database itself rejects every transition that the table of the state machine does not list.

use std::fmt::Display;

use framefarm_shared::state_machine::{JOB_MOVES, Move, QUALITY_MOVES, VIDEO_MOVES, WORKER_MOVES};
use sqlx::AssertSqlSafe;

use crate::db::{Db, sql};

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
    sql!(tx, |conn| sqlx::raw_sql(AssertSqlSafe(text)).execute(conn).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
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
             WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN ({pairs})) \
             EXECUTE FUNCTION {table}_moves();"
        )
    });
    triggers.concat()
}
