//! Imports: files that the farm fetches.

use crate::text_enum::text_enum;

text_enum! {
    /// Where a file comes from.
    IntakeKind {
        /// A URL.
        Url = "url",
        /// A path in a folder that the settings allow.
        Path = "path",
        /// The watch folder.
        Watch = "watch",
    }
}

text_enum! {
    /// State of an import.
    IntakeState {
        /// Waiting until it is due.
        Waiting = "waiting",
        /// An instance is copying it, under a lease.
        Fetching = "fetching",
        /// It became a video.
        Done = "done",
        /// It failed; a person can retry it.
        Failed = "failed",
        /// A person cancelled it, and can retry it.
        Cancelled = "cancelled",
    }
}

text_enum! {
    /// State of a file in the watch folder.
    WatchedState {
        Taken = "taken",
        Done = "done",
        Failed = "failed",
    }
}
