//! Files that the farm brings in by itself.

use crate::text_enum::text_enum;

text_enum! {
    /// Where a file comes from.
    IntakeKind {
        /// A server.
        Url = "url",
        /// A folder that the settings allow, because somebody named the file.
        Path = "path",
        /// The watch folder.
        Watch = "watch",
    }
}

text_enum! {
    /// How far bringing in a file has come.
    IntakeState {
        /// An instance takes it as soon as it is due.
        Waiting = "waiting",
        /// An instance copies it; the end moves it on, or the end of a lease that nobody renews.
        Fetching = "fetching",
        /// It is a video.
        Done = "done",
        /// It was given up; a person may have it tried again.
        Failed = "failed",
        /// A person gave it up; the same.
        Cancelled = "cancelled",
    }
}

text_enum! {
    /// What became of a file of the watch folder.
    WatchedState {
        Taken = "taken",
        Done = "done",
        Failed = "failed",
    }
}
