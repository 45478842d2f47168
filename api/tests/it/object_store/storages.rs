//! One suite for every kind of storage: what the farm relies on, whoever keeps the bytes.

use bytes::Bytes;
use chrono::Duration;
use framefarm_api::storage::{Storage, Variables, open, process_variables};
use framefarm_api::testing::s3_url;
use framefarm_shared::clock::{Clock, wall_clock};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, Naming, ObjectKey};
use futures::TryStreamExt as _;
use tempfile::TempDir;

use super::own_store::OwnStore;
use super::{MIB, random};

const MAX_AGE: std::time::Duration = std::time::Duration::from_hours(1);

/// A storage under test, and what must live as long.
pub(super) struct Place {
    storage: Storage,
    dir: TempDir,
    _store: Option<OwnStore>,
}

async fn disk() -> Place {
    let dir = tempfile::tempdir().expect("a directory");
    let url = format!("file://{}", dir.path().join("there").display());
    let storage = open(&url, dir.path(), &Variables::new(), MAX_AGE).await.expect("a storage");
    Place { storage, dir, _store: None }
}

async fn moto() -> Place {
    let dir = tempfile::tempdir().expect("a directory");
    let storage = open(&s3_url(), dir.path(), &process_variables(), MAX_AGE).await.expect("a storage");
    Place { storage, dir, _store: None }
}

async fn s3s() -> Place {
    let store = OwnStore::start().await;
    let dir = tempfile::tempdir().expect("a directory");
    let storage = open(OwnStore::URL, dir.path(), &store.variables(), MAX_AGE).await.expect("a storage");
    Place { storage, dir, _store: Some(store) }
}

fn video() -> VideoId {
    VideoId::new(&Clock::system())
}

fn segment(video: VideoId, generation: i32, index: u32) -> ObjectKey {
    let digest = Naming::FullDigest.digest([7; 32]);
    let file = MediaFile::Segment { quality: "720p".to_owned(), index, digest };
    ObjectKey::Media { video, generation, file }
}

impl Place {
    async fn put(&self, key: &ObjectKey, text: &'static str) {
        self.storage.put(key, Bytes::from_static(text.as_bytes())).await.expect("stored");
    }

    async fn get(&self, key: &ObjectKey) -> Option<Vec<u8>> {
        match self.storage.get(key).await {
            Ok(bytes) => Some(bytes.to_vec()),
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// A file on the same disk as a local storage.
    fn file(&self, bytes: &[u8]) -> std::path::PathBuf {
        let path = self.dir.path().join(format!("{:x}", rand::random::<u64>()));
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

macro_rules! on_every_storage {
    ($(async fn $name:ident($place:ident: Place) $body:block)+) => {
        mod bodies {
            use super::*;
            $(pub(super) async fn $name($place: Place) $body)+
        }
        mod on_disk {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                super::bodies::$name(super::disk().await).await;
            })+
        }
        mod on_s3s {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                super::bodies::$name(super::s3s().await).await;
            })+
        }
        mod on_moto {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn $name() {
                super::bodies::$name(super::moto().await).await;
            })+
        }
    };
}

