//! The way of a job that ends well.

use serde_json::json;

use super::bench::{Bench, Deliveries, Images, a_plan, calls, ended, the_call};

const THREE_SEGMENTS: &str = "seg 0; seg 1; seg 2; done_ false";

#[tokio::test]
async fn a_job_goes_all_the_way_and_leaves_nothing_behind() {
    let bench = Bench::new(THREE_SEGMENTS).await;
    let heard = bench.run_until("/complete").await;
    assert_eq!(the_call(&heard, "/plan")["plan"]["boundaries_us"], a_plan()["boundaries_us"]);
    let order: Vec<usize> = ["/claim", "/source", "/plan", "PUT", "/complete"]
        .map(|call| heard.iter().position(|request| request.call.contains(call)).unwrap())
        .into();
    assert!(order.is_sorted(), "{order:?}");
    let parts = calls(&heard, "PUT");
    assert!(parts[0].call.contains("/qualities/360p/parts/0?fence=1"));
    let complete = the_call(&heard, "/complete");
    assert_eq!((&complete["job_id"], &complete["fence"]), (&json!(bench.jobs[0]), &json!(1)));
    let last_part = heard.iter().rposition(|request| request.call.starts_with("PUT")).unwrap();
    let completed = heard.iter().position(|request| request.call.contains("/complete")).unwrap();
    assert!(last_part < completed, "all is acknowledged before the job is complete");
    assert_eq!(std::fs::read_dir(bench.options.scratch.join("jobs")).unwrap().count(), 0);
}

#[tokio::test]
async fn the_encoder_is_asked_for_exactly_what_is_missing_and_gets_nothing_of_our_environment() {
    let bench = Bench::new(&format!("echo \"$task\" > $0.task; env > $0.env; {THREE_SEGMENTS}")).await;
    bench.run_until("/complete").await;
    let task: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bench.path().join("encoder.task")).unwrap()).unwrap();
    assert_eq!(task["qualities"].as_array().unwrap().len(), 1, "the skipped one is left out");
    assert_eq!(task["qualities"][0]["missing"], json!([{"first": 0, "last": 2}]));
    let environment = std::fs::read_to_string(bench.path().join("encoder.env")).unwrap();
    assert!(!environment.contains("CARGO") && environment.contains("RUST_BACKTRACE=0"), "{environment}");
}

#[tokio::test]
async fn a_source_in_reach_is_not_fetched_and_one_of_another_size_is() {
    for (content, fetched) in [(&b"0123456789"[..], 0), (b"short", 1)] {
        let mut bench = Bench::new(THREE_SEGMENTS).await;
        let storage = bench.path().join("media");
        let directory = storage.join("sources").join(bench.video.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("source"), content).unwrap();
        bench.options.storage = Some(storage);
        let heard = bench.run_until("/complete").await;
        assert_eq!(calls(&heard, "/source").len(), fetched);
    }
}

#[tokio::test]
async fn segments_whose_acknowledgement_was_lost_count_as_delivered() {
    let bench = Bench::new(THREE_SEGMENTS).await;
    bench.mood.lock().unwrap().deliveries = Deliveries::KnownWithOtherBytes;
    let heard = bench.run_until("/complete").await;
    assert!(calls(&heard, "/plan").len() > 1, "the farm is asked what it has");
    assert!(calls(&heard, "/fail").is_empty());
}

#[tokio::test]
async fn images_that_an_earlier_attempt_did_not_deliver_are_made_although_every_segment_is_there() {
    let encode = r#"mkdir -p output/images; printf x > output/images/poster.jpg
        echo '{"report":"image","name":"poster.jpg"}'; done_ false"#;
    for (images, delivered) in [(Images::Missing, 1), (Images::There, 0)] {
        let bench = Bench::new(encode).await;
        bench.mood.lock().unwrap().resumed = Some(images);
        let heard = bench.run_until("/complete").await;
        assert_eq!(calls(&heard, "/images/poster.jpg").len(), delivered);
        assert!(calls(&heard, "/parts/").is_empty());
    }
}

#[tokio::test]
async fn a_worker_without_work_looks_again_and_takes_nothing_while_it_drains() {
    let mut bench = Bench::with(0, 3, "").await;
    bench.options.slots = 1;
    bench.mood.lock().unwrap().draining = true;
    let working = bench.start();
    bench.farm.until(|heard| calls(heard, "/heartbeat").len() >= 2).await;
    assert!(calls(&bench.farm.heard(), "/claim").is_empty());
    bench.mood.lock().unwrap().draining = false;
    bench.farm.until(|heard| calls(heard, "/claim").len() >= 2).await;
    let asked = calls(&bench.farm.heard(), "/claim")[0].json();
    assert_eq!((&asked["wait_seconds"], &asked["queue_types"]), (&json!(30), &json!(["transcode"])));
    bench.stop.drain();
    ended(working).await.unwrap();
}

#[tokio::test]
async fn a_farm_without_room_is_waited_for_and_the_job_is_not_failed() {
    let bench = Bench::new("seg 0; seg 1; seg 2; done_ false").await;
    bench.mood.lock().unwrap().deliveries = Deliveries::NoRoom(3);
    let heard = bench.run_until("/complete").await;
    assert!(calls(&heard, "/parts/").len() > 3);
    assert!(calls(&heard, "/fail").is_empty() && calls(&heard, "/release").is_empty());
}

#[tokio::test]
async fn more_segments_than_the_farm_can_take_at_once_all_arrive() {
    // Told all at once: a farm that is quicker than the encoder would get each on its own.
    let encode = "i=0; while [ $i -lt 200 ]; do seg $i; i=$((i+1)); done > told; cat told; done_ false";
    let bench = Bench::with(1, 200, encode).await;
    let heard = bench.run_until("/complete").await;
    let parts = calls(&heard, "PUT");
    assert!((13..200).contains(&parts.len()), "{} parts of at most 16", parts.len());
}
