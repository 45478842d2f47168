use framefarm_shared::gpu::{GpuHistory, GpuKind, GpuSample};

use super::super::snapshot::{Found, Place};
use super::*;

const HD: Wanted = Wanted { codec: VideoCodec::H264, width: 1920, height: 1080 };
const SMALL: Wanted = Wanted { codec: VideoCodec::H264, width: 640, height: 360 };
const HEVC: Wanted = Wanted { codec: VideoCodec::Hevc, ..HD };

fn encoder(codec: VideoCodec, max_side: u32) -> GpuEncoder {
    GpuEncoder { name: format!("{codec}_nvenc"), codec, max_side, fps: 100.0, on_gpu: false }
}

fn seen(id: &str, sample: GpuSample) -> Snapshot {
    let gpu = Found {
        id: id.to_owned(),
        kinds: vec![GpuKind::Nvenc],
        name: "a GPU".to_owned(),
        memory_bytes: Some(8 << 30),
        place: Place { ordinal: 0, pci: None, node: None },
        mig: None,
    };
    Snapshot {
        gpu: gpu.into(),
        state: GpuState::Ready,
        reason: None,
        sample: Some(sample),
        history: GpuHistory::default(),
        foreign_memory_bytes: None,
    }
}

fn lost(id: &str) -> Snapshot {
    Snapshot {
        state: GpuState::Lost,
        reason: Some("it fell off the bus".to_owned()),
        sample: None,
        ..idle(id)
    }
}

fn idle(id: &str) -> Snapshot {
    seen(id, GpuSample { memory_used_bytes: Some(1 << 30), ..GpuSample::default() })
}

fn passed(sessions: u32) -> Passed {
    Passed { encoders: vec![encoder(VideoCodec::H264, 4096)], session_limit: Some(sessions), error: None }
}

