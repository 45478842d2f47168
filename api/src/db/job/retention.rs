//! Ended jobs leave the history when their time is over.

use chrono::{DateTime, Utc};
use framefarm_shared::state::JobStatus;
use sqlx::QueryBuilder;

use crate::db::sources::Whose;
use crate::db::{Db, Tx, job, push_list, sql};

/// Which jobs may go.
#[derive(Clone, Copy, Debug)]
pub struct Due<'a> {
    pub statuses: &'a [JobStatus],
    /// `None` where collections have no rule of their own.
    pub whose: Option<Whose>,
    pub finished_by: DateTime<Utc>,
}

/// One condition for counting and for deleting.
macro_rules! push_due {
    ($query:expr, $due:expr) => {
        $query.push("finished_at <= ").push_bind($due.finished_by).push(" AND status IN (");
        push_list!($query, $due.statuses);
        $query.push(")");
        match $due.whose {
            None => {}
            Some(Whose::Collection(id)) => {
                $query.push(" AND collection_id = ").push_bind(id);
            }
            Some(Whose::Others) => {
                $query.push(
                    " AND (collection_id IS NULL OR collection_id NOT IN \
                     (SELECT id FROM collection WHERE completed_retention_days IS NOT NULL))",
                );
            }
        }
    };
}

pub async fn count_due(db: &Db, due: Due<'_>) -> sqlx::Result<i64> {
    sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT count(*) FROM job WHERE ");
        push_due!(query, due);
        query.build_query_scalar().fetch_one(pool).await
    })
}

/// Removes them in one batch, oldest first, and adds them to the totals that outlive them. Returns how many.
pub async fn delete_due(tx: &mut Tx, due: Due<'_>, limit: i64) -> sqlx::Result<u64> {
    let gone: Vec<job::lists::Ended> = sql!(tx, |conn| {
        let mut query = QueryBuilder::new("DELETE FROM job WHERE number IN (SELECT number FROM job WHERE ");
        push_due!(query, due);
        query.push(" ORDER BY number LIMIT ").push_bind(limit);
        query.push(") AND finished_at IS NOT NULL RETURNING finished_at, queue_type, status");
        query.build_query_as().fetch_all(conn).await
    })?;
    job::lists::add_to_totals(tx, &gone).await?;
    Ok(gone.len() as u64)
}
