//! Traces: what the API tells a collector of a video's way, by commits and by nothing else.

use std::time::Instant;

use bytes::Bytes;
use chrono::Duration;
use framefarm_api::app::App;
use framefarm_api::db::uploads::UploadRequest;
use framefarm_api::lifecycle::upload::{self, NewUpload};
use framefarm_api::lifecycle::{self, reclaim};
use framefarm_api::testing::{Farm, TestDatabase, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::trace::{SpanId, TraceId, TraceParent};
use framefarm_traces::Span;
use framefarm_traces::testing::{Manner, Received, TestCollector};

/// The same farm, telling a collector.
async fn traced(farm: Farm, manner: Manner) -> (Farm, TestCollector) {
    let collector = TestCollector::start(manner).await;
    let endpoint = collector.endpoint.clone();
    (farm.restarted(|settings| settings.traces.otlp_endpoint = endpoint).await, collector)
}

/// Everything that was told of one way, the oldest first. The apps tell nothing afterwards.
async fn told(collector: &TestCollector, apps: &[&App], trace: TraceId) -> Vec<Received> {
    for app in apps {
        app.traces.end().await;
    }
    let mut spans = collector.spans();
    let trace = hex::encode(trace.to_bytes());
    spans.retain(|span| span.trace == trace);
    spans.sort_by_key(|span| (span.start_ns, span.end_ns, span.name.clone()));
    spans
}

fn first_way(video: VideoId) -> TraceId {
    TraceId::of(video, 1, 0)
}

fn names(spans: &[Received]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

fn a_span(farm: &Farm) -> Span {
    let trace = first_way(VideoId::new(&farm.clock));
    Span::new("video", trace, SpanId::video(trace), farm.now(), farm.now())
}

fn the<'a>(spans: &'a [Received], name: &str) -> &'a Received {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name}: {spans:#?}");
    found[0]
}

fn seconds(span: &Received) -> u64 {
    (span.end_ns - span.start_ns) / 1_000_000_000
}

/// One root, and every other span under one that is there, and within its time.
fn hangs_together(spans: &[Received]) {
    let roots = spans.iter().filter(|span| span.parent.is_empty()).count();
    assert_eq!(roots, 1, "{spans:#?}");
    for span in spans.iter().filter(|span| !span.parent.is_empty()) {
        let parent = spans.iter().find(|other| other.id == span.parent).expect("a parent");
        assert!(parent.start_ns <= span.start_ns && span.end_ns <= parent.end_ns, "{span:#?} in {parent:#?}");
    }
}

