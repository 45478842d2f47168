//! The steps of an attempt as spans, for whoever collects traces.
//!
//! What they hang under comes with the claim. The encoder has no network: what it tells of its time is passed on here, under
//! a service of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::clock::Clock;
use framefarm_shared::failure::truncate;
use framefarm_shared::id::BootId;
use framefarm_shared::trace::{SpanId, TraceParent};
use framefarm_shared::wire::worker_api::ClaimedJob;
use framefarm_traces::{Collector, OtlpEndpoint, Span, Traces, Value};

use super::error::AttemptError;
use crate::client::CallError;
use crate::encoder::protocol::Spent;
use crate::gpu::GpuError;

/// The child decodes strangers' files: it may not tell without end.
const MOST_TOLD: usize = 64;
const MOST_ENCODER: usize = 40;

/// Where the spans of this process go, and those of its encoders.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    worker: Traces,
    encoder: Traces,
}

impl Exports {
    /// To be called inside the runtime.
    pub fn open(endpoint: &OtlpEndpoint) -> anyhow::Result<Self> {
        let instance = BootId::new(&Clock::system()).to_string();
        let open = || {
            let way = Collector::open(endpoint)?;
            let worker = way.service("framefarm-worker", &instance)?;
            Ok(Self { worker, encoder: way.service("framefarm-encoder", &instance)? })
        };
        open().map_err(|error: framefarm_traces::BuildError| {
            anyhow::anyhow!("--otlp-endpoint {endpoint}: {error}")
        })
    }

    /// Hands over what waits, for a few seconds at most.
    pub async fn end(&self) {
        tokio::join!(self.worker.end(), self.encoder.end());
    }
}

/// The spans of one attempt; nothing where nobody traces, or the farm named no parent.
#[derive(Clone)]
pub(super) struct Spans(Option<Arc<Attempted>>);

struct Attempted {
    exports: Exports,
    parent: TraceParent,
    /// New with each attempt: right when it begins, and steady until it ends.
    clock: Clock,
}

impl Spans {
    pub(super) fn of(exports: &Exports, claimed: &ClaimedJob) -> Self {
        let parent = claimed.traceparent.as_deref().and_then(|text| text.parse().ok());
        let parent = parent.filter(|_| exports.worker.is_on());
        let (exports, clock) = (exports.clone(), Clock::system());
        Self(parent.map(|parent| Arc::new(Attempted { exports, parent, clock })))
    }

    /// A step that begins now.
    pub(super) fn begin(&self, name: &'static str) -> Running {
        Running(self.0.as_ref().map(|attempted| {
            Box::new(Step {
                name,
                id: SpanId::from_random(rand::random()),
                began: attempted.clock.now(),
                calls: false,
                notes: Vec::new(),
                error: None,
                segments: BTreeMap::new(),
                told: 0,
                attempted: Arc::clone(attempted),
            })
        }))
    }
}

/// A step under way. It is told when it is dropped, so that one that is cut off is told too.
pub(super) struct Running(Option<Box<Step>>);

