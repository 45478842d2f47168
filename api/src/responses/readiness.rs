//! Whether requests may be sent to this instance, check by check.

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Ok,
    Failed,
}

/// One readiness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Check {
    /// `serving`, `database` or `storage`.
    pub name: String,
    pub status: CheckStatus,
    /// Why it failed.
    #[schema(required)]
    pub detail: Option<String>,
}

/// What was found: every check, and the first that failed.
pub struct Readiness {
    pub checks: Vec<Check>,
    pub refusal: Option<ApiError>,
}

pub async fn readiness(app: &App) -> Readiness {
    let database = app.db.ping().await.is_err();
    let found = [
        ("serving", app.is_draining().then(ApiError::stopping)),
        (
            "database",
            database
                .then(|| ApiError::unavailable("database_unavailable", "The database is not responding.")),
        ),
        // Not the object store: all instances share it, and without them workers would lose their jobs as well.
        (
            "storage",
            app.storage
                .space()
                .is_err()
                .then(|| ApiError::unavailable("storage_unavailable", "The storage is not responding.")),
        ),
    ];
    let check = |(name, error): &(&str, Option<ApiError>)| Check {
        name: (*name).to_owned(),
        status: if error.is_none() { CheckStatus::Ok } else { CheckStatus::Failed },
        detail: error.as_ref().map(|error| error.detail.clone()),
    };
    let checks = found.iter().map(check).collect();
    Readiness { checks, refusal: found.into_iter().find_map(|(_, error)| error) }
}
