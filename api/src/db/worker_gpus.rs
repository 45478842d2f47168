//! Table `worker_gpu`: the GPUs of a worker as its last heartbeat reported them.

use framefarm_shared::gpu::{Gpu, GpuState};
use framefarm_shared::id::WorkerId;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use sqlx_macros::FromRow;

use super::{Db, Tx, push_list, sql};

/// A GPU and the state that was last reported.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoredGpu {
    #[sqlx(rename = "card")]
    pub id: String,
    pub state: GpuState,
}

pub async fn states(tx: &mut Tx, worker: WorkerId) -> sqlx::Result<Vec<StoredGpu>> {
    const SQL: &str = "SELECT card, state FROM worker_gpu WHERE worker_id = $1 ORDER BY position, card";
    sql!(tx, |conn| sqlx::query_as(SQL).bind(worker).fetch_all(conn).await)
}

/// The GPUs are now these and no others.
pub async fn replace(tx: &mut Tx, worker: WorkerId, gpus: &[Gpu]) -> sqlx::Result<()> {
    const DELETE: &str = "DELETE FROM worker_gpu WHERE worker_id = $1";
    sql!(tx, |conn| sqlx::query(DELETE).bind(worker).execute(conn).await.map(drop))?;
    if gpus.is_empty() {
        return Ok(());
    }
    sql!(tx, |conn| {
        let mut query =
            QueryBuilder::new("INSERT INTO worker_gpu (worker_id, position, card, state, report) ");
        query.push_values((0i32..).zip(gpus), |mut row, (position, gpu)| {
            row.push_bind(worker).push_bind(position).push_bind(gpu.id.as_str());
            row.push_bind(gpu.state).push_bind(Json(gpu));
        });
        query.push(" ON CONFLICT DO NOTHING");
        query.build().execute(conn).await.map(drop)
    })
}

#[derive(FromRow)]
struct Row {
    worker_id: WorkerId,
    report: Json<Gpu>,
}

/// The GPUs of these workers, each worker's in its own order.
pub async fn of_workers(db: &Db, workers: &[WorkerId]) -> sqlx::Result<Vec<(WorkerId, Gpu)>> {
    if workers.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = sql!(db, |pool| {
        let mut query = QueryBuilder::new("SELECT worker_id, report FROM worker_gpu WHERE worker_id IN (");
        push_list!(query, workers);
        query.push(") ORDER BY worker_id, position");
        query.build_query_as().fetch_all(pool).await
    })?;
    Ok(rows.into_iter().map(|row| (row.worker_id, row.report.0)).collect())
}

/// The GPUs of workers that are neither offline nor disabled, with the names of those workers.
pub async fn of_present_workers(db: &Db, limit: i64) -> sqlx::Result<Vec<(String, Gpu)>> {
    const SQL: &str = "SELECT w.name, g.report FROM worker_gpu g JOIN worker w ON w.id = g.worker_id \
         WHERE w.status NOT IN ('offline', 'disabled') ORDER BY w.name, w.id, g.position LIMIT $1";
    let rows: Vec<(String, Json<Gpu>)> =
        sql!(db, |pool| sqlx::query_as(SQL).bind(limit).fetch_all(pool).await)?;
    Ok(rows.into_iter().map(|(worker, report)| (worker, report.0)).collect())
}
