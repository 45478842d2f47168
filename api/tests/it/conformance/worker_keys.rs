//! Table `worker_api_key`.

use framefarm_api::db::worker_keys::{self, KeyRow};
use framefarm_api::testing::Farm;
use framefarm_shared::id::WorkerId;
use framefarm_shared::state::WorkerStatus;
use sqlx::error::ErrorKind;

use super::world::{INSTANT, a_worker};

fn key(farm: &Farm, worker_id: WorkerId, hash: u8, prefix: &str) -> KeyRow {
    KeyRow {
        id: WorkerId::new(&farm.clock).0,
        worker_id,
        key_hash: vec![hash, 0, 255],
        key_prefix: prefix.to_owned(),
        hash_version: 1,
        created_at: farm.now(),
        revoked_at: None,
    }
}

framefarm_api::on_both_engines! {
    async fn a_key_counts_until_it_is_revoked(farm: Farm) {
        let worker = a_worker(&farm, "one").await.id;
        let key = key(&farm, worker, 1, "aaaa");
        assert!(!worker_keys::is_live(&farm.app.db, key.id).await.unwrap());
        commit!(farm, |tx| worker_keys::insert(tx, &key));
        assert!(worker_keys::is_live(&farm.app.db, key.id).await.unwrap());
        commit!(farm, |tx| worker_keys::revoke_all(tx, worker, farm.now()));
        assert!(!worker_keys::is_live(&farm.app.db, key.id).await.unwrap());
    }

    async fn keys_that_share_a_prefix_are_all_candidates(farm: Farm) {
        let (one, two) = (a_worker(&farm, "one").await.id, a_worker(&farm, "two").await.id);
        farm.wait(INSTANT);
        for (worker, hash, prefix) in [(one, 1, "aaaa"), (two, 2, "aaaa"), (two, 3, "bbbb")] {
            commit!(farm, |tx| worker_keys::insert(tx, &key(&farm, worker, hash, prefix)));
        }
        let mut found = worker_keys::candidates(&farm.app.db, "aaaa").await.unwrap();
        found.sort_by_key(|row| row.key.key_hash.clone());
        assert_eq!((found[0].name.as_str(), found[0].status), ("one", WorkerStatus::Active));
        assert_eq!(found.iter().map(|row| row.key.worker_id).collect::<Vec<_>>(), [one, two]);
        assert_eq!((found[0].key.key_hash.as_slice(), found[0].key.hash_version), (&[1, 0, 255][..], 1));
        assert_eq!((found[0].key.created_at, found[0].key.revoked_at), (farm.now(), None));
        for prefix in ["AAAA", "aaa", "%", ""] {
            assert!(worker_keys::candidates(&farm.app.db, prefix).await.unwrap().is_empty(), "{prefix}");
        }
    }

    async fn a_revoked_key_is_no_candidate_and_is_revoked_once(farm: Farm) {
        let (one, two) = (a_worker(&farm, "one").await.id, a_worker(&farm, "two").await.id);
        for (worker, hash) in [(one, 1), (one, 2), (two, 3)] {
            commit!(farm, |tx| worker_keys::insert(tx, &key(&farm, worker, hash, "aaaa")));
        }
        assert_eq!(commit!(farm, |tx| worker_keys::revoke_all(tx, one, farm.now())), 2);
        assert_eq!(unchanged!(farm, |tx| worker_keys::revoke_all(tx, one, farm.now() + INSTANT)), 0);
        let left = worker_keys::candidates(&farm.app.db, "aaaa").await.unwrap();
        assert_eq!(left.iter().map(|row| row.key.worker_id).collect::<Vec<_>>(), [two]);
    }

    async fn a_key_belongs_to_a_worker(farm: Farm) {
        let nobody = WorkerId::new(&farm.clock);
        let kind = refused!(farm, |tx| worker_keys::insert(tx, &key(&farm, nobody, 1, "aaaa")));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }
}
