//! Table `watched_file`.

use chrono::Duration;
use framefarm_api::db::watched_files::{self, Seen};
use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::WatchedState;

const FILE: Seen<'static> = Seen { path: "news/clip.mp4", size: 7, changed_ns: 1_790_000_000_123_456_789 };

framefarm_api::on_both_engines! {
    async fn a_version_of_a_file_is_taken_once(farm: Farm) {
        let (first, second) = (IntakeId::new(&farm.clock), IntakeId::new(&farm.clock));
        assert!(commit!(farm, |tx| watched_files::take_if_new(tx, FILE, first, farm.now())));
        assert!(!unchanged!(farm, |tx| watched_files::take_if_new(tx, FILE, second, farm.now())));
        let newer = Seen { changed_ns: FILE.changed_ns + 1, ..FILE };
        assert!(!unchanged!(farm, |tx| watched_files::take_if_new(tx, newer, second, farm.now())), "the old one is on its way");
        assert!(commit!(farm, |tx| watched_files::settle(tx, first, WatchedState::Done, None)));
        assert!(!unchanged!(farm, |tx| watched_files::take_if_new(tx, FILE, second, farm.now())), "it is remembered");
        assert!(commit!(farm, |tx| watched_files::take_if_new(tx, newer, second, farm.now())));
        let row = watched_files::get(&farm.app.db, FILE.path).await.unwrap().unwrap();
        assert_eq!((row.intake_id, row.size, row.changed_ns, row.state), (second, 7, newer.changed_ns, WatchedState::Taken));
        assert!(watched_files::get(&farm.app.db, "other").await.unwrap().is_none());
        let row = watched_files::of_intake(&farm.app.db, second).await.unwrap().unwrap();
        assert_eq!((row.path.as_str(), row.taken_at), (FILE.path, farm.now()));
        assert!(watched_files::of_intake(&farm.app.db, first).await.unwrap().is_none());
    }

    async fn what_became_of_a_file_is_told_once_and_can_be_forgotten(farm: Farm) {
        let (id, other) = (IntakeId::new(&farm.clock), IntakeId::new(&farm.clock));
        commit!(farm, |tx| watched_files::take_if_new(tx, FILE, id, farm.now()));
        farm.wait(Duration::seconds(1));
        let second = Seen { path: "b.mp4", ..FILE };
        commit!(farm, |tx| watched_files::take_if_new(tx, second, other, farm.now()));
        assert!(watched_files::settled(&farm.app.db, 9).await.unwrap().is_empty());
        assert!(!unchanged!(farm, |tx| watched_files::take_again_if_failed(tx, id)));
        assert!(commit!(farm, |tx| watched_files::settle(tx, id, WatchedState::Failed, Some("No file."))));
        assert!(!unchanged!(farm, |tx| watched_files::settle(tx, id, WatchedState::Done, None)));
        assert!(commit!(farm, |tx| watched_files::settle(tx, other, WatchedState::Done, None)));
        let settled = watched_files::settled(&farm.app.db, 9).await.unwrap();
        assert_eq!(settled.iter().map(|row| (row.intake_id, row.error.as_deref())).collect::<Vec<_>>(), [(id, Some("No file.")), (other, None)]);
        assert_eq!(watched_files::settled(&farm.app.db, 1).await.unwrap().len(), 1);
        assert!(!unchanged!(farm, |tx| watched_files::take_again_if_failed(tx, other)));
        assert!(commit!(farm, |tx| watched_files::take_again_if_failed(tx, id)));
        assert!(commit!(farm, |tx| watched_files::forget(tx, id)));
        assert!(!unchanged!(farm, |tx| watched_files::forget(tx, id)));
        assert!(watched_files::get(&farm.app.db, FILE.path).await.unwrap().is_none());
    }
}
