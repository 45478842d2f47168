//! Tables `api_token` and `session`.

use chrono::Duration;
use framefarm_api::db::credentials::{self, TokenRow};
use framefarm_api::testing::Farm;
use framefarm_shared::id::TokenId;
use sqlx::error::ErrorKind;

use super::count;
use super::world::INSTANT;

fn token(farm: &Farm, scope: &str, hash: u8) -> TokenRow {
    TokenRow {
        expires_at: None,
        collection: None,
        id: TokenId::new(&farm.clock),
        name: "Zoë's laptop".to_owned(),
        scope: scope.to_owned(),
        token_hash: vec![hash, 0, 255],
        created_at: farm.now(),
        last_used_at: None,
    }
}

framefarm_api::on_both_engines! {
    async fn a_token_is_found_by_the_bytes_of_its_hash(farm: Farm) {
        let token = token(&farm, "upload", 1);
        commit!(farm, |tx| credentials::insert_token(tx, &token));
        let found = credentials::token_by_hash(&farm.app.db, &[1, 0, 255]).await.unwrap().unwrap();
        assert_eq!((found.id, found.name, found.scope), (token.id, token.name, token.scope));
        assert_eq!((found.created_at, found.last_used_at), (farm.now(), None));
        for other in [&[1, 0][..], &[1, 0, 255, 0], &[]] {
            assert!(credentials::token_by_hash(&farm.app.db, other).await.unwrap().is_none());
        }
    }

    async fn two_tokens_cannot_share_a_hash(farm: Farm) {
        commit!(farm, |tx| credentials::insert_token(tx, &token(&farm, "read", 1)));
        let kind = refused!(farm, |tx| credentials::insert_token(tx, &token(&farm, "admin", 1)));
        assert_eq!(kind, ErrorKind::UniqueViolation);
    }

    async fn a_scope_is_one_of_three_words(farm: Farm) {
        for (hash, scope) in [(1, "admin"), (2, "upload"), (3, "read")] {
            commit!(farm, |tx| credentials::insert_token(tx, &token(&farm, scope, hash)));
        }
        let kind = refused!(farm, |tx| credentials::insert_token(tx, &token(&farm, "root", 4)));
        assert_eq!(kind, ErrorKind::CheckViolation);
    }

    async fn tokens_are_listed_in_the_order_they_were_made(farm: Farm) {
        let mut made = Vec::new();
        for hash in 0..3 {
            let token = token(&farm, "read", hash);
            commit!(farm, |tx| credentials::insert_token(tx, &token));
            made.push(token.id);
            farm.wait(Duration::milliseconds(1));
        }
        let listed: Vec<TokenId> =
            credentials::tokens(&farm.app.db).await.unwrap().iter().map(|row| row.id).collect();
        assert_eq!(listed, made);
    }

    async fn a_token_is_deleted_once(farm: Farm) {
        let (gone, kept) = (token(&farm, "read", 1), token(&farm, "read", 2));
        commit!(farm, |tx| credentials::insert_token(tx, &gone));
        commit!(farm, |tx| credentials::insert_token(tx, &kept));
        assert!(commit!(farm, |tx| credentials::delete_token(tx, gone.id)).is_some());
        assert!(unchanged!(farm, |tx| credentials::delete_token(tx, gone.id)).is_none());
        assert_eq!(count(&farm, "api_token").await, 1);
    }

    async fn the_use_of_a_token_is_noted_only_if_the_last_note_is_old(farm: Farm) {
        let token = token(&farm, "read", 1);
        commit!(farm, |tx| credentials::insert_token(tx, &token));
        let first = farm.now();
        commit!(farm, |tx| credentials::touch_token(tx, token.id, first, first - Duration::minutes(1)));
        let noted = credentials::tokens(&farm.app.db).await.unwrap()[0].last_used_at;
        assert_eq!(noted, Some(first));
        let later = first + Duration::minutes(1);
        unchanged!(farm, |tx| credentials::touch_token(tx, token.id, later, first));
        commit!(farm, |tx| credentials::touch_token(tx, token.id, later, first + INSTANT));
        let noted = credentials::tokens(&farm.app.db).await.unwrap()[0].last_used_at;
        assert_eq!(noted, Some(later));
    }

    async fn a_session_lives_until_the_instant_it_expires(farm: Farm) {
        let (now, end) = (farm.now(), farm.now() + Duration::hours(1));
        commit!(farm, |tx| credentials::insert_session(tx, b"hash", now, end));
        assert!(credentials::session_is_live(&farm.app.db, b"hash", now).await.unwrap());
        assert!(credentials::session_is_live(&farm.app.db, b"hash", end - INSTANT).await.unwrap());
        assert!(!credentials::session_is_live(&farm.app.db, b"hash", end).await.unwrap());
        assert!(!credentials::session_is_live(&farm.app.db, b"other", now).await.unwrap());
        let twice = refused!(farm, |tx| credentials::insert_session(tx, b"hash", now, end));
        assert_eq!(twice, ErrorKind::UniqueViolation);
    }

    async fn one_session_ends_or_all_of_them(farm: Farm) {
        let (now, end) = (farm.now(), farm.now() + Duration::hours(1));
        for hash in [b"a", b"b", b"c"] {
            commit!(farm, |tx| credentials::insert_session(tx, hash, now, end));
        }
        commit!(farm, |tx| credentials::delete_session(tx, b"a"));
        unchanged!(farm, |tx| credentials::delete_session(tx, b"a"));
        assert!(!credentials::session_is_live(&farm.app.db, b"a", now).await.unwrap());
        assert!(credentials::session_is_live(&farm.app.db, b"b", now).await.unwrap());
        commit!(farm, |tx| credentials::delete_all_sessions(tx));
        assert_eq!(count(&farm, "session").await, 0);
    }

    async fn sessions_are_removed_from_the_instant_they_expire(farm: Farm) {
        let now = farm.now();
        for (hash, end) in [(b"a", now - INSTANT), (b"b", now), (b"c", now + INSTANT)] {
            commit!(farm, |tx| credentials::insert_session(tx, hash, now, end));
        }
        assert_eq!(commit!(farm, |tx| credentials::delete_expired_sessions(tx, now)), 2);
        assert_eq!(unchanged!(farm, |tx| credentials::delete_expired_sessions(tx, now)), 0);
        assert!(credentials::session_is_live(&farm.app.db, b"c", now).await.unwrap());
    }
}
