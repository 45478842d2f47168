//! The newest progress of each job and sign of each worker, numbered by the order of changes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use framefarm_shared::id::{JobId, WorkerId};

use super::message::{Message, Progress, WorkerSign};

/// Ended runs that are remembered, against progress that comes after the end.
const ENDED: usize = 1024;

#[derive(Default)]
pub(super) struct Live {
    version: u64,
    jobs: HashMap<JobId, (u64, Arc<Progress>)>,
    workers: HashMap<WorkerId, (u64, Arc<WorkerSign>)>,
    ended: VecDeque<(JobId, i64)>,
}

impl Live {
    /// The number of the change; `None` if the run is over.
    pub(super) fn progress(&mut self, progress: Progress) -> Option<u64> {
        if self.ended.iter().any(|(job, fence)| *job == progress.job_id && *fence >= progress.fence) {
            return None;
        }
        self.version += 1;
        self.jobs.insert(progress.job_id, (self.version, Arc::new(progress)));
        Some(self.version)
    }

    pub(super) fn worker(&mut self, sign: WorkerSign) -> u64 {
        self.version += 1;
        self.workers.insert(sign.id, (self.version, Arc::new(sign)));
        self.version
    }

    pub(super) fn end(&mut self, (job, fence): (JobId, i64)) {
        if self.jobs.get(&job).is_some_and(|(_, progress)| progress.fence <= fence) {
            self.jobs.remove(&job);
        }
        self.ended.push_back((job, fence));
        let surplus = self.ended.len().saturating_sub(ENDED);
        self.ended.drain(..surplus);
    }

    pub(super) fn forget(&mut self) {
        self.jobs.clear();
        self.workers.clear();
    }

    /// What changed after `seen`, in that order, and the number of the last change.
    pub(super) fn since(&self, seen: u64) -> (Vec<Message>, u64) {
        let jobs = self.jobs.values().map(|(version, news)| (*version, Message::Progress(news.clone())));
        let workers = self.workers.values().map(|(version, news)| (*version, Message::Worker(news.clone())));
        let mut found: Vec<_> = jobs.chain(workers).filter(|(version, _)| *version > seen).collect();
        found.sort_unstable_by_key(|(version, _)| *version);
        (found.into_iter().map(|(_, message)| message).collect(), self.version)
    }
}
