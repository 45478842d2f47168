//! How far a job is, told to the farm now and then.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::failure::truncate;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::{HeldJob, PlanReply, ProgressRequest, QualityProgress};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::job::Attempt;
use super::plan::is_wanted;
use crate::client::Client;
use crate::encoder::protocol::QualityPace;
use crate::heart::Hold;

const AT_MOST_EVERY: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of an encoder's name.
const MOST_ENCODER: usize = 40;

/// Says once where the job stands. That it could not be said stops nobody.
pub(super) async fn tell_step(attempt: &Attempt<'_>, step: Step, percent: f64) {
    let HeldJob { job_id, fence } = attempt.hold.job();
    let (qualities, eta_seconds, log) = (Vec::new(), None, None);
    let request = ProgressRequest { job_id, fence, step, percent, qualities, eta_seconds, log };
    tell(&attempt.supervisor.client, &attempt.hold, &request).await;
}

async fn tell(client: &Client, hold: &Hold, request: &ProgressRequest) {
    match timeout(PATIENCE, hold.unless_lost(client.progress(request))).await {
        Ok(Ok(sent)) => hold.renewed(sent.sent_at, sent.reply.lease_seconds),
        Ok(Err(error)) => tracing::debug!(error = %error, "progress was not heard"),
        Err(_) => tracing::debug!("progress was not heard in time"),
    }
}

/// Collects what the encoder says and passes it on, the newest at most every two seconds.
pub(super) struct Progress {
    tally: Tally,
    latest: watch::Sender<Option<ProgressRequest>>,
    hold: Arc<Hold>,
    client: Client,
    _telling: AbortOnDropHandle<()>,
}

impl Progress {
    pub(super) fn start(attempt: &Attempt<'_>, agreed: &PlanReply) -> Self {
        let (latest, news) = watch::channel(None);
        let (client, hold) = (attempt.supervisor.client.clone(), Arc::clone(&attempt.hold));
        let telling = tokio::spawn(keep_telling(client.clone(), Arc::clone(&hold), news));
        let tally = Tally::of(agreed);
        Self { tally, latest, hold, client, _telling: AbortOnDropHandle::new(telling) }
    }

    /// `log` is what the encoder wrote beside.
    /// True if a quality came further.
    pub(super) fn paces(&mut self, paces: &[QualityPace], log: Option<String>) -> bool {
        let before = self.tally.sum();
        self.tally.paces(paces);
        self.tally.log = log;
        self.latest.send_replace(Some(self.tally.request(self.hold.job())));
        self.tally.sum() > before
    }

    /// Every quality is coded; images and text may still be in the making.
    pub(super) fn is_coded(&self) -> bool {
        self.tally.qualities.values().all(|quality| quality.error.is_some() || quality.percent >= 99.9)
    }

    pub(super) fn quality_failed(&mut self, name: &str, message: &str) {
        self.tally.failed(name, message);
        self.latest.send_replace(Some(self.tally.request(self.hold.job())));
    }

    /// The qualities that failed, in words; empty if none did.
    pub(super) fn failures(&self) -> String {
        self.tally.failures()
    }

    /// The last word on each quality, before the last word on the job.
    pub(super) async fn tell_now(&self) {
        tell(&self.client, &self.hold, &self.tally.request(self.hold.job())).await;
    }
}

async fn keep_telling(client: Client, hold: Arc<Hold>, mut news: watch::Receiver<Option<ProgressRequest>>) {
    while news.changed().await.is_ok() {
        let request = news.borrow_and_update().clone();
        if let Some(request) = request {
            tell(&client, &hold, &request).await;
        }
        sleep(AT_MOST_EVERY).await;
    }
}

/// The newest of each quality.
struct Tally {
    seconds: f64,
    qualities: BTreeMap<String, QualityProgress>,
    log: Option<String>,
}

impl Tally {
    fn of(agreed: &PlanReply) -> Self {
        let wanted = agreed.qualities.iter().filter(|report| is_wanted(report));
        let qualities = wanted.map(|report| {
            let have: i32 = report.have.iter().map(|range| range.last - range.first + 1).sum();
            let percent = f64::from(have) / f64::from(report.segments_total.max(1)) * 100.0;
            let name = report.quality.name.clone();
            (name.clone(), QualityProgress { name, percent, ..QualityProgress::default() })
        });
        let seconds = Duration::from_micros(agreed.plan.source.duration_us).as_secs_f64();
        Self { seconds, qualities: qualities.collect(), log: None }
    }

