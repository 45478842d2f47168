//! The same source done in other ways, each with the times of the undisturbed run.

use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::gpu::GpuKind;
use framefarm_shared::ladder::{MediaKind, PlannedQuality};
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{Coder, EncodeTask, GpuDevice, Report, init_path, segment_path};

use super::bursts;
use super::case::{Case, Sync};
use super::check::continuous;
use super::report::Row;
use super::sines;
use crate::clip::Source;
use crate::driver::Running;
use crate::gpus::worker_with;
use crate::inits::sha256;
use crate::made::{Made, task};

/// How far a beep may be from where the undisturbed run has it: what the coding of AAC does to its edge.
const APART_SECONDS: f64 = 0.001;

/// And how much its samples may differ: what AAC leaves of beeps at the rate of the suite.
const APART_SHARE: f64 = 0.1;

/// The same file, with room for another run.
pub(crate) fn again(source: &Source) -> Source {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(source.path.file_name().unwrap());
    std::fs::hard_link(&source.path, &path).unwrap();
    Source { path, scratch }
}

pub(crate) fn check(case: &Case, source: &Source, made: &Made, row: &mut Row) {
    let compared = |row: &mut Row, name: &str, run: &dyn Fn() -> Option<Made>| {
        let before = row.problems.len();
        let other = row.attempt(name, |_| run()).flatten();
        if let Some(other) = &other {
            row.attempt(name, |row| compare(case, name, made, other, row));
        }
        (other.is_some() || row.problems.len() > before).then_some(row.problems.len() == before)
    };
    row.resumed = compared(row, "resumed", &|| resumed(source, made));
    if case.picture {
        row.copied = compared(row, "copied", &|| copied(source, case));
        row.expect(!case.copied || row.copied.is_some(), || "it is not copied".to_owned());
        row.gpu = compared(row, "GPU", &|| Some(on_gpu(source, made)));
    }
}

fn compare(case: &Case, name: &str, made: &Made, other: &Made, row: &mut Row) {
    if case.picture {
        let times = |made: &Made| {
            let top = made.pictures().next().expect("a video rendition");
            made.frames(top).iter().map(|frame| (frame.pts, frame.is_white)).collect::<Vec<_>>()
        };
        let (ours, others) = (times(made), times(other));
        row.expect(ours.len() == others.len(), || format!("{name}: {} frames", others.len()));
        let differs = ours.iter().zip(&others).position(|(ours, other)| ours != other);
        if let Some(at) = differs {
            let (other, ours) = (others[at], ours[at]);
            row.problems.push(format!("{name}: frame {at} is {other:?} instead of {ours:?} (tick, white)"));
        }
    }
    if case.sound && other.qualities.iter().any(|quality| quality.kind == MediaKind::Audio) {
        let (ours, others) = (made.sound("audio0"), other.sound("audio0"));
        row.expect(ours.len().abs_diff(others.len()) < 2_048, || {
            format!("{name}: {} samples instead of {}", others.len(), ours.len())
        });
        if case.damaged {
            same_samples(name, ours, others, row);
        } else if case.sync != Sync::Unmeasured {
            same_beeps(name, made, other, row);
        }
        if case.recipe.contains("S(") {
            continuous(others, sines::delay_of(ours), &format!("{name}: "), row);
        }
    }
}

fn same_beeps(name: &str, made: &Made, other: &Made, row: &mut Row) {
    let starts = |made: &Made| {
        let beeps = bursts::beeps(made.sound("audio0"));
        beeps.iter().map(|beep| beep.start).collect::<Vec<_>>()
    };
    let (ours, others) = (starts(made), starts(other));
    row.expect(ours.len() == others.len(), || {
        format!("{name}: {} beeps instead of {}", others.len(), ours.len())
    });
    let apart = ours.iter().zip(&others).find(|(ours, other)| (*ours - *other).abs() > APART_SECONDS);
    if let Some((ours, other)) = apart {
        row.problems.push(format!("{name}: a beep is at {other:.4} s instead of {ours:.4} s"));
    }
}

/// Half a beep is none that could be found again; what is left of it is the same in both.
fn same_samples(name: &str, ours: &[f32], others: &[f32], row: &mut Row) {
    let power =
        |samples: &mut dyn Iterator<Item = f32>| samples.map(|sample| f64::from(sample).powi(2)).sum::<f64>();
    let whole = power(&mut ours.iter().copied());
    let apart = power(&mut ours.iter().zip(others).map(|(ours, other)| ours - other));
    let share = (apart / whole.max(f64::MIN_POSITIVE)).sqrt();
    row.expect(share < APART_SHARE, || format!("{name}: audio differs by {share:.2} of itself"));
}

/// The first segment by one child, all others by the next, which knows only the plan and that a first one was made.
fn resumed(source: &Source, made: &Made) -> Option<Made> {
    let last = i32::try_from(made.plan.segment_count()).unwrap() - 1;
    if last == 0 {
        return None;
    }
    let ranged = |task: &mut EncodeTask, first, last| {
        task.qualities.iter_mut().for_each(|quality| quality.missing = vec![SegmentRange { first, last }]);
    };
    let (source, first) = (again(source), again(source));
    let mut begun = plain_task(&first, &made.plan, &made.qualities);
    ranged(&mut begun, 0, 0);
    let ended = Running::start("encode", &begun).finish();
    assert!(
        matches!(ended.said.last(), Some(Report::Done { .. })),
        "{:?} {}",
        ended.said.last(),
        ended.stderr
    );
    let mut rest = plain_task(&source, &made.plan, &made.qualities);
    ranged(&mut rest, 1, last);
    for quality in &mut rest.qualities {
        quality.known_init = Some(sha256(&init_path(&begun.output, &quality.quality.name)));
    }
    let joined = source.encode(made.plan.clone(), &rest, Running::start("encode", &rest));
    for quality in &joined.qualities {
        let files = |output| [init_path(output, &quality.name), segment_path(output, &quality.name, 0)];
        for (from, to) in files(&begun.output).iter().zip(files(&joined.output)) {
            std::fs::copy(from, to).unwrap();
        }
    }
    Some(joined)
}

/// The best quality as the source's own stream, if that is possible.
fn copied(source: &Source, case: &Case) -> Option<Made> {
    let (plan, source) = (source.plan(true), again(source));
    if !plan.copy {
        return None;
    }
    let task = plain_task(&source, &plan, &case.qualities(&plan));
    let running = Running::start("encode", &task);
    Some(source.encode(plan, &task, running))
}

fn on_gpu(source: &Source, made: &Made) -> Made {
    let (fake_gpus, source) = (FakeGpus::new(1), again(source));
    let mut task = plain_task(&source, &made.plan, &made.qualities);
    // Sound never goes there.
    task.qualities.retain(|task| task.quality.kind == MediaKind::Video);
    task.qualities.iter_mut().for_each(|quality| quality.coder = Coder::Gpu);
    task.gpu = Some(GpuDevice { kind: GpuKind::Nvenc, id: fake_gpus.gpu(0).id(), on_gpu: true });
    let running = Running::start_in(worker_with(&fake_gpus), "encode", &task);
    source.encode(made.plan.clone(), &task, running)
}

/// The best picture and the first sound alone: the others, images and subtitles were made once.
fn plain_task(source: &Source, plan: &Plan, qualities: &[PlannedQuality]) -> EncodeTask {
    let first = |kind| qualities.iter().find(move |quality| quality.kind == kind);
    let some: Vec<_> = first(MediaKind::Video).into_iter().chain(first(MediaKind::Audio)).cloned().collect();
    EncodeTask { images: false, subtitles: false, ..task(source, plan, &some) }
}
