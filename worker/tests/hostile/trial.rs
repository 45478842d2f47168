//! One file through probe and, if that finds a video, through encode.

use std::time::{Duration, Instant};

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::ladder::Ladder;
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{
    Coder, EncodeTask, EncoderSettings, ProbeTask, QualityTask, Report, segment_path,
};
use serde::Serialize;

use crate::driver::Running;
use crate::yard::Yard;

/// What became of a file.
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) plan: Option<Plan>,
    /// Why it was refused; none if all segments of the plan are there.
    pub(crate) refusal: Option<(ErrorClass, String)>,
    took: Duration,
    /// What must not be, whatever the file is.
    faults: Vec<String>,
}

/// Puts the file where sources are, and tries it.
pub(crate) fn try_bytes(name: &str, bytes: &[u8]) -> Outcome {
    let yard = Yard::new();
    std::fs::write(yard.source(), bytes).unwrap();
    try_source(name, &yard)
}

pub(crate) fn try_source(name: &str, yard: &Yard) -> Outcome {
    let (began, before) = (Instant::now(), yard.rest());
    let mut outcome =
        Outcome { name: name.to_owned(), plan: None, refusal: None, took: Duration::ZERO, faults: vec![] };
    match outcome.run("probe", &ProbeTask { source: yard.source(), copy: true }) {
        Some(Report::Probed { plan, .. }) => {
            outcome.encode(&plan, yard);
            outcome.plan = Some(plan);
        }
        Some(Report::Failed { class, message }) => outcome.refuse(class, message),
        other => outcome.faults.push(format!("probe ended with {other:?}")),
    }
    if yard.rest() != before {
        outcome.faults.push(format!("files beside the output changed: {:?}", yard.rest()));
    }
    outcome.took = began.elapsed();
    outcome
}

impl Outcome {
    fn encode(&mut self, plan: &Plan, yard: &Yard) {
        let ladder: Ladder = "72p:300,60p:200".parse().unwrap();
        let all = SegmentRange { first: 0, last: i32::try_from(plan.segment_count()).unwrap() - 1 };
        let planned = ladder.qualities_for(plan.shape(), None).into_iter().filter(|quality| !quality.skipped);
        let qualities: Vec<_> = planned
            .map(|quality| QualityTask {
                quality,
                missing: vec![all],
                known_init: None,
                coder: Coder::Software,
            })
            .collect();
        let task = EncodeTask {
            source: yard.source(),
            output: yard.output(),
            plan: plan.clone(),
            qualities: qualities.clone(),
            images: true,
            subtitles: true,
            settings: EncoderSettings { preset: "ultrafast".to_owned(), threads: 1 },
            gpu: None,
        };
        match self.run("encode", &task) {
            Some(Report::Done { stopped: false, .. }) => {
                let made = |quality: &QualityTask, index| {
                    segment_path(&yard.output(), &quality.quality.name, index).exists()
                };
                let whole =
                    |quality: &QualityTask| (0..plan.segment_count()).all(|index| made(quality, index));
                if !qualities.iter().all(whole) {
                    self.faults.push("segments are missing".to_owned());
                }
            }
            Some(Report::Failed { class, message }) => self.refuse(class, message),
            other => self.faults.push(format!("encode ended with {other:?}")),
        }
    }

    fn refuse(&mut self, class: ErrorClass, message: String) {
        const DEBUG: [&str; 8] = ["{ ", "Some(", "Err(", "Ok(", "::", "\\", "[0", "\0"];
        let is_plain = message.len() > 10 && !DEBUG.iter().any(|sign| message.contains(sign));
        if !is_plain {
            self.faults.push(format!("not for a person: {message:?}"));
        }
        if !class.is_permanent() {
            self.faults.push(format!("the file is at fault, not {class}: {message}"));
        }
        self.refusal = Some((class, message));
    }

    /// Its last word.
    fn run(&mut self, what: &str, task: &impl Serialize) -> Option<Report> {
        let ended = Running::start(what, task).finish();
        if ended.late {
            self.faults.push(format!("{what} takes too long"));
        }
        if !matches!(ended.status.code(), Some(0 | 1)) || ended.stderr.contains("panicked") {
            self.faults.push(format!("{what} crashed: {} {}", ended.status, ended.stderr));
        }
        if let Some(Report::QualityFailed { quality, message, .. }) =
            ended.said.iter().find(|report| matches!(report, Report::QualityFailed { .. }))
        {
            self.faults.push(format!("{quality} failed: {message}"));
        }
        ended.said.into_iter().next_back()
    }

    /// `made` or the class of the refusal.
    pub(crate) fn class(&self) -> String {
        self.refusal.as_ref().map_or_else(|| "made".to_owned(), |(class, _)| class.to_string())
    }

    pub(crate) fn expect(mut self, holds: bool, otherwise: &str) -> Self {
        if !holds {
            self.faults.push(format!("{otherwise}: {:?} {:?}", self.class(), self.plan));
        }
        self
    }

    pub(crate) fn must_be_refused(self) -> Self {
        let refused = matches!(self.refusal, Some((ErrorClass::InputInvalid, _))) && self.plan.is_none();
        self.expect(refused, "should have been refused")
    }

    pub(crate) fn must_be_made(self) -> Self {
        let made = self.refusal.is_none() && self.plan.is_some();
        self.expect(made, "should have been made")
    }

    /// However broken, it is not believed to be longer than this.
    pub(crate) fn lasts_at_most(self, seconds: u64) -> Self {
        let fits = self.plan.as_ref().is_none_or(|plan| plan.source.duration_us <= seconds * 1_000_000);
        self.expect(fits, "too long")
    }
}

/// Prints the table and fails with everything that was wrong.
pub(crate) fn judge(outcomes: Vec<Outcome>) {
    let mut faults = Vec::new();
    for outcome in outcomes {
        let words = outcome.refusal.as_ref().map_or("", |(_, words)| words);
        let seconds = outcome.plan.as_ref().map_or(0, |plan| plan.source.duration_us / 1_000_000);
        let (class, took) = (outcome.class(), outcome.took.as_secs_f64());
        println!("{:34} {class:14} {took:5.1} s  {seconds:5} s planned  {words}", outcome.name);
        faults.extend(outcome.faults.into_iter().map(|fault| format!("{}: {fault}", outcome.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
