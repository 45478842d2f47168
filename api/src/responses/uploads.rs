//! Uploads that are not finished, for an admin.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use framefarm_shared::id::UploadId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::token;
use crate::db::uploads::{self, UploadRow};
use crate::error::Result;

const MOST: i64 = 1000;

/// Unfinished uploads, oldest first, at most 1,000.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenUploads {
    pub items: Vec<OpenUpload>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenUpload {
    pub id: UploadId,
    pub file_name: String,
    /// Who started it: `admin`, `token:<name>` (its id if it was revoked), or `farm` for an import; null if
    /// unknown.
    #[schema(required)]
    pub owner: Option<String>,
    #[schema(minimum = 0)]
    pub length: i64,
    #[schema(minimum = 0)]
    pub received: i64,
    pub created_at: DateTime<Utc>,
    /// When it is deleted unless more bytes arrive.
    pub expires_at: DateTime<Utc>,
}

pub async fn open(app: &App) -> Result<OpenUploads> {
    let tokens = token::list(app).await?.into_iter();
    let names: HashMap<String, String> =
        tokens.map(|token| (format!("token:{}", token.id), format!("token:{}", token.name))).collect();
    let view = |row: UploadRow| OpenUpload {
        id: row.id,
        file_name: row.request.0.file_name,
        owner: row.owner.map(|owner| names.get(&owner).cloned().unwrap_or(owner)),
        length: row.length,
        received: row.received,
        created_at: row.created_at,
        expires_at: row.expires_at,
    };
    let rows = uploads::open(&app.db, MOST).await?;
    Ok(OpenUploads { items: rows.into_iter().map(view).collect() })
}
