//! What a player gets.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::db::videos;
use framefarm_api::lifecycle::{delete, retranscode};
use framefarm_api::services::cleaner;
use framefarm_shared::id::VideoId;

use crate::served::{Actor, Answer, Served};

struct Playing {
    farm: Served,
    worker: Actor,
    video: VideoId,
    slug: String,
}

async fn playing() -> Playing {
    let farm = Served::new().await;
    farm.upload(b"a source").await;
    let worker = farm.register("one").await;
    let job = farm.encode(&worker).await;
    let video = videos::get(farm.db(), job.video_id).await.expect("a database").expect("a video");
    Playing { farm, worker, video: video.id, slug: video.slug }
}

impl Playing {
    async fn ask(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask_by("GET", path, headers).await
    }

    async fn ask_by(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/videos/{}/{path}", self.slug));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.farm.send(request.body(Body::empty()).expect("a request")).await
    }

    /// The path of the first media segment, found as a player would.
    async fn first_segment(&self) -> String {
        let playlist = self.ask("g1/720p/playlist.m3u8", &[]).await;
        let text = String::from_utf8(playlist.body.to_vec()).expect("text");
        let name = text.lines().find(|line| line.starts_with("seg_")).expect("a segment");
        format!("g1/720p/{name}")
    }
}

#[tokio::test]
async fn a_player_finds_its_way_from_the_master_to_the_bytes() {
    let playing = playing().await;
    let master = playing.ask("master.m3u8", &[]).await;
    assert_eq!(master.status, 200);
    assert_eq!(master.header("content-type"), "application/vnd.apple.mpegurl");
    assert_eq!(master.header("cache-control"), "public, max-age=5, must-revalidate");
    assert_eq!(master.header("content-length"), master.body.len().to_string());
    assert!(String::from_utf8_lossy(&master.body).contains("g1/720p/playlist.m3u8"));

    let segment = playing.ask(&playing.first_segment().await, &[]).await;
    assert_eq!(segment.header("content-type"), "video/iso.segment");
    assert_eq!(segment.header("cache-control"), "public, max-age=604800, immutable");
    assert_eq!(segment.header("accept-ranges"), "bytes");
    assert_eq!(segment.header("content-length"), segment.body.len().to_string());
}

#[tokio::test]
async fn everything_of_a_video_can_be_purged_from_a_cdn_by_one_tag() {
    let playing = playing().await;
    let tag = format!("video-{}", playing.video);
    for path in ["master.m3u8", "g1/720p/playlist.m3u8", &playing.first_segment().await] {
        let answer = playing.ask(path, &[]).await;
        assert_eq!((answer.header("cache-tag"), answer.header("surrogate-key")), (&*tag, &*tag), "{path}");
    }
}

#[tokio::test]
async fn no_cache_keeps_that_a_video_is_not_there() {
    let playing = playing().await;
    delete::delete(&playing.farm.app, playing.video, "admin").await.expect("deleted");
    for path in ["master.m3u8", "g1/720p/playlist.m3u8", "g1/720p/none.m3u8"] {
        let answer = playing.ask(path, &[]).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (404, "no-store"), "{path}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_may_play() {
    let playing = playing().await;
    for path in ["master.m3u8", "g1/720p/none.m3u8"] {
        let answer = playing.ask(path, &[("Origin", "https://elsewhere.example")]).await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert!(answer.header("access-control-expose-headers").contains("content-range"));
        assert_eq!(answer.header("cross-origin-resource-policy"), "cross-origin");
    }
    let preflight = [
        ("Origin", "https://elsewhere.example"),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "range"),
    ];
    let answer = playing.ask_by("OPTIONS", "master.m3u8", &preflight).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("access-control-allow-headers").contains("range"));
}

#[tokio::test]
async fn what_a_player_has_is_not_sent_again() {
    let playing = playing().await;
    for path in ["master.m3u8".to_owned(), "g1/720p/playlist.m3u8".to_owned(), playing.first_segment().await]
    {
        let first = playing.ask(&path, &[]).await;
        let etag = first.header("etag").to_owned();
        assert!(etag.starts_with('"') && etag.len() > 2, "strong: {etag}");
        for same in [etag.as_str(), "*", &format!("\"other\", W/{etag}")] {
            let answer = playing.ask(&path, &[("If-None-Match", same)]).await;
            assert_eq!((answer.status.as_u16(), answer.body.len()), (304, 0), "{same}");
            assert_eq!(answer.header("etag"), etag);
            assert_eq!(answer.header("cache-control"), first.header("cache-control"));
        }
        let other = playing.ask(&path, &[("If-None-Match", "\"other\"")]).await;
        assert_eq!((other.status.as_u16(), &other.body), (200, &first.body));
    }
}

