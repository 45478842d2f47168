//! The uploaded file itself.

use axum::body::Body;
use axum::http::{Request, StatusCode};

use crate::served::Served;

#[tokio::test]
async fn an_original_comes_back_as_it_was_under_its_own_name() {
    let site = Served::new().await;
    let bytes = b"not really a clip".to_vec();
    let answer = site.upload(&bytes).await;
    let id = answer.header("framefarm-video-id").to_owned();
    let get = async |range: Option<&str>| {
        let mut request = Request::get(format!("/api/videos/{id}/source"));
        if let Some(range) = range {
            request = request.header("range", range);
        }
        site.send(request.body(Body::empty()).unwrap()).await
    };
    let whole = get(None).await;
    assert_eq!((whole.status, &whole.body[..]), (StatusCode::OK, &bytes[..]));
    assert_eq!(whole.header("content-disposition"), "attachment; filename=\"a.mp4\"; filename*=UTF-8''a.mp4");
    assert_eq!(whole.header("cache-control"), "private, no-store");
    let part = get(Some("bytes=4-9")).await;
    assert_eq!((part.status, &part.body[..]), (StatusCode::PARTIAL_CONTENT, &bytes[4..10]));
}
