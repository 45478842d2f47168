//! The stand-ins themselves: they must fail in the words of the real libraries.

use std::path::Path;
use std::process::{Command, Output};

use framefarm_gpu_stubs::FakeGpus;

const CLIP: [&str; 4] = ["-f", "lavfi", "-i", "testsrc2=s=640x360:d=1:r=25"];

fn ffmpeg(fake_gpus: &FakeGpus, environment: &[(&str, &str)], arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("ffmpeg");
    command.env_remove("CUDA_VISIBLE_DEVICES").env("LD_LIBRARY_PATH", fake_gpus.library_path());
    command.args(["-nostdin", "-hide_banner", "-loglevel", "verbose", "-y"]).args(arguments);
    let output = command.envs(environment.iter().copied()).output().unwrap();
    (output.status.success(), said(&output))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn encode(fake_gpus: &FakeGpus, codec: &str, more: &[&str], to: &Path) -> (bool, String) {
    let mut arguments = CLIP.to_vec();
    arguments.extend(["-c:v", codec]);
    arguments.extend(more);
    arguments.push(to.to_str().unwrap());
    ffmpeg(fake_gpus, &[], &arguments)
}

/// `pts flags` of each packet, after every picture was decoded without an error.
fn packets(file: &Path) -> Vec<(String, bool)> {
    let decoded =
        Command::new("ffmpeg").args(["-v", "error", "-i"]).arg(file).args(["-f", "null", "-"]).output();
    let decoded = decoded.unwrap();
    assert!(decoded.status.success() && decoded.stderr.is_empty(), "{}", said(&decoded));
    let mut command = Command::new("ffprobe");
    command.args([
        "-v",
        "error",
        "-select_streams",
        "v",
        "-show_entries",
        "packet=pts_time,flags",
        "-of",
        "csv=p=0",
    ]);
    let output = command.arg(file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            let (time, flags) = line.split_once(',').unwrap();
            (time.to_owned(), flags.contains('K'))
        })
        .collect()
}

#[test]
fn the_real_encoders_run_on_the_stand_ins_and_force_key_frames() {
    let (fake_gpus, room) = (FakeGpus::new(1), tempfile::tempdir().unwrap());
    for (codec, format) in [("h264_nvenc", "nv12"), ("h264_nvenc", "yuv420p"), ("hevc_nvenc", "nv12")] {
        let file = room.path().join("out.mp4");
        let forced = ["-pix_fmt", format, "-forced-idr", "1", "-force_key_frames", "0.4"];
        let (success, said) = encode(&fake_gpus, codec, &forced, &file);
        assert!(success, "{said}");
        let packets = packets(&file);
        assert_eq!(packets.len(), 25, "{codec}");
        let keys: Vec<&str> =
            packets.iter().filter(|(_, is_key)| *is_key).map(|(time, _)| time.as_str()).collect();
        assert_eq!(keys, ["0.000000", "0.400000"], "{codec} {format}");
    }
    assert_eq!(fake_gpus.gpu(0).open_sessions(), 0);
}

#[test]
fn what_is_shown_is_what_was_given() {
    let (fake_gpus, room) = (FakeGpus::new(1), tempfile::tempdir().unwrap());
    for (codec, more) in [
        ("h264_nvenc", vec!["-pix_fmt", "nv12"]),
        ("h264_nvenc", vec!["-pix_fmt", "yuv420p"]),
        ("hevc_nvenc", vec![]),
        ("h264_nvenc", vec!["-vf", "format=nv12,hwupload_cuda"]),
        ("h264_nvenc", vec!["-vf", "format=nv12,hwupload_cuda,hwdownload,format=nv12"]),
    ] {
        let file = room.path().join("out.mp4");
        let more: Vec<&str> = more.into_iter().chain(["-b:v", "8M"]).collect();
        let (success, words) = encode(&fake_gpus, codec, &more, &file);
        assert!(success, "{more:?}: {words}");
        let mut command = Command::new("ffmpeg");
        command
            .args(["-hide_banner", "-nostats", "-i"])
            .arg(&file)
            .args(CLIP)
            .args(["-lavfi", "psnr", "-f", "null", "-"]);
        let compared = said(&command.output().unwrap());
        let (_, average) = compared.rsplit_once("average:").unwrap();
        let decibels: f64 = average.split(' ').next().unwrap().parse().unwrap();
        assert!(decibels > 30.0, "{codec} {more:?}: {decibels}");
    }
}

