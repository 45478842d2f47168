//! The farm in a few dozen plain rules, without SQL, transactions or concurrency. Times are whole milliseconds.

use framefarm_shared::failure::{self, Budget, ErrorClass, Verdict};
use framefarm_shared::queue::RetryMode;
use framefarm_shared::state::{JobStatus, WorkerStatus};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;

use crate::step::{Step, any_step};

pub(crate) const WORKERS: usize = 4;
const LEASE: i64 = 1_800_000;
const OFFLINE: i64 = 300_000;
const NO_PROGRESS: i64 = 1_800_000;
const GRACE: i64 = 120_000;
const HEARTBEAT: i64 = 30_000;
const REDELIVERY: i64 = 10_000;
const MOST: i32 = 3;

#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub status: JobStatus,
    pub priority: i32,
    pub enqueued: i64,
    pub fence: i64,
    pub holder: Option<usize>,
    pub expires: i64,
    pub progressed: i64,
    pub percent: u8,
    pub step_known: bool,
    pub attempts: i32,
    pub failures: i32,
    pub losses: i32,
    pub due: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub status: WorkerStatus,
    pub heard: i64,
    /// Which of its processes the API knows.
    pub known_boot: Option<u32>,
    pub boot: u32,
    /// Every (job, fence) it was ever granted.
    pub tokens: Vec<(usize, i64)>,
}

