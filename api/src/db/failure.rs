//! What an error of a database means for whoever asked.

use sqlx::error::DatabaseError;

/// An error that is nobody's fault and passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbFailure {
    /// Two transactions met halfway and this one was ended. Nothing was changed: the same again will do.
    Overtaken,
    /// It waited too long for somebody else, or took too long itself.
    TooSlow,
    /// It does not answer, is stopping, takes no more connections, or is a copy that cannot be written to.
    Away,
    Full,
}

impl DbFailure {
    pub fn of(error: &sqlx::Error) -> Option<Self> {
        match error {
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Io(_)
            | sqlx::Error::WorkerCrashed => Some(Self::Away),
            sqlx::Error::Database(error) => of_code(&**error),
            _ => None,
        }
    }
}

fn of_code(error: &dyn DatabaseError) -> Option<DbFailure> {
    match error.code()?.as_ref() {
        // PostgreSQL: serialization failure, deadlock.
        "40001" | "40P01" => Some(DbFailure::Overtaken),
        // Lock and statement timeouts; SQLite: busy and locked, with their longer forms.
        "55P03" | "57014" | "5" | "261" | "517" | "6" => Some(DbFailure::TooSlow),
        // Shutting down, crashed, starting, too many connections, read-only, and everything about the connection.
        "57P01" | "57P02" | "57P03" | "53300" | "25006" | "08000" | "08003" | "08006" => {
            Some(DbFailure::Away)
        }
        // SQLite has one code for it, PostgreSQL another.
        "13" | "53100" => Some(DbFailure::Full),
        _ => None,
    }
}