framefarm_api::on_both_engines! {
    async fn an_upload_that_becomes_ready_is_one_trace_whichever_instance_did_which_half(farm: Farm) {
        let (farm, collector) = traced(farm, Manner::Takes).await;
        let other = farm.beside(|_| {}).await;
        let began = farm.now();
        let source = lifecycle::enqueue::Source {
            video: VideoId::new(&farm.clock), size: 1_000_000, sha256: "ab".repeat(32), since: began,
        };
        farm.wait(Duration::seconds(40));
        let request = UploadRequest { file_name: "clip".to_owned(), ..Default::default() };
        let enqueued = lifecycle::enqueue::enqueue(&farm.app, source, request, "test").await.unwrap();
        farm.wait(Duration::seconds(20));
        let worker = farm.worker("w1").await.at(&other);
        let job = worker.claim().await;
        farm.wait(Duration::seconds(5));
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();

        let trace = first_way(enqueued.video.id);
        let spans = told(&collector, &[&farm.app, &other], trace).await;
        hangs_together(&spans);
        assert_eq!(names(&spans), ["upload", "video", "queued", "attempt"]);
        assert_eq!(spans.iter().map(seconds).collect::<Vec<_>>(), [40, 65, 20, 5]);
        assert!(spans.iter().all(|span| span.service == "framefarm-api" && span.error.is_none()));
        assert_eq!(spans[0].trace, enqueued.video.id.0.simple().to_string(), "it is found by the video's id");
        let attempt = the(&spans, "attempt");
        let parent: TraceParent = job.traceparent.unwrap().parse().unwrap();
        assert_eq!((hex::encode(parent.span.to_bytes()), parent.sampled), (attempt.id.clone(), true));
        for span in &spans {
            assert_eq!(span.attribute("framefarm.video.id"), enqueued.video.id.to_string());
            assert_eq!(span.attribute("framefarm.job.id"), enqueued.job.as_ref().unwrap().id.to_string());
            assert_eq!(span.attribute("framefarm.generation"), "1");
        }
        assert_eq!(the(&spans, "upload").attribute("framefarm.source.bytes"), "1000000");
        assert_eq!(the(&spans, "queued").attribute("framefarm.priority"), "0");
        assert_eq!((attempt.attribute("framefarm.worker.name"), attempt.attribute("framefarm.attempt")), ("w1", "1"));
        assert_eq!((attempt.attribute("framefarm.fence"), attempt.attribute("framefarm.outcome")), ("1", "completed"));
        assert_eq!(the(&spans, "video").attribute("framefarm.outcome"), "ready");
    }

    async fn every_attempt_is_a_span_with_how_it_ended(farm: Farm) {
        let (farm, collector) = traced(farm, Manner::Takes).await;
        let video = farm.upload("clip").await.video.id;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::Encoder, "it crashed").await.unwrap();
        farm.wait(Duration::minutes(1));
        let job = worker.claim().await;
        worker.release(&job).await.unwrap();
        let _lost = worker.claim().await;
        farm.wait(farm.app.settings.lease() * 4);
        assert_eq!(reclaim::release_abandoned(&farm.app).await.unwrap(), 1);
        farm.wait(Duration::minutes(1));
        let job = worker.claim().await;
        farm.wait(farm.app.settings.lease() * 2);
        let job = worker.claim_this(job.job_id).await.expect("its own, which ran out");
        worker.fail(&job, ErrorClass::InputInvalid, "no moov atom").await.unwrap();

        let spans = told(&collector, &[&farm.app], first_way(video)).await;
        hangs_together(&spans);
        let attempts: Vec<_> = spans.iter().filter(|span| span.name == "attempt").map(|span| {
            let of = |key| span.attribute(key);
            (of("framefarm.fence"), of("framefarm.attempt"), of("framefarm.outcome"), of("error.type"), span.error.as_deref())
        }).collect();
        assert_eq!(attempts, [
            ("1", "1", "failed", "encoder", Some("it crashed")),
            ("2", "2", "released", "", None),
            ("3", "2", "lost", "claim_expired", Some("its lease expired")),
            ("4", "3", "lost", "claim_expired", Some("The lease expired before the worker returned.")),
            ("5", "4", "failed", "input_invalid", Some("no moov atom")),
        ]);
        assert_eq!(names(&spans).iter().filter(|name| **name == "queued").count(), 4);
        let root = the(&spans, "video");
        assert_eq!((root.attribute("framefarm.outcome"), root.attribute("error.type")), ("failed", "input_invalid"));
        assert_eq!((root.attribute("framefarm.failures"), root.attribute("framefarm.losses")), ("2", "1"));
    }

    async fn another_generation_and_a_retry_by_a_person_are_traces_of_their_own(farm: Farm) {
        let (farm, collector) = traced(farm, Manner::Takes).await;
        let video = farm.upload("clip").await.video.id;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.fail(&job, ErrorClass::InputInvalid, "no moov atom").await.unwrap();
        farm.wait(Duration::minutes(3));
        lifecycle::retry::retry_video(&farm.app, video, "admin").await.unwrap();
        farm.wait(Duration::seconds(2));
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        farm.wait(Duration::minutes(3));
        let again = lifecycle::retranscode::Request { retranscode_all: true, ..Default::default() };
        lifecycle::retranscode::retranscode(&farm.app, video, again.clone(), "admin").await.unwrap();
        farm.wait(Duration::seconds(4));
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        lifecycle::retranscode::retranscode(&farm.app, video, again, "admin").await.unwrap();
        farm.wait(Duration::seconds(6));
        lifecycle::cancel::cancel_video(&farm.app, video, "admin").await.unwrap();

        farm.app.traces.end().await;
        for ((generation, requeues), (expected, outcome, lasted)) in [
            ((1, 0), (vec!["attempt", "queued", "upload", "video"], "failed", 0)),
            ((1, 1), (vec!["queued", "video", "attempt"], "ready", 2)),
            ((2, 0), (vec!["queued", "video", "attempt"], "ready", 4)),
            ((3, 0), (vec!["video"], "cancelled", 6)),
        ] {
            let spans = told(&collector, &[], TraceId::of(video, generation, requeues)).await;
            assert_eq!(names(&spans), expected, "generation {generation}, tried again {requeues} times");
            hangs_together(&spans);
            let root = the(&spans, "video");
            assert_eq!((root.attribute("framefarm.outcome"), seconds(root)), (outcome, lasted));
        }
    }

    async fn what_did_not_happen_is_not_told(farm: Farm) {
        let (farm, collector) = traced(farm, Manner::Takes).await;
        let video = farm.upload("clip").await.video.id;
        let worker = farm.worker("w1").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        farm.break_table("event").await;
        worker.complete(&job).await.unwrap_err();
        farm.mend_table("event").await;
        let spans = told(&collector, &[&farm.app], first_way(video)).await;
        assert_eq!(names(&spans), ["queued", "upload"]);
    }

    async fn a_collector_that_hangs_or_refuses_delays_no_job(farm: Farm) {
        let mut farm = farm;
        for manner in [Manner::Hangs, Manner::Refuses] {
            let (traced, collector) = traced(farm, manner).await;
            let worker = traced.worker("w1").await;
            // As many as are sent at once, so that one batch is under way and hangs for the five seconds that it may.
            (0..512).for_each(|_| traced.app.traces.emit(a_span(&traced)));
            collector.asked(1).await;
            let began = Instant::now();
            traced.upload(&format!("clip for {manner:?}")).await;
            let job = worker.claim().await;
            worker.encode(&job, &a_plan()).await;
            worker.complete(&job).await.unwrap();
            assert!(began.elapsed() < std::time::Duration::from_secs(3), "{manner:?}: {:?}", began.elapsed());
            farm = traced;
        }
    }
}

