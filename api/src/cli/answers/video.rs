//! Videos.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::Job;
use crate::estimate::Eta;

#[derive(Deserialize)]
pub(crate) struct Video {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) collection: Option<String>,
    pub(crate) status: String,
    pub(crate) error: Option<String>,
    pub(crate) source_name: String,
    pub(crate) source_size: u64,
    pub(crate) playback_url: Option<String>,
    pub(crate) duration_seconds: Option<f64>,
    pub(crate) width: Option<i32>,
    pub(crate) height: Option<i32>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) ready_at: Option<DateTime<Utc>>,
    pub(crate) work: Option<Work>,
}

/// What is being done with it.
#[derive(Deserialize)]
pub(crate) struct Work {
    pub(crate) job_number: i64,
    pub(crate) status: String,
    pub(crate) percent: f64,
    pub(crate) position: Option<i64>,
    pub(crate) worker_name: Option<String>,
    pub(crate) eta: Option<Eta>,
    pub(crate) waiting: Option<Waiting>,
}

#[derive(Deserialize)]
pub(crate) struct Waiting {
    pub(crate) text: String,
}

#[derive(Deserialize)]
pub(crate) struct Quality {
    pub(crate) name: String,
    pub(crate) status: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) bitrate_kbps: i32,
    pub(crate) codec: Option<String>,
    pub(crate) segments_total: i64,
    pub(crate) segments_completed: i64,
    pub(crate) progress_percent: f64,
    #[serde(default)]
    pub(crate) fps: Option<f64>,
    pub(crate) error: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct VideoDetail {
    pub(crate) video: Video,
    pub(crate) qualities: Vec<Quality>,
    pub(crate) jobs: Vec<Job>,
    #[serde(default)]
    pub(crate) source: Option<Source>,
    #[serde(default)]
    pub(crate) notes: Vec<Note>,
}

/// What was uploaded, as its worker found it.
#[derive(Deserialize)]
pub(crate) struct Source {
    pub(crate) video: Option<SourceVideo>,
    #[serde(default)]
    pub(crate) audio: Vec<Track>,
    #[serde(default)]
    pub(crate) subtitles: Vec<Track>,
}

#[derive(Deserialize)]
pub(crate) struct SourceVideo {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) frame_rate: f64,
    pub(crate) codec: String,
}

#[derive(Deserialize)]
pub(crate) struct Track {
    pub(crate) language: Option<String>,
    pub(crate) title: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Note {
    pub(crate) text: String,
}