#[test]
fn a_session_too_many_is_refused_as_a_consumer_gpu_refuses_it() {
    let fake_gpus = FakeGpus::new(1);
    fake_gpus.gpu(0).set("sessions", 2);
    let running = [super::Ffmpeg::endless(&fake_gpus), super::Ffmpeg::endless(&fake_gpus)];
    super::until(|| fake_gpus.gpu(0).open_sessions() == 2);
    let (success, said) = encode(&fake_gpus, "h264_nvenc", &["-f", "mp4"], Path::new("/dev/null"));
    assert!(!success && said.contains("OpenEncodeSessionEx failed: out of memory (10)"), "{said}");

    drop(running);
    super::until(|| fake_gpus.gpu(0).open_sessions() == 0);
    let file = tempfile::Builder::new().suffix(".mp4").tempfile().unwrap();
    let (success, said) = encode(&fake_gpus, "h264_nvenc", &[], file.path());
    assert!(success, "a process that was killed leaves no session behind: {said}");
}

#[test]
fn every_fault_has_the_words_of_the_real_library() {
    let fake_gpus = FakeGpus::new(1);
    let out = Path::new("/dev/null");
    for (key, value, words) in [
        ("lost", "1", "no CUDA-capable device is detected"),
        ("mig", "1", "OpenEncodeSessionEx failed: unsupported device (2)"),
        ("fail_open", "20", "OpenEncodeSessionEx failed: generic error (20)"),
        ("fail_encode", "3 8", "EncodePicture failed!: invalid param (8)"),
        ("codecs", "hevc", "Codec not supported"),
        ("max_side", "320", "Width 640 exceeds 320"),
        ("memory_used", "8589934592", "InitializeEncoder failed: out of memory (10)"),
    ] {
        fake_gpus.gpu(0).set(key, value);
        let (success, said) = encode(&fake_gpus, "h264_nvenc", &["-f", "mp4"], out);
        assert!(!success && said.contains(words), "{key}: {said}");
        fake_gpus.gpu(0).unset(key);
    }
    fake_gpus.set_driver("broken");
    let (success, said) = encode(&fake_gpus, "h264_nvenc", &["-f", "mp4"], out);
    assert!(!success && said.contains("unsupported display driver / cuda driver combination"), "{said}");
}

#[test]
fn a_gpu_that_is_lost_fails_the_picture_that_is_under_way() {
    let fake_gpus = FakeGpus::new(1);
    let mut running = super::Ffmpeg::endless(&fake_gpus);
    super::until(|| fake_gpus.gpu(0).open_sessions() == 1);
    fake_gpus.gpu(0).set("lost", 1);
    let mut said = String::new();
    std::io::Read::read_to_string(running.0.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert!(said.contains("device does not exist (5)"), "{said}");
}

#[test]
fn only_the_gpus_that_a_process_may_see_are_there_for_it() {
    let fake_gpus = FakeGpus::new(2);
    fake_gpus.gpu(1).set("name", "The second");
    let id = fake_gpus.gpu(1).id();
    for chosen in [id.as_str(), "1"] {
        let mut arguments = CLIP.to_vec();
        arguments.extend(["-c:v", "h264_nvenc", "-f", "null", "-"]);
        let (success, said) = ffmpeg(&fake_gpus, &[("CUDA_VISIBLE_DEVICES", chosen)], &arguments);
        assert!(success && said.contains("[ GPU #0 - < The second >") && !said.contains("GPU #1"), "{said}");
    }
}
