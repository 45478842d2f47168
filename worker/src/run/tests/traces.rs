//! What a worker tells of an attempt, also of one that fails.

use framefarm_shared::trace::TraceParent;
use framefarm_traces::testing::{Manner, Received, TestCollector};

use super::bench::{Bench, TRACEPARENT};
use crate::run::Exports;

/// Runs until the farm has heard `call`; gives back what the collector was told.
async fn told(mut bench: Bench, call: &str) -> Vec<Received> {
    let collector = TestCollector::start(Manner::Takes).await;
    bench.options.spans = Exports::open(&collector.endpoint).unwrap();
    bench.run_until(call).await;
    bench.options.spans.end().await;
    let mut spans = collector.spans();
    let parent: TraceParent = TRACEPARENT.parse().unwrap();
    assert!(spans.iter().all(|span| span.trace == hex(&parent.trace.to_bytes())));
    let own = spans.iter().filter(|span| span.service == "framefarm-worker");
    assert!(own.into_iter().all(|span| span.parent == hex(&parent.span.to_bytes())));
    spans.sort_by(|one, other| (one.start_ns, &one.name).cmp(&(other.start_ns, &other.name)));
    spans
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn the<'a>(spans: &'a [Received], name: &str) -> &'a Received {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {spans:#?}");
    found[0]
}

#[tokio::test]
async fn the_steps_of_an_attempt_are_told_and_the_one_that_failed_says_why() {
    let bench = Bench::new("seg 0; echo 'bad macroblock' >&2; kill -SEGV $$").await;
    let spans = told(bench, "/fail").await;
    let names: Vec<_> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["fetch", "plan", "encode", "deliver", "finish"]);
    let encode = the(&spans, "encode");
    assert_eq!(encode.attribute("error.type"), "encoder");
    assert!(encode.error.as_ref().unwrap().contains("bad macroblock"), "{encode:#?}");
    assert_eq!(spans.iter().filter(|span| span.error.is_some()).count(), 1, "{spans:#?}");
    let (fetch, deliver) = (the(&spans, "fetch"), the(&spans, "deliver"));
    assert_eq!(fetch.attribute("framefarm.source.bytes"), "10");
    assert_eq!(fetch.attribute("framefarm.source.from"), "download");
    assert_eq!(deliver.attribute("framefarm.quality"), "360p");
    assert_eq!((deliver.attribute("framefarm.segments"), deliver.attribute("framefarm.bytes")), ("1", "4"));
    assert_eq!(the(&spans, "finish").attribute("framefarm.outcome"), "failed");
}

#[tokio::test]
async fn what_an_encoder_tells_of_its_time_is_taken_for_no_more_than_can_be() {
    let coded = |quality: &str, began: u64| {
        format!(
            r#"echo '{{"report":"coded","quality":"{quality}","encoder":"x","spent":{{"began_us":{began},"lasted_us":{began},"frames":50,"seconds":2.0}}}}'"#
        )
    };
    let beyond = coded("360p", u64::MAX);
    let (good, wild, unknown) = (coded("360p", 1), coded("360p", 3_600_000_000), coded("nonsense", 1));
    let bench = Bench::new(&format!(
        "seg 0; seg 1; seg 2; {good}; {unknown}; {beyond}; for n in $(seq 200); do {wild}; done; done_ false"
    ))
    .await;
    let spans = told(bench, "/complete").await;
    let encode = the(&spans, "encode");
    let told: Vec<_> = spans.iter().filter(|span| span.service == "framefarm-encoder").collect();
    assert_eq!(told.len(), 64, "it may not tell without end");
    for span in &told {
        assert_eq!((span.name.as_str(), span.parent.as_str()), ("quality", encode.id.as_str()));
        assert_eq!(
            (span.attribute("framefarm.quality"), span.attribute("framefarm.segments")),
            ("360p", "3")
        );
        assert!(encode.start_ns <= span.start_ns && span.end_ns <= encode.end_ns, "{span:#?} in {encode:#?}");
    }
    assert!(
        told[0].attribute("framefarm.fps") == "50000000" && told[0].attribute("framefarm.frames") == "50"
    );
}

#[tokio::test]
async fn a_step_that_is_cut_off_is_told_too_and_is_no_failure() {
    let mut bench = Bench::new("exec sleep 1000").await;
    let collector = TestCollector::start(Manner::Takes).await;
    bench.options.spans = Exports::open(&collector.endpoint).unwrap();
    bench.options.drain = std::time::Duration::from_secs(1);
    let working = bench.start();
    bench.encoder_of(bench.jobs[0]).await;
    bench.stop.drain();
    super::bench::ended(working).await.unwrap();
    bench.options.spans.end().await;
    let spans = collector.spans();
    assert!(the(&spans, "encode").error.is_none());
    assert_eq!(the(&spans, "finish").attribute("framefarm.outcome"), "released");
}
