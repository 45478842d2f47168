//! Who uses which GPU: sessions are reserved before an encoder starts, so that no GPU is ever overrun, and what GPUs
//! refuse is learned from. Time and what the driver tells come from outside; nothing here waits.

use std::time::Duration;

use framefarm_shared::gpu::{Gpu, GpuEncoder, GpuState};
use framefarm_shared::ladder::VideoCodec;
use tokio::time::Instant;

use super::error::{GpuError, Measure};
use super::health::Health;
use super::snapshot::Snapshot;
use crate::encoder::protocol::GpuDevice;

/// Where nothing was refused in the trial and the driver knows no limit.
const MOST_SESSIONS: u32 = 32;
/// A limit that was learned from a refusal may have been somebody else's doing.
const LEARNED_FOR: Duration = Duration::from_mins(5);
/// A GPU whose encoders are this busy gets no second job.
const BUSY_PERCENT: u8 = 95;
/// What a process costs on a GPU before it has an encoder, and the pictures that an encoder holds.
const CONTEXT_BYTES: u64 = 300 << 20;
const PICTURES_HELD: u64 = 24;

/// A quality that could be coded on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub codec: VideoCodec,
    pub width: u32,
    pub height: u32,
}

impl Wanted {
    fn side(self) -> u32 {
        self.width.max(self.height)
    }

    /// Three bytes for two pixels, as NV12 has it.
    fn bytes(self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * 3 / 2 * PICTURES_HELD
    }
}

/// One GPU on which a job may code some of its qualities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) gpu: GpuDevice,
    /// Which of the wanted qualities, by their place in the list.
    pub(super) qualities: Vec<usize>,
    bytes: u64,
}

impl Grant {
    fn sessions(&self) -> u32 {
        u32::try_from(self.qualities.len()).unwrap_or(u32::MAX)
    }
}

#[derive(Debug)]
struct Entry {
    seen: Snapshot,
    gpu: GpuDevice,
    /// What passed its trial and was not refused since.
    encoders: Vec<GpuEncoder>,
    /// Sessions at once, as the trial found it.
    measured: Option<u32>,
    /// Fewer for a while, since a refusal.
    learned: Option<(u32, Instant)>,
    jobs: u32,
    sessions: u32,
    bytes: u64,
    health: Health,
    yields: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
}

/// What a trial said of a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passed {
    pub(super) encoders: Vec<GpuEncoder>,
    pub(super) session_limit: Option<u32>,
    /// Why not everything passed, in words.
    pub(super) error: Option<String>,
}