struct Step {
    attempted: Arc<Attempted>,
    name: &'static str,
    id: SpanId,
    began: DateTime<Utc>,
    /// Whether it waits for the farm's answer.
    calls: bool,
    notes: Vec<(&'static str, Value)>,
    error: Option<(&'static str, String)>,
    /// Segments that the encoder finished, of each quality.
    segments: BTreeMap<String, i64>,
    told: usize,
}

impl Running {
    /// It is a call of the farm.
    pub(super) fn calling(mut self) -> Self {
        if let Some(step) = &mut self.0 {
            step.calls = true;
        }
        self
    }

    pub(super) fn note(&mut self, key: &'static str, value: impl Into<Value>) {
        if let Some(step) = &mut self.0 {
            step.notes.push((key, value.into()));
        }
    }

    /// It ended like this.
    pub(super) fn ended<T, E: Blame>(mut self, result: Result<T, E>) -> Result<T, E> {
        if let Err(error) = &result {
            self.failed(error);
        }
        result
    }

    pub(super) fn failed(&mut self, error: &impl Blame) {
        if let Some(step) = &mut self.0 {
            step.error = error.blame();
        }
    }

    /// A segment of this quality is finished.
    pub(super) fn segment(&mut self, quality: &str) {
        if let Some(step) = &mut self.0 {
            *step.segments.entry(quality.to_owned()).or_default() += 1;
        }
    }

    /// The time by which an encoder's times are understood.
    pub(super) fn now(&self) -> Option<DateTime<Utc>> {
        self.0.as_ref().map(|step| step.attempted.clock.now())
    }

    /// What the encoder that was started at `since` told of its probe.
    pub(super) fn probed(&mut self, since: Option<DateTime<Utc>>, spent: Option<Spent>) {
        if let (Some(step), Some(since), Some(spent)) = (&mut self.0, since, spent) {
            let span = step.by_encoder("probe", since, spent);
            step.tell(span);
        }
    }

    /// What the encoder of this step told of a quality.
    pub(super) fn coded(&mut self, quality: &str, encoder: &str, spent: Spent) {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a day, and frames, fit in 52 bits")]
        fn each_second(much: f64, spent: Spent) -> f64 {
            let rate = much / (spent.lasted_us.max(1) as f64 / 1e6);
            if rate.is_finite() { rate.max(0.0) } else { 0.0 }
        }
        let Some(step) = &mut self.0 else { return };
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let frames = spent.frames as f64;
        let span = step.by_encoder("quality", step.began, spent);
        let span = span
            .with("framefarm.quality", quality.to_owned())
            .with("framefarm.encoder", truncate(encoder, MOST_ENCODER).to_owned())
            .with("framefarm.segments", step.segments.get(quality).copied().unwrap_or(0))
            .with("framefarm.frames", i64::try_from(spent.frames).unwrap_or(i64::MAX))
            .with("framefarm.fps", each_second(frames, spent))
            .with("framefarm.speed", each_second(spent.seconds, spent));
        step.tell(span);
    }
}

impl Step {
    /// The encoder's clock began after it was started; nothing that it tells is later than now.
    fn by_encoder(&self, name: &'static str, since: DateTime<Utc>, spent: Spent) -> Span {
        let now = self.attempted.clock.now();
        let after = |at: DateTime<Utc>, us: u64| {
            let span = Duration::microseconds(i64::try_from(us).unwrap_or(i64::MAX));
            at.checked_add_signed(span).map_or(now, |at| at.min(now))
        };
        let began = after(since, spent.began_us);
        let (trace, id) = (self.attempted.parent.trace, SpanId::from_random(rand::random()));
        Span::new(name, trace, id, began, after(began, spent.lasted_us)).under(self.id)
    }

    fn tell(&mut self, span: Span) {
        if self.told < MOST_TOLD {
            self.told += 1;
            self.attempted.exports.encoder.emit(span);
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        let Attempted { exports, parent, clock } = &*self.attempted;
        let mut span =
            Span::new(self.name, parent.trace, self.id, self.began, clock.now()).under(parent.span);
        if self.calls {
            span = span.calling();
        }
        for (key, value) in self.notes.drain(..) {
            span = span.with(key, value);
        }
        if let Some((class, message)) = &self.error {
            span = span.failed(*class, message);
        }
        exports.worker.emit(span);
    }
}

/// How a failure is told in a trace.
pub(super) trait Blame {
    /// One of a few words, and words for people; `None` if nothing failed.
    fn blame(&self) -> Option<(&'static str, String)>;
}

impl Blame for AttemptError {
    fn blame(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Failed { class, message } => Some((class.as_str(), message.clone())),
            Self::Lost => Some(("lost", self.to_string())),
            // Somebody wanted it so.
            Self::Stopping => None,
        }
    }
}

impl Blame for GpuError {
    fn blame(&self) -> Option<(&'static str, String)> {
        // The class is older than the word GPU, and classes are stable.
        Some(("card", self.words().to_owned()))
    }
}

impl Blame for CallError {
    fn blame(&self) -> Option<(&'static str, String)> {
        AttemptError::from(self).blame()
    }
}
