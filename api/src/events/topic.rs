//! Which messages a subscriber receives.

use std::str::FromStr;

use framefarm_shared::id::VideoId;

use super::live::Interest;
use super::message::Message;
use crate::error::ApiError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Videos,
    Video(VideoId),
    Workers,
    Queue,
}

/// `videos`, `videos:{id}`, `workers` and `queue`, separated by commas; all without any.
#[derive(Clone, Debug, Default)]
pub struct Topics(Vec<Topic>);

impl Topics {
    pub(super) fn include(&self, message: &Message) -> bool {
        if matches!(message, Message::Change(event) if event.kind.is_for_the_audit_alone()) {
            return false;
        }
        self.0.is_empty() || self.0.iter().any(|topic| topic.includes(message))
    }
}

impl Topics {
    /// Whose progress it may hear of.
    pub(super) fn interest(&self) -> Interest {
        match self.0[..] {
            [Topic::Video(id)] => Interest::Video(id),
            _ => Interest::All,
        }
    }
}

impl Topic {
    fn includes(self, message: &Message) -> bool {
        match (self, message) {
            (_, Message::Hello(_) | Message::Reset)
            | (Self::Workers, Message::Worker(_))
            | (Self::Videos, Message::Progress(_)) => true,
            (Self::Video(id), Message::Progress(progress)) => progress.video_id == id,
            (Self::Videos, Message::Change(event)) => event.video_id.is_some(),
            (Self::Video(id), Message::Change(event)) => event.video_id == Some(id),
            (Self::Workers, Message::Change(event)) => event.worker_id.is_some(),
            (Self::Queue, Message::Change(event)) => {
                event.job_id.is_some() || event.kind.as_str().starts_with("queue_")
            }
            (Self::Queue, Message::Progress(_) | Message::Worker(_))
            | (Self::Videos | Self::Video(_), Message::Worker(_))
            | (Self::Workers, Message::Progress(_)) => false,
        }
    }
}

impl FromStr for Topics {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        let parsed = text.split(',').map(|word| match word.trim().split_once(':') {
            None if word.trim() == "videos" => Some(Topic::Videos),
            None if word.trim() == "workers" => Some(Topic::Workers),
            None if word.trim() == "queue" => Some(Topic::Queue),
            Some(("videos", id)) => id.parse().ok().map(Topic::Video),
            _ => None,
        });
        parsed.collect::<Option<_>>().map(Self).ok_or_else(|| {
            let detail = "`topics` must be a comma-separated list of videos, videos:{id}, workers and queue.";
            ApiError::bad_request("bad_topics", detail)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_read_and_others_refused() {
        let id = "0197a3c2-0000-7000-8000-000000000001";
        assert_eq!(format!("videos:{id}, workers").parse::<Topics>().unwrap().0.len(), 2);
        for text in ["", "video", "videos:", "videos:x", "workers,,queue", "workers:1"] {
            assert_eq!(text.parse::<Topics>().unwrap_err().code, "bad_topics", "{text}");
        }
    }
}
