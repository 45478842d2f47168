//! Every operation on a queue of ten thousand: right, the same when it is repeated, and in a few batches. How long each
//! takes is printed and not judged: `cargo nextest run ten_thousand --no-capture`.

use std::collections::BTreeMap;
use std::time::Instant;

use framefarm_api::db::job;

use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::lifecycle::bulk::Choice;
use framefarm_api::lifecycle::priority::set_many;
use framefarm_api::lifecycle::queues::{Cleared, clear};
use framefarm_api::lifecycle::retry_many::retry_many;
use framefarm_api::queue_transfer::document::Export;
use framefarm_api::queue_transfer::import::import;
use framefarm_api::responses::stuck;
use framefarm_api::testing::Farm;
use framefarm_shared::id::JobId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::queue::SkipReason;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;

use super::{all, an_empty_farm, copy, exported, written};

const ERRORS: &[JobStatus] = &[JobStatus::Failed, JobStatus::Cancelled];

async fn timed<T>(farm: &Farm, what: &str, act: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = act.await;
    println!("{:<10} {what:<40} {:>6} ms", farm.app.db.name(), begun.elapsed().as_millis());
    done
}

async fn counts(farm: &Farm) -> BTreeMap<JobStatus, i64> {
    let counts = job::lists::counts(&farm.app.db, &JobFilter::default()).await.unwrap();
    counts.into_iter().map(|row| (row.status, row.count)).collect()
}

async fn events(farm: &Farm, kind: EventKind) -> usize {
    let mut count = 0;
    let mut after = 0;
    loop {
        let page = framefarm_api::db::events::after(&farm.app.db, after, 10_000).await.unwrap();
        let Some(last) = page.last() else { return count };
        after = last.id;
        count += page.iter().filter(|event| event.kind == kind && event.job_id.is_some()).count();
    }
}

/// The files that the videos of an export need.
fn with_files(farm: &Farm, export: &Export) {
    for video in &export.videos {
        let key = match video.status {
            VideoStatus::Ready => ObjectKey::Master { video: video.id, generation: video.generation },
            _ => ObjectKey::Source { video: video.id },
        };
        let path = farm.app.storage.directory().unwrap().join(key.path());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"x").unwrap();
    }
}