    fn paces(&mut self, paces: &[QualityPace]) {
        for pace in paces {
            if let Some(quality) = self.qualities.get_mut(&pace.quality) {
                quality.percent = plain(pace.percent).min(100.0);
                quality.fps = Some(plain(pace.fps));
                quality.speed = Some(plain(pace.speed));
                quality.encoder = Some(truncate(&pace.encoder, MOST_ENCODER).to_owned());
            }
        }
    }

    fn sum(&self) -> f64 {
        self.qualities.values().map(|quality| quality.percent).sum()
    }

    fn failed(&mut self, name: &str, message: &str) {
        if let Some(quality) = self.qualities.get_mut(name) {
            let words = if message.is_empty() { "the encoder gave up on it" } else { message };
            quality.error = Some(words.to_owned());
        }
    }

    fn failures(&self) -> String {
        let failed = self
            .qualities
            .values()
            .filter_map(|quality| quality.error.as_ref().map(|error| format!("{}: {error}", quality.name)));
        failed.collect::<Vec<_>>().join("; ")
    }

    fn request(&self, HeldJob { job_id, fence }: HeldJob) -> ProgressRequest {
        let qualities: Vec<_> = self.qualities.values().cloned().collect();
        #[expect(clippy::cast_precision_loss, reason = "a few qualities")]
        let percent = self.sum() / qualities.len().max(1) as f64;
        let (eta_seconds, log) = (self.eta(), self.log.clone());
        let percent = percent.min(100.0);
        ProgressRequest { job_id, fence, step: Step::Transcode, percent, qualities, eta_seconds, log }
    }

    /// Until the slowest quality is through; nobody knows while one of them stands.
    fn eta(&self) -> Option<f64> {
        let open =
            self.qualities.values().filter(|quality| quality.error.is_none() && quality.percent < 100.0);
        let mut longest = None;
        for quality in open {
            let speed = quality.speed.filter(|speed| *speed > 0.001)?;
            let rest = (100.0 - quality.percent) / 100.0 * self.seconds / speed;
            longest = Some(rest.max(longest.unwrap_or(0.0)));
        }
        longest
    }
}

/// The child decodes strangers' files: its numbers are not taken as they come.
fn plain(number: f64) -> f64 {
    if number.is_finite() { number.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(names: &[&str]) -> Tally {
        let quality = |name: &&str| {
            ((*name).to_owned(), QualityProgress { name: (*name).to_owned(), ..<_>::default() })
        };
        Tally { seconds: 100.0, qualities: names.iter().map(quality).collect(), log: None }
    }

    fn pace(quality: &str, percent: f64, speed: f64) -> QualityPace {
        let encoder = "libx264".repeat(10);
        QualityPace { quality: quality.to_owned(), encoder, percent, fps: 25.0 * speed, speed }
    }

    #[test]
    fn the_slowest_quality_decides_when_it_is_done() {
        let mut tally = tally(&["360p", "720p"]);
        assert_eq!(tally.eta(), None);
        tally.paces(&[pace("360p", 50.0, 5.0), pace("720p", 20.0, 2.0)]);
        assert_eq!(tally.eta(), Some(40.0));
        tally.failed("720p", "no such encoder");
        assert_eq!(tally.eta(), Some(10.0));
        assert_eq!(tally.failures(), "720p: no such encoder");
    }

    #[test]
    fn numbers_beyond_reason_and_unknown_qualities_are_not_passed_on() {
        let mut tally = tally(&["360p"]);
        tally.paces(&[pace("360p", 1e9, -1.0), pace("nonsense", 1.0, 1.0)]);
        let quality = &tally.qualities["360p"];
        assert_eq!((quality.percent, quality.speed, tally.qualities.len()), (100.0, Some(0.0), 1));
        assert_eq!(quality.encoder.as_ref().map(String::len), Some(MOST_ENCODER));
    }
}
