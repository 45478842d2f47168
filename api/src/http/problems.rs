//! Requests that are refused before they reach a handler get a problem document too.

use std::any::Any;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{Method, Response as HttpResponse, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

pub(super) async fn not_found(uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(200).collect();
    ApiError::not_found("no_such_path", format!("No such path: {path}. See /api/docs."))
}

pub(super) async fn method_not_allowed(method: Method) -> ApiError {
    let detail = format!("{method} is not allowed for this path; see the Allow header.");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer asks for")]
pub(super) fn panicked(panic: Box<dyn Any + Send + 'static>) -> HttpResponse<Body> {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("no message"), "a handler panicked");
    let detail = "Internal server error; see the server log.";
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).into_response()
}

/// Gives the answers of libraries (a body that is too large, a broken multipart form) the form of ours.
pub(super) async fn as_problem(response: Response) -> Response {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || is_problem(&response) {
        return response;
    }
    let (old, _) = response.into_parts();
    let reason = status.canonical_reason().unwrap_or("Error");
    let mut problem = ApiError::new(status, code(status), format!("{reason}.")).into_response();
    let ours = [CONTENT_TYPE, CONTENT_LENGTH];
    for (name, value) in old.headers.iter().filter(|(name, _)| !ours.contains(name)) {
        problem.headers_mut().append(name, value.clone());
    }
    problem
}

fn is_problem(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/problem+json")
}

fn code(status: StatusCode) -> &'static str {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
        StatusCode::REQUEST_TIMEOUT => "timeout",
        status if status.is_server_error() => "internal",
        _ => "bad_request",
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::map_response;
    use axum::routing::get;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    async fn answer(path: &str) -> Response {
        let panics = get(|| async {
            assert_eq!(1, 2, "a defect");
        });
        let foreign = get(|| async { (StatusCode::IM_A_TEAPOT, [("retry-after", "7")], "short and stout") });
        let router = Router::new().route("/panics", panics).route("/foreign", foreign);
        let router = router.layer(CatchPanicLayer::custom(panicked)).layer(map_response(as_problem));
        router.oneshot(axum::extract::Request::get(path).body(Body::empty()).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_without_its_words() {
        let response = answer("/panics").await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(is_problem(&response));
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("a defect"));
    }

    #[tokio::test]
    async fn answers_of_libraries_become_problems_and_keep_their_headers() {
        let response = answer("/foreign").await;
        assert!(is_problem(&response));
        assert_eq!(response.headers()["retry-after"], "7");
    }
}