framefarm_api::on_both_engines! {
    async fn ten_thousand_jobs_are_managed_in_a_few_batches(farm: Farm) {
        farm.fill_mixed_queue(10_000).await;
        let any = JobFilter::default();
        let app = &farm.app;
        let text = timed(&farm, "export", written(&farm)).await;
        let before = exported(&farm).await;
        let parts = [&before.pending, &before.running, &before.completed, &before.errors].map(Vec::len);
        assert_eq!((parts, before.videos.len()), ([2_500, 0, 2_500, 5_000], 10_000));
        let document = || copy(&before);

        // Cleared, and back from the export.
        for (statuses, many) in [(&[JobStatus::Completed][..], 2_500), (ERRORS, 5_000)] {
            let dry = timed(&farm, "clear, dry", clear(app, &any, statuses, "", "admin", true)).await.unwrap();
            assert_eq!(dry, Cleared { cleared: many, batches: 0 });
            assert_eq!(counts(&farm).await[&statuses[0]], 2_500, "a dry run changes nothing");
            let done = timed(&farm, "clear", clear(app, &any, statuses, "", "admin", false)).await.unwrap();
            assert_eq!(done, Cleared { cleared: many, batches: 3 * u32::try_from(statuses.len()).unwrap() });
            let again = clear(app, &any, statuses, "", "admin", false).await.unwrap();
            assert_eq!(again.cleared, 0);
            let back = timed(&farm, "import of what was cleared", import(app, document(), "admin", false)).await.unwrap();
            assert_eq!((back.imported, back.duplicate, back.refused), (many, 10_000 - many, 0));
            assert_eq!(back.batches, 12);
            assert!(written(&farm).await == text, "it is not as it was");
        }
        let again = timed(&farm, "import of what is there", import(app, document(), "admin", false)).await.unwrap();
        assert_eq!((again.imported, again.duplicate), (0, 10_000));

        // Into an empty farm that has the files.
        let other = an_empty_farm(&farm).await;
        let without = import(&other.app, document(), "admin", true).await.unwrap();
        assert_eq!((without.imported, without.refused), (0, 10_000), "no files, no videos");
        with_files(&other, &before);
        let dry = timed(&other, "import into an empty farm, dry", import(&other.app, document(), "admin", true)).await;
        assert_eq!(dry.unwrap().imported, 10_000);
        assert!(exported(&other).await.videos.is_empty(), "a dry run changes nothing");
        let done = timed(&other, "import into an empty farm", import(&other.app, document(), "admin", false)).await.unwrap();
        assert_eq!((done.imported, done.duplicate, done.refused), (10_000, 0, 0));
        assert!(written(&other).await == text, "it is another queue there");
        let next = other.upload("next").await.job.number;
        assert_eq!(next, 10_001, "a new job takes nobody's number");

        // Another priority.
        let dry = set_many(app, all(), 7, "admin", true).await.unwrap();
        assert_eq!((dry.changed, dry.unchanged), (2_500, 0));
        let done = timed(&farm, "priority", set_many(app, all(), 7, "admin", false)).await.unwrap();
        assert_eq!((done.changed, done.unchanged, done.batches), (2_500, 0, 3));
        let again = set_many(app, all(), 7, "admin", false).await.unwrap();
        assert_eq!((again.changed, again.unchanged, again.batches), (0, 2_500, 0));
        assert_eq!(events(&farm, EventKind::JobPriorityChanged).await, 2_500, "one for each");

        // Back into the queue; of every second one the cleaner took the generation.
        farm.sql("DELETE FROM generation WHERE video_id IN (SELECT video_id FROM job WHERE number % 4 = 2)").await;
        let ended: Vec<JobId> = before.errors.iter().map(|job| job.id).collect();
        let dry = timed(&farm, "retry, dry", retry_many(app, all(), "admin", true)).await.unwrap();
        assert_eq!((dry.retried, dry.skipped.total()), (5_000, 0));
        assert_eq!(counts(&farm).await[&JobStatus::Failed], 2_500, "a dry run changes nothing");
        let done = timed(&farm, "retry", retry_many(app, all(), "admin", false)).await.unwrap();
        assert_eq!((done.retried, done.skipped.total(), done.batches), (5_000, 0, 5));
        let again = retry_many(app, all(), "admin", false).await.unwrap();
        assert_eq!((again.retried, again.batches), (0, 0));
        assert_eq!(counts(&farm).await, BTreeMap::from([(JobStatus::Pending, 7_500), (JobStatus::Completed, 2_500)]));
        assert_eq!(events(&farm, EventKind::JobRequeued).await, 5_000, "one for each");
        let after = exported(&farm).await;
        assert!(after.videos.iter().all(|video| matches!(video.status, VideoStatus::Pending | VideoStatus::Ready)));
        let generations = after.pending.iter().filter(|job| ended.contains(&job.id)).map(|job| job.generation);
        assert_eq!(generations.sum::<i32>(), 2_500 + 2 * 2_500, "those that lost theirs work on the next one");
        let by_id = timed(&farm, "requeue by id", retry_many(app, Choice::Ids(ended), "admin", false)).await.unwrap();
        assert_eq!((by_id.retried, by_id.skipped.counts[&SkipReason::NotEnded]), (0, 5_000));
        assert_eq!(by_id.skipped.first.len(), 20, "the first few are named");

        timed(&farm, "stuck", stuck::list(app, 600, 100)).await.unwrap();
        timed(&farm, "counts", framefarm_api::responses::queues::counts(app)).await.unwrap();
    }
}
