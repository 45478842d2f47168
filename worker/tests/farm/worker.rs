//! A worker made of the library's parts.

use std::path::PathBuf;
use std::time::Duration;

use framefarm_shared::clock::Clock;
use framefarm_shared::id::BootId;
use framefarm_shared::plan::Plan;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::{
    ClaimRequest, ClaimedJob, CompleteReply, CompleteRequest, HeldJob, PlanReply, PlanRequest,
    ProgressRequest, QualityReport, RegisterRequest,
};
use framefarm_worker::client::{Backoff, Client, Permission, Secret, register, retry};
use framefarm_worker::gpu::GpuPool;
use framefarm_worker::heartbeat::{Heartbeat, LeaseGuard};
use framefarm_worker::part::{PartArchive, PartFiles, write_part};
use tempfile::TempDir;

use crate::api::{ADMIN_SECRET, Api};
use crate::{encode, probe};

pub(crate) struct Worker {
    pub(crate) client: Client,
    boot_id: BootId,
    heartbeat: Heartbeat,
    scratch: TempDir,
}

impl Worker {
    pub(crate) async fn register(api: &Api) -> Self {
        let name = Some("end-to-end".to_owned());
        let request = RegisterRequest { name, worker_type: None, capabilities: None, metadata: None };
        let reply =
            register(&api.url, &Permission::AdminSecret(Secret::new(ADMIN_SECRET)), &request).await.unwrap();
        let client = Client::new(api.url.clone(), &Secret::new(&reply.api_key)).unwrap();
        let boot_id = BootId::new(&Clock::system());
        let every = Duration::from_secs(reply.heartbeat_seconds);
        let heartbeat =
            Heartbeat::start(client.clone(), boot_id, every, None, GpuPool::none("not asked for"));
        Self { client, boot_id, heartbeat, scratch: tempfile::tempdir().unwrap() }
    }

    pub(crate) async fn claim(&self) -> Option<ClaimedJob> {
        let request =
            ClaimRequest { boot_id: self.boot_id, queue_types: None, job_id: None, wait_seconds: Some(10) };
        self.client.claim(&request).await.unwrap().reply.job
    }

    pub(crate) async fn transcode(&self, job: &ClaimedJob) -> CompleteReply {
        let (hold, plan) = self.begin(job).await;
        let made = self.encode_missing(job, &hold, &plan).await;
        assert_eq!(made, ["480p", "360p", "audio0"]);
        let (source, scratch) = (self.source(), self.scratch.path());
        let (poster, words) =
            (encode::poster(&source, scratch).await, encode::subtitle(&source, scratch).await);
        let sent = hold.unless_lost(self.client.put_image(hold.job(), "poster.jpg", &poster)).await.unwrap();
        hold.renewed(sent.sent_at, sent.reply.lease_seconds);
        hold.unless_lost(self.client.put_subtitle(hold.job(), 0, &words)).await.unwrap();
        let complete =
            CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out: vec![] };
        hold.unless_lost(self.client.complete(&complete)).await.unwrap()
    }

    /// Fetches the source and agrees with the farm on the plan.
    pub(crate) async fn begin(&self, job: &ClaimedJob) -> (LeaseGuard, PlanReply) {
        let claimed = HeldJob { job_id: job.job_id, fence: job.fence };
        let hold = self.heartbeat.hold(claimed, Duration::from_secs(job.lease_seconds));
        let source = self.source();
        let download = self.client.download_source(claimed, &job.source, &source, Backoff::default());
        hold.unless_lost(download).await.unwrap();
        let plan = match &job.plan {
            Some(plan) => plan.clone(),
            None => probe::plan_of(&source).await,
        };
        assert_eq!(plan.check(), Ok(()));
        let request = PlanRequest { fence: job.fence, plan };
        let sent = hold.unless_lost(self.client.plan(job.job_id, &request)).await.unwrap();
        hold.renewed(sent.sent_at, sent.reply.lease_seconds);
        (hold, sent.reply)
    }

    /// Encodes and delivers each quality that the farm has not whole; gives back their names.
    pub(crate) async fn encode_missing(
        &self,
        job: &ClaimedJob,
        hold: &LeaseGuard,
        reply: &PlanReply,
    ) -> Vec<String> {
        let mut made = Vec::new();
        for report in reply.qualities.iter().filter(|report| is_missing(report)) {
            let name = &report.quality.name;
            let directory = self.scratch.path().join(format!("{}-{name}", job.generation));
            let files =
                encode::encode(&self.source(), &directory, &reply.plan, &report.quality, hold.lost()).await;
            for (number, files) in in_two(files).into_iter().enumerate() {
                let target = directory.join(format!("part{number}.tar.gz"));
                let part =
                    tokio::task::spawn_blocking(move || write_part(&files, &target)).await.unwrap().unwrap();
                let deliver = retry(Backoff::default(), || self.client.put_part(hold.job(), &part));
                let sent = hold.unless_lost(deliver).await.unwrap();
                hold.renewed(sent.sent_at, sent.reply.lease_seconds);
            }
            let request = ProgressRequest {
                job_id: job.job_id,
                fence: job.fence,
                step: Step::ALL[Step::ALL.len() / 2],
                percent: 50.0,
                eta_seconds: Some(7.5),
                qualities: vec![],
                log: None,
            };
            let sent = hold.unless_lost(self.client.progress(&request)).await.unwrap();
            hold.renewed(sent.sent_at, sent.reply.lease_seconds);
            made.push(name.clone());
        }
        made
    }

    /// A good part of the smallest quality, to be delivered too late.
    pub(crate) async fn a_part(&self, job: &ClaimedJob, reply: &PlanReply) -> PartArchive {
        let directory = self.scratch.path().join(format!("late-{}", job.fence));
        let report = reply.qualities.iter().rfind(|report| is_missing(report)).unwrap();
        let plan: &Plan = &reply.plan;
        let files = encode::encode(&self.source(), &directory, plan, &report.quality, &<_>::default()).await;
        write_part(&files, &directory.join("part.tar.gz")).unwrap()
    }

    fn source(&self) -> PathBuf {
        self.scratch.path().join("source")
    }
}

fn is_missing(report: &QualityReport) -> bool {
    let have: i32 = report.have.iter().map(|range| range.last - range.first + 1).sum();
    !report.quality.skipped && have < report.segments_total
}

/// The first segment alone, and the rest: parts need not be of one size.
fn in_two(files: PartFiles) -> [PartFiles; 2] {
    let (first, rest) = files.segments.split_at(1);
    let rest = PartFiles { first_segment: 1, segments: rest.to_vec(), ..files.clone() };
    [PartFiles { segments: first.to_vec(), ..files }, rest]
}
