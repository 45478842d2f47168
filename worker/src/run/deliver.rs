//! Finished segments on their way to the farm, while the encoder makes more.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::{HeldJob, PlanRequest};
use tokio::task::JoinSet;

use super::error::AttemptError;
use super::job::Attempt;
use super::trace::Spans;
use crate::client::{Backoff, CallError, Client, retry};
use crate::encoder::protocol::{init_path, segment_path};
use crate::heartbeat::LeaseGuard;
use crate::part::{PartArchive, PartError, PartFiles, write_part};

const AT_ONCE: usize = 2;
const MOST_SEGMENTS: usize = 16;
/// Half of what a farm takes by default.
const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// Segments of one quality by their index, with their sizes.
type Segments = BTreeMap<u32, u64>;

/// Dropping it ends every delivery.
pub(super) struct Deliveries {
    sender: Arc<PartSender>,
    waiting: BTreeMap<String, Segments>,
    /// One part a quality, and how many segments it has: the next one joins it.
    under_way: BTreeMap<String, usize>,
    tasks: JoinSet<Result<(String, Segments), AttemptError>>,
}

impl Deliveries {
    pub(super) fn new(attempt: &Attempt<'_>, plan: &Plan) -> Self {
        let sender = PartSender {
            client: attempt.supervisor.client.clone(),
            hold: Arc::clone(&attempt.hold),
            directory: attempt.directory.path().to_owned(),
            output: attempt.directory.output(),
            plan: plan.clone(),
            spans: attempt.spans.clone(),
        };
        let (waiting, under_way) = (BTreeMap::new(), BTreeMap::new());
        Self { sender: Arc::new(sender), waiting, under_way, tasks: JoinSet::new() }
    }

    pub(super) fn add(&mut self, quality: &str, index: u32, bytes: u64) {
        self.waiting.entry(quality.to_owned()).or_default().insert(index, bytes);
        self.start();
    }

    /// Segments on the disk that the farm does not have yet.
    pub(super) fn undelivered(&self) -> usize {
        self.waiting.values().map(Segments::len).chain(self.under_way.values().copied()).sum()
    }

    pub(super) fn are_under_way(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Waits for one delivery. May be dropped at any time.
    pub(super) async fn next(&mut self) -> Result<(), AttemptError> {
        let Some(done) = self.tasks.join_next().await else { return Ok(()) };
        let (quality, again) = done.unwrap_or_else(|error| {
            Err(AttemptError::failed(ErrorClass::Internal, format!("delivery failed: {error}")))
        })?;
        self.under_way.remove(&quality);
        self.waiting.entry(quality).or_default().extend(again);
        self.start();
        Ok(())
    }

    /// Delivers all that is left.
    pub(super) async fn finish(&mut self) -> Result<(), AttemptError> {
        while self.are_under_way() {
            self.next().await?;
        }
        Ok(())
    }

    fn start(&mut self) {
        while self.tasks.len() < AT_ONCE {
            let under_way = &self.under_way;
            let idle = self.waiting.iter_mut().filter(|(quality, _)| !under_way.contains_key(*quality));
            // The quality that waits with the most.
            let next = idle.max_by_key(|(_, segments)| segments.len());
            let Some((quality, segments)) = next.filter(|(_, segments)| !segments.is_empty()) else { return };
            let (quality, part) = (quality.clone(), take_part(segments));
            self.under_way.insert(quality.clone(), part.len());
            self.tasks.spawn(Arc::clone(&self.sender).deliver(quality, part));
        }
    }
}

/// The first segments that follow each other, as many as one part may hold.
fn take_part(segments: &mut Segments) -> Segments {
    let mut part = Segments::new();
    let mut size = 0;
    while let Some(entry) = segments.first_entry() {
        let (index, bytes) = (*entry.key(), *entry.get());
        let follows = part.last_key_value().is_none_or(|(last, _)| last + 1 == index);
        let fits = part.is_empty() || (part.len() < MOST_SEGMENTS && size + bytes <= MOST_BYTES);
        if !follows || !fits {
            break;
        }
        size += bytes;
        part.insert(index, entry.remove());
    }
    part
}

struct PartSender {
    client: Client,
    hold: Arc<LeaseGuard>,
    directory: PathBuf,
    output: PathBuf,
    plan: Plan,
    spans: Spans,
}

impl PartSender {
    async fn deliver(
        self: Arc<Self>,
        quality: String,
        part: Segments,
    ) -> Result<(String, Segments), AttemptError> {
        let mut span = self.spans.begin("deliver").calling();
        span.note("framefarm.quality", quality.clone());
        span.note("framefarm.segments", i64::try_from(part.len()).unwrap_or(i64::MAX));
        span.note("framefarm.bytes", i64::try_from(part.values().sum::<u64>()).unwrap_or(i64::MAX));
        span.ended(self.send(quality, part).await)
    }