#[tokio::test]
async fn ranges_are_sent_as_asked() {
    let playing = playing().await;
    let path = playing.first_segment().await;
    let whole = playing.ask(&path, &[]).await.body;
    let size = whole.len();
    let huge = format!("bytes=-{}", size + 5);
    for (asked, from, to) in [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=10-", 10, size),
        ("bytes=-7", size - 7, size),
        ("bytes=5-99999999", 5, size),
        (huge.as_str(), 0, size),
    ] {
        let answer = playing.ask(&path, &[("Range", asked)]).await;
        assert_eq!(answer.status, 206, "{asked}");
        assert_eq!(answer.body, whole[from..to], "{asked}");
        assert_eq!(answer.header("content-range"), format!("bytes {from}-{}/{size}", to - 1));
        assert_eq!(answer.header("content-length"), (to - from).to_string());
    }
    let outside = playing.ask(&path, &[("Range", &format!("bytes={size}-"))]).await;
    assert_eq!(outside.problem(), (416, "bad_range".to_owned()));
    assert_eq!(outside.header("content-range"), format!("bytes */{size}"));
    for ignored in ["bytes=1-2,4-5", "lines=1-2", "bytes=x", "bytes=-0"] {
        let answer = playing.ask(&path, &[("Range", ignored)]).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (200, size), "{ignored}");
    }
}

#[tokio::test]
async fn a_range_of_something_else_is_not_sent() {
    let playing = playing().await;
    let path = playing.first_segment().await;
    let whole = playing.ask(&path, &[]).await;
    let etag = whole.header("etag");
    let same = playing.ask(&path, &[("Range", "bytes=0-3"), ("If-Range", etag)]).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (206, 4));
    for other in ["\"other\"", &format!("W/{etag}"), "Wed, 21 Oct 2015 07:28:00 GMT"] {
        let answer = playing.ask(&path, &[("Range", "bytes=0-3"), ("If-Range", other)]).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &whole.body), "{other}");
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let playing = playing().await;
    for path in ["master.m3u8".to_owned(), playing.first_segment().await] {
        let get = playing.ask(&path, &[]).await;
        let head = playing.ask_by("HEAD", &path, &[]).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
        for name in ["content-length", "content-type", "etag", "cache-control", "accept-ranges"] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
        let known = playing.ask_by("HEAD", &path, &[("If-None-Match", get.header("etag"))]).await;
        assert_eq!(known.status, 304);
    }
}

#[tokio::test]
async fn names_outside_the_grammar_are_nothing() {
    let playing = playing().await;
    for path in [
        "g1/720p/..%2F..%2F..%2Fframefarm.db",
        "g1/720p/source",
        "g0/720p/playlist.m3u8",
        "g2/720p/playlist.m3u8",
        "g1/360p/playlist.m3u8",
        "g1/%2e%2e/master-g1.m3u8",
        "g1/720p/seg_00000-0000000000000000.m4s",
    ] {
        assert_eq!(playing.ask(path, &[]).await.problem().0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_video_that_is_not_ready_or_deleted_does_not_play() {
    let playing = playing().await;
    let segment = playing.first_segment().await;
    delete::delete(&playing.farm.app, playing.video, "admin").await.expect("deleted");
    for path in ["master.m3u8", &segment] {
        assert_eq!(playing.ask(path, &[]).await.problem(), (404, "not_found".to_owned()));
    }
    delete::restore(&playing.farm.app, playing.video, "admin").await.expect("restored");
    assert_eq!(playing.ask("master.m3u8", &[]).await.status, 200);

    let waiting = playing.farm.upload(b"another source").await;
    let id = waiting.header("framefarm-video-id").parse().expect("an id");
    let slug = videos::get(playing.farm.db(), id).await.expect("a database").expect("a video").slug;
    let request = Request::get(format!("/videos/{slug}/master.m3u8")).body(Body::empty()).expect("a request");
    assert_eq!(playing.farm.send(request).await.problem(), (404, "not_ready".to_owned()));
}

#[tokio::test]
async fn an_old_generation_plays_on_until_it_is_swept() {
    let playing = playing().await;
    let old = playing.first_segment().await;
    let etag = playing.ask("master.m3u8", &[]).await.header("etag").to_owned();
    let request = retranscode::Request { retranscode_all: true, ..retranscode::Request::default() };
    retranscode::retranscode(&playing.farm.app, playing.video, request, "admin").await.expect("a job");
    playing.farm.encode(&playing.worker).await;

    let master = playing.ask("master.m3u8", &[("If-None-Match", &etag)]).await;
    assert_eq!(master.status, 200, "a new generation is a new master");
    assert!(String::from_utf8_lossy(&master.body).contains("g2/720p/playlist.m3u8"));
    assert_eq!(playing.ask(&old, &[]).await.status, 200);
    playing.farm.app.clock.advance(chrono::Duration::hours(1));
    cleaner::run_once(playing.farm.app.clone()).await.expect("a run");
    assert_eq!(playing.ask(&old, &[]).await.status, 200, "somebody may still watch it");
    playing.farm.app.clock.advance(chrono::Duration::minutes(1));
    cleaner::run_once(playing.farm.app.clone()).await.expect("a run");
    assert_eq!(playing.ask(&old, &[]).await.status, 404);
    assert_eq!(playing.ask("g2/720p/playlist.m3u8", &[]).await.status, 200);
}
