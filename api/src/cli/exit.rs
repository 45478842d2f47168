//! How a command ends: a number for scripts, a sentence for people.

use super::client::CallError;

/// Every exit code. `framefarm --help` and docs/cli.md list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Fine = 0,
    Failure = 1,
    Usage = 2,
    NotFound = 3,
    /// The farm understood and said no: not in this state.
    Refused = 4,
    Unreachable = 5,
    NotAllowed = 6,
    /// What was waited for failed.
    VideoFailed = 7,
}

pub(crate) const CODES: &str = "\
Exit codes:
  0  success
  1  failure
  2  invalid usage
  3  no such video, job or worker
  4  refused: not possible in the current state
  5  the farm is unreachable
  6  not allowed: token missing, invalid or without the required scope
  7  the awaited video failed";

/// Why a command ended before its end.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: anyhow::Error,
}

impl Failure {
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::Usage, error: error.into() }
    }
}

/// An error whose exit code is known where it is made.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub(crate) struct Ended {
    exit: Exit,
    words: String,
}

impl Ended {
    pub(crate) fn with(exit: Exit, words: impl Into<String>) -> anyhow::Error {
        Self { exit, words: words.into() }.into()
    }

    /// Nobody reads any more (`| head`): not a failure, and nothing to say.
    pub(crate) fn quietly() -> anyhow::Error {
        Self::with(Exit::Fine, "")
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let ended = error.downcast_ref::<Ended>().map(|ended| ended.exit);
        let exit = ended.or_else(|| error.downcast_ref::<CallError>().map(CallError::exit));
        Self { exit: exit.unwrap_or(Exit::Failure), error }
    }
}
