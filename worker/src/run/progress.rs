//! Progress of a job, reported to the farm from time to time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::failure::{ErrorClass, truncate};
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::{HeldJob, LeftOut, PlanReply, ProgressRequest, QualityProgress};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::job::Attempt;
use super::plan::is_wanted;
use crate::client::Client;
use crate::encoder::protocol::QualityPace;
use crate::heartbeat::LeaseGuard;

const AT_MOST_EVERY: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of an encoder's name.
const MOST_ENCODER: usize = 40;

/// Says once where the job stands. That it could not be said stops nobody.
pub(super) async fn tell_step(attempt: &Attempt<'_>, step: Step, percent: f64) {
    let request = step_request(attempt.hold.job(), step, percent);
    tell(&attempt.supervisor.client, &attempt.hold, &request).await;
}

fn step_request(HeldJob { job_id, fence }: HeldJob, step: Step, percent: f64) -> ProgressRequest {
    let (qualities, eta_seconds, log) = (Vec::new(), None, None);
    ProgressRequest { job_id, fence, step, percent, qualities, eta_seconds, log }
}

/// How far a step is that has no qualities, told like [`Progress`].
pub(super) struct StepProgress {
    step: Step,
    job: HeldJob,
    latest: watch::Sender<Option<ProgressRequest>>,
    _telling: AbortOnDropHandle<()>,
}

impl StepProgress {
    pub(super) fn start(attempt: &Attempt<'_>, step: Step) -> Self {
        let (latest, news) = watch::channel(None);
        let (client, hold) = (attempt.supervisor.client.clone(), Arc::clone(&attempt.hold));
        let job = hold.job();
        let telling = tokio::spawn(keep_telling(client, hold, news));
        Self { step, job, latest, _telling: AbortOnDropHandle::new(telling) }
    }

    /// Not quite 100: a step is over when it says so, and files are read twice in places.
    pub(super) fn reached(&self, done: u64, total: u64) {
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        let percent = (done as f64 / total.max(1) as f64 * 100.0).min(99.0);
        self.latest.send_replace(Some(step_request(self.job, self.step, percent)));
    }
}

async fn tell(client: &Client, hold: &LeaseGuard, request: &ProgressRequest) {
    match timeout(PATIENCE, hold.unless_lost(client.progress(request))).await {
        Ok(Ok(sent)) => hold.renewed(sent.sent_at, sent.reply.lease_seconds),
        Ok(Err(error)) => tracing::debug!(error = %error, "cannot report progress"),
        Err(_) => tracing::debug!("reporting progress timed out"),
    }
}

/// Collects what the encoder says and passes it on, the newest at most every two seconds.
pub(super) struct Progress {
    tally: Tally,
    latest: watch::Sender<Option<ProgressRequest>>,
    hold: Arc<LeaseGuard>,
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

    /// `log` is what the encoder wrote beside. Gives back the qualities that came further.
    pub(super) fn paces(&mut self, paces: &[QualityPace], log: Option<String>) -> Vec<String> {
        let further = self.tally.paces(paces);
        self.tally.log = log;
        self.latest.send_replace(Some(self.tally.request(self.hold.job())));
        further
    }

    /// Every one of these qualities is coded.
    pub(super) fn is_coded(&self, which: impl Fn(&str) -> bool) -> bool {
        let mut asked_for = self.tally.qualities.values().filter(|quality| which(&quality.name));
        asked_for.all(|quality| quality.error.is_some() || quality.percent >= 99.9)
    }

    pub(super) fn quality_failed(&mut self, name: &str, class: ErrorClass, message: &str) {
        self.tally.failed(name, class, message);
        self.latest.send_replace(Some(self.tally.request(self.hold.job())));
    }

    /// The qualities that failed and cannot be left out: the class for all of them, and each in words.
    pub(super) fn failures(&self) -> Option<(ErrorClass, String)> {
        self.tally.failures()
    }

    /// Audio tracks that the source does not let be made, if something is left without them.
    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        self.tally.left_out()
    }

    /// The last word on each quality, before the last word on the job.
    pub(super) async fn tell_now(&self) {
        tell(&self.client, &self.hold, &self.tally.request(self.hold.job())).await;
    }
}

async fn keep_telling(
    client: Client,
    hold: Arc<LeaseGuard>,
    mut news: watch::Receiver<Option<ProgressRequest>>,
) {
    while news.changed().await.is_ok() {
        let request = news.borrow_and_update().clone();
        if let Some(request) = request {
            tell(&client, &hold, &request).await;
        }
        sleep(AT_MOST_EVERY).await;
    }
}

