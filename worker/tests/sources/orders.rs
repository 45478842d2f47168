//! What the child does when it is told something on the way.

use std::io::Write as _;

use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{ProbeTask, Report, STOP, init_path, segment_path};

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;
use crate::made::{qualities, task};
use crate::segment::Segment;

const LADDER: &str = "120p:500,96p:300:hevc,90p:300:av1";

/// Five segments.
fn long(seconds: f64) -> Source {
    let clip = Clip::empty().picture("160x120", "25", seconds).sound(seconds);
    clip.with(X264).with("-g 100 -c:a aac").save("clip.mkv")
}

#[test]
fn segments_made_apart_fit_those_made_together() {
    let source = long(26.0);
    let plan = source.plan(false);
    let planned = qualities(&plan, LADDER);
    let whole = task(&source, &plan, &planned);
    let mut some = whole.clone();
    some.output = source.scratch.path().join("some");
    std::fs::create_dir(&some.output).unwrap();
    for quality in &mut some.qualities {
        quality.missing = [1, 3].map(|index| SegmentRange { first: index, last: index }).to_vec();
    }
    for task in [&whole, &some] {
        let ended = Running::start("encode", task).finish();
        assert!(matches!(ended.said.last(), Some(Report::Done { stopped: false, .. })), "{}", ended.stderr);
    }
    for quality in &planned {
        let [init, other] =
            [&whole, &some].map(|task| std::fs::read(init_path(&task.output, &quality.name)).unwrap());
        assert_eq!(init, other, "init segment of {}", quality.name);
        let made = |index| segment_path(&some.output, &quality.name, index);
        assert_eq!(
            (0..5).map(|index| made(index).exists()).collect::<Vec<_>>(),
            [false, true, false, true, false]
        );
        for index in [1, 3] {
            let apart = Segment::read(&made(index));
            let together = Segment::read(&segment_path(&whole.output, &quality.name, index));
            let shape = |segment: &Segment| (segment.start, segment.duration(), segment.samples.len());
            assert_eq!(shape(&apart), shape(&together), "{} {index}", quality.name);
        }
    }
}

#[test]
fn a_stop_ends_at_a_boundary_and_every_told_segment_is_whole() {
    let source = long(60.0);
    let plan = source.plan(false);
    let planned = qualities(&plan, "120p:500,90p:300");
    let task = task(&source, &plan, &planned);
    let mut running = Running::start("encode", &task);
    while !matches!(running.next(), Some(Report::Segment { .. })) {}
    writeln!(running.stdin().as_mut().unwrap(), "{STOP}").unwrap();
    let ended = running.finish();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(matches!(ended.said.last(), Some(Report::Done { stopped: true, .. })), "{:?}", ended.said.last());
    let mut pictures = 0;
    for report in &ended.said {
        let Report::Segment { quality, index, bytes } = report else { continue };
        let segment = Segment::read(&segment_path(&task.output, quality, *index));
        assert_eq!(segment.bytes, *bytes);
        if !quality.starts_with("audio") {
            pictures += 1;
            assert_eq!(segment.samples.len(), 150, "{quality} {index}");
        }
    }
    assert!((2..18).contains(&pictures) && pictures % 2 == 0, "{pictures}");
}

#[test]
fn an_encoder_that_nobody_listens_to_ends_at_once() {
    let source = long(60.0);
    let plan = source.plan(false);
    let mut running = Running::start("encode", &task(&source, &plan, &qualities(&plan, LADDER)));
    assert!(running.next().is_some());
    drop(running.stdin().take());
    let ended = running.finish();
    assert_eq!(ended.status.code(), Some(3), "{:?} {}", ended.status, ended.stderr);
    assert!(!ended.said.iter().any(|report| matches!(report, Report::Done { .. } | Report::Failed { .. })));
}

#[test]
fn a_source_that_is_gone_is_told_as_missing() {
    let gone = ProbeTask { source: "/nowhere/clip.mp4".into(), copy: true };
    let ended = Running::start("probe", &gone).finish();
    let [.., Report::Failed { class, message }] = &ended.said[..] else { panic!("{:?}", ended.said) };
    assert_eq!(
        (class.to_string().as_str(), message.as_str()),
        ("input_missing", "the source file is missing")
    );
}
