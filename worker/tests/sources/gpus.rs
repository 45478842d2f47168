//! Qualities that a GPU is to code: the real NVENC encoders of ffmpeg on stand-ins of GPUs, and GPUs that are not
//! there.

use std::path::Path;
use std::process::Command;

use framefarm_gpu_stubs::FakeGpus;
use framefarm_shared::gpu::GpuKind;
use framefarm_shared::ladder::MediaKind;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{
    Coder, EncodeTask, GpuDevice, GpuStage, Report, init_path, segment_path,
};

use crate::clip::{Clip, Source, X264};
use crate::driver::{Ended, Running, worker_program};
use crate::inits::{frames_of, joined, sha256};
use crate::made::{qualities, task};
use crate::media::{count_frames, ffmpeg, run};
use crate::segment::Segment;

const SECONDS: f64 = 18.0;
/// Of a segment.
const FRAMES: usize = 150;

/// Three segments.
fn source() -> Source {
    let clip = Clip::empty().picture("640x360", "25", SECONDS).sound(SECONDS);
    clip.with(X264).with("-g 150 -c:a aac").save("clip.mkv")
}

/// All pictures by a GPU.
fn on(gpu: GpuDevice, source: &Source, ladder: &str) -> EncodeTask {
    let plan = source.plan(false);
    let mut task = task(source, &plan, &qualities(&plan, ladder));
    for quality in task.qualities.iter_mut().filter(|task| task.quality.kind == MediaKind::Video) {
        quality.coder = Coder::Gpu;
    }
    task.gpu = Some(gpu);
    task
}

fn gpu(kind: GpuKind, id: &str, on_gpu: bool) -> GpuDevice {
    GpuDevice { kind, id: id.to_owned(), on_gpu }
}

fn first_of(fake_gpus: &FakeGpus) -> GpuDevice {
    gpu(GpuKind::Nvenc, &fake_gpus.gpu(0).id(), true)
}

fn worker() -> Command {
    let mut command = Command::new(worker_program());
    command.env_remove("LD_LIBRARY_PATH").env("CUDA_VISIBLE_DEVICES", "GPU-00000000");
    command
}

/// A worker that uses the drivers of the fake GPUs and reads their state files.
pub(crate) fn worker_with(fake_gpus: &FakeGpus) -> Command {
    let mut command = worker();
    let paths = std::env::join_paths([fake_gpus.library_path(), fake_gpus.path().to_owned()]).unwrap();
    command.env("LD_LIBRARY_PATH", paths).env("CUDA_VISIBLE_DEVICES", fake_gpus.gpu(0).id());
    command
}

fn encode(fake_gpus: &FakeGpus, task: &EncodeTask) -> Ended {
    Running::start_in(worker_with(fake_gpus), "encode", task).finish()
}

fn is_done(ended: &Ended) -> bool {
    matches!(ended.said.last(), Some(Report::Done { stopped: false, .. }))
}

/// The last word, which must be that the GPU failed.
fn failure(ended: &Ended) -> (GpuStage, i32, &str) {
    match ended.said.last() {
        Some(Report::GpuFailed { stage, code, message }) => (*stage, *code, message),
        other => panic!("{other:?} {}", ended.stderr),
    }
}

/// These segments of these pictures, into a directory of their own.
fn part(task: &EncodeTask, name: &str, (first, last): (i32, i32)) -> EncodeTask {
    let mut part = task.clone();
    part.output = task.output.with_file_name(name);
    std::fs::create_dir(&part.output).unwrap();
    part.qualities.retain(|task| task.quality.kind == MediaKind::Video);
    for quality in &mut part.qualities {
        quality.missing = vec![SegmentRange { first, last }];
    }
    part
}

