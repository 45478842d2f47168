//! The whole farm: bars for what runs, a line for everything that happens.

use std::collections::HashMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tokio::time::{Instant, sleep_until};

use super::bars::Bars;
use crate::cli::answers::{Event, Overview};
use crate::cli::client::{Events, Farm, Message};
use crate::cli::output;
use crate::cli::{format, status};

/// Estimates grow old even where nothing happens.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// A busy farm changes many times a second.
const LOOK_SOON: Duration = Duration::from_secs(1);

pub(super) async fn watch(farm: &Farm, json: bool) -> anyhow::Result<()> {
    let mut events = Events::of(farm, None);
    if json {
        loop {
            output::json(&events.next().await?)?;
        }
    }
    let mut view = View::new()?;
    loop {
        view.look(farm).await?;
        let looked = Instant::now();
        let mut next_look = looked + LOOK_EVERY;
        loop {
            let heard = tokio::select! {
                heard = events.next() => heard?,
                () = sleep_until(next_look) => break,
            };
            match heard.message() {
                Some(Message::Progress(progress)) => view.bars.job_progress(&progress),
                Some(Message::Change(event)) => {
                    view.tell(&event)?;
                    next_look = next_look.min(looked + LOOK_SOON);
                }
                Some(Message::Anew) => next_look = next_look.min(looked + LOOK_SOON),
                None => {}
            }
        }
    }
}

struct View {
    all: MultiProgress,
    head: ProgressBar,
    bars: Bars,
    /// Of videos that were seen at work.
    titles: HashMap<String, String>,
}

impl View {
    fn new() -> anyhow::Result<Self> {
        let all = MultiProgress::new();
        let head = ProgressBar::no_length().with_style(ProgressStyle::with_template("{wide_msg}")?);
        Ok(Self { head: all.add(head), bars: Bars::on(&all), all, titles: HashMap::new() })
    }

    async fn look(&mut self, farm: &Farm) -> anyhow::Result<()> {
        let overview: Overview = farm.get("/api/overview").await?.read()?;
        for job in &overview.running {
            self.titles.insert(job.video_id.clone(), job.video_title.clone());
        }
        self.head.set_message(status::queue_words(&overview));
        self.bars.jobs(&overview.running)
    }

    fn tell(&self, event: &Event) -> anyhow::Result<()> {
        // Every few seconds for each quality: the bars tell that.
        if event.kind == "part_delivered" {
            return Ok(());
        }
        let title = event.video_id.as_ref().and_then(|id| self.titles.get(id));
        let about = title.map(|title| format!(": {title}")).unwrap_or_default();
        let why = event.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let line = format!("{}  {}{about}{why}, by {}", format::time(event.at), event.words(), event.actor);
        self.all.suspend(|| output::say(&line.replace('\n', " ")))
    }
}
