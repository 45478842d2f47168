//! Table `intake`.

use chrono::Duration;
use framefarm_api::db::intakes::{self, IntakeRow, NewIntake, Outcome, Reach};
use framefarm_api::db::uploads::UploadRequest;
use framefarm_api::testing::Farm;
use framefarm_shared::id::{IntakeId, JobId, UploadId, VideoId};
use framefarm_shared::intake::{IntakeKind, IntakeState};

const ALL: Reach = Reach { urls: true, paths: true, watch: true };
const LEASE: Duration = Duration::seconds(60);

fn new(farm: &Farm, kind: IntakeKind, place: &str) -> NewIntake {
    NewIntake {
        id: IntakeId::new(&farm.clock),
        kind,
        place: place.to_owned(),
        identity: format!("{kind} {place}"),
        request: UploadRequest { file_name: "clip.mp4".to_owned(), ..UploadRequest::default() },
        actor: "admin".to_owned(),
        size: Some(7),
    }
}

async fn a_file(farm: &Farm, place: &str) -> IntakeRow {
    let new = new(farm, IntakeKind::Path, place);
    commit!(farm, |tx| intakes::insert_unless_live(tx, &new, farm.now())).unwrap()
}

async fn claimed(farm: &Farm) -> IntakeRow {
    commit!(farm, |tx| intakes::claim_due(tx, ALL, farm.now(), farm.now() + LEASE)).unwrap()
}

fn an_outcome(farm: &Farm) -> Outcome {
    Outcome { video: VideoId::new(&farm.clock), job: Some(JobId::new(&farm.clock)), deduplicated: true }
}

async fn row(farm: &Farm, id: IntakeId) -> IntakeRow {
    intakes::get(&farm.app.db, id).await.unwrap().unwrap()
}

