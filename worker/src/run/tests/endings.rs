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
    assert_eq!(message, "the encoder crashed (signal 11); last output: bad macroblock");
    assert_eq!(calls(&bench.farm.heard(), "PUT").len(), 1);
}

#[tokio::test]
async fn an_encoder_that_hangs_is_ended_as_a_timeout() {
    let mut bench = Bench::new("exec sleep 1000").await;
    bench.options.stall = Duration::from_secs(1);
    let (class, message) = failure_of(&bench).await;
    assert_eq!((class.as_str(), message.contains("no progress for 1 s")), ("timeout", true), "{message}");
}

#[tokio::test]
async fn an_encoder_that_hangs_is_ended_however_much_it_talks() {
    let qualities =
        r#"[{"quality":"360p","encoder":"libx264","percent":40.0,"fps":0.0,"speed":0.0,"packets":7}]"#;
    for read in ["", r#","read":{"total":9000,"video":8000}"#] {
        let said = format!(r#"{{"report":"progress","qualities":{qualities}{read}}}"#);
        let mut bench = Bench::new(&format!("seg 0; while :; do echo '{said}'; sleep 0.1; done")).await;
        bench.options.stall = Duration::from_secs(3);
        let (class, message) = failure_of(&bench).await;
        assert_eq!((class.as_str(), message.contains("no progress for 3 s")), ("timeout", true), "{message}");
        assert_eq!(calls(&bench.farm.heard(), "PUT").len(), 1, "what was finished is kept");
    }
}

/// Says forty times what is in `said`, `$i` counting up, over four seconds, and then finishes.
fn moving(said: &str) -> String {
    let said = said.replace('"', "\\\"");
    format!(
        "i=0; while [ $i -lt 40 ]; do echo \"{said}\"; sleep 0.1; i=$((i+1)); done; seg 0; seg 1; seg 2; done_ false"
    )
}

#[tokio::test]
async fn an_encoder_that_decodes_or_flushes_for_long_is_not_ended() {
    let pace = r#"{"quality":"360p","encoder":"libx264","percent":40.0,"fps":0.0,"speed":0.0,"packets":7}"#;
    for said in [
        format!(r#"{{"report":"progress","qualities":[{pace}],"read":{{"total":$i,"video":0}}}}"#),
        format!(r#"{{"report":"progress","qualities":[{}]}}"#, pace.replace("7}", "$i}")),
        format!(r#"{{"report":"progress","qualities":[{}]}}"#, pace.replace("40.0", "$i.5")),
    ] {
        let mut bench = Bench::new(&moving(&said)).await;
        // Less than it takes, and far more than a busy machine keeps it waiting.
        bench.options.stall = Duration::from_secs(3);
        let heard = bench.run_until("/parts/").await;
        assert!(calls(&heard, "/fail").is_empty(), "{said}");
    }
}

#[tokio::test]
async fn an_encoder_that_fills_the_disk_is_ended_however_it_hides_that() {
    let in_many_files = "for i in 1 2 3 4; do head -c 1000000 /dev/zero > output/$i; done";
    let in_a_removed_one = "exec 3> output/x; rm output/x; head -c 4000000 /dev/zero >&3";
    let while_talking = "head -c 4000000 /dev/zero > output/x; while :; do echo \
        '{\"report\":\"progress\",\"qualities\":[]}'; done";
    for fills in [in_many_files, in_a_removed_one, while_talking] {
        let mut bench = Bench::new(&format!("{fills}; exec sleep 1000")).await;
        bench.options.job_scratch = 2 << 20;
        let (class, message) = failure_of(&bench).await;
        assert_eq!(class, "encoder", "{message}");
        assert!(message.contains("in the scratch directory, the limit for this job is 2 MiB"), "{message}");
    }
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
async fn an_audio_track_that_the_source_spoils_is_left_out_and_the_job_completes() {
    let failed = |class: &str| {
        format!(
            r#"{{"report":"quality_failed","quality":"audio1","class":"{class}","message":"no decoder"}}"#
        )
    };
    let encode = |class| format!("echo '{}'; seg 0; seg 1; seg 2; done_ false", failed(class));
    let bench = Bench::new(&encode("input_invalid")).await;
    bench.mood.lock().unwrap().audio = 2;
    let complete = the_call(&bench.run_until("/complete").await, "/complete");
    assert_eq!(complete["left_out"], json!([{"quality": "audio1", "error": "no decoder"}]));
    // An encoder may do better the next time.
    let bench = Bench::new(&encode("encoder")).await;
    bench.mood.lock().unwrap().audio = 2;
    assert_eq!(failure_of(&bench).await.0, "encoder");
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
    assert_eq!(
        error,
        "this worker was removed, its key was revoked, or a newer process uses it: why (unauthorized)"
    );
    assert!(!super::bench::is_running(encoder));
}
