//! The real farm, once on each engine, driven step by step and compared with the model after each.

use chrono::Duration;
use framefarm_api::error::ApiError;
use framefarm_api::lifecycle::{self, startup};
use framefarm_api::testing::{Farm, TestWorker, the_beginning};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::JobId;
use framefarm_shared::plan::{AudioTrack, Plan, SourceInfo};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, Step as JobStep, VideoStatus, WorkerStatus};
use framefarm_shared::wire::worker_api::{
    ClaimRequest, CompleteRequest, FailRequest, HeartbeatRequest, HeldJob, ProgressRequest, ReleaseRequest,
    ReportedStatus,
};
use proptest_state_machine::StateMachineTest;

use crate::model::{Answer, Model, WORKERS};
use crate::step::Step;

pub(crate) struct Simulation {
    runtime: tokio::runtime::Runtime,
    engines: Vec<Engine>,
    /// Tokens as the model granted them; the farm grants the same.
    granted: Vec<Vec<(usize, i64)>>,
}

struct Engine {
    farm: Option<Farm>,
    workers: Vec<TestWorker>,
    jobs: Vec<JobId>,
}

impl StateMachineTest for Simulation {
    type SystemUnderTest = Self;
    type Reference = Model;

    fn init_test(_: &Model) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let engines = runtime.block_on(async {
            let mut engines = Vec::new();
            for farm in [Farm::sqlite().await, Farm::postgres().await] {
                startup::recover(&farm.app).await.unwrap();
                // The grace of a first start is not what is tested here.
                farm.sql("UPDATE fact SET value = '0' WHERE name = 'grace_until'").await;
                let mut workers = Vec::new();
                for number in 0..WORKERS {
                    workers.push(farm.worker(&format!("w{number}")).await);
                }
                engines.push(Engine { farm: Some(farm), workers, jobs: Vec::new() });
            }
            engines
        });
        Self { runtime, engines, granted: vec![Vec::new(); WORKERS] }
    }

    fn apply(mut state: Self, model: &Model, step: Step) -> Self {
        let granted = state.granted.clone();
        let Self { runtime, engines, .. } = &mut state;
        for engine in engines {
            let name = engine.farm().app.db.name();
            let answer = runtime.block_on(engine.take(&step, &granted));
            assert_eq!(answer, model.answer, "answer of {name} to {step:?}");
            runtime.block_on(engine.compare(model, &step));
        }
        if let (Answer::Granted { job, fence }, Step::Claim { worker } | Step::ClaimAgain { worker, .. }) =
            (&model.answer, &step)
        {
            state.granted[*worker].push((*job, *fence));
        }
        state
    }
}

fn token_of(granted: &[Vec<(usize, i64)>], worker: usize, token: usize) -> Option<(usize, i64)> {
    let tokens = &granted[worker];
    (!tokens.is_empty()).then(|| tokens[tokens.len() - 1 - token % tokens.len()])
}

fn plain<T>(result: Result<T, ApiError>) -> Answer {
    result.map_or_else(|error| Answer::Refused(error.code), |_| Answer::Done)
}

impl Engine {
    fn farm(&self) -> &Farm {
        self.farm.as_ref().unwrap()
    }

    async fn take(&mut self, step: &Step, granted: &[Vec<(usize, i64)>]) -> Answer {
        let app = self.farm().app.clone();
        match *step {
            Step::Upload { priority } => {
                let name = format!("clip {}", self.jobs.len());
                let upload = self.farm().upload_with(&name, |request| request.priority = priority).await;
                self.jobs.push(upload.job.id);
                Answer::Done
            }
            Step::Claim { worker } => self.claim(worker, None).await,
            Step::ClaimAgain { worker, token } => match token_of(granted, worker, token) {
                Some((job, _)) => self.claim(worker, Some(self.jobs[job])).await,
                None => Answer::Done,
            },
            Step::Beat { worker } => self.beat(worker, &granted[worker]).await,
            Step::Progress { worker, token, percent } => {
                let Some((job, fence)) = token_of(granted, worker, token) else { return Answer::Done };
                let request = ProgressRequest {
                    job_id: self.jobs[job],
                    fence,
                    step: JobStep::Transcode,
                    percent: percent.into(),
                    eta_seconds: None,
                    qualities: vec![],
                    log: None,
                };
                plain(lifecycle::progress::progress(&app, self.workers[worker].id, &request).await)
            }
            Step::Complete { worker, token } => match token_of(granted, worker, token) {
                Some((job, fence)) => self.complete(worker, job, fence).await,
                None => Answer::Done,
            },
            Step::Fail { worker, token, permanent } => {
                let Some((job, fence)) = token_of(granted, worker, token) else { return Answer::Done };
                let class = if permanent { ErrorClass::InputInvalid } else { ErrorClass::Transfer };
                let request = FailRequest {
                    job_id: self.jobs[job],
                    fence,
                    class,
                    message: "simulated".to_owned(),
                    log: None,
                };
                plain(lifecycle::fail::fail(&app, self.workers[worker].id, &request).await)
            }
            Step::Release { worker, token } => {
                let Some((job, fence)) = token_of(granted, worker, token) else { return Answer::Done };
                let request = ReleaseRequest { job_id: self.jobs[job], fence, reason: None };
                plain(lifecycle::release::release(&app, self.workers[worker].id, &request).await)
            }
            Step::RestartWorker { worker } => {
                self.workers[worker] = self.workers[worker].restarted();
                Answer::Done
            }
            Step::Disable { worker } => {
                plain(lifecycle::workers::disable(&app, self.workers[worker].id, "sim").await)
            }
            Step::Enable { worker } => {
                plain(lifecycle::workers::enable(&app, self.workers[worker].id, "sim").await)
            }
            Step::Cancel { job } => match self.jobs.get(job) {
                Some(id) => {
                    let video = self.farm().job(*id).await.video_id;
                    plain(lifecycle::cancel::cancel_video(&app, video, "sim").await)
                }
                None => Answer::Done,
            },
            Step::Retry { job } => match self.jobs.get(job) {
                Some(id) if lifecycle::retry::requeue(&app, *id, "sim").await.unwrap() => Answer::Done,
                Some(_) => Answer::Nothing,
                None => Answer::Done,
            },
            Step::Pause { paused } => {
                plain(lifecycle::queues::set_paused(&app, &[QueueType::Transcode], paused, "sim").await)
            }
            Step::Wait { seconds } => {
                self.farm().live_through(Duration::seconds(seconds)).await;
                Answer::Done
            }
            Step::Reap => {
                self.farm().reap().await;
                Answer::Done
            }
            Step::RestartApi { down_seconds } => {
                startup::tick(&app).await.unwrap();
                self.farm().wait(Duration::seconds(down_seconds));
                let farm = self.farm.take().unwrap().restarted(|_| {}).await;
                for worker in &mut self.workers {
                    *worker = worker.at(&farm.app);
                }
                startup::recover(&farm.app).await.unwrap();
                self.farm = Some(farm);
                Answer::Done
            }
        }
    }