framefarm_api::on_both_engines! {
    async fn the_same_file_waits_once(farm: Farm) {
        let first = a_file(&farm, "/in/clip.mp4").await;
        assert_eq!((first.state, first.attempts, first.size, first.received), (IntakeState::Waiting, 0, Some(7), 0));
        assert_eq!((first.due_at, first.created_at, first.ended_at), (farm.now(), farm.now(), None));
        let again = new(&farm, IntakeKind::Path, "/in/clip.mp4");
        assert!(unchanged!(farm, |tx| intakes::insert_unless_live(tx, &again, farm.now())).is_none());
        let found = unchanged!(farm, |tx| intakes::live_by_identity(tx, &again.identity)).unwrap();
        assert_eq!(found.id, first.id);
        commit!(farm, |tx| intakes::cancel_if_live(tx, first.id, farm.now()));
        assert!(unchanged!(farm, |tx| intakes::live_by_identity(tx, &again.identity)).is_none());
        assert!(commit!(farm, |tx| intakes::insert_unless_live(tx, &again, farm.now())).is_some());
        assert!(unchanged!(farm, |tx| intakes::retry_if_ended(tx, first.id, farm.now())).is_none(), "the same is on its way");
    }

    async fn a_file_is_claimed_once_when_it_is_due_and_again_when_its_lease_is_over(farm: Farm) {
        let file = a_file(&farm, "a").await;
        let early = farm.now() - Duration::seconds(1);
        assert!(unchanged!(farm, |tx| intakes::claim_due(tx, ALL, early, early + LEASE)).is_none());
        let first = claimed(&farm).await;
        assert_eq!((first.id, first.state, first.attempts, first.turn), (file.id, IntakeState::Fetching, 1, 1));
        assert!(unchanged!(farm, |tx| intakes::claim_due(tx, ALL, farm.now(), farm.now() + LEASE)).is_none());
        farm.wait(LEASE);
        let second = claimed(&farm).await;
        assert_eq!((second.id, second.attempts, second.turn), (file.id, 2, 2));
        let (held, late) = (second.held(), first.held());
        let until = farm.now() + LEASE;
        assert!(!unchanged!(farm, |tx| intakes::renew_if_held(tx, late, 5, until)));
        assert!(!unchanged!(farm, |tx| intakes::set_upload_if_held(tx, late, UploadId::new(&farm.clock), 9, Some("v"))));
        assert!(!unchanged!(farm, |tx| intakes::release_if_held(tx, late, farm.now())));
        assert!(!unchanged!(farm, |tx| intakes::put_off_if_held(tx, late, until, "code", "words")));
        assert!(!unchanged!(farm, |tx| intakes::fail_if_held(tx, late, "code", "words", farm.now())));
        assert!(!unchanged!(farm, |tx| intakes::finish_if_held(tx, late, an_outcome(&farm), farm.now())));
        assert!(commit!(farm, |tx| intakes::renew_if_held(tx, held, 5, until + LEASE)));
        let now = row(&farm, file.id).await;
        assert_eq!((now.received, now.due_at), (5, until + LEASE));
    }

    async fn an_instance_takes_only_what_it_can_reach(farm: Farm) {
        for kind in IntakeKind::ALL {
            let new = new(&farm, *kind, "x");
            commit!(farm, |tx| intakes::insert_unless_live(tx, &new, farm.now()));
        }
        let none = Reach { urls: false, paths: false, watch: false };
        assert!(unchanged!(farm, |tx| intakes::claim_due(tx, none, farm.now(), farm.now() + LEASE)).is_none());
        for (reach, kind) in [
            (Reach { watch: true, ..none }, IntakeKind::Watch),
            (Reach { paths: true, ..none }, IntakeKind::Path),
            (Reach { urls: true, ..none }, IntakeKind::Url),
        ] {
            let row = commit!(farm, |tx| intakes::claim_due(tx, reach, farm.now(), farm.now() + LEASE)).unwrap();
            assert_eq!(row.kind, kind);
        }
    }

    async fn the_oldest_due_file_is_next(farm: Farm) {
        let first = a_file(&farm, "a").await;
        farm.wait(Duration::seconds(1));
        let second = a_file(&farm, "b").await;
        assert_eq!(claimed(&farm).await.id, first.id);
        assert_eq!(claimed(&farm).await.id, second.id);
    }

    async fn a_holder_ends_its_file_once(farm: Farm) {
        a_file(&farm, "a").await;
        let held = claimed(&farm).await.held();
        let (upload, outcome) = (UploadId::new(&farm.clock), an_outcome(&farm));
        assert!(commit!(farm, |tx| intakes::set_upload_if_held(tx, held, upload, 9, Some("v"))));
        let now = row(&farm, held.id).await;
        assert_eq!((now.upload_id, now.size, now.version.as_deref()), (Some(upload), Some(9), Some("v")));
        assert!(commit!(farm, |tx| intakes::finish_if_held(tx, held, outcome, farm.now())));
        let done = row(&farm, held.id).await;
        assert_eq!((done.state, done.received, done.ended_at), (IntakeState::Done, 9, Some(farm.now())));
        assert_eq!((done.video_id, done.job_id, done.deduplicated), (Some(outcome.video), outcome.job, Some(true)));
        assert!(!unchanged!(farm, |tx| intakes::finish_if_held(tx, held, outcome, farm.now())));
        assert!(unchanged!(farm, |tx| intakes::cancel_if_live(tx, held.id, farm.now())).is_none());
        assert!(unchanged!(farm, |tx| intakes::retry_if_ended(tx, held.id, farm.now())).is_none());
    }

    async fn a_file_is_put_off_given_back_failed_and_tried_again(farm: Farm) {
        a_file(&farm, "a").await;
        let held = claimed(&farm).await.held();
        assert!(commit!(farm, |tx| intakes::release_if_held(tx, held, farm.now())));
        let given_back = row(&farm, held.id).await;
        assert_eq!((given_back.state, given_back.attempts), (IntakeState::Waiting, 0));
        let held = claimed(&farm).await.held();
        let later = farm.now() + Duration::seconds(30);
        assert!(commit!(farm, |tx| intakes::put_off_if_held(tx, held, later, "disk_full", "The disk is full.")));
        let put_off = row(&farm, held.id).await;
        assert_eq!((put_off.state, put_off.attempts, put_off.due_at), (IntakeState::Waiting, 1, later));
        assert_eq!((put_off.error_code.as_deref(), put_off.error.as_deref()), (Some("disk_full"), Some("The disk is full.")));
        farm.wait(Duration::seconds(30));
        let held = claimed(&farm).await.held();
        assert!(commit!(farm, |tx| intakes::fail_if_held(tx, held, "not_a_file", "No file.", farm.now())));
        let failed = row(&farm, held.id).await;
        assert_eq!((failed.state, failed.ended_at, failed.error.as_deref()), (IntakeState::Failed, Some(farm.now()), Some("No file.")));
        let again = commit!(farm, |tx| intakes::retry_if_ended(tx, held.id, farm.now())).unwrap();
        assert_eq!((again.state, again.attempts, again.error, again.upload_id), (IntakeState::Waiting, 0, None, None));
    }

    async fn what_is_cancelled_is_its_holders_no_more(farm: Farm) {
        a_file(&farm, "a").await;
        let held = claimed(&farm).await.held();
        let row = commit!(farm, |tx| intakes::cancel_if_live(tx, held.id, farm.now())).unwrap();
        assert_eq!((row.state, row.ended_at), (IntakeState::Cancelled, Some(farm.now())));
        assert!(!unchanged!(farm, |tx| intakes::renew_if_held(tx, held, 1, farm.now() + LEASE)));
        assert!(commit!(farm, |tx| intakes::retry_if_ended(tx, held.id, farm.now())).is_some());
    }

    async fn intakes_are_listed_newest_first_and_by_state(farm: Farm) {
        let mut ids = Vec::new();
        for place in ["a", "b", "c"] {
            ids.push(a_file(&farm, place).await.id);
            farm.wait(Duration::milliseconds(1));
        }
        let db = &farm.app.db;
        let list = intakes::list(db, None, None, 2).await.unwrap();
        assert_eq!(list.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[2], ids[1]]);
        let before = (list[1].created_at, list[1].id.0);
        let rest = intakes::list(db, None, Some(before), 2).await.unwrap();
        assert_eq!(rest.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[0]]);
        commit!(farm, |tx| intakes::cancel_if_live(tx, ids[1], farm.now()));
        let cancelled = intakes::list(db, Some(IntakeState::Cancelled), None, 9).await.unwrap();
        assert_eq!(cancelled.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[1]]);
    }

    async fn only_what_ended_long_ago_is_forgotten(farm: Farm) {
        let (waiting, ended) = (a_file(&farm, "a").await, a_file(&farm, "b").await);
        commit!(farm, |tx| intakes::cancel_if_live(tx, ended.id, farm.now()));
        let before = farm.now() - Duration::seconds(1);
        assert_eq!(unchanged!(farm, |tx| intakes::delete_ended_by(tx, before, 10)), 0);
        assert_eq!(unchanged!(farm, |tx| intakes::delete_ended_by(tx, farm.now(), 0)), 0);
        assert_eq!(intakes::count_ended_by(&farm.app.db, before).await.unwrap(), 0);
        assert_eq!(intakes::count_ended_by(&farm.app.db, farm.now()).await.unwrap(), 1);
        assert_eq!(commit!(farm, |tx| intakes::delete_ended_by(tx, farm.now(), 10)), 1);
        assert!(intakes::get(&farm.app.db, ended.id).await.unwrap().is_none());
        assert!(intakes::get(&farm.app.db, waiting.id).await.unwrap().is_some());
    }

    async fn an_upload_outlives_its_time_as_long_as_its_intake_goes_on(farm: Farm) {
        use framefarm_api::db::uploads;
        a_file(&farm, "a").await;
        let (held, upload) = (claimed(&farm).await.held(), UploadId::new(&farm.clock));
        let request = UploadRequest::default();
        commit!(farm, |tx| uploads::insert(tx, upload, 9, "", &request, farm.now(), farm.now()));
        assert_eq!(uploads::expired(&farm.app.db, farm.now(), 10).await.unwrap(), [(upload, 0)]);
        commit!(farm, |tx| intakes::set_upload_if_held(tx, held, upload, 9, None));
        assert!(uploads::expired(&farm.app.db, farm.now(), 10).await.unwrap().is_empty());
        commit!(farm, |tx| intakes::finish_if_held(tx, held, an_outcome(&farm), farm.now()));
        assert_eq!(uploads::expired(&farm.app.db, farm.now(), 10).await.unwrap(), [(upload, 0)]);
    }
}
