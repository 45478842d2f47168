//! How much one may begin, and whose an upload is.

use axum::http::Request;
use chrono::Duration;
use framefarm_api::auth::{Scope, token};

use super::{append, begin, create, empty, head, tus};
use crate::served::{Answer, Served};

async fn another(farm: &Served, scope: Scope) -> String {
    let (_, secret) = token::create(&farm.app, "another", scope, "admin").await.expect("a token");
    format!("Bearer {secret}")
}

async fn create_as(farm: &Served, bearer: &str, length: u64) -> Answer {
    let request = tus(Request::post("/api/uploads")).header("Upload-Length", length);
    farm.send(empty(request.header("Authorization", bearer))).await
}

#[tokio::test]
async fn an_upload_that_brings_nothing_sets_no_disk_aside_for_long() {
    let farm = Served::new().await;
    let url = begin(&farm, 1000).await;
    farm.app.clock.advance(Duration::minutes(29));
    assert_eq!(head(&farm, &url).await.status, 200);
    farm.app.clock.advance(Duration::minutes(1));
    assert_eq!(head(&farm, &url).await.status, 410);
    let outstanding = framefarm_api::db::uploads::outstanding_bytes(farm.db(), farm.now()).await;
    assert_eq!(outstanding.expect("a database"), 0, "also before it is swept");
}

#[tokio::test]
async fn the_first_byte_gives_an_upload_its_whole_life() {
    let farm = Served::new().await;
    let url = begin(&farm, 1000).await;
    // A body that ends too early: too little to count while it came, but it came.
    assert_eq!(append(&farm, &url, 0, b"0").await.status, 204);
    farm.app.clock.advance(Duration::hours(23));
    assert_eq!(head(&farm, &url).await.status, 200);
}

#[tokio::test]
async fn one_uploader_may_have_only_so_many_unfinished_uploads() {
    let farm = Served::with(|settings| settings.upload_limits.max_open_uploads = 2).await;
    let first = begin(&farm, 5).await;
    begin(&farm, 5).await;
    assert_eq!(create(&farm, 5, &[]).await.problem(), (429, "too_many_uploads".to_owned()));
    let other = another(&farm, Scope::Upload).await;
    assert_eq!(create_as(&farm, &other, 5).await.status, 201, "others may");
    assert_eq!(append(&farm, &first, 0, b"01234").await.status, 204);
    assert_eq!(create(&farm, 5, &[]).await.status, 201, "one is finished");
    farm.app.clock.advance(Duration::minutes(30));
    assert_eq!(create(&farm, 5, &[]).await.status, 201, "the others expired");
}

#[tokio::test]
async fn one_uploader_may_have_only_so_many_bytes_set_aside() {
    let farm = Served::with(|settings| {
        settings.max_upload_bytes = 1000;
        settings.upload_limits.max_reserved_upload_bytes = 1500;
    })
    .await;
    let url = begin(&farm, 1000).await;
    assert_eq!(create(&farm, 501, &[]).await.problem(), (429, "too_much_reserved".to_owned()));
    assert_eq!(create(&farm, 500, &[]).await.status, 201);
    assert_eq!(create(&farm, 1, &[]).await.problem(), (429, "too_much_reserved".to_owned()));
    assert_eq!(append(&farm, &url, 0, &[7; 400]).await.status, 204);
    assert_eq!(create(&farm, 400, &[]).await.status, 201, "what came is not outstanding");
}

#[tokio::test]
async fn an_upload_is_continued_and_dropped_by_who_began_it_or_an_admin() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    let other = another(&farm, Scope::Upload).await;
    for request in [Request::head(&url), Request::patch(&url), Request::delete(&url)] {
        let answer = farm.send(empty(tus(request).header("Authorization", &other))).await;
        assert_eq!(answer.status, 403);
    }
    let request = tus(Request::delete(&url)).header("Authorization", &other);
    assert_eq!(farm.send(empty(request)).await.problem(), (403, "not_your_upload".to_owned()));
    assert_eq!(append(&farm, &url, 0, b"012").await.status, 204);
    let admin = another(&farm, Scope::Admin).await;
    let request = tus(Request::head(&url)).header("Authorization", &admin);
    assert_eq!(farm.send(empty(request)).await.header("upload-offset"), "3");
    let request = tus(Request::delete(&url)).header("Authorization", &admin);
    assert_eq!(farm.send(empty(request)).await.status, 204);
    assert_eq!(head(&farm, &url).await.status, 404);
}

#[tokio::test]
async fn an_upload_of_an_earlier_version_is_continued_by_any_uploader() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    farm.sql("UPDATE upload SET owner = NULL").await;
    let other = another(&farm, Scope::Upload).await;
    let request = tus(Request::head(&url)).header("Authorization", &other);
    assert_eq!(farm.send(empty(request)).await.status, 200);
}

#[tokio::test]
async fn an_admin_sees_the_unfinished_uploads_of_everybody() {
    let farm = Served::new().await;
    let url = begin(&farm, 5).await;
    append(&farm, &url, 0, b"01").await;
    let finished = begin(&farm, 2).await;
    append(&farm, &finished, 0, b"01").await;
    let list = |bearer: String| {
        let request = Request::get("/api/uploads").header("Authorization", bearer);
        farm.send(empty(request))
    };
    assert_eq!(list(format!("Bearer {}", farm.token)).await.problem().0, 403);
    let told = list(another(&farm, Scope::Admin).await).await.json();
    let items = told["items"].as_array().expect("a list");
    assert_eq!(items.len(), 1, "{told}");
    assert!(url.ends_with(items[0]["id"].as_str().expect("an id")));
    assert_eq!((&items[0]["owner"], &items[0]["file_name"]), (&"token:tests".into(), &"holiday.mp4".into()));
    assert_eq!((&items[0]["length"], &items[0]["received"]), (&5.into(), &2.into()));
}

#[tokio::test]
async fn metadata_is_short() {
    let farm = Served::new().await;
    let with = |length: usize| {
        let request = tus(Request::post("/api/uploads")).header("Upload-Length", 5);
        farm.send(empty(request.header("Upload-Metadata", format!("note {}", "QUFB".repeat(length / 4)))))
    };
    assert_eq!(with(8 * 1024 - 8).await.status, 201);
    assert_eq!(with(8 * 1024).await.problem(), (400, "bad_header".to_owned()));
}