fn ledger(gpus: &[(&str, u32)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (id, sessions) in gpus {
        let gpu = GpuDevice { kind: GpuKind::Nvenc, id: (*id).to_owned(), on_gpu: false };
        ledger.add(idle(id), gpu, passed(*sessions));
    }
    ledger
}

fn now() -> Instant {
    Instant::now()
}

fn state_of(ledger: &Ledger, now: Instant) -> (GpuState, String) {
    let report = ledger.report(now).remove(0);
    (report.state, report.reason.unwrap_or_default())
}

#[test]
fn two_gpus_of_two_sessions_never_have_more() {
    let mut ledger = ledger(&[("a", 2), ("b", 2)]);
    let grants: Vec<_> = (0..4).map(|_| ledger.reserve(&[HD], &[], now()).unwrap()).collect();
    assert!(ledger.reserve(&[HD], &[], now()).is_none());
    let on = |id: &str| grants.iter().filter(|grant| grant.gpu.id == id).count();
    assert_eq!((on("a"), on("b")), (2, 2));
    assert_eq!(ledger.report(now()).iter().map(|gpu| gpu.sessions).collect::<Vec<_>>(), [2, 2]);
    ledger.release(&grants[1]);
    let again = ledger.reserve(&[HD], &[], now()).unwrap();
    assert_eq!(again.gpu, grants[1].gpu);
}

#[test]
fn a_job_gets_as_many_sessions_as_there_are_the_largest_qualities_first() {
    let mut ledger = ledger(&[("a", 3)]);
    assert_eq!(ledger.reserve(&[HD, SMALL], &[], now()).unwrap().qualities, [0, 1]);
    assert_eq!(ledger.reserve(&[HD, SMALL], &[], now()).unwrap().qualities, [0]);
    assert_eq!(ledger.reserve(&[HD, SMALL], &[], now()), None);
}

#[test]
fn the_least_loaded_gpu_that_fits_is_taken() {
    let mut ledger = ledger(&[("a", 4), ("b", 4)]);
    let busy = GpuSample { encoder_percent: Some(60), ..GpuSample::default() };
    ledger.saw(&[seen("a", busy), idle("b")], now());
    assert_eq!(ledger.reserve(&[SMALL], &[], now()).unwrap().gpu.id, "b");
    assert_eq!(ledger.reserve(&[SMALL], &[], now()).unwrap().gpu.id, "a");
    assert_eq!(ledger.reserve(&[SMALL], &["a".to_owned()], now()).unwrap().gpu.id, "b");
}

#[test]
fn sessions_of_other_programs_count() {
    let mut ledger = ledger(&[("a", 3)]);
    let others = GpuSample { encoder_sessions: Some(2), ..GpuSample::default() };
    ledger.saw(&[seen("a", others)], now());
    assert_eq!(ledger.reserve(&[HD, SMALL], &[], now()).unwrap().qualities, [0]);
}

#[test]
fn a_gpu_without_memory_for_it_is_not_asked() {
    let mut ledger = ledger(&[("a", 8)]);
    let full = GpuSample { memory_used_bytes: Some((8 << 30) - (375 << 20)), ..GpuSample::default() };
    ledger.saw(&[seen("a", full)], now());
    let wanted = [HD, SMALL];
    assert_eq!(ledger.reserve(&wanted, &[], now()).unwrap().qualities, [0], "not even a small one beside it");
    let brim = GpuSample { memory_used_bytes: Some(8 << 30), ..GpuSample::default() };
    ledger.saw(&[seen("a", brim)], now());
    assert_eq!(ledger.reserve(&[SMALL], &[], now()), None);
}

#[test]
fn a_gpu_whose_engine_is_full_gets_no_second_job() {
    let mut ledger = ledger(&[("a", 8)]);
    ledger.reserve(&[HD], &[], now()).unwrap();
    let busy = GpuSample { encoder_percent: Some(97), ..GpuSample::default() };
    ledger.saw(&[seen("a", busy)], now());
    assert_eq!(ledger.reserve(&[HD], &[], now()), None);
}

#[test]
fn only_what_passed_its_trial_is_asked_for() {
    let mut ledger = ledger(&[("a", 8)]);
    assert_eq!(ledger.reserve(&[HEVC, HD], &[], now()).unwrap().qualities, [1]);
    let huge = Wanted { width: 7680, height: 4320, ..HD };
    assert_eq!(ledger.reserve(&[huge], &[], now()), None);
}

#[test]
fn a_refused_session_shrinks_the_gpu_for_a_while_only() {
    let mut ledger = ledger(&[("a", 5)]);
    let now = now();
    let grant = ledger.reserve(&[HD, SMALL, SMALL], &[], now).unwrap();
    ledger.failed(&grant, &[HD, SMALL, SMALL], GpuError::SessionLimit, now);
    ledger.release(&grant);
    let report = ledger.report(now).remove(0);
    assert_eq!((report.state, report.session_limit), (GpuState::Ready, Some(2)));
    assert_eq!(ledger.reserve(&[HD, SMALL, SMALL], &[], now).unwrap().qualities, [0, 1]);
    assert_eq!(ledger.report(now + LEARNED_FOR).remove(0).session_limit, Some(5));
}

#[test]
fn a_full_gpu_rests_and_comes_back_by_itself() {
    let mut ledger = ledger(&[("a", 5)]);
    let now = now();
    let grant = ledger.reserve(&[HD], &[], now).unwrap();
    ledger.failed(&grant, &[HD], GpuError::OutOfMemory, now);
    ledger.release(&grant);
    assert_eq!(state_of(&ledger, now), (GpuState::Yielding, "GPU memory is full".to_owned()));
    assert!(ledger.due_probes(now + Duration::from_mins(9)).is_empty());
    assert!(ledger.reserve(&[HD], &[], now + Duration::from_mins(1)).is_some());
}

#[test]
fn what_a_gpu_does_not_do_is_not_asked_of_it_again_and_the_rest_is() {
    let mut ledger = ledger(&[("a", 5)]);
    let uhd = Wanted { width: 3840, height: 2160, ..HD };
    let grant = ledger.reserve(&[uhd], &[], now()).unwrap();
    ledger.failed(&grant, &[uhd], GpuError::Unsupported, now());
    ledger.release(&grant);
    assert_eq!(ledger.reserve(&[uhd], &[], now()), None);
    assert!(ledger.reserve(&[HD], &[], now()).is_some());
}

#[test]
fn a_lost_or_hanging_gpu_is_quarantined_until_a_probe_brings_it_back() {
    for error in [GpuError::DriverLost, GpuError::Timeout] {
        let mut ledger = ledger(&[("a", 5)]);
        let now = now();
        let grant = ledger.reserve(&[HD], &[], now).unwrap();
        ledger.failed(&grant, &[HD], error, now);
        assert_eq!(state_of(&ledger, now), (GpuState::Quarantined, error.words().to_owned()));
        let due = now + Duration::from_secs(30);
        assert!(ledger.due_probes(due).is_empty(), "somebody still works on it");
        ledger.release(&grant);
        assert_eq!(ledger.due_probes(due).len(), 1);
        ledger.probed("a", Passed { error: Some("still dead".to_owned()), ..Passed::default() }, due);
        assert_eq!(state_of(&ledger, due), (GpuState::Quarantined, "still dead".to_owned()));
        ledger.probed("a", passed(2), due);
        assert_eq!(state_of(&ledger, due).0, GpuState::Ready);
    }
}

#[test]
fn a_failure_without_a_name_counts_and_the_third_is_one_too_many() {
    let mut ledger = ledger(&[("a", 5)]);
    let grant = ledger.reserve(&[HD], &[], now()).unwrap();
    for state in [GpuState::Ready, GpuState::Ready, GpuState::Quarantined] {
        ledger.failed(&grant, &[HD], GpuError::Unknown, now());
        assert_eq!(state_of(&ledger, now()).0, state);
    }
}

#[test]
fn a_gpu_that_fell_off_the_bus_is_wanted_back_and_probed_when_it_answers_again() {
    let mut ledger = ledger(&[("a", 5)]);
    let now = now();
    ledger.saw(&[lost("a")], now);
    assert_eq!(state_of(&ledger, now), (GpuState::Lost, "it fell off the bus".to_owned()));
    assert!(ledger.wants_back("a") && ledger.reserve(&[HD], &[], now).is_none());
    ledger.saw(&[idle("a")], now);
    assert_eq!(state_of(&ledger, now).0, GpuState::Quarantined);
    assert_eq!(ledger.due_probes(now + Duration::from_secs(1)).len(), 1);
    ledger.probed("a", passed(5), now);
    assert!(ledger.reserve(&[HD], &[], now).is_some());
}

#[test]
fn a_gpu_that_is_left_to_others_takes_nothing_and_is_wanted_back() {
    let mut ledger = ledger(&[("a", 5)]);
    ledger.set_yields(|_, _| Some("it is hot".to_owned()));
    assert_eq!(state_of(&ledger, now()), (GpuState::Yielding, "it is hot".to_owned()));
    assert!(ledger.wants_back("a") && ledger.reserve(&[HD], &[], now()).is_none());
    ledger.set_yields(|_, already| already.then(|| "still".to_owned()));
    assert!(ledger.wants_back("a"));
    ledger.set_yields(|_, _| None);
    assert!(!ledger.wants_back("a"));
}

#[test]
fn a_gpu_of_which_nothing_passed_is_told_with_the_reason() {
    let mut ledger = Ledger::default();
    let gpu = GpuDevice { kind: GpuKind::Nvenc, id: "a".to_owned(), on_gpu: false };
    ledger.add(idle("a"), gpu, Passed { error: Some("no capable device".to_owned()), ..Passed::default() });
    assert_eq!(state_of(&ledger, now()), (GpuState::Unusable, "no capable device".to_owned()));
}