/// What the farm answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Granted { job: usize, fence: i64 },
    Nothing,
    Refused(&'static str),
    Renewed(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub now: i64,
    pub jobs: Vec<Job>,
    pub workers: Vec<Worker>,
    pub paused: bool,
    pub grace_until: i64,
    /// The answer to the last step.
    pub answer: Answer,
}

impl ReferenceStateMachine for Model {
    type State = Self;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self> {
        let worker =
            Worker { status: WorkerStatus::Active, heard: 0, known_boot: None, boot: 0, tokens: vec![] };
        let workers = vec![worker; WORKERS];
        Just(Self { now: 0, jobs: vec![], workers, paused: false, grace_until: 0, answer: Answer::Done })
            .boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Step> {
        any_step()
    }

    fn apply(mut state: Self, step: &Step) -> Self {
        state.answer = state.take(step);
        state
    }
}

impl Model {
    fn take(&mut self, step: &Step) -> Answer {
        match *step {
            Step::Upload { priority } => self.upload(priority),
            Step::Claim { worker } => self.claim(worker, None),
            Step::ClaimAgain { worker, token } => match self.token(worker, token) {
                Some((job, _)) => self.claim(worker, Some(job)),
                None => Answer::Done,
            },
            Step::Beat { worker } => self.beat(worker),
            Step::Progress { worker, token, percent } => self.held(worker, token, |model, job| {
                let row = &mut model.jobs[job];
                if percent > row.percent || !row.step_known {
                    row.progressed = model.now;
                }
                row.percent = row.percent.max(percent);
                row.step_known = true;
                row.expires = model.now + LEASE;
            }),
            Step::Complete { worker, token } => self.complete(worker, token),
            Step::Fail { worker, token, permanent } => self.held(worker, token, |model, job| {
                let class = if permanent { ErrorClass::InputInvalid } else { ErrorClass::Transfer };
                model.fail(job, class);
            }),
            Step::Release { worker, token } => self.held(worker, token, |model, job| {
                model.jobs[job].attempts -= 1;
                model.leave(job, JobStatus::Pending, None);
            }),
            Step::RestartWorker { worker } => {
                self.now += 1000;
                self.workers[worker].boot += 1;
                Answer::Done
            }
            Step::Disable { worker } => {
                self.lose_all(worker);
                self.workers[worker].status = WorkerStatus::Disabled;
                Answer::Done
            }
            Step::Enable { worker } => {
                if self.workers[worker].status == WorkerStatus::Disabled {
                    self.workers[worker].status = WorkerStatus::Active;
                }
                Answer::Done
            }
            Step::Cancel { job } => self.cancel(job),
            Step::Retry { job } => self.retry(job),
            Step::Pause { paused } => {
                self.paused = paused;
                Answer::Done
            }
            Step::Wait { seconds } => {
                self.now += seconds * 1000;
                Answer::Done
            }
            Step::Reap => self.reap(),
            Step::RestartApi { down_seconds } => self.restart_api(down_seconds * 1000),
        }
    }

    pub(crate) fn token(&self, worker: usize, token: usize) -> Option<(usize, i64)> {
        let tokens = &self.workers[worker].tokens;
        (!tokens.is_empty()).then(|| tokens[tokens.len() - 1 - token % tokens.len()])
    }

    fn upload(&mut self, priority: i32) -> Answer {
        self.jobs.push(Job {
            status: JobStatus::Pending,
            priority,
            enqueued: self.now,
            fence: 0,
            holder: None,
            expires: 0,
            progressed: 0,
            percent: 0,
            step_known: false,
            attempts: 0,
            failures: 0,
            losses: 0,
            due: None,
        });
        Answer::Done
    }

    /// A new process proves that the old one is gone.
    fn meet(&mut self, worker: usize) {
        let boot = self.workers[worker].boot;
        if self.workers[worker].known_boot.is_some_and(|known| known != boot) {
            self.lose_all(worker);
        }
    }

    fn claim(&mut self, worker: usize, wanted: Option<usize>) -> Answer {
        if self.workers[worker].status == WorkerStatus::Disabled {
            return Answer::Refused("unauthorized");
        }
        self.meet(worker);
        for job in &mut self.jobs {
            if job.status == JobStatus::Pending && job.due.is_some_and(|due| due <= self.now) {
                job.due = None;
            }
        }
        let own_expired = |job: &Job| {
            job.status == JobStatus::Running && job.holder == Some(worker) && job.expires <= self.now
        };
        let free = |job: &Job| job.status == JobStatus::Pending && job.due.is_none() && !self.paused;
        let chosen = match wanted {
            Some(job) => Some(job).filter(|job| own_expired(&self.jobs[*job]) || free(&self.jobs[*job])),
            None => (0..self.jobs.len())
                .filter(|job| free(&self.jobs[*job]))
                .min_by_key(|job| (-self.jobs[*job].priority, self.jobs[*job].enqueued, *job)),
        };
        let Some(chosen) = chosen else {
            return Answer::Nothing;
        };
        let job = &mut self.jobs[chosen];
        job.status = JobStatus::Running;
        job.fence += 1;
        job.attempts += 1;
        job.holder = Some(worker);
        job.expires = self.now + LEASE;
        job.progressed = self.now;
        (job.percent, job.step_known) = (0, false);
        let fence = job.fence;
        let row = &mut self.workers[worker];
        row.status = WorkerStatus::Busy;
        row.known_boot = Some(row.boot);
        row.tokens.push((chosen, fence));
        Answer::Granted { job: chosen, fence }
    }

    fn beat(&mut self, worker: usize) -> Answer {
        if self.workers[worker].status == WorkerStatus::Disabled {
            return Answer::Refused("unauthorized");
        }
        self.meet(worker);
        let mut renewed = 0;
        for (job, fence) in self.workers[worker].tokens.clone() {
            if self.holds(worker, job, fence) {
                self.jobs[job].expires = self.now + LEASE;
                renewed += 1;
            }
        }
        let row = &mut self.workers[worker];
        row.heard = self.now;
        row.known_boot = Some(row.boot);
        row.status = WorkerStatus::Active;
        self.settle(worker);
        Answer::Renewed(renewed)
    }

    fn holds(&self, worker: usize, job: usize, fence: i64) -> bool {
        let row = &self.jobs[job];
        row.status == JobStatus::Running
            && row.holder == Some(worker)
            && row.fence == fence
            && row.expires > self.now
    }

    fn held(&mut self, worker: usize, token: usize, act: impl FnOnce(&mut Self, usize)) -> Answer {
        let Some((job, fence)) = self.token(worker, token) else {
            return Answer::Done;
        };
        if !self.holds(worker, job, fence) {
            return Answer::Refused(self.why(worker, job, fence));
        }
        act(self, job);
        Answer::Done
    }

    fn why(&self, worker: usize, job: usize, fence: i64) -> &'static str {
        let row = &self.jobs[job];
        if row.fence != fence || row.holder.is_some_and(|holder| holder != worker) {
            "fenced"
        } else if row.status == JobStatus::Running {
            "claim_expired"
        } else {
            "claim_lost"
        }
    }

    fn complete(&mut self, worker: usize, token: usize) -> Answer {
        let Some((job, fence)) = self.token(worker, token) else {
            return Answer::Done;
        };
        let row = &self.jobs[job];
        if row.status == JobStatus::Completed && row.fence == fence {
            return Answer::Done;
        }
        self.held(worker, token, |model, job| model.leave(job, JobStatus::Completed, None))
    }

    fn leave(&mut self, job: usize, status: JobStatus, due: Option<i64>) {
        let row = &mut self.jobs[job];
        row.status = status;
        row.due = due;
        if let Some(worker) = row.holder.take() {
            self.settle(worker);
        }
    }

    fn settle(&mut self, worker: usize) {
        if matches!(self.workers[worker].status, WorkerStatus::Offline | WorkerStatus::Disabled) {
            return;
        }
        let busy = self.jobs.iter().any(|job| job.holder == Some(worker));
        self.workers[worker].status = if busy { WorkerStatus::Busy } else { WorkerStatus::Idle };
    }

    fn fail(&mut self, job: usize, class: ErrorClass) {
        let row = &mut self.jobs[job];
        let budget = Budget { mode: RetryMode::Auto, failures: row.failures, max_attempts: MOST };
        let jitter = failure::jitter_of(i64::try_from(job).unwrap() + 1, row.fence);
        row.failures += 1;
        match failure::judge(class, budget, jitter) {
            Verdict::RetryAfter(wait) => {
                let due = self.now + wait.num_milliseconds();
                self.leave(job, JobStatus::Pending, Some(due));
            }
            Verdict::GiveUp => self.leave(job, JobStatus::Failed, None),
        }
    }

    fn lose(&mut self, job: usize) {
        self.jobs[job].losses += 1;
        if self.jobs[job].losses >= MOST {
            self.leave(job, JobStatus::Failed, None);
        } else {
            self.leave(job, JobStatus::Pending, Some(self.now + REDELIVERY));
        }
    }

    fn lose_all(&mut self, worker: usize) {
        for job in 0..self.jobs.len() {
            if self.jobs[job].holder == Some(worker) {
                self.lose(job);
            }
        }
    }

    fn cancel(&mut self, job: usize) -> Answer {
        let Some(status) = self.jobs.get(job).map(|row| row.status) else {
            return Answer::Done;
        };
        if !matches!(status, JobStatus::Pending | JobStatus::Running) {
            return Answer::Refused("nothing_to_cancel");
        }
        self.leave(job, JobStatus::Cancelled, None);
        Answer::Done
    }

    fn retry(&mut self, job: usize) -> Answer {
        let Some(row) = self.jobs.get_mut(job) else {
            return Answer::Done;
        };
        if !matches!(row.status, JobStatus::Failed | JobStatus::Cancelled) {
            return Answer::Nothing;
        }
        row.status = JobStatus::Pending;
        (row.failures, row.losses, row.due) = (0, 0, None);
        Answer::Done
    }

    fn reap(&mut self) -> Answer {
        if self.now < self.grace_until {
            return Answer::Done;
        }
        for worker in &mut self.workers {
            let gone = matches!(worker.status, WorkerStatus::Offline | WorkerStatus::Disabled);
            if !gone && worker.heard < self.now - OFFLINE {
                worker.status = WorkerStatus::Offline;
            }
        }
        for job in 0..self.jobs.len() {
            let row = &self.jobs[job];
            let Some(holder) = row.holder else { continue };
            let gone = matches!(self.workers[holder].status, WorkerStatus::Offline | WorkerStatus::Disabled);
            if row.expires <= self.now && (gone || row.expires <= self.now - 2 * LEASE) {
                self.lose(job);
            }
        }
        for job in 0..self.jobs.len() {
            if self.jobs[job].holder.is_some() && self.jobs[job].progressed <= self.now - NO_PROGRESS {
                self.fail(job, ErrorClass::Timeout);
            }
        }
        Answer::Done
    }

    /// The outage counts against nobody.
    fn restart_api(&mut self, down: i64) -> Answer {
        let tick = self.now;
        self.now += down;
        for job in self.jobs.iter_mut().filter(|job| job.holder.is_some() && job.expires > tick) {
            job.expires += down;
            job.progressed += down;
        }
        for worker in &mut self.workers {
            let gone = matches!(worker.status, WorkerStatus::Offline | WorkerStatus::Disabled);
            if !gone && worker.heard >= tick - OFFLINE {
                worker.heard = self.now;
            }
        }
        if down >= HEARTBEAT {
            self.grace_until = self.now + GRACE;
        }
        Answer::Done
    }
}
