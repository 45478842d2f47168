//! Videos, by whatever people call them.

use framefarm_api::lifecycle::upload::{self, NewUpload, UploadRequest};

use super::{Site, has, line};

#[tokio::test(flavor = "multi_thread")]
async fn videos_are_listed_and_found_by_id_slug_and_title() {
    let site = Site::open().await;
    has(&site.text("videos").await, &["No videos yet", "framefarm upload"]);
    let holiday = site.video("Holiday by the sea").await.video;
    site.video("Holiday in the hills").await;
    site.video("Holiday").await;

    let id = holiday.id.to_string();
    let list = site.text("videos").await;
    has(line(&list, "by the sea"), &["pending", &holiday.slug, "1 MB", &id]);
    assert_eq!(site.text("videos --status ready").await, "No videos match.\n");
    let page = site.json("videos --search hills --limit 1").await;
    assert_eq!(page["items"][0]["title"], "Holiday in the hills");
    assert!(page["next_cursor"].is_null());
    has(&site.text("videos --limit 2").await, &["There are more; use --limit to list them."]);

    for name in [id.as_str(), &holiday.slug, "SEA"] {
        assert_eq!(
            site.json(&format!("video {name}")).await["video"]["id"],
            holiday.id.to_string(),
            "{name}"
        );
    }
    // A whole title wins over parts of others.
    assert_eq!(site.json("video Holiday").await["video"]["title"], "Holiday");
    let several = site.run("video holiday").await.ended_with(2);
    has(&several, &["matches several videos", &holiday.slug, "Holiday in the hills"]);
    has(&site.run("video nothing").await.ended_with(3), &["no video with the ID, slug or title `nothing`"]);
    site.run(&format!("video {}", framefarm_shared::id::VideoId::new(&site.clock))).await.ended_with(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_video_tells_where_it_plays_and_how_its_qualities_are() {
    let site = Site::open().await;
    site.served.upload(b"some bytes").await;
    has(&site.text("video a").await, &["job         1, pending", "waiting", "No worker is online."]);
    let worker = site.served.register("north").await;
    site.served.encode(&worker).await;
    let text = site.text("video a").await;
    has(&text, &["  ready", "playback", &format!("http://{}/videos/a-", site.at), "0:18", "1280×720"]);
    has(line(&text, "fps"), &["video track", "1280×720, 25 fps, h264"]);
    has(line(&text, "720p"), &["completed", "100%", "3/3", "1280×720", "h264"]);
    has(line(&text, "JOB"), &["VIDEO", "STATE"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quality_above_the_source_is_listed_without_numbers_and_what_was_made_instead_is_noted() {
    let site = Site::open().await;
    site.upload_with("a.mp4", |request| request.qualities = Some(vec!["1080p".to_owned()])).await;
    let worker = site.served.register("north").await;
    site.served.encode(&worker).await;
    let text = site.text("video a").await;
    has(line(&text, "note"), &["1080p is larger than the source; made 720p instead."]);
    let skipped = text.lines().find(|line| line.starts_with("1080p")).expect("a line for it");
    assert_eq!(skipped.split_whitespace().collect::<Vec<_>>(), ["1080p", "skipped"], "{text}");
    let made = text.lines().find(|line| line.starts_with("720p")).expect("a line for it");
    has(made, &["completed", "1280×720", "2500"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_are_listed_with_their_rules() {
    let site = Site::open().await;
    assert_eq!(site.text("collections").await, "No collections yet.\n");
    site.upload_with("talk.mp4", |request| request.collection = Some("talks".to_owned())).await;
    has(line(&site.text("collections").await, "talks"), &["1", "default"]);
    assert_eq!(site.json("collections").await["collections"][0]["name"], "talks");
    has(&site.text("queue --collection talks").await, &["talk"]);
    assert_eq!(site.text("queue --collection other").await, "No waiting jobs match.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_cannot_steer_the_terminal() {
    let site = Site::open().await;
    let title = "Harbour \u{202e}4pm.exe\u{2066}\u{200f}";
    site.video(title).await;
    site.video(&format!("{title} again")).await;
    for line in ["videos", "queue", "video 4pm"] {
        let ran = site.run(line).await;
        let text = format!("{}{}", ran.out, ran.err);
        assert!(text.contains("Harbour 4pm.exe"), "{line}: {text:?}");
        assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "{line}: {text:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_uploads_are_listed_and_removed() {
    let site = Site::open().await;
    assert_eq!(site.text("uploads list").await, "No unfinished uploads.\n");
    let request = UploadRequest { file_name: "holiday.mov".to_owned(), ..UploadRequest::default() };
    let new = NewUpload { length: 5_000_000, metadata: String::new(), request };
    let id = upload::create(&site.app, new).await.unwrap().id.to_string();
    has(line(&site.text("uploads list").await, "holiday.mov"), &[&id, "farm", "5 MB"]);
    assert_eq!(site.json("uploads list").await["items"][0]["id"], id);
    assert_eq!(site.text(&format!("uploads remove {id}")).await, format!("Removed upload {id}.\n"));
    site.run(&format!("uploads remove {id}")).await.ended_with(3);
}
