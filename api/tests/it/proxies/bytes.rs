//! Large things pass: uploads in, ranges out.

use reqwest::{Method, Response, StatusCode};

use super::Behind;
use super::behind_every_proxy;
use super::proxy::Kind;

const MIB: usize = 1024 * 1024;
const LENGTH: usize = 5 * MIB + 17;

fn source() -> Vec<u8> {
    (0..LENGTH).map(|at| u8::try_from((at * 31 + at / 251) % 256).unwrap()).collect()
}

/// The upload's address, as the farm names it.
async fn create(behind: &Behind) -> String {
    let request = behind.request(Method::POST, "/api/uploads").header("Tus-Resumable", "1.0.0");
    let answer = request.header("Upload-Length", LENGTH).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    answer.headers()["location"].to_str().unwrap().to_owned()
}

async fn append(behind: &Behind, upload: &str, offset: usize, piece: &[u8]) -> Response {
    behind
        .request(Method::PATCH, upload)
        .header("Tus-Resumable", "1.0.0")
        .header("Upload-Offset", offset)
        .header("Content-Type", "application/offset+octet-stream")
        .body(piece.to_vec())
        .send()
        .await
        .unwrap()
}

behind_every_proxy! {
    async fn an_upload_arrives_at_the_address_that_was_named(kind: Kind) {
        let behind = Behind::start(kind).await;
        let upload = create(&behind).await;
        let farm = format!("http://{}", behind.proxy.address);
        assert_eq!(upload.starts_with(&farm), kind.forwards_the_client(), "{upload}");
        // With nothing set, nginx takes a mebibyte and no more.
        let piece = if kind == Kind::Nginx { MIB } else { LENGTH };
        let mut offset = 0;
        for piece in source().chunks(piece) {
            let answer = append(&behind, &upload, offset, piece).await;
            assert_eq!(answer.status(), 204);
            offset += piece.len();
        }
        let video = behind.farm.queued(&behind.farm.register("one").await).await.expect("a job");
        assert_eq!(video.source.size, i64::try_from(LENGTH).unwrap());
    }

    async fn a_range_of_a_video_is_that_range(kind: Kind) {
        let behind = Behind::start(kind).await;
        behind.farm.upload(b"a source").await;
        let job = behind.farm.encode(&behind.farm.register("one").await).await;
        let video = framefarm_api::db::videos::get(behind.farm.db(), job.video_id).await.unwrap().unwrap();
        let base = format!("/videos/{}/g1/720p", video.slug);
        let playlist = behind.request(Method::GET, &format!("{base}/playlist.m3u8")).send().await.unwrap();
        let text = playlist.text().await.unwrap();
        let segment = format!("{base}/{}", text.lines().find(|line| line.starts_with("seg_")).unwrap());
        let whole = behind.request(Method::GET, &segment).send().await.unwrap();
        assert_eq!(whole.status(), 200);
        let whole = whole.bytes().await.unwrap();
        let range = behind.request(Method::GET, &segment).header("Range", "bytes=10-29").send().await.unwrap();
        assert_eq!(range.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(range.headers()["content-range"], format!("bytes 10-29/{}", whole.len()));
        assert_eq!(range.bytes().await.unwrap(), whole[10..30]);
    }
}

/// What docs/operations.md warns of: it is the proxy that refuses, and the farm never hears of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_nginx_that_refuses_larger_pieces_the_uploader_is_told_what_to_set() {
    let behind = Behind::start(Kind::Nginx).await;
    let upload = create(&behind).await;
    let refused = append(&behind, &upload, 0, &source()).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);

    let file = behind.farm.path().join("holiday.mov");
    std::fs::write(&file, source()).unwrap();
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_framefarm"))
        .arg("upload")
        .arg(&file)
        .args(["--api", &behind.url("/")])
        .env("FRAMEFARM_TOKEN", &behind.farm.token)
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("client_max_body_size"), "{said}");
}
