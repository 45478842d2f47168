//! The real programs, and a collector: one trace of one video.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use framefarm_traces::testing::{Manner, Received, TestCollector};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

use crate::encode;
use crate::served::{Farm, admin_token};
use crate::watch::until;

/// The clocks of two processes, and the answer that a worker waits for when its attempt is over.
const TOLERANCE_NS: u64 = 500_000_000;

/// How often each span came, by service and name.
fn counts(spans: &[Received]) -> BTreeMap<(&str, &str), usize> {
    let mut counts = BTreeMap::new();
    for span in spans {
        *counts.entry((span.service.as_str(), span.name.as_str())).or_default() += 1;
    }
    counts
}

fn hang_together(spans: &[Received]) {
    let roots: Vec<_> = spans.iter().filter(|span| span.parent.is_empty()).map(|span| &span.name).collect();
    assert_eq!(roots, ["video"]);
    for span in spans.iter().filter(|span| !span.parent.is_empty()) {
        let parent = spans.iter().find(|other| other.id == span.parent);
        let parent = parent.unwrap_or_else(|| panic!("{span:#?} hangs under nothing"));
        let within = parent.start_ns <= span.start_ns + TOLERANCE_NS
            && span.end_ns <= parent.end_ns + TOLERANCE_NS
            && span.start_ns <= span.end_ns;
        assert!(within, "{span:#?} is not within {parent:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_becomes_one_trace_across_api_worker_and_encoder() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data").to_str().unwrap().to_owned();
    let collector = TestCollector::start(Manner::Takes).await;
    let endpoint = collector.endpoint.to_string();
    let (clip, token) = tokio::join!(encode::clip(place.path()), admin_token(&data));
    let mut farm = Farm::start(&data, &token, |command| {
        command.args(["--otlp-endpoint", &endpoint]);
    })
    .await;
    let video = farm.upload(&clip).await;
    until("the video plays", async || (farm.video(&video).await["video"]["status"] == "ready").then_some(()))
        .await;
    // What waits is handed over when the programs end.
    kill_process(Pid::from_raw(farm.server.id().unwrap().cast_signed()).unwrap(), Signal::TERM).unwrap();
    let ended = timeout(Duration::from_secs(20), farm.server.wait()).await.expect("it ends in time").unwrap();
    assert!(ended.success(), "{ended}");

    let spans = collector.spans();
    let traces: BTreeSet<_> = spans.iter().map(|span| span.trace.as_str()).collect();
    assert_eq!(traces, BTreeSet::from([video.replace('-', "").as_str()]));
    hang_together(&spans);
    assert!(spans.iter().all(|span| span.error.is_none()), "{spans:#?}");
    let mut counts = counts(&spans);
    let delivered = counts.remove(&("framefarm-worker", "deliver")).unwrap();
    assert!((3..=7).contains(&delivered), "{delivered} parts and the images");
    let expected = [
        ("framefarm-api", "attempt", 1),
        ("framefarm-api", "queued", 1),
        ("framefarm-api", "upload", 1),
        ("framefarm-api", "video", 1),
        ("framefarm-encoder", "probe", 1),
        ("framefarm-encoder", "quality", 2),
        ("framefarm-worker", "encode", 1),
        ("framefarm-worker", "fetch", 1),
        ("framefarm-worker", "finish", 1),
        ("framefarm-worker", "plan", 1),
    ];
    assert_eq!(counts, expected.map(|(service, name, count)| ((service, name), count)).into());
    let picture = spans.iter().find(|span| span.attribute("framefarm.encoder") == "libx264").unwrap();
    assert_eq!(picture.attribute("framefarm.quality"), "360p");
    assert_eq!(
        (picture.attribute("framefarm.frames"), picture.attribute("framefarm.segments")),
        ("350", "3")
    );
    let number = |key| picture.attribute(key).parse::<f64>().unwrap();
    assert!(number("framefarm.fps") > 1.0 && number("framefarm.speed") > 0.0, "{picture:#?}");
    let documented = include_str!("../../../docs/traces.md");
    for span in &spans {
        assert!(documented.contains(&format!("| `{}` |", span.name)), "docs/traces.md: {}", span.name);
        for key in span.attributes.keys() {
            assert!(documented.contains(&format!("`{key}`")), "docs/traces.md: {key} of {}", span.name);
        }
    }
}
