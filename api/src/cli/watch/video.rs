//! One video until it plays, or until nothing is being done with it.

use std::time::Duration;

use indicatif::MultiProgress;
use tokio::time::{Instant, sleep_until};

use super::bars::Bars;
use crate::cli::answers::VideoDetail;
use crate::cli::client::{CallError, Events, Farm, Message, Patience};
use crate::cli::output;

/// Events say when to look; between a farm and its subscriber may stand a proxy that holds them back.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Without events.
const LOOK_OFTEN: Duration = Duration::from_secs(1);
/// Parts are delivered many times a second.
const LOOK_SOON: Duration = Duration::from_millis(300);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// It can be played.
    Plays,
    /// And nothing more is being done.
    Done,
}

/// A video that can be played.
pub(crate) struct Playing {
    url: String,
    notes: Vec<String>,
}

impl Playing {
    /// The address for a script, and beside it what a person should know.
    pub(crate) fn tell(&self) -> anyhow::Result<()> {
        for note in &self.notes {
            output::remark(&format!("note: {note}"));
        }
        output::say(&self.url)
    }
}

/// What plays, or why it never will.
pub(crate) async fn follow(
    farm: &Farm,
    video: &str,
    until: Until,
    bars: &MultiProgress,
    json: bool,
) -> anyhow::Result<Result<Playing, String>> {
    let mut bars = Bars::on(bars);
    let mut events = Some(Events::of(farm, Some(format!("videos:{video}"))));
    let mut patience = Patience::default();
    loop {
        match farm
            .get(&farm.below("/api/videos", video))
            .await
            .and_then(|answer| answer.read::<VideoDetail>())
        {
            Ok(detail) => {
                patience.renew();
                if !json {
                    bars.qualities(&detail.qualities)?;
                }
                if let Some(end) = end(farm, &detail, until) {
                    return Ok(end);
                }
            }
            Err(error) => patience.pause(error).await?,
        }
        let looked = Instant::now();
        let mut next_look = looked + if events.is_some() { LOOK_EVERY } else { LOOK_OFTEN };
        while let Some(heard) = until_then(&mut events, next_look).await {
            if json {
                output::json(&heard)?;
            }
            match heard.message() {
                Some(Message::Progress(progress)) => bars.quality_progress(&progress),
                // What happened before the first message was not heard.
                Some(Message::Change(_) | Message::Anew) => next_look = next_look.min(looked + LOOK_SOON),
                None => {}
            }
        }
    }
}

/// The next message, or nothing when the time has come.
async fn until_then(events: &mut Option<Events<'_>>, then: Instant) -> Option<crate::cli::client::Heard> {
    let Some(open) = events else {
        sleep_until(then).await;
        return None;
    };
    let heard: Result<_, CallError> = tokio::select! {
        heard = open.next() => heard,
        () = sleep_until(then) => return None,
    };
    // Looking goes on without them; if the farm is gone, looking says so.
    heard.map_err(|_| *events = None).ok()
}

fn end(farm: &Farm, detail: &VideoDetail, until: Until) -> Option<Result<Playing, String>> {
    let VideoDetail { video, jobs, notes, .. } = detail;
    if until == Until::Done {
        if video.work.is_some() {
            return None;
        }
        // A video goes on playing when it cannot be encoded again.
        let newest = jobs.first().filter(|job| matches!(job.status.as_str(), "failed" | "cancelled"));
        if let Some(job) = newest {
            return Some(Err(job
                .error
                .clone()
                .unwrap_or_else(|| format!("job {} {}", job.number, job.status))));
        }
    }
    match (video.status.as_str(), &video.playback_url) {
        ("ready", Some(path)) => {
            let notes = notes.iter().map(|note| note.text.clone()).collect();
            Some(Ok(Playing { url: farm.url(path), notes }))
        }
        ("failed", _) => Some(Err(video.error.clone().unwrap_or_else(|| "no error message".to_owned()))),
        _ => None,
    }
}