on_every_storage! {
    async fn the_sizes_of_many_are_told_in_their_order_and_what_is_not_there_has_none(place: Place) {
        let video = video();
        place.put(&segment(video, 1, 0), "four").await;
        place.put(&segment(video, 1, 2), "seven..").await;
        let keys = (0..3).map(|index| segment(video, 1, index)).collect();
        assert_eq!(place.storage.sizes(keys).await.unwrap(), [Some(4), None, Some(7)]);
        assert!(place.storage.sizes(Vec::new()).await.unwrap().is_empty());
    }

    async fn what_is_put_is_found_under_its_key_and_nowhere_else(place: Place) {
        let (one, two) = (segment(video(), 1, 0), segment(video(), 1, 0));
        place.put(&one, "bytes").await;
        assert_eq!(place.get(&one).await.as_deref(), Some(&b"bytes"[..]));
        assert_eq!(place.get(&two).await, None);
        let meta = place.storage.head(&one).await.expect("there");
        assert_eq!(meta.size, 5);
        assert!((wall_clock() - meta.last_modified).abs() < Duration::minutes(5));
        assert!(matches!(place.storage.head(&two).await, Err(object_store::Error::NotFound { .. })));
        assert!(place.storage.answers().await);
    }

    async fn a_range_is_read_alone(place: Place) {
        let key = ObjectKey::Source { video: video() };
        place.put(&key, "0123456789").await;
        for (range, expected) in [(0..10, "0123456789"), (3..4, "3"), (9..10, "9"), (2..8, "234567")] {
            let stream = place.storage.stream(&key, Some(range)).await.expect("a stream");
            let read: Vec<Bytes> = stream.try_collect().await.expect("bytes");
            assert_eq!(read.concat(), expected.as_bytes());
        }
    }

    async fn what_is_named_by_its_content_may_be_stored_again(place: Place) {
        let key = segment(video(), 1, 0);
        for _ in 0..2 {
            place.put(&key, "bytes").await;
            place.storage.adopt(&place.file(b"bytes"), &key).await.expect("adopted");
        }
        assert_eq!(place.get(&key).await.as_deref(), Some(&b"bytes"[..]));
    }

    async fn the_master_is_replaced(place: Place) {
        let key = ObjectKey::Master { video: video(), generation: 1 };
        place.put(&key, "old").await;
        place.put(&key, "new").await;
        assert_eq!(place.get(&key).await.as_deref(), Some(&b"new"[..]));
    }

    async fn files_small_and_large_are_moved_or_copied(place: Place) {
        for size in [0, 1, 16 * MIB - 1, 16 * MIB, 21 * MIB + 5] {
            let bytes = random(size);
            let (moved, linked) = (segment(video(), 1, 0), ObjectKey::Source { video: video() });
            let file = place.file(&bytes);
            place.storage.link(&file, &linked).await.expect("linked");
            assert!(file.exists(), "the file keeps its name");
            place.storage.adopt(&file, &moved).await.expect("adopted");
            assert!(!file.exists(), "the file is moved");
            for key in [&moved, &linked] {
                assert!(place.get(key).await == Some(bytes.clone()), "{size}: {}", key.path());
            }
        }
    }

    async fn a_copy_is_an_object_of_its_own(place: Place) {
        let id = video();
        let (old, new) = (segment(id, 1, 0), segment(id, 2, 0));
        place.put(&old, "bytes").await;
        place.storage.copy(&old, &new).await.expect("copied");
        assert!(place.storage.delete_key(&old).await.is_ok());
        assert_eq!(place.get(&old).await, None);
        assert_eq!(place.get(&new).await.as_deref(), Some(&b"bytes"[..]));
    }

    async fn a_prefix_is_a_directory_and_not_the_beginning_of_a_name(place: Place) {
        let id = video();
        for generation in [1, 10, 2] {
            for index in 0..3 {
                place.put(&segment(id, generation, index), "bytes").await;
            }
        }
        assert_eq!(place.storage.count_below(&ObjectKey::generation_prefix(id, 1)).await, 3);
        let gone = place.storage.delete_prefix(&ObjectKey::generation_prefix(id, 1)).await;
        assert_eq!(gone.expect("deleted"), 3);
        assert_eq!(place.storage.count_below(&ObjectKey::video_prefix(id)).await, 6);
        assert_eq!(place.storage.delete_prefix("videos/nothing").await.expect("fine"), 0);
        let mut names = place.storage.directories(&ObjectKey::video_prefix(id)).await.expect("a list");
        names.sort();
        assert_eq!(names, ["g10", "g2"]);
        let newest = place.storage.newest_below("videos").await.expect("a list").expect("objects");
        assert!((wall_clock() - newest).abs() < Duration::minutes(5));
        assert_eq!(place.storage.newest_below("sources").await.expect("a list"), None);
    }

    async fn what_is_not_there_is_deleted_without_ado(place: Place) {
        assert!(place.storage.delete_key(&segment(video(), 1, 0)).await.is_ok());
    }
}

mod only_remote {
    use framefarm_api::storage::{Remote, StoredPart};

    use super::*;

    const PART: usize = 5 * MIB;

    fn remote(place: &Place) -> &Remote {
        place.storage.remote().expect("an object store")
    }