#[test]
fn a_gpu_codes_some_qualities_and_software_the_others() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    let plan = source.plan(false);
    let mut task = on(first_of(&fake_gpus), &source, "360p:1500,180p:500:hevc,120p:300");
    task.qualities[2].coder = Coder::Software;
    let running = Running::start_in(worker_with(&fake_gpus), "encode", &task);
    let made = source.encode(plan, &task, running);
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
    for quality in made.pictures() {
        let by_gpu = quality.name != "120p";
        let brings = made.segments(quality).iter().all(|segment| segment.brings_sets(quality.codec));
        assert_eq!(brings, by_gpu, "{}", quality.name);
    }
    assert_eq!(fake_gpus.gpu(0).open_sessions(), 0);
}

#[test]
fn a_gpu_goes_on_after_software_and_software_after_a_gpu() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    let whole = on(first_of(&fake_gpus), &source, "180p:500,120p:300:hevc");
    let mut first = part(&whole, "first", (0, 0));
    first.qualities.iter_mut().for_each(|quality| quality.coder = Coder::Software);
    assert!(is_done(&encode(&fake_gpus, &first)));
    let known = |mut task: EncodeTask| {
        for quality in &mut task.qualities {
            quality.known_init = Some(sha256(&init_path(&first.output, &quality.quality.name)));
        }
        task
    };
    let second = known(part(&whole, "second", (1, 1)));
    let mut third = known(part(&whole, "third", (2, 2)));
    third.qualities.iter_mut().for_each(|quality| quality.coder = Coder::Software);
    for task in [&second, &third] {
        let ended = encode(&fake_gpus, task);
        assert!(is_done(&ended), "{:?} {}", ended.said.last(), ended.stderr);
    }
    for quality in second.qualities.iter().map(|task| &task.quality) {
        let parts = [(&first, 0..1), (&second, 1..2), (&third, 2..3)];
        assert_eq!(frames_of(quality, &first, &parts), 3 * FRAMES, "{}", quality.name);
        // The GPU's init segment promises less delay than software's pictures have, which ffmpeg warns of.
        let by_gpu_first = joined(quality, &second, &parts[1..]);
        assert_eq!(run(ffmpeg().arg("-i").arg(&by_gpu_first).args(["-f", "null", "-"])), b"");
        assert_eq!(count_frames(&by_gpu_first), 2 * FRAMES, "{}", quality.name);
    }
}

#[test]
fn segments_that_a_gpu_makes_apart_have_the_times_of_those_made_together() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    let whole = on(first_of(&fake_gpus), &source, "180p:500,120p:300:hevc");
    let (all, rest) = (part(&whole, "all", (0, 2)), part(&whole, "rest", (1, 2)));
    for task in [&all, &rest] {
        assert!(is_done(&encode(&fake_gpus, task)));
    }
    for quality in all.qualities.iter().map(|task| &task.quality) {
        let read =
            |task: &EncodeTask, index| Segment::read(&segment_path(&task.output, &quality.name, index));
        let shape = |segment: &Segment| (segment.start, segment.duration(), segment.samples.len());
        for index in [1, 2] {
            assert_eq!(shape(&read(&all, index)), shape(&read(&rest, index)), "{} {index}", quality.name);
        }
        assert_eq!(frames_of(quality, &all, &[(&all, 0..1), (&rest, 1..3)]), 3 * FRAMES, "{}", quality.name);
    }
}

#[test]
fn one_session_too_many_is_a_gpu_that_did_not_open_one() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    fake_gpus.gpu(0).set("sessions", 1);
    let ended = encode(&fake_gpus, &on(first_of(&fake_gpus), &source, "180p:500,120p:300"));
    let (stage, code, message) = failure(&ended);
    assert_eq!((stage, code), (GpuStage::Open, -libc::ENOMEM), "{message}");
    assert!(message.contains("OpenEncodeSessionEx failed: out of memory (10)"), "{message}");
    assert!(!ended.said.iter().any(|report| matches!(report, Report::QualityFailed { .. })));
    assert_eq!(fake_gpus.gpu(0).open_sessions(), 0);
}