    async fn claim(&self, worker: usize, job_id: Option<JobId>) -> Answer {
        let worker = &self.workers[worker];
        let request = ClaimRequest { job_id, ..worker.claim_request() };
        match lifecycle::claim::claim_now(&self.farm().app, worker.id, &request).await {
            Err(error) => Answer::Refused(error.code),
            Ok(reply) => reply.job.map_or(Answer::Nothing, |job| Answer::Granted {
                job: self.jobs.iter().position(|id| *id == job.job_id).unwrap(),
                fence: job.fence,
            }),
        }
    }

    async fn beat(&self, worker: usize, tokens: &[(usize, i64)]) -> Answer {
        let worker = &self.workers[worker];
        let held =
            tokens.iter().map(|(job, fence)| HeldJob { job_id: self.jobs[*job], fence: *fence }).collect();
        let request = HeartbeatRequest {
            boot_id: worker.boot,
            status: ReportedStatus::Idle,
            held,
            capabilities: None,
            metadata: None,
            gpus: None,
            stopping: false,
        };
        match lifecycle::heartbeat::heartbeat(&self.farm().app, worker.id, &request).await {
            Ok(reply) => Answer::Renewed(reply.renewed.len()),
            Err(error) => Answer::Refused(error.code),
        }
    }

    /// Delivers what is missing of a three-second sound and completes.
    async fn complete(&self, worker: usize, job: usize, fence: i64) -> Answer {
        let (farm, worker) = (self.farm(), &self.workers[worker]);
        let request = CompleteRequest { job_id: self.jobs[job], fence, results: None, left_out: vec![] };
        let first = lifecycle::complete::complete(&farm.app, worker.id, &request).await;
        if first.as_ref().is_err_and(|error| error.code == "not_complete") {
            let audio = vec![AudioTrack { title: None, language: None, channels: 2 }];
            let plan = Plan::regular(SourceInfo {
                notes: vec![],
                duration_us: 3_000_000,
                video: None,
                has_cover: None,
                audio,
                subtitles: vec![],
            });
            worker.encode_under(self.jobs[job], fence, &plan).await;
            return plain(lifecycle::complete::complete(&farm.app, worker.id, &request).await);
        }
        plain(first)
    }

    /// Every row against the model, and what must hold between rows.
    async fn compare(&self, model: &Model, step: &Step) {
        let farm = self.farm();
        let name = farm.app.db.name();
        let ms = |at: chrono::DateTime<chrono::Utc>| (at - the_beginning()).num_milliseconds();
        assert_eq!(ms(farm.now()), model.now);
        for (number, expected) in model.jobs.iter().enumerate() {
            let row = farm.job(self.jobs[number]).await;
            let context = format!("job {number} on {name} after {step:?}");
            assert_eq!(row.status, expected.status, "{context}");
            assert_eq!(row.fence, expected.fence, "fence of {context}");
            assert_eq!(row.worker_id, expected.holder.map(|w| self.workers[w].id), "holder of {context}");
            assert_eq!(row.attempt_number, expected.attempts, "attempts of {context}");
            assert_eq!(
                (row.failure_count, row.lost_count),
                (expected.failures, expected.losses),
                "{context}"
            );
            assert_eq!(row.retry_after.map(ms), expected.due, "retry of {context}");
            if expected.holder.is_some() {
                assert_eq!(row.claim_expires_at.map(ms), Some(expected.expires), "lease of {context}");
                assert_eq!(row.progressed_at.map(ms), Some(expected.progressed), "watermark of {context}");
            }
            let video = farm.video(row.video_id).await.status;
            let expected_video = match row.status {
                JobStatus::Pending => VideoStatus::Pending,
                JobStatus::Running => VideoStatus::Processing,
                JobStatus::Completed => VideoStatus::Ready,
                JobStatus::Failed | JobStatus::Cancelled => VideoStatus::Failed,
            };
            assert_eq!(video, expected_video, "video of {context}");
        }
        for (number, expected) in model.workers.iter().enumerate() {
            let row = farm.worker_row(self.workers[number].id).await;
            assert_eq!(row.status, expected.status, "worker {number} on {name} after {step:?}");
            let holds = model.jobs.iter().any(|job| job.holder == Some(number));
            assert!(row.status != WorkerStatus::Busy || holds, "worker {number} is busy with nothing");
        }
    }
}
