//! A video on its way to be playable: a bar for each of its qualities.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use reqwest::Method;
use serde::Deserialize;
use tokio::time::sleep;

use super::farm::{Farm, Patience, Trouble, answer};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is shown of the API's answer.
#[derive(Deserialize)]
struct Detail {
    video: Video,
    qualities: Vec<Quality>,
}

#[derive(Deserialize)]
struct Video {
    status: String,
    error: Option<String>,
    playback_url: Option<String>,
}

#[derive(Deserialize)]
struct Quality {
    name: String,
    status: String,
    segments_total: u64,
    segments_completed: u64,
    progress_percent: f64,
    #[serde(default)]
    fps: Option<f64>,
}

/// Its address once it plays, or why it never will.
pub(super) async fn until_it_plays(
    farm: &Farm,
    video: &str,
    bars: &MultiProgress,
) -> anyhow::Result<Result<String, String>> {
    let (mut shown, mut patience) = (BTreeMap::new(), Patience::default());
    loop {
        let Detail { video, qualities } = match look(farm, video).await {
            Ok(detail) => detail,
            Err(trouble) => {
                patience.pause(trouble).await?;
                continue;
            }
        };
        patience.renew();
        for quality in qualities.iter().filter(|quality| quality.status != "skipped") {
            show(bars, &mut shown, quality)?;
        }
        match (video.status.as_str(), video.playback_url) {
            ("ready", Some(path)) => return Ok(Ok(farm.url(&path))),
            ("failed", _) => {
                return Ok(Err(video.error.unwrap_or_else(|| "the farm does not say why".to_owned())));
            }
            _ => sleep(LOOK_EVERY).await,
        }
    }
}

async fn look(farm: &Farm, video: &str) -> Result<Detail, Trouble> {
    let response = answer(farm.request(Method::GET, &format!("/api/videos/{video}"))).await?;
    let body = response.bytes().await.map_err(|error| Trouble::Hiccup(error.to_string()))?;
    serde_json::from_slice(&body).map_err(|error| {
        Trouble::Refused(format!("the answer was not understood: {error}; is it a Framefarm?"))
    })
}

fn show(
    bars: &MultiProgress,
    shown: &mut BTreeMap<String, ProgressBar>,
    quality: &Quality,
) -> anyhow::Result<()> {
    if !shown.contains_key(&quality.name) {
        let style = ProgressStyle::with_template("{prefix:>8} {wide_bar} {percent:>3} % {msg}")?;
        let bar = ProgressBar::new(100).with_style(style).with_prefix(quality.name.clone());
        shown.insert(quality.name.clone(), bars.add(bar));
    }
    if let Some(bar) = shown.get(&quality.name) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
        bar.set_position(quality.progress_percent.clamp(0.0, 100.0) as u64);
        bar.set_message(words(quality));
    }
    Ok(())
}

fn words(quality: &Quality) -> String {
    let segments = format!("{}/{} segments", quality.segments_completed, quality.segments_total);
    match quality.fps.filter(|fps| *fps > 0.0) {
        Some(fps) => format!("{segments}, {fps:.0} fps"),
        None => segments,
    }
}