#[tokio::test]
async fn without_a_collector_nothing_is_traced_and_a_worker_hears_its_parent_all_the_same() {
    let farm = Farm::on(TestDatabase::sqlite(), |_| {}).await;
    assert!(!farm.app.traces.is_on());
    let video = farm.upload("clip").await.video.id;
    let job = farm.worker("w1").await.claim().await;
    let mut tx = farm.app.db.begin().await.unwrap();
    tx.trace(|| panic!("nobody wants to hear of it"));
    tx.commit().await.unwrap();
    let parent: TraceParent = job.traceparent.unwrap().parse().unwrap();
    let trace = first_way(video);
    assert_eq!(parent, TraceParent { trace, span: SpanId::attempt(trace, job.job_id, 1), sampled: false });
}

#[tokio::test]
async fn an_upload_is_timed_from_its_beginning_in_pieces_and_as_a_form_on_a_disk_and_in_a_store() {
    for farm in [Farm::sqlite().await, Farm::postgres_s3().await] {
        let (farm, collector) = traced(farm, Manner::Takes).await;
        let app = &farm.app;
        let request = UploadRequest { file_name: "clip".to_owned(), ..UploadRequest::default() };
        let new = NewUpload { length: 5, metadata: String::new(), request: request.clone() };
        let id = upload::create(app, new).await.unwrap().id;
        farm.wait(Duration::seconds(30));
        let body = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"piece"))]);
        let pieces = upload::receive(app, id, 0, None, body, "test").await.unwrap().became.unwrap().video;
        let mut whole = upload::Whole::begin(app, None).await.unwrap();
        farm.wait(Duration::seconds(10));
        whole.write(b"form").await.unwrap();
        let at_once = whole.finish(request, "test").await.unwrap().video_id;
        app.traces.end().await;
        for (video, lasted) in [(pieces, 30), (at_once, 10)] {
            let spans = told(&collector, &[], first_way(video)).await;
            assert_eq!(seconds(the(&spans, "upload")), lasted, "{spans:#?}");
        }
    }
}
