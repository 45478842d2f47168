//! The real programs: a farm that serves https by itself, with the worker beside it and the command line.

use rcgen::generate_simple_self_signed;

use crate::encode;
use crate::served::{Farm, admin_token, framefarm};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_goes_through_a_farm_that_serves_https() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data").to_str().unwrap().to_owned();
    let [certificate, key] = ["cert.pem", "key.pem"].map(|name| place.path().join(name));
    let made = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let clip = encode::long_clip(place.path(), "320x180", 25, 8).await;
    let token = admin_token(&data).await;
    let farm = Farm::start(&data, &token, |command| {
        command.arg("--tls-cert").arg(&certificate).arg("--tls-key").arg(&key);
    })
    .await;
    assert!(farm.url.starts_with("https://"), "{}", farm.url);

    let upload = |trusted: bool| {
        let mut command = framefarm();
        command.env("FRAMEFARM_API", &farm.url).env("FRAMEFARM_TOKEN", &token);
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        }
        command.args(["upload", "--wait"]).arg(&clip);
        command
    };
    let refused = upload(false).output().await.unwrap();
    assert!(!refused.status.success(), "nobody signed the certificate");
    let done = upload(true).output().await.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