/// The newest of each quality.
#[derive(Default)]
struct Tally {
    seconds: f64,
    qualities: BTreeMap<String, QualityProgress>,
    /// Packets that the encoder of each gave.
    packets: BTreeMap<String, u64>,
    /// Why a quality failed; the words are with `qualities`.
    failed: BTreeMap<String, ErrorClass>,
    /// Of all qualities of the video that are to be there, those that are sound.
    audio: BTreeSet<String>,
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
        let audio = agreed.qualities.iter().filter(|report| report.quality.kind == MediaKind::Audio);
        let audio = audio.map(|report| report.quality.name.clone()).collect();
        Self { seconds, qualities: qualities.collect(), audio, ..Self::default() }
    }

    /// Gives back those that came further.
    fn paces(&mut self, paces: &[QualityPace]) -> Vec<String> {
        let mut further = Vec::new();
        for pace in paces {
            if let Some(quality) = self.qualities.get_mut(&pace.quality) {
                let packets = self.packets.entry(pace.quality.clone()).or_default();
                if plain(pace.percent) > quality.percent || pace.packets > *packets {
                    further.push(pace.quality.clone());
                }
                *packets = pace.packets;
                quality.percent = plain(pace.percent).min(100.0);
                quality.fps = Some(plain(pace.fps));
                quality.speed = Some(plain(pace.speed));
                quality.encoder = Some(truncate(&pace.encoder, MOST_ENCODER).to_owned());
            }
        }
        further
    }

    fn sum(&self) -> f64 {
        self.qualities.values().map(|quality| quality.percent).sum()
    }

    fn failed(&mut self, name: &str, class: ErrorClass, message: &str) {
        if let Some(quality) = self.qualities.get_mut(name) {
            self.failed.insert(name.to_owned(), class);
            let words =
                if message.is_empty() { "the encoder failed without an error message" } else { message };
            quality.error = Some(words.to_owned());
        }
    }

    fn may_be_left_out(&self, name: &str) -> bool {
        let something = self.qualities.keys().any(|name| !self.failed.contains_key(name));
        something && self.audio.contains(name) && self.failed.get(name) == Some(&ErrorClass::InputInvalid)
    }

    fn left_out(&self) -> Vec<LeftOut> {
        let failed = self.failed.keys().filter(|name| self.may_be_left_out(name));
        let error = |name: &String| self.qualities.get(name)?.error.clone();
        failed.map(|name| LeftOut { quality: name.clone(), error: error(name).unwrap_or_default() }).collect()
    }

    /// Only if the source is at fault for all of them, trying again cannot help.
    fn failures(&self) -> Option<(ErrorClass, String)> {
        let failed: Vec<_> = self.failed.iter().filter(|(name, _)| !self.may_be_left_out(name)).collect();
        let by_source = failed.iter().all(|(_, class)| **class == ErrorClass::InputInvalid);
        let class = if by_source { ErrorClass::InputInvalid } else { ErrorClass::Encoder };
        let words = failed.iter().filter_map(|(name, _)| {
            let error = self.qualities.get(*name)?.error.as_ref()?;
            Some(format!("{name}: {error}"))
        });
        (!failed.is_empty()).then(|| (class, words.collect::<Vec<_>>().join("; ")))
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
        let audio = names.iter().filter(|name| name.starts_with("audio"));
        Tally {
            seconds: 100.0,
            qualities: names.iter().map(quality).collect(),
            audio: audio.map(|name| (*name).to_owned()).collect(),
            ..Tally::default()
        }
    }

    fn pace(quality: &str, percent: f64, speed: f64) -> QualityPace {
        let encoder = "libx264".repeat(10);
        QualityPace { quality: quality.to_owned(), encoder, percent, fps: 25.0 * speed, speed, packets: 0 }
    }

    #[test]
    fn the_slowest_quality_decides_when_it_is_done() {
        let mut tally = tally(&["360p", "720p"]);
        assert_eq!(tally.eta(), None);
        tally.paces(&[pace("360p", 50.0, 5.0), pace("720p", 20.0, 2.0)]);
        assert_eq!(tally.eta(), Some(40.0));
        tally.failed("720p", ErrorClass::Encoder, "no such encoder");
        assert_eq!(tally.eta(), Some(10.0));
        assert_eq!(tally.failures(), Some((ErrorClass::Encoder, "720p: no such encoder".to_owned())));
    }

    #[test]
    fn only_a_track_that_the_source_spoils_is_left_out_and_only_if_something_remains() {
        use ErrorClass::{Encoder, InputInvalid};
        type Failed<'a> = &'a [(&'a str, ErrorClass)];
        type Case<'a> = (&'a [&'a str], Failed<'a>, &'a [&'a str], Option<ErrorClass>);
        let cases: [Case<'_>; 7] = [
            (&["360p", "audio0", "audio1"], &[("audio1", InputInvalid)], &["audio1"], None),
            (&["360p", "audio0"], &[("audio0", InputInvalid)], &["audio0"], None),
            (&["360p", "audio0"], &[("audio0", Encoder)], &[], Some(Encoder)),
            (&["360p", "720p"], &[("360p", InputInvalid)], &[], Some(InputInvalid)),
            (&["audio0", "audio1"], &[("audio0", InputInvalid)], &["audio0"], None),
            (&["audio0"], &[("audio0", InputInvalid)], &[], Some(InputInvalid)),
            (&["360p", "audio0"], &[("audio0", InputInvalid), ("360p", Encoder)], &[], Some(Encoder)),
        ];
        for (names, failed, left_out, class) in cases {
            let mut tally = tally(names);
            for (name, class) in failed {
                tally.failed(name, *class, "why");
            }
            let told: Vec<_> = tally.left_out().into_iter().map(|one| one.quality).collect();
            assert_eq!(told, left_out, "{names:?} {failed:?}");
            assert_eq!(tally.failures().map(|(class, _)| class), class, "{names:?} {failed:?}");
        }
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