impl Ledger {
    pub(super) fn add(&mut self, seen: Snapshot, gpu: GpuDevice, passed: Passed) {
        let health = Health::after_trial(&passed);
        let Passed { encoders, session_limit: measured, .. } = passed;
        self.entries.push(Entry {
            seen,
            gpu,
            encoders,
            measured,
            learned: None,
            jobs: 0,
            sessions: 0,
            bytes: 0,
            health,
            yields: None,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a GPU could do any of these if it were free.
    pub(super) fn could_ever(&self, wanted: &[Wanted]) -> bool {
        self.entries.iter().any(|entry| wanted.iter().any(|wanted| entry.can(*wanted)))
    }

    /// Whether a GPU of the inventory is among these.
    pub(super) fn knows(&self, found: &str) -> bool {
        self.entries.iter().any(|entry| entry.seen.gpu.id == found)
    }

    /// Sessions for as many of the wanted qualities as one GPU has room for, the first ones first; on the GPU that is
    /// least loaded. `None`: no GPU has room for any, or none can do it.
    pub(super) fn reserve(&mut self, wanted: &[Wanted], avoid: &[String], now: Instant) -> Option<Grant> {
        let candidates = self.entries.iter().enumerate().filter(|(_, entry)| !avoid.contains(&entry.gpu.id));
        let offers =
            candidates.filter_map(|(at, entry)| Some((at, entry.load(now), entry.offer(wanted, now)?)));
        // More qualities on a GPU first, then the emptier GPU, then the faster one.
        let best = offers.min_by(|(_, load, grant), (_, other_load, other)| {
            other.qualities.len().cmp(&grant.qualities.len()).then(load.total_cmp(other_load))
        });
        let (at, _, grant) = best?;
        let entry = &mut self.entries[at];
        entry.jobs += 1;
        entry.sessions += grant.sessions();
        entry.bytes += grant.bytes;
        Some(grant)
    }

    pub(super) fn release(&mut self, grant: &Grant) {
        if let Some(entry) = self.find(&grant.gpu.id) {
            entry.jobs = entry.jobs.saturating_sub(1);
            entry.sessions = entry.sessions.saturating_sub(grant.sessions());
            entry.bytes = entry.bytes.saturating_sub(grant.bytes);
        }
    }

    /// A job that used the grant came to its end, or to a boundary.
    pub(super) fn succeeded(&mut self, grant: &Grant) {
        if let Some(entry) = self.find(&grant.gpu.id) {
            entry.health.succeeded();
        }
    }

    /// Draws the consequences for the GPU; the job has its own.
    pub(super) fn failed(&mut self, grant: &Grant, wanted: &[Wanted], error: GpuError, now: Instant) {
        let Some(entry) = self.find(&grant.gpu.id) else { return };
        match error.measure() {
            Measure::Shrink => {
                // What was open without us, or one less than we thought there was room for.
                let open = entry.seen.sample.as_ref().and_then(|sample| sample.encoder_sessions);
                let guess = entry.sessions.saturating_sub(1);
                entry.learned = Some((open.map_or(guess, |open| open.min(guess)), now + LEARNED_FOR));
            }
            Measure::Rest => entry.health.rest(error.words(), now),
            Measure::Narrow => {
                for wanted in grant.qualities.iter().filter_map(|at| wanted.get(*at)) {
                    entry.narrow(*wanted);
                }
            }
            Measure::Quarantine => entry.health.quarantine(error.words(), now),
            Measure::Count => entry.health.count(error.words(), now),
        }
    }

    /// What the driver tells now. A GPU of which it says nothing keeps what was told last.
    pub(super) fn saw(&mut self, seen: &[Snapshot], now: Instant) {
        for snapshot in seen {
            let mine = |entry: &&mut Entry| entry.seen.gpu.id == snapshot.gpu.id;
            let Some(entry) = self.entries.iter_mut().find(mine) else { continue };
            let was_lost = entry.seen.state == GpuState::Lost;
            if was_lost && snapshot.state != GpuState::Lost {
                // It answers again; that it encodes again is for a probe to say.
                entry.health.quarantine("was lost; being tested again", now);
                entry.health.probe_soon(now);
            }
            entry.seen = snapshot.clone();
        }
    }

    /// Which GPUs are left to others, by the reason for each.
    pub(super) fn set_yields(&mut self, reason: impl Fn(&Snapshot, bool) -> Option<String>) {
        for entry in &mut self.entries {
            entry.yields = reason(&entry.seen, entry.yields.is_some());
        }
    }

    /// Whether whoever works on the GPU should leave it at the next boundary.
    pub(super) fn wants_back(&self, id: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.gpu.id == id && (entry.yields.is_some() || entry.seen.state == GpuState::Lost))
    }

    /// GPUs to try again now, with the sessions that others have open on each.
    pub(super) fn due_probes(&self, now: Instant) -> Vec<(GpuDevice, u32)> {
        let due = self.entries.iter().filter(|entry| {
            entry.seen.state != GpuState::Lost && entry.jobs == 0 && entry.health.probe_is_due(now)
        });
        due.map(|entry| (entry.gpu.clone(), entry.taken())).collect()
    }

    pub(super) fn probed(&mut self, id: &str, passed: Passed, now: Instant) {
        let Some(entry) = self.find(id) else { return };
        if passed.encoders.is_empty() {
            entry.health.probe_failed(passed.error.as_deref().unwrap_or("no working encoder"), now);
            return;
        }
        entry.health = Health::default();
        (entry.encoders, entry.measured, entry.learned) = (passed.encoders, passed.session_limit, None);
    }

    pub(super) fn report(&self, now: Instant) -> Vec<Gpu> {
        self.entries.iter().map(|entry| entry.report(now)).collect()
    }

    fn find(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.gpu.id == id)
    }
}

impl Entry {
    fn state(&self, now: Instant) -> (GpuState, Option<String>) {
        if self.seen.state == GpuState::Lost {
            return (GpuState::Lost, self.seen.reason.clone());
        }
        if let Some(reason) = self.health.error(now) {
            let state = if self.health.is_quarantined() { GpuState::Quarantined } else { GpuState::Yielding };
            return (state, Some(reason.to_owned()));
        }
        if self.encoders.is_empty() {
            let reason = self.health.last().or(self.seen.reason.as_deref());
            return (GpuState::Unusable, Some(reason.unwrap_or("no working encoder").to_owned()));
        }
        match &self.yields {
            Some(reason) => (GpuState::Yielding, Some(reason.clone())),
            None => (GpuState::Ready, None),
        }
    }

