//! How a job becomes running: the claim, and what makes jobs claimable.

use chrono::{DateTime, Utc};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::queue::QueueType;

use crate::db::effects::{Claimable, JobChange, Traced};
use crate::db::job::JobRow;
use crate::db::{Db, Engine, Tx, sql};

/// Who claims, and until when.
#[derive(Clone, Copy)]
pub struct Claimer<'a> {
    pub worker: WorkerId,
    pub worker_name: &'a str,
    pub now: DateTime<Utc>,
    pub expires: DateTime<Utc>,
}

/// An encoder failed so often with a job: no GPU is let near it. The claim's SQL says the same.
pub const CPU_AFTER: i32 = 2;

/// Which fresh jobs a claimer leaves to a better one.
#[derive(Clone, Copy, Debug)]
pub struct Deferral {
    /// What is claimable since then is anybody's.
    pub claimable_by: DateTime<Utc>,
    /// What the better one's GPUs can do, as bits: a job that needs none of it is anybody's at once.
    pub abilities: i32,
    /// What a job is taken to need as long as its source was not probed.
    pub unknown_needs: i32,
}

impl From<DateTime<Utc>> for Deferral {
    /// Leaves nothing to anybody.
    fn from(claimable_by: DateTime<Utc>) -> Self {
        Self { claimable_by, abilities: -1, unknown_needs: -1 }
    }
}

// One text for each, which psql takes as it is. Rules that several of them have stand between `/* rule: … */` and
// `/* end */`; a test below holds them together. A grant writes every liveness field anew, or the reaper would judge this
// attempt by the last one's.
pub const CLAIM_POSTGRES: &str = include_str!("claim_next.postgres.sql");
pub const CLAIM_SQLITE: &str = include_str!("claim_next.sqlite.sql");
const CLAIM_THIS: &str = include_str!("claim_this.sql");
const CLAIM_OWN_EXPIRED: &str = include_str!("claim_own_expired.sql");
const ANYTHING_DUE: &str = include_str!("anything_due.sql");

/// Takes the best due job of a kind that it does not leave to somebody better, unless its queue is paused. A queue with a
/// limit gives nothing to somebody who has not counted its places under a lock.
pub async fn claim_next(
    tx: &mut Tx,
    by: Claimer<'_>,
    kind: QueueType,
    deferral: impl Into<Deferral>,
    has_counted: bool,
) -> sqlx::Result<Option<JobRow>> {
    let deferral = deferral.into();
    macro_rules! run {
        ($sql:expr, $conn:expr) => {
            sqlx::query_as($sql)
                .bind(by.worker)
                .bind(by.now)
                .bind(by.expires)
                .bind(by.worker_name)
                .bind(kind)
                .bind(deferral.claimable_by)
                .bind(has_counted)
                .bind(deferral.unknown_needs)
                .bind(deferral.abilities)
                .fetch_optional($conn)
                .await
        };
    }
    let job: Option<JobRow> = match tx.engine() {
        Engine::Postgres(conn) => run!(CLAIM_POSTGRES, conn),
        Engine::Sqlite(conn) => run!(CLAIM_SQLITE, conn),
    }?;
    noted(tx, job.as_ref(), Some(by.now));
    Ok(job)
}

/// To be counted and traced. `now` tells how long it waited, for one that came out of the queue.
pub(in crate::db) fn noted(tx: &mut Tx, job: Option<&JobRow>, now: Option<DateTime<Utc>>) {
    if let Some(job) = job {
        let waited = now.map(|now| now - job.claimable_at);
        tx.note(JobChange::Claimed { queue: job.queue_type, waited });
        tx.trace(|| waited.map(|_| Traced::Claimed(Box::new(job.clone()))));
    }
}

/// Takes this job if it is due and of one of the kinds the claimer may take.
pub async fn claim_this(
    tx: &mut Tx,
    by: Claimer<'_>,
    id: JobId,
    deferral: impl Into<Deferral>,
) -> sqlx::Result<Option<JobRow>> {
    let deferral = deferral.into();
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(CLAIM_THIS)
        .bind(by.worker)
        .bind(by.now)
        .bind(by.expires)
        .bind(by.worker_name)
        .bind(id)
        .bind(deferral.claimable_by)
        .bind(deferral.unknown_needs)
        .bind(deferral.abilities)
        .fetch_optional(conn)
        .await)?;
    noted(tx, job.as_ref(), Some(by.now));
    Ok(job)
}

/// The holder of an expired claim that nobody took yet goes on under a new fence.
pub async fn reclaim_own_expired(tx: &mut Tx, by: Claimer<'_>, id: JobId) -> sqlx::Result<Option<JobRow>> {
    let job: Option<JobRow> = sql!(tx, |conn| sqlx::query_as(CLAIM_OWN_EXPIRED)
        .bind(by.worker)
        .bind(by.now)
        .bind(by.expires)
        .bind(by.worker_name)
        .bind(id)
        .fetch_optional(conn)
        .await)?;
    noted(tx, job.as_ref(), None);
    Ok(job)
}

