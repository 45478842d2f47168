//! Who is calling: a person (cookie), a program with a token and its rights, a worker.
//!
//! People log in with a password and get a cookie; programs send a token; workers send their key. All three are
//! random and kept as hashes only. An `Authorization` header decides alone: beside it a cookie is not looked at.

mod caller;
mod failure_log;
mod guess_limit;
pub mod password;
mod registrar;
mod scope;
pub mod session;
pub mod token;
mod upload_rights;
mod worker_key;

pub use caller::{Admin, Fetcher, Manager, Me, Reader, Sight, Uploader, sight};
pub use registrar::Registrar;
pub use scope::{Right, Scope};
pub use worker_key::Worker;

use failure_log::FailureLog;
use guess_limit::GuessLimit;

/// What the checks keep in memory.
pub struct Auth {
    passwords: GuessLimit,
    admin_secrets: GuessLimit,
    failed_logins: FailureLog,
    /// Argon2 takes 19 MiB and a core each time.
    hashing: tokio::sync::Semaphore,
}

impl Auth {
    pub fn new() -> Self {
        Self {
            passwords: GuessLimit::new("passwords", "too_many_logins"),
            admin_secrets: GuessLimit::new("admin secrets", "too_many_guesses"),
            failed_logins: FailureLog::default(),
            hashing: tokio::sync::Semaphore::new(2),
        }
    }
}

impl Default for Auth {
    fn default() -> Self {
        Self::new()
    }
}
