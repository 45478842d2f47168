//! Images and subtitles: delivered under the fence, published with their generation, carried over, swept.

use chrono::Duration;
use framefarm_api::db::extra_files;
use framefarm_api::db::qualities::GenerationKey;
use framefarm_api::lifecycle::publish::PublishedSidecars;
use framefarm_api::lifecycle::{delete, receive_sidecar, retranscode};
use framefarm_api::on_both_storages;
use framefarm_api::responses;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::extra_file::{ExtraFile, ImageName};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::{MediaFile, ObjectKey, parse_public};
use framefarm_shared::plan::{Plan, SubtitleTrack};
use framefarm_shared::queue::QueueType;
use framefarm_shared::wire::worker_api::{ClaimRequest, ClaimedJob};

const POSTER: ExtraFile = ExtraFile::Image(ImageName::Poster);
const SPRITE: ExtraFile = ExtraFile::Image(ImageName::Sprite(0));
const STORYBOARD: ExtraFile = ExtraFile::Image(ImageName::Storyboard);
const BOARD: &[u8] = b"WEBVTT\n\n00:00.000 --> 00:09.000\nsprite_000.jpg#xywh=0,0,160,90\n\n\
    00:09.000 --> 00:18.000\nsprite_001.jpg#xywh=0,0,160,90\n";
const WORDS: &[u8] = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n";

fn jpeg(content: &str) -> Vec<u8> {
    [b"\xff\xd8\xff\xe0", content.as_bytes(), b"\xff\xd9"].concat()
}

/// Two tracks of subtitles besides the picture and the sound.
fn plan() -> Plan {
    let mut plan = a_plan();
    let track = |language: &str, forced| SubtitleTrack {
        language: Some(language.to_owned()),
        title: Some("Untertitel".to_owned()),
        forced,
    };
    plan.source.subtitles = vec![track("de", false), track("en", true)];
    plan
}

async fn working(farm: &Farm) -> (TestWorker, ClaimedJob) {
    farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.plan(&job, plan()).await.unwrap();
    (worker, job)
}

async fn attach_everything(worker: &TestWorker, job: &ClaimedJob) {
    worker.attach(job, STORYBOARD, BOARD).await.unwrap();
    worker.attach(job, POSTER, &jpeg("poster")).await.unwrap();
    for number in [1, 0] {
        worker.attach(job, ExtraFile::Image(ImageName::Thumb(number)), &jpeg("thumb")).await.unwrap();
    }
    worker.attach(job, SPRITE, &jpeg("sprite")).await.unwrap();
    for track in [1, 0] {
        worker.attach(job, ExtraFile::Subtitle(track), WORDS).await.unwrap();
    }
}

async fn a_ready_video(farm: &Farm) -> (TestWorker, VideoId) {
    let (worker, job) = working(farm).await;
    attach_everything(&worker, &job).await;
    worker.encode(&job, &plan()).await;
    worker.complete(&job).await.unwrap();
    (worker, job.video_id)
}

async fn published(farm: &Farm, video: VideoId) -> PublishedSidecars {
    PublishedSidecars::of(&farm.video(video).await.renditions.unwrap().0)
}

async fn text(farm: &Farm, key: &ObjectKey) -> String {
    String::from_utf8(farm.app.storage.get(key).await.unwrap().to_vec()).unwrap()
}

async fn names(farm: &Farm, job: &ClaimedJob) -> Vec<String> {
    let key = GenerationKey { video: job.video_id, number: job.generation };
    let rows = extra_files::of_generation(&farm.app.db, key).await.unwrap();
    rows.into_iter().map(|row| row.name).collect()
}

/// The file behind a public URL.
fn key_of(video: VideoId, url: &str) -> ObjectKey {
    let path = url.split_once("/g").unwrap().1;
    let (generation, file) = parse_public(&format!("g{path}")).unwrap();
    ObjectKey::Media { video, generation, file }
}

async fn again(farm: &Farm, video: VideoId, delete_captions: bool) {
    let qualities = vec!["360p".to_owned()];
    let request = retranscode::Request { qualities, delete_captions, ..Default::default() };
    retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
}

