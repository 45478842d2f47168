//! A collector may do what it likes: nobody waits for it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use framefarm_shared::id::VideoId;
use framefarm_shared::trace::{SpanId, TraceId};
use framefarm_traces::testing::{Manner, TestCollector};
use framefarm_traces::{Collector, OtlpEndpoint, Span, Traces};

/// As long as the end of a process may take, and a little more.
const BOUND: Duration = Duration::from_secs(4);
/// So many spans are sent at once, without a wait for more.
const BATCH: u64 = 512;

fn span(number: u64) -> Span {
    let trace = TraceId::of(VideoId("01990000-0000-7000-8000-000000000001".parse().unwrap()), 1, 0);
    let at = DateTime::<Utc>::UNIX_EPOCH + chrono::Duration::days(20_000);
    let id = SpanId::from_random(number.to_be_bytes());
    Span::new("step", trace, id, at, at - chrono::Duration::seconds(1))
        .with("framefarm.number", i64::try_from(number).unwrap())
}

fn traces(endpoint: &OtlpEndpoint) -> Traces {
    Collector::open(endpoint).unwrap().service("framefarm-test", "one").unwrap()
}

#[tokio::test]
async fn spans_arrive_whole_and_never_end_before_they_begin() {
    let collector = TestCollector::start(Manner::Takes).await;
    let traces = traces(&collector.endpoint);
    let parent = SpanId::from_random([7; 8]);
    traces.emit(span(1).under(parent).failed("encoder", "it broke"));
    traces.end().await;
    let [span] = &collector.spans()[..] else { panic!("not one span") };
    assert_eq!((span.service.as_str(), span.name.as_str()), ("framefarm-test", "step"));
    assert_eq!(span.trace, "01990000000070008000000000000001");
    assert_eq!((span.id.as_str(), span.parent.as_str()), ("0000000000000001", "0707070707070707"));
    assert_eq!(span.start_ns, span.end_ns);
    assert_eq!((span.attribute("framefarm.number"), span.attribute("error.type")), ("1", "encoder"));
    assert_eq!(span.error.as_deref(), Some("it broke"));
}

#[tokio::test]
async fn a_collector_that_hangs_refuses_or_is_away_delays_nobody_and_the_end_is_bounded() {
    let hanging = TestCollector::start(Manner::Hangs).await;
    let refusing = TestCollector::start(Manner::Refuses).await;
    let away: OtlpEndpoint = "http://127.0.0.1:9".parse().unwrap();
    let many = [&hanging.endpoint, &refusing.endpoint, &away].map(traces);
    let began = Instant::now();
    for traces in &many {
        // More than its queue holds: the rest is dropped.
        (1..20_000).for_each(|number| traces.emit(span(number)));
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?} for what nobody waits for", began.elapsed());
    hanging.asked(1).await;
    refusing.asked(1).await;
    let ending = Instant::now();
    tokio::join!(many[0].end(), many[1].end(), many[2].end());
    assert!(ending.elapsed() < BOUND, "{:?}", ending.elapsed());
    many[0].emit(span(1));
}

/// What is logged, for a test to read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_collector_that_refuses_is_told_once_and_so_is_its_return() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).init();
    let collector = TestCollector::start(Manner::Refuses).await;
    let traces = traces(&collector.endpoint);
    for batch in 1..=5 {
        if batch == 4 {
            collector.behave(Manner::Takes);
        }
        (1..=BATCH).for_each(|number| traces.emit(span(number)));
        collector.asked(batch).await;
    }
    traces.end().await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let told: Vec<_> = log.lines().collect();
    assert_eq!(told.len(), 2, "{log}");
    assert!(told[0].contains("WARN") && told[0].contains("500 Internal Server Error"), "{log}");
    assert!(told[1].contains("INFO") && told[1].contains("accepts traces again"), "{log}");
}

#[tokio::test]
async fn without_an_endpoint_nothing_is_kept_and_nothing_is_started() {
    let traces = traces(&OtlpEndpoint::default());
    assert!(!traces.is_on());
    assert_eq!(size_of::<Traces>(), size_of::<usize>());
    traces.emit(span(1));
    traces.end().await;
}
