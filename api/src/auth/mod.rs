//! Who is calling: an admin (cookie or token), an uploader, a reader, a worker.
//!
//! People log in with a password and get a cookie; programs send a token; workers send their key. All three are
//! random and kept as hashes only. An `Authorization` header decides alone: beside it a cookie is not looked at.

mod budget;
mod caller;
mod failure_log;
mod guess_limit;
pub mod password;
mod registrar;
pub mod session;
pub mod token;
mod worker_key;

pub use caller::{Admin, Me, Reader, Sight, UploadOwner, Uploader, sight};
pub use registrar::Registrar;
pub use token::Scope;
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
