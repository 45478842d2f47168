//! `framefarm video`.

use clap::Args;

use super::answers::{Quality, Source, SourceVideo, Track, Video as Shown, VideoDetail};
use super::client::{self, Common, Farm};
use super::output::{self, Cell, Column, Details, Table, Tone};
use super::{Failure, block_on, format, job_lines};
use crate::auth::Scope;

/// Show a video: its playback URL, qualities and jobs
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm video holiday               part of a title that matches one video
  framefarm video 0199a2c3-7b1e-7c3a-9f5e-3b0d5c1a2b3c --json")]
pub(super) struct Video {
    /// Video ID, slug or part of its title
    #[arg(value_name = "VIDEO")]
    name: String,

    #[command(flatten)]
    common: Common,
}

impl Video {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Read)?;
        block_on(self.show(&farm))
    }

    async fn show(self, farm: &Farm) -> anyhow::Result<()> {
        let answer = client::video(farm, &self.name).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let VideoDetail { video, qualities, jobs, source, notes } = answer.read()?;
        let mut details = details(farm, &video, source.as_ref());
        for note in &notes {
            details.toned_line("note", &note.text, Tone::Warning);
        }
        details.table(lines(&qualities));
        details.table(job_lines::any(&jobs));
        output::print(&details.text())
    }
}

fn details(farm: &Farm, video: &Shown, source: Option<&Source>) -> Details {
    let mut details = Details::headed(&video.title, &video.status);
    if let Some(error) = &video.error {
        details.toned_line("error", error, Tone::Bad);
    }
    details.maybe("playback", video.playback_url.as_ref().map(|path| farm.url(path)));
    if let Some(work) = &video.work {
        let mut words = vec![format!("{}, {}", work.job_number, work.status)];
        if work.status == "running" {
            words.push(format::percent(work.percent));
        }
        words.extend(work.worker_name.as_ref().map(|name| format!("on {name}")));
        words.extend(work.position.map(|place| format!("position {place}")));
        words.extend(work.eta.as_ref().map(|eta| format!("{} left", format::eta(eta))));
        details.line("job", words.join(", "));
        details.maybe("waiting", work.waiting.as_ref().map(|waiting| &waiting.text));
    }
    details.line("source", format!("{}, {}", video.source_name, format::bytes(video.source_size)));
    let size = video.width.zip(video.height).map(|(width, height)| format!("{width}×{height}"));
    details.maybe("duration", video.duration_seconds.map(format::clock));
    details.maybe("resolution", size);
    if let Some(source) = source {
        details.maybe("video track", source.video.as_ref().map(video_track));
        details.maybe("audio", tracks(&source.audio));
        details.maybe("subtitles", tracks(&source.subtitles));
    }
    details.maybe("collection", video.collection.as_ref());
    details.line("added", format::ago(video.created_at));
    details.maybe("ready", video.ready_at.map(format::ago));
    details.line("slug", &video.slug);
    details.line("id", &video.id);
    details
}

/// "1920×1080, 29.97 fps, h264": as uploaded.
fn video_track(track: &SourceVideo) -> String {
    let SourceVideo { width, height, frame_rate, codec } = track;
    format!("{width}×{height}, {} fps, {codec}", format::frame_rate(*frame_rate))
}

/// "en (Commentary), de"; a track without language and title is its number.
fn tracks(tracks: &[Track]) -> Option<String> {
    let told = (1..).zip(tracks).map(|(number, track)| match (&track.language, &track.title) {
        (Some(language), Some(title)) => format!("{language} ({title})"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => format!("track {number}"),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}

fn lines(qualities: &[Quality]) -> Table {
    const COLUMNS: usize = 9;
    let columns: [Column; COLUMNS] = [
        Column::new("QUALITY"),
        Column::new("STATUS"),
        Column::new("DONE").right(),
        Column::new("SEGMENTS").right(),
        Column::new("RESOLUTION").right(),
        Column::new("KBIT/S").right(),
        Column::new("CODEC"),
        Column::new("SPEED").right().optional(),
        Column::new("ERROR").gives(),
    ];
    let mut table = Table::new(columns);
    for quality in qualities {
        if quality.status == "skipped" {
            let mut cells = vec![quality.name.clone().into(), Cell::state(&quality.status)];
            cells.resize_with(COLUMNS, Cell::default);
            table.row(cells);
            continue;
        }
        let has_picture = quality.width > 0 && quality.height > 0;
        table.row([
            quality.name.clone().into(),
            Cell::state(&quality.status),
            format::percent(if quality.status == "completed" { 100.0 } else { quality.progress_percent })
                .into(),
            format!("{}/{}", quality.segments_completed, quality.segments_total).into(),
            if has_picture {
                format!("{}×{}", quality.width, quality.height).into()
            } else {
                Cell::default()
            },
            quality.bitrate_kbps.into(),
            quality.codec.as_deref().unwrap_or("aac").into(),
            // How fast it is encoded; the frame rate of the video is another number.
            quality
                .fps
                .filter(|_| quality.status == "in_progress")
                .map(|fps| format!("{fps:.0} frames/s"))
                .unwrap_or_default()
                .into(),
            quality.error.clone().unwrap_or_default().into(),
        ]);
    }
    table
}
