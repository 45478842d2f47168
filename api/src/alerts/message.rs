//! The content of an alert, before it is formatted for a receiver.

use chrono::{DateTime, Utc};
use framefarm_shared::alert::{AlertState, AlertType};
use framefarm_shared::id::{JobId, VideoId, WorkerId};
use serde::{Deserialize, Serialize};

/// Short enough for a headline of every receiver.
const LONGEST_TITLE: usize = 120;
const LONGEST_TEXT: usize = 1_000;

/// Kept with its delivery; the body is written when it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `None` for a test.
    pub alert_type: Option<AlertType>,
    pub state: AlertState,
    pub title: String,
    pub text: String,
    pub occurred_at: DateTime<Utc>,
    /// What it is about, where there can be several: a worker, a GPU.
    #[serde(default)]
    pub subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_id: Option<VideoId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<WorkerId>,
    /// The path on the farm's web page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Other alerts of this type that were suppressed since the last message.
    #[serde(default)]
    pub suppressed: i64,
}

impl Message {
    pub fn new(
        alert_type: AlertType,
        state: AlertState,
        title: &str,
        text: &str,
        occurred_at: DateTime<Utc>,
    ) -> Self {
        Self {
            alert_type: Some(alert_type),
            state,
            title: clean(title, LONGEST_TITLE),
            text: clean(text, LONGEST_TEXT),
            occurred_at,
            subject: String::new(),
            video_id: None,
            job_id: None,
            worker_id: None,
            page: None,
            suppressed: 0,
        }
    }

    pub fn test(endpoint: &str, occurred_at: DateTime<Utc>) -> Self {
        let text = format!("Framefarm can reach this endpoint ({endpoint}). No action is needed.");
        let message = Self::new(AlertType::VideoReady, AlertState::Test, "Test message", &text, occurred_at);
        Self { alert_type: None, ..message }
    }

    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// How many alerts were suppressed, as a sentence; `None` if none were.
    pub fn held_back_words(&self) -> Option<String> {
        match self.suppressed {
            ..=0 => None,
            1 => Some("1 more alert of this type was suppressed since the last message.".to_owned()),
            count => {
                Some(format!("{count} more alerts of this type were suppressed since the last message."))
            }
        }
    }
}

/// In one piece and never empty: receivers refuse an empty headline, and PostgreSQL the zero byte.
fn clean(text: &str, most: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.trim() {
        "" => "-".to_owned(),
        text => cut(text, most),
    }
}

/// Cut between characters, with a sign that something is missing.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("größe", 5), "größe");
        assert_eq!(cut("größer", 5), "größ…");
        assert_eq!((clean("a\0b\n", 5), clean(" \t", 5)), ("a b".to_owned(), "-".to_owned()));
    }
}
