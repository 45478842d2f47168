//! Jobs that do not end well: each is told once, with its class and in words.

use std::time::Duration;

use serde_json::json;

use super::bench::{Bench, calls, ended, the_call};
use crate::scripted::Heard;

/// The class and the words that the farm was told.
async fn failure_of(bench: &Bench) -> (String, String) {
    let fail = the_call(&bench.run_until("/fail").await, "/fail");
    (fail["class"].as_str().unwrap().to_owned(), fail["message"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_encoder_that_crashes_is_told_with_its_last_words_and_what_it_finished_is_kept() {
    let bench = Bench::new("seg 0; echo 'bad macroblock' >&2; kill -SEGV $$").await;
    let (class, message) = failure_of(&bench).await;
    assert_eq!(class, "encoder");
    assert_eq!(message, "the encoder crashed (signal 11); its last words: bad macroblock");
    assert_eq!(calls(&bench.farm.heard(), "PUT").len(), 1);
}

#[tokio::test]
async fn an_encoder_that_hangs_is_ended_as_a_timeout() {
    let mut bench = Bench::new("exec sleep 1000").await;
    bench.options.stall = Duration::from_secs(1);
    let (class, message) = failure_of(&bench).await;
    assert_eq!((class.as_str(), message.contains("nothing for 1 s")), ("timeout", true), "{message}");
}

#[tokio::test]
async fn a_garbage_line_is_a_defect_of_ours() {
    for said in ["hello", r#"{"report":"segment","quality":"../../etc","index":0,"bytes":1}"#] {
        let bench = Bench::new(&format!("echo '{said}'; exec sleep 1000")).await;
        let (class, message) = failure_of(&bench).await;
        assert_eq!(class, "internal", "{message}");
        assert!(calls(&bench.farm.heard(), "PUT").is_empty());
    }
}

#[tokio::test]
async fn what_the_encoder_calls_a_failure_is_passed_on_as_it_is() {
    let said = r#"{"report":"failed","class":"input_invalid","message":"no moov atom"}"#;
    let bench = Bench::new(&format!("echo '{said}'")).await;
    assert_eq!(failure_of(&bench).await, ("input_invalid".to_owned(), "no moov atom".to_owned()));
}

#[tokio::test]
async fn the_last_lines_of_an_encoder_are_told_with_its_failure() {
    let said = r#"{"report":"failed","class":"input_invalid","message":"no moov atom"}"#;
    let bench = Bench::new(&format!("echo 'one' >&2; echo 'two' >&2; echo '{said}'")).await;
    let fail = the_call(&bench.run_until("/fail").await, "/fail");
    assert_eq!(fail["log"], "one\ntwo");
}

#[tokio::test]
async fn a_quality_that_cannot_be_made_is_told_and_the_others_are_delivered() {
    let said = r#"{"report":"quality_failed","quality":"360p","message":"no such encoder"}"#;
    let bench = Bench::new(&format!("seg 0; echo '{said}'; done_ false")).await;
    let (class, message) = failure_of(&bench).await;
    assert_eq!((class.as_str(), message.contains("360p: no such encoder")), ("encoder", true), "{message}");
    let heard = bench.farm.heard();
    let told = calls(&heard, "/progress").into_iter().map(Heard::json);
    assert!(told.into_iter().any(|request| request["qualities"][0]["error"] == json!("no such encoder")));
    assert_eq!(calls(&heard, "PUT").len(), 1);
}

#[tokio::test]
async fn a_panic_is_reported_like_any_failure() {
    let mut bench = Bench::new("exec sleep 1000").await;
    // No instant is so far away.
    bench.options.stall = Duration::MAX;
    let (class, message) = failure_of(&bench).await;
    assert_eq!((class.as_str(), message.contains("overflow")), ("internal", true), "{message}");
}

#[tokio::test]
async fn a_revoked_key_ends_the_process_with_the_farms_words() {
    let bench = Bench::new("exec sleep 1000").await;
    let working = bench.start();
    let encoder = bench.encoder_of(bench.jobs[0]).await;
    bench.mood.lock().unwrap().key_revoked = true;
    let error = ended(working).await.unwrap_err().to_string();
    assert_eq!(error, "the farm wants no more of this worker: why (unauthorized)");
    assert!(!super::bench::is_running(encoder));
}
