//! Table `upload_part`: what an object store has of an upload and the database counts.

use framefarm_shared::id::UploadId;
use sqlx_macros::FromRow;

use super::{Db, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct UploadPartRow {
    pub number: i32,
    pub size: i64,
    /// What the store calls it.
    pub tag: String,
}

pub async fn insert(tx: &mut Tx, upload: UploadId, part: &UploadPartRow) -> sqlx::Result<()> {
    const SQL: &str = "INSERT INTO upload_part (upload_id, number, size, tag) VALUES ($1, $2, $3, $4)";
    sql!(tx, |conn| sqlx::query(SQL)
        .bind(upload)
        .bind(part.number)
        .bind(part.size)
        .bind(&part.tag)
        .execute(conn)
        .await
        .map(drop))
}

/// In the order of the file.
pub async fn all(db: &Db, upload: UploadId) -> sqlx::Result<Vec<UploadPartRow>> {
    const SQL: &str = "SELECT number, size, tag FROM upload_part WHERE upload_id = $1 ORDER BY number";
    sql!(db, |pool| sqlx::query_as(SQL).bind(upload).fetch_all(pool).await)
}
