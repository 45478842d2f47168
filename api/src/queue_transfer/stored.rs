//! Whether the storage has what a video needs that is not here yet.

use std::collections::{HashMap, HashSet};

use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::VideoStatus;

use super::document::{ExportedJob, ExportedVideo};
use super::garbage;
use crate::app::App;
use crate::db::job;
use crate::error::Result;

/// Videos that are asked for in one statement.
const PAGE: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Source,
    Output,
    /// It was removed for good here, and its files go right now.
    Going,
}

impl Missing {
    pub(super) fn told(self) -> (&'static str, String) {
        match self {
            Self::Source => (
                "source_missing",
                "The storage does not contain the source of its video with the expected size (`sources/<video>/source`); \
                 copy it there first, or import a list with its path or URL."
                    .to_owned(),
            ),
            Self::Going => (
                "files_going",
                "Its video was permanently deleted on this farm, and its files are being deleted; copy the files back \
                 and import it again in a few minutes."
                    .to_owned(),
            ),
            Self::Output => (
                "output_missing",
                "Its video is ready, but the storage does not contain its output (`videos/<video>/`); copy it there \
                 first."
                    .to_owned(),
            ),
        }
    }
}

/// The videos of these jobs that are neither in the database nor in the storage, and what they miss. What they do find there
/// stays for the import, unless it is a dry run.
pub(super) async fn missing(
    app: &App,
    jobs: &[ExportedJob],
    videos: &HashMap<VideoId, ExportedVideo>,
    live: &HashMap<VideoId, Vec<i32>>,
    dry_run: bool,
) -> Result<HashMap<VideoId, Missing>> {
    let wanted: HashSet<VideoId> = jobs.iter().map(|job| job.video_id).collect();
    let mut unknown: HashSet<VideoId> = wanted.into_iter().filter(|id| videos.contains_key(id)).collect();
    let all: Vec<VideoId> = unknown.iter().copied().collect();
    let mut tx = app.db.begin_reading().await?;
    for part in all.chunks(PAGE) {
        for known in job::import::known_videos(&mut tx, part).await? {
            unknown.remove(&known.id);
        }
    }
    tx.rollback().await?;
    let coming: Vec<&ExportedVideo> = unknown.iter().filter_map(|id| videos.get(id)).collect();
    let going = garbage::keep(app, &coming, live, dry_run).await?;
    let looks: Vec<Look> = unknown.iter().filter_map(|id| videos.get(id)).map(Look::at).collect();
    let sizes = app.storage.sizes(looks.iter().map(|look| look.key.clone()).collect()).await?;
    let missed = looks.into_iter().zip(sizes).filter(|(look, size)| !look.fits(*size));
    let missed = missed.map(|(look, _)| (look.video, look.otherwise));
    Ok(missed.chain(going.into_iter().map(|video| (video, Missing::Going))).collect())
}

/// A video that plays needs what plays; any other one what it is made of.
struct Look {
    video: VideoId,
    key: ObjectKey,
    /// Of what is looked for; whatever it is if nobody knows.
    size: Option<i64>,
    otherwise: Missing,
}

impl Look {
    fn at(row: &ExportedVideo) -> Self {
        let video = row.id;
        if row.status == VideoStatus::Ready {
            let key = ObjectKey::Master { video, generation: row.generation };
            return Self { video, key, size: None, otherwise: Missing::Output };
        }
        let key = ObjectKey::Source { video };
        Self { video, key, size: Some(row.source_size), otherwise: Missing::Source }
    }

    fn fits(&self, found: Option<u64>) -> bool {
        found.is_some_and(|found| self.size.is_none_or(|size| u64::try_from(size) == Ok(found)))
    }
}
