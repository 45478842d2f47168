//! A message to the other instances, and its JSON.

use framefarm_shared::id::{BootId, VideoId};
use serde::{Deserialize, Serialize};

use crate::dispatch::Hint;
use crate::events::{Progress, WorkerSign};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "news", rename_all = "snake_case")]
pub enum ClusterMessage {
    /// A job that nobody who waits at the sender can take.
    Claimable(Hint),
    /// A switch was changed: claims that wait may look again.
    LookAgain,
    /// The table `event` has new rows.
    Appended,
    /// How far a job is, under which fence.
    Progress {
        fence: i64,
        progress: Progress,
    },
    Completed {
        video_id: VideoId,
    },
    Worker(WorkerSign),
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    from: BootId,
    #[serde(flatten)]
    message: ClusterMessage,
}

impl ClusterMessage {
    /// The channel it goes to, below the farm's own name.
    pub(super) fn channel(&self) -> String {
        match self {
            Self::Claimable(_) | Self::LookAgain => "claimable".to_owned(),
            Self::Appended => "events".to_owned(),
            Self::Progress { progress, .. } => format!("transcode_progress:{}", progress.video_id),
            Self::Completed { video_id } => format!("transcode_complete:{video_id}"),
            Self::Worker(_) => "worker_status".to_owned(),
        }
    }

    pub(super) fn written(&self, from: BootId) -> serde_json::Result<String> {
        serde_json::to_string(&Envelope { from, message: self.clone() })
    }

    /// `None` for what a newer version may send.
    pub(super) fn read(text: &[u8]) -> Option<(BootId, Self)> {
        let Envelope { from, message } = serde_json::from_slice(text).ok()?;
        Some((from, message))
    }
}