    /// Delivers a part and removes its files; gives back what of it has to be delivered again.
    async fn send(&self, quality: String, part: Segments) -> Result<(String, Segments), AttemptError> {
        let archive = self.pack(&quality, &part).await?;
        let put = retry(Backoff::default(), || self.client.put_part(self.hold.job(), &archive));
        let again = match self.hold.unless_lost(put).await {
            Ok(sent) => {
                self.hold.renewed(sent.sent_at, sent.reply.lease_seconds);
                Segments::new()
            }
            Err(CallError::Stop { code, detail }) if code == "segment_differs" => {
                self.without_known(&quality, &part, &detail).await?
            }
            Err(CallError::Refused { code, detail }) => {
                let words = format!("the farm rejected segments of {quality}: {detail} ({code})");
                return Err(AttemptError::failed(ErrorClass::Encoder, words));
            }
            Err(error) => return Err(error.into()),
        };
        let segments = part.keys().filter(|index| !again.contains_key(index));
        let mut done: Vec<_> = segments.map(|index| segment_path(&self.output, &quality, *index)).collect();
        done.push(archive.path);
        for path in done {
            tokio::fs::remove_file(&path)
                .await
                .map_err(|error| AttemptError::disk("cannot delete a delivered file", &error))?;
        }
        Ok((quality, again))
    }

    async fn pack(&self, quality: &str, part: &Segments) -> Result<PartArchive, AttemptError> {
        let first_segment = part.first_key_value().map_or(0, |(index, _)| *index);
        let files = PartFiles {
            quality: quality.to_owned(),
            first_segment,
            init: init_path(&self.output, quality),
            segments: part.keys().map(|index| segment_path(&self.output, quality, *index)).collect(),
        };
        let target = self.directory.join(format!("{quality}-{first_segment}.tar.gz"));
        let packed = tokio::task::spawn_blocking(move || write_part(&files, &target)).await;
        let packed = packed.map_err(|error| AttemptError::failed(ErrorClass::Internal, error.to_string()))?;
        packed.map_err(|error| {
            let class = if matches!(error, PartError::Disk { .. }) {
                ErrorClass::Storage
            } else {
                ErrorClass::Encoder
            };
            AttemptError::failed(class, format!("cannot pack segments of {quality}: {error}"))
        })
    }

    /// A reply was lost and the segments were made again, a little different: what the farm has counts as delivered.
    async fn without_known(
        &self,
        quality: &str,
        part: &Segments,
        why: &str,
    ) -> Result<Segments, AttemptError> {
        let HeldJob { job_id, fence } = self.hold.job();
        let request = PlanRequest { fence, plan: self.plan.clone() };
        let asked = retry(Backoff::default(), || self.client.plan(job_id, &request));
        let reply = self.hold.unless_lost(asked).await?.reply;
        let report = reply.qualities.iter().find(|report| report.quality.name == quality);
        let have = report.map(|report| report.have.as_slice()).unwrap_or_default();
        let is_known = |index: u32| {
            have.iter().any(|range| {
                i32::try_from(index).is_ok_and(|index| (range.first..=range.last).contains(&index))
            })
        };
        let mut unknown = part.clone();
        unknown.retain(|index, _| !is_known(*index));
        if unknown.len() == part.len() {
            let words = format!("the farm rejected segments of {quality} that it does not have: {why}");
            return Err(AttemptError::failed(ErrorClass::Encoder, words));
        }
        Ok(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(segments: &mut Segments) -> Vec<u32> {
        take_part(segments).into_keys().collect()
    }

    #[test]
    fn a_part_takes_what_is_consecutive_and_not_too_much() {
        let mut segments: Segments = [0, 1, 2, 5, 6].map(|index| (index, 10)).into();
        assert_eq!(taken(&mut segments), [0, 1, 2]);
        assert_eq!(taken(&mut segments), [5, 6]);
        assert!(taken(&mut segments).is_empty());
        let mut many: Segments = (0..20).map(|index| (index, 1)).collect();
        assert_eq!(taken(&mut many).len(), MOST_SEGMENTS);
        let mut heavy: Segments = [(3, MOST_BYTES + 1), (4, 1)].into();
        assert_eq!(taken(&mut heavy), [3]);
    }
}
