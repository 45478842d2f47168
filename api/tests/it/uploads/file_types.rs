//! Files that are no media: nobody uploads them whole and waits for a worker to say so.

use super::{append, begin, head};
use crate::served::Served;

#[tokio::test]
async fn a_file_that_is_no_media_is_refused_with_its_first_bytes() {
    let farm = Served::new().await;
    let url = begin(&farm, 5_000_000).await;
    let answer = append(&farm, &url, 0, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj").await;
    assert_eq!(answer.problem(), (415, "unsupported_file_type".to_owned()));
    let problem = answer.json();
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.starts_with("Unsupported file type: this is a PDF document."), "{detail}");
    assert_eq!(head(&farm, &url).await.status, 404, "it is not kept for later");
    assert_eq!(farm.files("uploads"), Vec::<String>::new());

    let url = begin(&farm, 5_000_000).await;
    assert_eq!(append(&farm, &url, 0, b"\x00\x00\x00\x18ftypmp42").await.status, 204);
    assert_eq!(append(&farm, &url, 12, b"%PDF-1.7").await.status, 204, "only the beginning tells");
}
