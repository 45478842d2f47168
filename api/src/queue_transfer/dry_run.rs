//! What a dry run would have added by now. Each of its batches is rolled back, so the database cannot tell the next one.

use std::collections::{HashMap, HashSet};

use framefarm_shared::id::VideoId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use crate::db::job::JobRow;
use crate::db::job::import::KnownVideo;
use crate::db::videos::VideoRow;

#[derive(Default)]
pub(super) struct Tried {
    videos: HashMap<VideoId, KnownVideo>,
    slugs: HashMap<String, VideoId>,
    live: HashSet<(String, QueueType)>,
}

impl Tried {
    pub(super) fn video(&self, id: VideoId) -> Option<&KnownVideo> {
        self.videos.get(&id)
    }

    /// Whether another video of an earlier batch has the slug of this one.
    pub(super) fn has_slug_of(&self, row: &VideoRow) -> bool {
        self.slugs.get(&row.slug).is_some_and(|id| *id != row.id)
    }

    /// Whether a job of an earlier batch waits to do the same.
    pub(super) fn has_work_of(&self, row: &JobRow) -> bool {
        is_live(row) && self.live.contains(&work(row))
    }

    pub(super) fn add_video(&mut self, row: &VideoRow) {
        self.videos.insert(row.id, KnownVideo { id: row.id, status: row.status, is_deleted: false });
        self.slugs.insert(row.slug.clone(), row.id);
    }

    pub(super) fn add_job(&mut self, row: &JobRow) {
        if is_live(row) {
            self.live.insert(work(row));
        }
    }
}

fn is_live(row: &JobRow) -> bool {
    matches!(row.status, JobStatus::Pending | JobStatus::Running)
}

fn work(row: &JobRow) -> (String, QueueType) {
    (row.identity.clone(), row.queue_type)
}
