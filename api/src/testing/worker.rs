//! A worker as the API sees one: it calls what the worker API calls.

use bytes::Bytes;
use framefarm_shared::extra_file::ExtraFile;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::gpu::Gpu;
use framefarm_shared::id::{BootId, JobId, WorkerId};
use framefarm_shared::plan::Plan;
use framefarm_shared::state::{QualityStatus, Step};
use framefarm_shared::wire::worker_api::{
    ClaimReply, ClaimRequest, ClaimedJob, CompleteReply, CompleteRequest, FailReply, FailRequest,
    HeartbeatReply, HeartbeatRequest, HeldJob, LeaseReply, PartReply, PlanReply, PlanRequest,
    ProgressRequest, ReleaseRequest, ReportedStatus,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::media;
use crate::app::App;
use crate::error::Result;
use crate::lifecycle::deliver::{self, Delivery};
use crate::lifecycle::receive_sidecar::{self, Attachment};
use crate::lifecycle::{claim, complete, fail, heartbeat, plan, progress, release};

#[derive(Clone)]
pub struct TestWorker {
    pub id: WorkerId,
    pub boot: BootId,
    app: App,
}

impl TestWorker {
    pub(super) fn new(app: App, id: WorkerId) -> Self {
        let boot = BootId::new(&app.clock);
        Self { id, boot, app }
    }

    /// The same worker after its process was started again, which takes a second.
    pub fn restarted(&self) -> Self {
        self.app.clock.advance(chrono::Duration::seconds(1));
        Self::new(self.app.clone(), self.id)
    }

    /// The same worker as seen by another API instance.
    pub fn at(&self, app: &App) -> Self {
        Self { app: app.clone(), ..self.clone() }
    }

    pub fn app(&self) -> &App {
        &self.app
    }

    pub fn claim_request(&self) -> ClaimRequest {
        ClaimRequest { boot_id: self.boot, queue_types: None, job_id: None, wait_seconds: None }
    }

    pub async fn ask(&self) -> ClaimReply {
        claim::claim_now(&self.app, self.id, &self.claim_request()).await.unwrap()
    }

    pub async fn try_claim(&self) -> Option<ClaimedJob> {
        self.ask().await.job
    }

    /// Claims and expects to get something.
    pub async fn claim(&self) -> ClaimedJob {
        let reply = self.ask().await;
        reply.job.unwrap_or_else(|| panic!("no job: {:?} {:?}", reply.reason, reply.detail))
    }

    pub async fn claim_this(&self, job: JobId) -> Option<ClaimedJob> {
        let request = ClaimRequest { job_id: Some(job), ..self.claim_request() };
        claim::claim_now(&self.app, self.id, &request).await.unwrap().job
    }

    /// Waits on the API for a job.
    pub async fn wait_for_job(&self, seconds: u32) -> Option<ClaimedJob> {
        let request = ClaimRequest { wait_seconds: Some(seconds), ..self.claim_request() };
        claim::claim(&self.app, self.id, &request).await.unwrap().job
    }

    pub async fn beat(&self, held: &[&ClaimedJob]) -> Result<HeartbeatReply> {
        let held = held.iter().map(|job| HeldJob { job_id: job.job_id, fence: job.fence }).collect();
        self.beat_holding(held, None, None).await
    }

    pub async fn beat_with_gpus(&self, gpus: Vec<Gpu>) -> Result<HeartbeatReply> {
        self.beat_holding(Vec::new(), Some(gpus), None).await
    }

    /// With what its machine can do.
    pub async fn beat_telling(&self, capabilities: Value) -> Result<HeartbeatReply> {
        self.beat_holding(Vec::new(), None, Some(capabilities)).await
    }

    /// The last heartbeat of a process that ends.
    pub async fn stop(&self) -> Result<HeartbeatReply> {
        let (boot_id, status, held) = (self.boot, ReportedStatus::Idle, Vec::new());
        let (capabilities, metadata, gpus, stopping) = (None, None, None, true);
        let request = HeartbeatRequest { boot_id, status, held, capabilities, metadata, gpus, stopping };
        heartbeat::heartbeat(&self.app, self.id, &request).await
    }

    async fn beat_holding(
        &self,
        held: Vec<HeldJob>,
        gpus: Option<Vec<Gpu>>,
        capabilities: Option<Value>,
    ) -> Result<HeartbeatReply> {
        let (boot_id, status) = (self.boot, ReportedStatus::Idle);
        let (metadata, stopping) = (None, false);
        let request = HeartbeatRequest { boot_id, status, held, capabilities, metadata, gpus, stopping };
        heartbeat::heartbeat(&self.app, self.id, &request).await
    }

    pub async fn progress(&self, job: &ClaimedJob, percent: f64) -> Result<LeaseReply> {
        let (job_id, fence, step) = (job.job_id, job.fence, Step::Transcode);
        let (eta_seconds, qualities, log) = (None, Vec::new(), None);
        let request = ProgressRequest { job_id, fence, step, percent, eta_seconds, qualities, log };
        progress::progress(&self.app, self.id, &request).await
    }

    pub async fn plan(&self, job: &ClaimedJob, plan: Plan) -> Result<PlanReply> {
        plan::plan(&self.app, self.id, job.job_id, PlanRequest { fence: job.fence, plan }).await
    }

    /// Delivers segments `first..=last` of a quality through the real verification.
    pub async fn deliver(
        &self,
        job: &ClaimedJob,
        plan: &Plan,
        quality: &str,
        segments: std::ops::RangeInclusive<u32>,
    ) -> Result<PartReply> {
        self.deliver_under(job.job_id, job.fence, plan, quality, segments).await
    }

    async fn deliver_under(
        &self,
        job: JobId,
        fence: i64,
        plan: &Plan,
        quality: &str,
        segments: std::ops::RangeInclusive<u32>,
    ) -> Result<PartReply> {
        let (first, last) = (*segments.start() as usize, *segments.end() as usize);
        let boundaries = &plan.boundaries_us[first..=last + 1];
        let part = if quality.starts_with("audio") {
            media::audio_part(quality, *segments.start(), boundaries)
        } else {
            media::part(quality, *segments.start(), boundaries)
        };
        self.deliver_bytes(HeldJob { job_id: job, fence }, quality, *segments.start(), &part.build()).await
    }

    pub async fn deliver_bytes(
        &self,
        job: HeldJob,
        quality: &str,
        first_segment: u32,
        archive: &[u8],
    ) -> Result<PartReply> {
        let (worker, quality) = (self.id, quality.to_owned());
        let delivery = Delivery { worker, job: job.job_id, fence: job.fence, quality, first_segment };
        let expected = deliver::expect(&self.app, &delivery).await?;
        let scratch = tempfile::tempdir_in(self.app.scratch()).unwrap();
        let file = scratch.path().join("part.tar.gz");
        std::fs::write(&file, archive).unwrap();
        let unpacked = scratch.path().join("unpacked");
        std::fs::create_dir(&unpacked).unwrap();
        let verified = deliver::verify(&self.app, file, &unpacked, &expected).await?;
        deliver::accept(&self.app, &delivery, &expected, &verified).await
    }

    pub fn attachment(&self, job: &ClaimedJob, file: ExtraFile) -> Attachment {
        Attachment { worker: self.id, job: job.job_id, fence: job.fence, file }
    }

    /// Delivers an image or a subtitle.
    pub async fn attach(&self, job: &ClaimedJob, file: ExtraFile, bytes: &[u8]) -> Result<LeaseReply> {
        let body = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::copy_from_slice(bytes))]);
        let sha256 = Sha256::digest(bytes).into();
        receive_sidecar::take(&self.app, &self.attachment(job, file), sha256, body).await
    }

    /// Plans and delivers everything that is missing.
    pub async fn encode(&self, job: &ClaimedJob, plan: &Plan) {
        self.encode_under(job.job_id, job.fence, plan).await;
    }

    pub async fn encode_under(&self, job: JobId, fence: i64, plan: &Plan) {
        let request = PlanRequest { fence, plan: plan.clone() };
        let reply = plan::plan(&self.app, self.id, job, request).await.unwrap();
        let last = plan.segment_count() - 1;
        for quality in reply.qualities {
            let done = matches!(quality.status, QualityStatus::Completed | QualityStatus::Skipped);
            if !done {
                self.deliver_under(job, fence, plan, &quality.quality.name, 0..=last).await.unwrap();
            }
        }
    }

    pub async fn complete(&self, job: &ClaimedJob) -> Result<CompleteReply> {
        let request =
            CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out: vec![] };
        complete::complete(&self.app, self.id, &request).await
    }

    /// For a kind of job that delivers nothing else.
    pub async fn complete_with(&self, job: &ClaimedJob, results: Value) -> Result<CompleteReply> {
        let request = CompleteRequest {
            job_id: job.job_id,
            fence: job.fence,
            results: Some(results),
            left_out: vec![],
        };
        complete::complete(&self.app, self.id, &request).await
    }

    pub async fn fail(&self, job: &ClaimedJob, class: ErrorClass, message: &str) -> Result<FailReply> {
        self.fail_with_log(job, class, message, None).await
    }

    pub async fn fail_with_log(
        &self,
        job: &ClaimedJob,
        class: ErrorClass,
        message: &str,
        log: Option<&str>,
    ) -> Result<FailReply> {
        let (job_id, fence, message) = (job.job_id, job.fence, message.to_owned());
        let request = FailRequest { job_id, fence, class, message, log: log.map(str::to_owned) };
        fail::fail(&self.app, self.id, &request).await
    }

    pub async fn release(&self, job: &ClaimedJob) -> Result<()> {
        let request = ReleaseRequest { job_id: job.job_id, fence: job.fence, reason: None };
        release::release(&self.app, self.id, &request).await
    }
}
