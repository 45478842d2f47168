//! Bars that fill: one for each quality of a video, or one for each job of the farm.

use std::collections::BTreeMap;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::cli::answers::{Job, Quality};
use crate::cli::format;
use crate::cli::output::tame;
use crate::events::Progress;

/// By name, in the order in which they came. Hidden where stderr is no terminal.
pub(super) struct Bars {
    all: MultiProgress,
    shown: BTreeMap<String, ProgressBar>,
}

impl Bars {
    pub(super) fn on(all: &MultiProgress) -> Self {
        Self { all: all.clone(), shown: BTreeMap::new() }
    }

    fn set(&mut self, name: &str, label: &str, percent: f64, words: String) -> anyhow::Result<()> {
        if !self.shown.contains_key(name) {
            let style = ProgressStyle::with_template("{prefix:>8} {wide_bar} {percent:>3} % {msg}")?;
            let bar = ProgressBar::new(100).with_style(style).with_prefix(label.to_owned());
            self.shown.insert(name.to_owned(), self.all.add(bar));
        }
        if let Some(bar) = self.shown.get(name) {
            bar.set_position(whole(percent));
            bar.set_message(words);
        }
        Ok(())
    }

    pub(super) fn qualities(&mut self, qualities: &[Quality]) -> anyhow::Result<()> {
        for quality in qualities.iter().filter(|quality| quality.status != "skipped") {
            let segments = format!("{}/{} segments", quality.segments_completed, quality.segments_total);
            let words = match quality.fps.filter(|fps| *fps > 0.0) {
                Some(fps) => format!("{segments}, {fps:.0} fps"),
                None => segments,
            };
            self.set(&quality.name, &quality.name, quality.progress_percent, words)?;
        }
        Ok(())
    }

    /// Between two looks.
    pub(super) fn quality_progress(&self, progress: &Progress) {
        for quality in &progress.qualities {
            if let Some(bar) = self.shown.get(&quality.name) {
                bar.set_position(whole(quality.percent));
            }
        }
    }

    /// Exactly these.
    pub(super) fn jobs(&mut self, jobs: &[Job]) -> anyhow::Result<()> {
        self.shown.retain(|id, bar| {
            let runs = jobs.iter().any(|job| job.id == *id);
            if !runs {
                bar.finish_and_clear();
            }
            runs
        });
        for job in jobs {
            let left = job.eta.as_ref().map(|eta| format!(", {} left", format::eta(eta))).unwrap_or_default();
            let by = job.worker().map(|name| format!(" on {name}")).unwrap_or_default();
            let words = tame(&format!("{}{by}{left}", job.video_title)).replace('\n', " ");
            self.set(&job.id, &format!("job {}", job.number), job.progress_percent, words)?;
        }
        Ok(())
    }

    pub(super) fn job_progress(&self, progress: &Progress) {
        if let Some(bar) = self.shown.get(&progress.job_id.to_string()) {
            bar.set_position(whole(progress.percent));
        }
    }
}

fn whole(percent: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let whole = percent.clamp(0.0, 100.0) as u64;
    whole
}
