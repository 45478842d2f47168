//! Connections that know the tables as they were before a newer version added a column.
//!
//! PostgreSQL refuses a prepared `SELECT *` whose columns have changed, each time it is used again. During a rolling update
//! that would be every statement of the older instances. So the first refusal marks all connections of this process that
//! were open then: each is closed instead of being used again, and the next one prepares its statements anew.

use std::sync::Mutex;
use std::time::Instant;

use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::PgDatabaseError;

static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// Takes note if the error says that a statement is older than its table. Then trying again will do.
pub fn noted(error: &sqlx::Error) -> bool {
    let error = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    // Its message is in the language of the server.
    let refused = error.is_some_and(|error| error.routine() == Some("RevalidateCachedQuery"));
    if refused {
        *SINCE.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now());
    }
    refused
}

pub(super) fn is(connection: &PoolConnectionMetadata) -> bool {
    let since = *SINCE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    since.is_some_and(|since| connection.age >= since.elapsed())
}
