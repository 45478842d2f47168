//! What a token may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One thing that a call may need. Every route names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// See videos, originals, jobs, workers and alerts.
    Read,
    /// Upload files.
    Upload,
    /// Import files by URL or path.
    Fetch,
    /// Change videos, jobs, queues and collections.
    Manage,
    /// Tokens, audit, workers, alert endpoints, clean-up, export and import.
    Admin,
}

/// What a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Scope {
    /// Read everything except tokens and the audit log.
    Read,
    /// Read, upload, and import by URL or path.
    Upload,
    /// Upload without read access; can be limited to one collection.
    UploadOnly,
    /// Upload, and manage videos, jobs, queues and collections.
    Manage,
    /// Full access.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 5] = [Self::Read, Self::Upload, Self::UploadOnly, Self::Manage, Self::Admin];

    pub const fn rights(self) -> &'static [Right] {
        match self {
            Self::Read => &[Right::Read],
            Self::Upload => &[Right::Read, Right::Upload, Right::Fetch],
            Self::UploadOnly => &[Right::Upload],
            Self::Manage => &[Right::Read, Right::Upload, Right::Fetch, Right::Manage],
            Self::Admin => &[Right::Read, Right::Upload, Right::Fetch, Right::Manage, Right::Admin],
        }
    }

    pub fn has(self, right: Right) -> bool {
        self.rights().contains(&right)
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Upload => "upload",
            Self::UploadOnly => "upload_only",
            Self::Manage => "manage",
            Self::Admin => "admin",
        }
    }

    /// A scope that this version does not know may do nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Right {
    /// The scopes that have it, for the caller who lacks it.
    pub(super) fn scopes(self) -> String {
        let having = Scope::ALL.into_iter().filter(|scope| scope.has(self));
        having.map(|scope| format!("`{scope}`")).collect::<Vec<_>>().join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_earlier_versions_keep_their_meaning() {
        assert_eq!(Scope::parse("read").unwrap().rights(), [Right::Read]);
        assert_eq!(Scope::parse("upload").unwrap().rights(), [Right::Read, Right::Upload, Right::Fetch]);
        assert_eq!(Scope::parse("admin").unwrap().rights().len(), 5);
        assert_eq!(Scope::parse("root"), None);
    }

    #[test]
    fn who_lacks_a_right_is_told_which_scopes_have_it() {
        assert_eq!(Right::Manage.scopes(), "`manage` or `admin`");
    }
}
