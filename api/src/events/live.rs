//! The newest progress of each job and sign of each worker, numbered by the order of changes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use framefarm_shared::id::{JobId, VideoId, WorkerId};
use tokio::sync::watch;

use super::message::{Message, Progress, WorkerSign};

/// Ended runs that are remembered, against progress that comes after the end.
const ENDED: usize = 1024;

/// What a subscriber may receive: most of them look at one video and need not wake for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interest {
    All,
    Video(VideoId),
}

#[derive(Default)]
pub(super) struct Live {
    version: u64,
    videos: HashMap<VideoId, Vec<(u64, Arc<Progress>)>>,
    workers: HashMap<WorkerId, (u64, Arc<WorkerSign>)>,
    ended: VecDeque<(JobId, i64)>,
    /// Told the number of the newest change.
    all: watch::Sender<u64>,
    of_video: HashMap<VideoId, watch::Sender<u64>>,
}

impl Live {
    pub(super) fn subscribe(&mut self, interest: Interest) -> watch::Receiver<u64> {
        match interest {
            Interest::All => self.all.subscribe(),
            Interest::Video(id) => {
                // Who left is noticed here, where as many come as go.
                self.of_video.retain(|video, subscribers| *video == id || subscribers.receiver_count() > 0);
                self.of_video.entry(id).or_insert_with(|| watch::Sender::new(self.version)).subscribe()
            }
        }
    }

    /// Nothing if the run is over.
    pub(super) fn progress(&mut self, progress: Progress) {
        if self.ended.iter().any(|(job, fence)| *job == progress.job_id && *fence >= progress.fence) {
            return;
        }
        self.version += 1;
        let video = progress.video_id;
        let jobs = self.videos.entry(video).or_default();
        jobs.retain(|(_, known)| known.job_id != progress.job_id);
        jobs.push((self.version, Arc::new(progress)));
        self.all.send_replace(self.version);
        if let Some(subscribers) = self.of_video.get(&video) {
            subscribers.send_replace(self.version);
        }
    }

    pub(super) fn worker(&mut self, sign: WorkerSign) {
        self.version += 1;
        self.workers.insert(sign.id, (self.version, Arc::new(sign)));
        self.all.send_replace(self.version);
    }

    pub(super) fn end(&mut self, video: VideoId, (job, fence): (JobId, i64)) {
        if let Some(jobs) = self.videos.get_mut(&video) {
            jobs.retain(|(_, progress)| progress.job_id != job || progress.fence > fence);
            if jobs.is_empty() {
                self.videos.remove(&video);
            }
        }
        self.ended.push_back((job, fence));
        let surplus = self.ended.len().saturating_sub(ENDED);
        self.ended.drain(..surplus);
    }

    pub(super) fn forget(&mut self) {
        self.videos.clear();
        self.workers.clear();
    }

    /// What changed after `seen`, in that order, and the number of the last change.
    pub(super) fn since(&self, interest: Interest, seen: u64) -> (Vec<Message>, u64) {
        let mut found: Vec<_> = match interest {
            Interest::Video(id) => self.videos.get(&id).into_iter().flatten().map(numbered).collect(),
            Interest::All => {
                let jobs = self.videos.values().flatten().map(numbered);
                let signs =
                    self.workers.values().map(|(version, sign)| (*version, Message::Worker(sign.clone())));
                jobs.chain(signs).collect()
            }
        };
        found.retain(|(version, _)| *version > seen);
        found.sort_unstable_by_key(|(version, _)| *version);
        (found.into_iter().map(|(_, message)| message).collect(), self.version)
    }
}

fn numbered((version, message): &(u64, Arc<Progress>)) -> (u64, Message) {
    (*version, Message::Progress(message.clone()))
}