async fn encode_360p(worker: &TestWorker) -> ClaimedJob {
    let job = worker.claim().await;
    worker.deliver(&job, &plan(), "360p", 0..=2).await.unwrap();
    job
}

async fn sweep(farm: &Farm) {
    farm.wait(Duration::hours(2));
    farm.clean().await;
}

on_both_storages! {
    async fn the_next_attempt_on_an_audio_file_makes_its_cover_only_if_it_is_missing(farm: Farm) {
        for (has_cover, before) in [(Some(true), false), (None, false), (Some(false), true)] {
            farm.upload(&format!("song {has_cover:?}")).await;
            let worker = farm.worker("w1").await;
            let job = worker.claim().await;
            let mut song = a_plan();
            (song.source.video, song.source.has_cover) = (None, has_cover);
            let reply = worker.plan(&job, song.clone()).await.unwrap();
            assert_eq!(reply.has_images, before, "{has_cover:?}");
            worker.attach(&job, POSTER, &jpeg("cover")).await.unwrap();
            assert!(worker.plan(&job, song).await.unwrap().has_images, "{has_cover:?}");
        }
    }

    async fn the_poster_of_a_video_is_not_all_of_its_images(farm: Farm) {
        let (worker, job) = working(&farm).await;
        worker.attach(&job, POSTER, &jpeg("poster")).await.unwrap();
        assert!(!worker.plan(&job, plan()).await.unwrap().has_images);
        worker.attach(&job, STORYBOARD, BOARD).await.unwrap();
        assert!(worker.plan(&job, plan()).await.unwrap().has_images);
    }

    async fn what_was_attached_is_published_with_its_generation(farm: Farm) {
        let (_, id) = a_ready_video(&farm).await;
        let video = responses::videos::get(&farm.app, id).await.unwrap().video;
        let mut urls = vec![video.poster_url.unwrap(), video.storyboard_url.clone().unwrap()];
        assert!(urls[0].starts_with(&format!("/videos/{}/g1/images/poster-", video.slug)), "{}", urls[0]);
        assert!(urls[1].ends_with("/g1/images/storyboard.vtt"), "{}", urls[1]);
        assert_eq!(video.thumbnail_urls.len(), 2);
        assert!(video.thumbnail_urls[0].contains("thumb_000-") && video.thumbnail_urls[1].contains("thumb_001-"));
        urls.extend(video.thumbnail_urls);
        let told: Vec<_> = video.subtitles.iter()
            .map(|s| (s.language.as_deref().unwrap(), s.title.as_deref().unwrap(), s.forced)).collect();
        assert_eq!(told, [("de", "Untertitel", false), ("en", "Untertitel", true)]);
        urls.extend(video.subtitles.into_iter().map(|subtitle| subtitle.url));
        for url in &urls {
            assert!(farm.app.storage.head(&key_of(id, url)).await.is_ok(), "{url}");
        }

        let board = text(&farm, &key_of(id, &urls[1])).await;
        let sprite = board.lines().find(|line| line.starts_with("sprite_")).unwrap();
        let sprite = format!("/g1/images/{}", sprite.split_once('#').unwrap().0);
        assert!(farm.app.storage.head(&key_of(id, &sprite)).await.is_ok(), "{sprite}");
        assert!(!board.contains("sprite_001"), "a sprite that never came is pointed to by nobody");

        let master = text(&farm, &ObjectKey::Master { video: id, generation: 1 }).await;
        for line in ["TYPE=SUBTITLES,URI=\"g1/subtitles/0.m3u8\"", "NAME=\"Untertitel 2\"", "FORCED=YES"] {
            assert!(master.contains(line), "{line} in {master}");
        }
        let file = MediaFile::SubtitlePlaylist { track: 1 };
        let playlist = text(&farm, &ObjectKey::Media { video: id, generation: 1, file }).await;
        assert!(playlist.contains("#EXTINF:18.000000,\n1-"), "{playlist}");
    }

    async fn a_job_without_images_or_subtitles_is_completed_all_the_same(farm: Farm) {
        let (worker, job) = working(&farm).await;
        worker.encode(&job, &plan()).await;
        worker.complete(&job).await.unwrap();
        assert_eq!(published(&farm, job.video_id).await, PublishedSidecars::default());
        let master = text(&farm, &ObjectKey::Master { video: job.video_id, generation: 1 }).await;
        assert!(!master.contains("SUBTITLES"), "{master}");
    }

    async fn the_same_file_may_come_twice_and_another_one_replaces_it(farm: Farm) {
        let (worker, job) = working(&farm).await;
        for _ in 0..2 {
            worker.attach(&job, POSTER, &jpeg("one")).await.unwrap();
        }
        assert_eq!(farm.app.storage.count_below("videos").await, 1);
        worker.attach(&job, POSTER, &jpeg("two")).await.unwrap();
        assert_eq!(names(&farm, &job).await, ["poster.jpg"]);
        worker.encode(&job, &plan()).await;
        worker.complete(&job).await.unwrap();
        let poster = published(&farm, job.video_id).await.poster.unwrap();
        let bytes = farm.app.storage.get(&key_of(job.video_id, &format!("/g1/{poster}"))).await.unwrap();
        assert_eq!(bytes, jpeg("two"));
    }

    async fn a_file_renews_the_lease_and_an_image_needs_no_plan(farm: Farm) {
        farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        farm.wait(Duration::minutes(29));
        worker.attach(&job, POSTER, &jpeg("early")).await.unwrap();
        let expires = farm.job(job.job_id).await.claim_expires_at;
        assert_eq!(expires, Some(farm.now() + Duration::minutes(30)));
        let error = worker.attach(&job, ExtraFile::Subtitle(0), WORDS).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (409, "no_plan"));
    }

    async fn what_is_not_what_its_name_says_is_refused(farm: Farm) {
        let (worker, job) = working(&farm).await;
        let large = vec![b' '; 8 * 1024 * 1024 + 1];
        for (file, bytes, status, code) in [
            (POSTER, &b"\x89PNG\r\n"[..], 422, "not_jpeg"),
            (SPRITE, &jpeg("cut")[..6], 422, "not_jpeg"),
            (POSTER, b"", 422, "empty_file"),
            (POSTER, &large, 413, "file_too_large"),
            (STORYBOARD, &jpeg("no text"), 422, "not_vtt"),
            (STORYBOARD, b"WEBVTT\n\n00:00.000 --> 00:09.000\nhttps://evil.example/x.jpg\n", 422, "bad_storyboard"),
            (STORYBOARD, &large[..=1024 * 1024], 413, "file_too_large"),
            (ExtraFile::Subtitle(0), b"1\n00:00:01,000 --> 00:00:02,000\nHi\n", 422, "not_vtt"),
            (ExtraFile::Subtitle(0), b"WEBVTT\n\xff", 422, "not_vtt"),
            (ExtraFile::Subtitle(2), WORDS, 422, "unknown_track"),
            (ExtraFile::Subtitle(u32::MAX), WORDS, 422, "unknown_track"),
        ] {
            let error = worker.attach(&job, file, bytes).await.unwrap_err();
            assert_eq!((error.status.as_u16(), error.code), (status, code), "{file:?}");
        }
        assert_eq!(names(&farm, &job).await, Vec::<String>::new());
        assert_eq!(farm.app.storage.count_below("videos").await, 0);
    }

    async fn a_file_whose_fence_is_lost_on_the_way_does_not_count(farm: Farm) {
        let (worker, job) = working(&farm).await;
        let new = worker.attachment(&job, POSTER);
        let key = receive_sidecar::expect(&farm.app, &new).await.unwrap();
        worker.release(&job).await.unwrap();
        let late = receive_sidecar::accept(&farm.app, &new, key, [7; 32], 10).await.unwrap_err();
        assert_eq!((late.status.as_u16(), late.code), (409, "claim_lost"));
        assert_eq!(receive_sidecar::expect(&farm.app, &new).await.unwrap_err().code, "claim_lost");
        let other = farm.worker("w2").await;
        let again = other.claim().await;
        let fenced = receive_sidecar::accept(&farm.app, &new, key, [7; 32], 10).await.unwrap_err();
        assert_eq!((fenced.status.as_u16(), fenced.code), (409, "fenced"));
        let stranger = farm.worker("w3").await.attach(&again, POSTER, &jpeg("x")).await.unwrap_err();
        assert_eq!((stranger.status.as_u16(), stranger.code), (403, "not_yours"));
        assert_eq!(names(&farm, &job).await, Vec::<String>::new());
    }

    async fn a_job_that_makes_no_generation_takes_no_files(farm: Farm) {
        let (worker, id) = a_ready_video(&farm).await;
        let row = framefarm_api::db::job::of_video(&farm.app.db, id).await.unwrap().remove(0);
        let new = framefarm_api::db::job::NewJob {
            id: framefarm_shared::id::JobId::new(&farm.clock), video_id: id, collection_id: None,
            queue_type: QueueType::Preview, identity: row.identity, priority: 0, generation: 1, retranscode: None,
            max_attempts: 3, max_lost: 3,
        };
        let mut tx = farm.app.db.begin().await.unwrap();
        framefarm_api::db::job::insert_unless_live(&mut tx, new, farm.now()).await.unwrap().unwrap();
        tx.commit().await.unwrap();
        let request = ClaimRequest { queue_types: Some(vec![QueueType::Preview]), ..worker.claim_request() };
        let reply = framefarm_api::lifecycle::claim::claim_now(&farm.app, worker.id, &request).await.unwrap();
        let error = worker.attach(&reply.job.unwrap(), POSTER, &jpeg("x")).await.unwrap_err();
        assert_eq!((error.status.as_u16(), error.code), (422, "no_generation"));
    }

    async fn images_and_subtitles_come_along_when_one_quality_is_made_again(farm: Farm) {
        let (worker, id) = a_ready_video(&farm).await;
        let before = published(&farm, id).await;
        again(&farm, id, false).await;
        let job = encode_360p(&worker).await;
        worker.attach(&job, POSTER, &jpeg("a new one")).await.unwrap();
        worker.complete(&job).await.unwrap();
        sweep(&farm).await;
        let after = published(&farm, id).await;
        assert_ne!(after.poster, before.poster);
        assert_eq!(PublishedSidecars { poster: before.poster.clone(), ..after.clone() }, before);
        let files = after.poster.into_iter().chain(after.thumbnails).chain(after.storyboard);
        for file in files.chain(after.subtitles.into_iter().map(|subtitle| subtitle.file)) {
            assert!(farm.app.storage.head(&key_of(id, &format!("/g2/{file}"))).await.is_ok(), "{file}");
        }
        let board = text(&farm, &key_of(id, "/g2/images/storyboard.vtt")).await;
        let sprite = board.lines().find_map(|line| line.split_once("#xywh")).unwrap().0;
        assert!(farm.app.storage.head(&key_of(id, &format!("/g2/images/{sprite}"))).await.is_ok(), "{sprite}");
    }

    async fn subtitles_are_left_out_of_a_retranscode_if_asked_for(farm: Farm) {
        let (worker, id) = a_ready_video(&farm).await;
        again(&farm, id, true).await;
        let job = encode_360p(&worker).await;
        worker.complete(&job).await.unwrap();
        sweep(&farm).await;
        let after = published(&farm, id).await;
        assert_eq!((after.subtitles.len(), after.thumbnails.len()), (0, 2));
        assert!(text(&farm, &key_of(id, "/g2/images/storyboard.vtt")).await.contains("sprite_000-"));
    }

    async fn images_and_subtitles_go_with_their_video(farm: Farm) {
        let (_, id) = a_ready_video(&farm).await;
        delete::delete(&farm.app, id, "admin").await.unwrap();
        farm.wait(Duration::hours(25));
        farm.clean().await;
        let key = GenerationKey { video: id, number: 1 };
        assert!(extra_files::of_generation(&farm.app.db, key).await.unwrap().is_empty());
        sweep(&farm).await;
        assert_eq!(farm.app.storage.count_below("videos").await, 0);
    }
}