    async fn send(place: &Place, key: &ObjectKey, multipart: &str, number: u32, bytes: &[u8]) -> StoredPart {
        let bytes = Bytes::copy_from_slice(bytes);
        remote(place).put_part(key, multipart, number, bytes).await.expect("stored")
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn parts_become_an_object_also_where_numbers_are_missing() {
        let place = moto().await;
        let bytes = random(2 * PART + 7);
        for numbers in [[0, 1, 2], [0, 2, 3], [4, 5, 9_999]] {
            let key = ObjectKey::Source { video: video() };
            let multipart = remote(&place).begin(&key).await.expect("begun");
            let mut parts = Vec::new();
            for (number, chunk) in numbers.into_iter().zip(bytes.chunks(PART)) {
                parts.push(send(&place, &key, &multipart, number, chunk).await);
            }
            send(&place, &key, &multipart, 1_000, b"a part that nobody counted").await;
            assert_eq!(place.get(&key).await, None, "not yet");
            remote(&place).complete(&key, &multipart, &parts).await.expect("completed");
            assert!(place.get(&key).await == Some(bytes.clone()), "{numbers:?}");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_was_completed_or_dropped_takes_no_more_parts() {
        let place = moto().await;
        for completed in [false, true] {
            let key = ObjectKey::Source { video: video() };
            let multipart = remote(&place).begin(&key).await.expect("begun");
            let part = send(&place, &key, &multipart, 1, b"bytes").await;
            if completed {
                remote(&place).complete(&key, &multipart, &[part]).await.expect("completed");
            }
            remote(&place).abort(&key, &multipart).await.expect("nothing left to drop is fine");
            remote(&place).abort(&key, &multipart).await.expect("twice");
            let late = remote(&place).put_part(&key, &multipart, 2, "late".into()).await;
            // S3 says NoSuchUpload; moto fails.
            assert!(late.is_err());
            let expected = completed.then(|| b"bytes".to_vec());
            assert_eq!(place.get(&key).await, expected);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_we_sign_ourselves_is_signed_as_the_store_wants_it() {
        let place = s3s().await;
        let key = ObjectKey::Source { video: video() };
        let bytes = random(PART + 7);
        let multipart = remote(&place).begin(&key).await.expect("begun");
        let parts = [
            send(&place, &key, &multipart, 0, &bytes[..PART]).await,
            send(&place, &key, &multipart, 1, &bytes[PART..]).await,
        ];
        remote(&place).complete(&key, &multipart, &parts).await.expect("completed");
        let link = remote(&place).link_to(&key).await.expect("a link");
        assert!(reqwest::get(link.clone()).await.expect("an answer").bytes().await.expect("bytes") == bytes);
        let mut forged = link;
        forged.set_path(&forged.path().replace("/source", "/other"));
        assert_eq!(reqwest::get(forged).await.expect("an answer").status(), 403);

        let key = ObjectKey::Source { video: video() };
        let multipart = remote(&place).begin(&key).await.expect("begun");
        let part = send(&place, &key, &multipart, 1, b"bytes").await;
        let error = remote(&place).complete(&key, &multipart, &[part]).await.expect_err("no gaps here");
        assert!(
            format!("{error:?}").contains("invalid part order"),
            "it was let in and understood: {error:?}"
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn objects_carry_their_type_and_cache_rule() {
        let place = moto().await;
        let large = segment(video(), 1, 1);
        place.storage.adopt(&place.file(&random(17 * MIB)), &large).await.expect("adopted");
        let small = ObjectKey::Master { video: video(), generation: 1 };
        place.put(&small, "#EXTM3U").await;
        let copy = segment(video(), 2, 1);
        place.storage.copy(&large, &copy).await.expect("copied");
        for key in [&large, &small, &copy] {
            let link = remote(&place).link_to(key).await.expect("a link");
            let answer = reqwest::get(link).await.expect("an answer");
            assert_eq!(answer.headers()["content-type"], key.content_type());
            assert_eq!(answer.headers()["cache-control"], *key.cache_control(MAX_AGE));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storage_that_cannot_be_used_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let said = async |url: &str, variables: &Variables| {
        format!("{:#}", open(url, dir.path(), variables, MAX_AGE).await.expect_err("not usable"))
    };
    let missing = s3_url().replace("s3://framefarm", "s3://no-such-bucket");
    let told = said(&missing, &process_variables()).await;
    assert!(told.contains("check that the bucket exists") && told.contains("AWS_ACCESS_KEY_ID"), "{told}");
    for (url, words) in [
        ("ftp://x/y", "unsupported scheme `ftp`"),
        ("media", "invalid URL"),
        ("s3:///prefix", "the bucket is missing"),
        ("s3://key:secret@bucket/", "set credentials in the environment"),
        ("file:///dev/null/x", "cannot write to"),
    ] {
        let told = said(url, &process_variables()).await;
        assert!(told.contains(words), "{url}: {told}");
    }
}