/// Jobs whose time has come enter the claim's index, at most a hundred at once. Returns how many.
pub async fn promote_due(tx: &mut Tx, now: DateTime<Utc>) -> sqlx::Result<u64> {
    macro_rules! promote {
        ($lock:literal) => {
            concat!(
                "WITH due AS MATERIALIZED (SELECT number FROM job WHERE status = 'pending' AND retry_after <= $1 \
                 ORDER BY retry_after LIMIT 100",
                $lock,
                ") UPDATE job SET retry_after = NULL WHERE status = 'pending' AND retry_after <= $1 \
                 AND number IN (SELECT number FROM due) RETURNING queue_type, priority"
            )
        };
    }
    const POSTGRES: &str = promote!(" FOR UPDATE SKIP LOCKED");
    const SQLITE: &str = promote!("");
    let due: Vec<(QueueType, i32)> = match tx.engine() {
        Engine::Postgres(conn) => sqlx::query_as(POSTGRES).bind(now).fetch_all(conn).await,
        Engine::Sqlite(conn) => sqlx::query_as(SQLITE).bind(now).fetch_all(conn).await,
    }?;
    let promoted = due.len() as u64;
    tx.effects.claimable.extend(due.into_iter().map(|(queue, priority)| Claimable { queue, priority }));
    Ok(promoted)
}

/// How many jobs of a kind run now.
pub async fn count_running(tx: &mut Tx, kind: QueueType) -> sqlx::Result<i64> {
    const SQL: &str = "SELECT count(*) FROM job WHERE queue_type = $1 AND status = 'running'";
    sql!(tx, |conn| sqlx::query_scalar(SQL).bind(kind).fetch_one(conn).await)
}

/// Whether anything of a kind could be claimed by somebody.
pub async fn any_claimable(tx: &mut Tx, kind: QueueType) -> sqlx::Result<bool> {
    // In the order of the index, for the reason below.
    const SQL: &str = "SELECT number FROM job WHERE queue_type = $1 AND status = 'pending' \
         AND retry_after IS NULL ORDER BY queue_type, priority DESC, sort_at, number LIMIT 1";
    let found: Option<i64> = sql!(tx, |conn| sqlx::query_scalar(SQL).bind(kind).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Whether a look is worth its transaction: a job of one of these kinds can be claimed, or its time has come.
pub async fn anything_due(db: &Db, kinds: &[QueueType], now: DateTime<Utc>) -> sqlx::Result<bool> {
    for kind in kinds {
        let found: i32 =
            sql!(db, |pool| sqlx::query_scalar(ANYTHING_DUE).bind(kind).bind(now).fetch_one(pool).await)?;
        if found == 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The best jobs that could have been claimed since `since`.
pub async fn claimable_since(db: &Db, since: DateTime<Utc>, limit: i64) -> sqlx::Result<Vec<Claimable>> {
    const SQL: &str = "SELECT queue_type, priority FROM job WHERE status = 'pending' AND retry_after IS NULL \
         AND claimable_at <= $1 ORDER BY priority DESC, sort_at, number LIMIT $2";
    let rows: Vec<(QueueType, i32)> =
        sql!(db, |pool| sqlx::query_as(SQL).bind(since).bind(limit).fetch_all(pool).await)?;
    Ok(rows.into_iter().map(|(queue, priority)| Claimable { queue, priority }).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::db::job::{claim_at_once, claim_context, end};

    /// The rules of a statement, without the numbers of its parameters and the layout.
    fn rules(sql: &str) -> impl Iterator<Item = (&str, String)> {
        sql.split("/* rule: ").skip(1).map(|part| {
            let (name, rest) = part.split_once(" */").unwrap();
            let (rule, _) = rest.split_once("/* end */").unwrap();
            let words: Vec<_> = rule.split_whitespace().collect();
            let rule = words.join(" ").replace("( ", "(").replace(" )", ")");
            let parts = rule.split('$').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
            (name, parts.collect::<Vec<_>>().join("$"))
        })
    }

    #[test]
    fn a_rule_is_the_same_in_every_statement_that_has_it() {
        let statements = [
            CLAIM_POSTGRES,
            CLAIM_SQLITE,
            CLAIM_THIS,
            CLAIM_OWN_EXPIRED,
            ANYTHING_DUE,
            claim_at_once::CLAIM_AT_ONCE,
            claim_context::CLAIM_CONTEXT,
            end::COMPLETE,
            end::END_JOB,
            include_str!("end_effects.sql"),
            include_str!("end_attempt.sql"),
            include_str!("free_worker.sql"),
        ];
        let mut found = BTreeMap::<&str, Vec<String>>::new();
        for (name, rule) in statements.into_iter().flat_map(rules) {
            found.entry(name).or_default().push(rule);
        }
        assert_eq!(found.len(), 10, "{:?}", found.keys());
        for (name, rules) in found {
            assert!(rules.len() > 1, "{name} is in one statement only");
            assert!(rules.iter().all(|rule| *rule == rules[0]), "{name}: {rules:#?}");
        }
    }

    #[test]
    fn the_statements_know_when_a_job_is_for_the_cpu() {
        assert!(CLAIM_POSTGRES.contains(&format!("encoder_failures >= {CPU_AFTER}")));
    }
}
