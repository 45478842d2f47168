//! What players get from a farm whose bytes are elsewhere.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::app::App;
use framefarm_api::config::Settings;
use framefarm_api::db::videos;
use framefarm_shared::object_key::ObjectKey;

use super::clean;
use super::own_store::OwnStore;
use crate::served::{Answer, Served};

async fn playing(farm: &Served) -> String {
    farm.upload(b"a source").await;
    let worker = farm.register("one").await;
    let job = farm.encode(&worker).await;
    videos::get(farm.db(), job.video_id).await.expect("a database").expect("a video").slug
}

async fn get(farm: &Served, path: &str, range: Option<&str>) -> Answer {
    let mut request = Request::get(path);
    if let Some(range) = range {
        request = request.header("Range", range);
    }
    farm.send(request.body(Body::empty()).expect("a request")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_plays_from_an_object_store_whole_and_in_ranges() {
    let farm = Served::on_s3(|_| {}).await;
    let slug = playing(&farm).await;
    let master = get(&farm, &format!("/videos/{slug}/master.m3u8"), None).await;
    assert_eq!(master.status, 200);
    assert!(String::from_utf8_lossy(&master.body).contains("g1/720p/playlist.m3u8"));
    let playlist = get(&farm, &format!("/videos/{slug}/g1/720p/playlist.m3u8"), None).await;
    let text = String::from_utf8(playlist.body.to_vec()).expect("text");
    let name = text.lines().find(|line| line.starts_with("seg_")).expect("a segment");
    let segment = format!("/videos/{slug}/g1/720p/{name}");
    let whole = get(&farm, &segment, None).await;
    assert_eq!(whole.header("cache-control"), "public, max-age=604800, immutable");
    let some = get(&farm, &segment, Some("bytes=10-19")).await;
    assert_eq!((some.status.as_u16(), &some.body[..]), (206, &whole.body[10..20]));
    assert_eq!(get(&farm, &format!("/videos/{slug}/g1/360p/playlist.m3u8"), None).await.problem().0, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_one_request_to_the_store_whole_or_in_part() {
    let (farm, store) = (Served::new().await, OwnStore::start().await);
    let mut settings = farm.app.settings.clone();
    OwnStore::URL.clone_into(&mut settings.storage_url);
    let app = App::start_with(settings, farm.clock.clone(), &store.variables()).await.expect("an app");
    let slug = playing(&farm).await;
    let id = farm.app.storage.directories("videos").await.expect("a list")[0].parse().expect("an id");
    let key = ObjectKey::Master { video: id, generation: 1 };
    app.storage.put(&key, "0123456789".into()).await.expect("stored");
    for (range, status, body) in [
        (None, 200, "0123456789"),
        (Some("bytes=2-4"), 206, "234"),
        (Some("bytes=7-"), 206, "789"),
        (Some("bytes=-2"), 206, "89"),
        (Some("bytes=8-99"), 206, "89"),
    ] {
        let before = store.requests();
        let mut request = Request::get(format!("/videos/{slug}/master.m3u8"));
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        let answer = farm.send_to(&app, request.body(Body::empty()).expect("a request")).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (status, body.as_bytes()), "{range:?}");
        assert_eq!(store.requests() - before, 1, "{range:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_video_leaves_the_store() {
    let farm = Served::on_s3(|_| {}).await;
    playing(&farm).await;
    let id = farm.app.storage.directories("videos").await.expect("a list")[0].parse().expect("an id");
    framefarm_api::lifecycle::delete::delete(&farm.app, id, "admin").await.expect("deleted");
    farm.app.clock.advance(chrono::Duration::hours(25));
    clean(&farm.app).await;
    farm.app.clock.advance(chrono::Duration::hours(1));
    clean(&farm.app).await;
    for root in ["videos", "sources", "uploads"] {
        assert_eq!(farm.app.storage.count_below(root).await, 0, "{root}");
    }
}

fn behind(url: &'static str) -> impl FnOnce(&mut Settings) {
    move |settings| url.clone_into(&mut settings.public_media_url)
}

#[tokio::test]
async fn players_are_sent_to_the_public_place_for_all_but_the_master() {
    for url in ["https://cdn.example.org/media", "https://cdn.example.org/media/"] {
        let farm = Served::with(behind(url)).await;
        let slug = playing(&farm).await;
        let id = farm.app.storage.directories("videos").await.expect("a list").remove(0);
        let master = get(&farm, &format!("/videos/{slug}/master.m3u8"), None).await;
        assert_eq!((master.status.as_u16(), master.header("location")), (200, ""));
        for file in ["720p/playlist.m3u8", "images/storyboard.vtt", "subtitles/0.m3u8"] {
            let answer = get(&farm, &format!("/videos/{slug}/g1/{file}"), Some("bytes=0-3")).await;
            assert_eq!((answer.status.as_u16(), answer.body.len()), (307, 0), "{file}");
            let there = format!("https://cdn.example.org/media/videos/{id}/g1/{file}");
            assert_eq!(answer.header("location"), there);
            assert_eq!(answer.header("access-control-allow-origin"), "*");
            assert_eq!(answer.header("cache-control"), "public, max-age=60");
        }
        for wrong in ["g2/720p/playlist.m3u8", "g1/720p/..%2fx", "g0/720p/playlist.m3u8"] {
            assert_eq!(get(&farm, &format!("/videos/{slug}/{wrong}"), None).await.status, 404, "{wrong}");
        }
    }
}

#[tokio::test]
async fn the_page_may_reach_the_public_place_and_no_other() {
    let policy = |answer: &Answer| answer.header("content-security-policy").to_owned();
    let usual = policy(&get(&Served::new().await, "/", None).await);
    assert!(
        usual.contains("connect-src 'self';") && usual.contains("img-src 'self' data: blob:;"),
        "{usual}"
    );
    let farm = Served::with(behind("https://cdn.example.org:8443/media")).await;
    let opened = policy(&get(&farm, "/", None).await);
    for source in ["img-src 'self' data: blob:", "media-src 'self' blob:", "connect-src 'self'"] {
        assert!(opened.contains(&format!("{source} https://cdn.example.org:8443;")), "{opened}");
    }
    assert_eq!(opened.replace(" https://cdn.example.org:8443", ""), usual, "nothing else changed");
}

#[test]
fn a_public_place_that_is_no_plain_address_is_refused() {
    for wrong in ["cdn.example.org", "ftp://cdn.example.org", "https://cdn.example.org/?x=1", "/media"] {
        let mut settings = Settings::defaults().unwrap();
        wrong.clone_into(&mut settings.public_media_url);
        let error = settings.check().expect_err(wrong).to_string();
        assert!(error.contains("public_media_url"), "{error}");
    }
}