#[test]
fn a_picture_that_fails_leaves_the_segments_before_it_whole() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    // NV_ENC_ERR_GENERIC, in the second segment.
    fake_gpus.gpu(0).set("fail_encode", "220 20");
    let task = part(&on(first_of(&fake_gpus), &source, "180p:500"), "some", (0, 2));
    let ended = encode(&fake_gpus, &task);
    let (stage, code, message) = failure(&ended);
    assert!(stage == GpuStage::Encode && code < 0, "{stage:?} {code} {message}");
    assert!(message.contains("EncodePicture failed"), "{message}");
    let told: Vec<_> = ended.said.iter().filter(|said| matches!(said, Report::Segment { .. })).collect();
    assert!(matches!(told[..], [Report::Segment { index: 0, .. }]), "{told:?}");
    let quality = &task.qualities[0].quality;
    assert_eq!(frames_of(quality, &task, &[(&task, 0..1)]), FRAMES);
    assert!(!segment_path(&task.output, &quality.name, 1).exists());
}

#[test]
fn a_gpu_that_is_lost_fails_as_a_gpu() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    fake_gpus.gpu(0).set("lost", 1);
    let ended = encode(&fake_gpus, &on(first_of(&fake_gpus), &source, "180p:500"));
    let (stage, code, message) = failure(&ended);
    assert!(stage == GpuStage::Device && code < 0 && message.len() > 20, "{stage:?} {code} {message}");
}

#[test]
fn a_gpu_that_cannot_decode_encodes_all_the_same() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    let plan = source.plan(false);
    let task = on(first_of(&fake_gpus), &source, "360p:1500,180p:500");
    let running = Running::start_in(worker_with(&fake_gpus), "encode", &task);
    source.encode(plan, &task, running).is_whole(SECONDS).shows_every_frame();
}

#[test]
fn a_codec_that_the_gpu_does_not_have_is_told_by_the_gpu() {
    let (fake_gpus, source) = (FakeGpus::new(1), source());
    fake_gpus.gpu(0).set("codecs", "h264");
    let ended = encode(&fake_gpus, &on(first_of(&fake_gpus), &source, "180p:500:hevc"));
    let (stage, _, message) = failure(&ended);
    assert!(stage == GpuStage::Open && message.contains("hevc_nvenc"), "{message}");
}

#[test]
fn a_gpu_that_is_not_there_fails_the_gpu_and_not_the_video() {
    let source = source();
    let nowhere = "/dev/dri/renderD999";
    for (kind, id, words) in [
        (GpuKind::Nvenc, "GPU-00000000", if has_driver() { "CUDA" } else { "Cannot load libcuda.so.1" }),
        (GpuKind::Vaapi, nowhere, "No VA display found for device /dev/dri/renderD999"),
        (GpuKind::Qsv, nowhere, "cannot open GPU /dev/dri/renderD999"),
    ] {
        let task = on(gpu(kind, id, true), &source, "360p:500,180p:200");
        let ended = Running::start_in(worker(), "encode", &task).finish();
        let (stage, code, message) = failure(&ended);
        assert_eq!(stage, GpuStage::Device, "{message}");
        assert!(code < 0 && message.contains(words), "{code} {message}");
        assert!(!ended.status.success());
        assert_eq!(ended.said.len(), 1, "{:?}", ended.said);
    }
}

fn has_driver() -> bool {
    let places = ["/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1"];
    places.iter().any(|path| Path::new(path).exists())
}

#[test]
fn a_gpu_that_no_quality_needs_is_not_opened() {
    let source = source();
    let mut task = on(gpu(GpuKind::Vaapi, "/dev/dri/renderD999", false), &source, "90p:200");
    task.qualities.iter_mut().for_each(|quality| quality.coder = Coder::Software);
    let ended = Running::start_in(worker(), "encode", &task).finish();
    assert!(is_done(&ended), "{}", ended.stderr);
}
