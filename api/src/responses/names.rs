//! Names for the ids in rows.

use std::collections::HashMap;

use framefarm_shared::id::{CollectionId, WorkerId};

use crate::app::App;
use crate::db::{collections, workers};
use crate::error::Result;

/// The names of all collections; there are few.
pub(super) async fn of_collections(app: &App) -> Result<HashMap<CollectionId, String>> {
    Ok(collections::all(&app.db).await?.into_iter().map(|row| (row.id, row.name)).collect())
}

pub(super) async fn of_workers(app: &App) -> Result<HashMap<WorkerId, String>> {
    Ok(workers::all(&app.db).await?.into_iter().map(|row| (row.id, row.name)).collect())
}

/// A filter by the name of a collection.
pub(super) enum Wanted {
    Any,
    One(CollectionId),
    /// There is no such collection, so nothing is in it.
    Unknown,
}

pub(super) async fn wanted(app: &App, name: Option<&str>) -> Result<Wanted> {
    let Some(name) = name.map(str::trim) else { return Ok(Wanted::Any) };
    // PostgreSQL keeps no NUL in a text and refuses to look for one.
    if name.contains('\0') {
        return Ok(Wanted::Unknown);
    }
    let row = collections::by_name(&app.db, name).await?;
    Ok(row.map_or(Wanted::Unknown, |row| Wanted::One(row.id)))
}

/// A part of a title to look for; nothing if there is none.
pub(super) fn searched(text: &str) -> Option<String> {
    let text = text.replace('\0', "").to_lowercase();
    (!text.is_empty()).then_some(text)
}