    fn limit(&self, now: Instant) -> u32 {
        let measured = self.measured.unwrap_or(MOST_SESSIONS);
        match self.learned {
            Some((limit, until)) if now < until => limit.min(measured),
            _ => measured,
        }
    }

    /// Ours, and those of other programs that the driver counts.
    fn taken(&self) -> u32 {
        let all = self.seen.sample.as_ref().and_then(|sample| sample.encoder_sessions).unwrap_or(0);
        self.sessions.max(all)
    }

    /// From 0 to 1, and a little more for each job.
    fn load(&self, now: Instant) -> f64 {
        let busy = self.seen.sample.as_ref().and_then(|sample| sample.encoder_percent).unwrap_or(0);
        f64::from(self.taken()) / f64::from(self.limit(now).max(1)) + f64::from(busy) / 1e4
    }

    fn offer(&self, wanted: &[Wanted], now: Instant) -> Option<Grant> {
        if self.state(now).0 != GpuState::Ready {
            return None;
        }
        let sample = self.seen.sample.as_ref();
        let busy = sample.and_then(|sample| sample.encoder_percent).unwrap_or(0);
        if self.jobs > 0 && busy >= BUSY_PERCENT {
            return None;
        }
        let free = self.limit(now).saturating_sub(self.taken());
        let room = self.free_bytes();
        let mut bytes = CONTEXT_BYTES;
        let mut qualities = Vec::new();
        for (at, wanted) in wanted.iter().enumerate().filter(|(_, wanted)| self.can(**wanted)) {
            let more = bytes + wanted.bytes();
            if qualities.len() >= free as usize || room.is_some_and(|room| more > room) {
                break;
            }
            bytes = more;
            qualities.push(at);
        }
        (!qualities.is_empty()).then(|| Grant { gpu: self.gpu.clone(), qualities, bytes })
    }

    /// Absent if nobody tells. What was granted may not show in the driver's figures yet.
    fn free_bytes(&self) -> Option<u64> {
        let used = self.seen.sample.as_ref()?.memory_used_bytes?;
        Some(self.seen.gpu.memory_bytes?.saturating_sub(used.max(self.bytes)))
    }

    fn can(&self, wanted: Wanted) -> bool {
        self.encoders.iter().any(|encoder| encoder.codec == wanted.codec && wanted.side() <= encoder.max_side)
    }

    /// It refused this: it is asked for smaller ones only.
    fn narrow(&mut self, wanted: Wanted) {
        for encoder in self.encoders.iter_mut().filter(|encoder| encoder.codec == wanted.codec) {
            let smaller = framefarm_shared::gpu::SIDES.iter().rev().find(|side| **side < wanted.side());
            encoder.max_side = smaller.copied().unwrap_or(0).min(encoder.max_side);
        }
        self.encoders.retain(|encoder| encoder.max_side > 0);
    }

    fn report(&self, now: Instant) -> Gpu {
        let (state, reason) = self.state(now);
        let limited = self.measured.is_some() || self.learned.is_some_and(|(_, until)| now < until);
        Gpu {
            id: self.seen.gpu.id.clone(),
            kind: self.gpu.kind,
            name: self.seen.gpu.name.clone(),
            state,
            reason: reason.map(|reason| super::snapshot::short(&reason)),
            encoders: self.encoders.clone(),
            sessions: self.sessions,
            session_limit: limited.then(|| self.limit(now)),
            memory_bytes: self.seen.gpu.memory_bytes,
            sample: self.seen.sample.clone(),
            history: self.seen.history.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
