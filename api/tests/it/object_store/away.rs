//! A store that is away.

use axum::body::Body;
use axum::http::Request;
use framefarm_api::app::App;

use super::own_store::OwnStore;
use super::{append, begin, head, random, video_of};
use crate::served::{Answer, Served};

async fn get(farm: &Served, app: &App, path: &str) -> Answer {
    farm.send_to(app, Request::get(path).body(Body::empty()).expect("a request")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_store_the_farm_says_so_and_what_was_counted_stays() {
    let farm = Served::new().await;
    let store = OwnStore::start().await;
    let mut settings = farm.app.settings.clone();
    OwnStore::URL.clone_into(&mut settings.storage_url);
    let app = App::start_with(settings, farm.clock.clone(), &store.variables()).await.expect("an app");
    let bytes = random(5000);
    let finished = {
        let url = begin(&farm, bytes.len()).await;
        video_of(&append(&farm, &app, &url, 0, &bytes).await)
    };
    let url = begin(&farm, bytes.len()).await;
    assert_eq!(append(&farm, &app, &url, 0, &bytes[..1000]).await.status, 204);
    assert_eq!(get(&farm, &app, "/readyz").await.status, 200);
    drop(store);

    assert_eq!(get(&farm, &app, "/readyz").await.status, 200, "claims and heartbeats go on");
    assert!(!app.storage.answers().await);
    let health = framefarm_api::responses::health::service(&app).await.expect("a health");
    assert!(health.degraded.iter().any(|line| line.starts_with("storage not responding")), "{health:?}");
    assert_eq!((health.storage.kind.as_str(), health.storage.free_bytes), ("s3", None));
    let refused = append(&farm, &app, &url, 1000, &bytes[1000..]).await;
    assert_eq!(refused.problem(), (503, "storage_unavailable".to_owned()));
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(head(&farm, &app, &url).await.header("upload-offset"), "1000");
    let key = framefarm_shared::object_key::ObjectKey::Source { video: finished };
    assert!(app.storage.get(&key).await.is_err());
}
