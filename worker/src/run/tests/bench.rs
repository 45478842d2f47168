//! The farm, the encoder and the worker of a test.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::queue::QueueType;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::task::AbortOnDropHandle;

use crate::child::LockLostBehavior;
use crate::encoder::protocol::EncoderSettings;
use crate::gpu::GpuPool;
use crate::run::{Exports, Options, Stop, WhenFull, run};
use crate::scripted::{Heard, Scripted, problem};

/// What every encoder of these tests begins with: its task is read, its number is in `pid`, `seg N` finishes a segment.
const PREAMBLE: &str = r#"#!/bin/sh
read -r task
seg() {
  mkdir -p output/360p
  [ -e output/360p/init.mp4 ] || printf init > output/360p/init.mp4
  printf 'seg%s' "$1" > "output/360p/$(printf 'seg_%05d.m4s' "$1")"
  echo "{\"report\":\"segment\",\"quality\":\"360p\",\"index\":$1,\"bytes\":4}"
}
done_() { echo "{\"report\":\"done\",\"stopped\":$1,\"warnings\":[]}"; }
"#;

/// What the claim tells a worker that traces.
pub(super) const TRACEPARENT: &str = "00-01990000000070008000000000000001-00f067aa0ba902b7-01";

/// What the farm of a test does besides answering well.
#[derive(Default)]
pub(super) struct Mood {
    pub(super) lost: BTreeSet<JobId>,
    pub(super) draining: bool,
    pub(super) key_revoked: bool,
    pub(super) deliveries: Deliveries,
    /// An earlier attempt delivered all segments; whether the images as well.
    pub(super) resumed: Option<Images>,
    /// Audio tracks beside the picture.
    pub(super) audio: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Images {
    There,
    Missing,
}

#[derive(Default, PartialEq, Eq)]
pub(super) enum Deliveries {
    #[default]
    Taken,
    /// The reply to an earlier one was lost: all segments are there already, with other bytes.
    KnownWithOtherBytes,
    /// And the worker was told so.
    Told,
    /// The disk is full for so many more.
    NoRoom(usize),
}

pub(super) struct Bench {
    pub(super) farm: Scripted,
    pub(super) jobs: Vec<JobId>,
    pub(super) video: VideoId,
    pub(super) options: Options,
    pub(super) stop: Stop,
    pub(super) mood: Arc<Mutex<Mood>>,
    directory: TempDir,
}

impl Bench {
    /// One job of three segments; `encode` is the body of the encoder's script.
    pub(super) async fn new(encode: &str) -> Self {
        Self::with(1, 3, encode).await
    }

    pub(super) async fn with(jobs: usize, segments: i32, encode: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let jobs: Vec<JobId> = (0..jobs).map(|_| JobId::new(&Clock::system())).collect();
        let (mood, video) = (Arc::<Mutex<Mood>>::default(), VideoId::new(&Clock::system()));
        let script =
            Script { jobs: jobs.clone(), video, segments, given: Mutex::new(0), mood: Arc::clone(&mood) };
        let farm = Scripted::start(move |request, _| script.answer(request)).await;
        let probed = json!({"report": "probed", "plan": a_plan()});
        let encoder = write_script(directory.path(), &format!("echo '{probed}'"), encode);
        let options = Options {
            scratch: directory.path().join("scratch"),
            storage: None,
            slots: u16::try_from(jobs.len()).unwrap(),
            queues: vec![QueueType::Transcode],
            settings: EncoderSettings::default(),
            copy: true,
            lock_lost: LockLostBehavior::Sigkill,
            stall: Duration::from_secs(30),
            drain: Duration::from_secs(20),
            job_scratch: 1 << 30,
            nice: 5,
            capabilities: serde_json::json!({ "cores": 2 }),
            refusal: None,
            encoder,
            gpus: GpuPool::none("not asked for"),
            when_full: WhenFull::Cpu,
            spans: Exports::default(),
        };
        Self { farm, jobs, video, options, stop: Stop::default(), mood, directory }
    }

    /// One job whose source is probed by this script; `$probed` is the last word of a probe that went well.
    pub(super) async fn probing(probe: &str) -> Self {
        let bench = Self::new("").await;
        let probed = json!({"report": "probed", "plan": a_plan()});
        let encode = "seg 0; seg 1; seg 2; done_ false";
        write_script(bench.path(), &format!("probed='{probed}'\n{probe}"), encode);
        bench
    }

    pub(super) fn start(&self) -> AbortOnDropHandle<anyhow::Result<()>> {
        let working = run(self.options.clone(), self.farm.client(), self.stop.clone());
        AbortOnDropHandle::new(tokio::spawn(working))
    }

    /// Runs until the farm has heard `call`, then stops; gives back everything it heard.
    pub(super) async fn run_until(&self, call: &str) -> Vec<Heard> {
        let working = self.start();
        self.farm.until(|heard| heard.iter().any(|request| request.call.contains(call))).await;
        self.stop.drain();
        ended(working).await.unwrap();
        self.farm.heard()
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The encoder of a job, once it runs.
    pub(super) async fn encoder_of(&self, job: JobId) -> i32 {
        self.number_of(job, "pid").await
    }

    /// The number that a process of a job wrote to a file in its room.
    pub(super) async fn number_of(&self, job: JobId, file: &str) -> i32 {
        let path = self.options.scratch.join("jobs").join(format!("{job}-1")).join(file);
        loop {
            let text = tokio::fs::read_to_string(&path).await.unwrap_or_default();
            if let (true, Ok(number)) = (text.ends_with('\n'), text.trim().parse()) {
                return number;
            }
            tokio::task::yield_now().await;
        }
    }
}

pub(super) async fn ended(working: AbortOnDropHandle<anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::time::timeout(Duration::from_mins(1), working).await.expect("the worker ends in time").unwrap()
}

pub(super) fn is_running(number: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

pub(super) fn calls<'a>(heard: &'a [Heard], part: &str) -> Vec<&'a Heard> {
    heard.iter().filter(|request| request.call.contains(part)).collect()
}

/// The one call of this name, as JSON.
pub(super) fn the_call(heard: &[Heard], name: &str) -> Value {
    let found = calls(heard, name);
    assert_eq!(found.len(), 1, "{name}: {:?}", heard.iter().map(|h| &h.call).collect::<Vec<_>>());
    found[0].json()
}

pub(super) fn a_plan() -> Value {
    json!({
        "source": {"duration_us": 18_000_000, "audio": [],
            "video": {"width": 640, "height": 360, "frame_rate": 25.0, "codec": "h264"}},
        "boundaries_us": [0, 6_000_000, 12_000_000, 18_000_000],
    })
}

fn write_script(directory: &Path, probe: &str, encode: &str) -> PathBuf {
    let text = format!("{PREAMBLE}if [ \"$1\" = probe ]; then\n{probe}\nexit; fi\necho $$ > pid\n{encode}\n");
    let path = directory.join("encoder");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

struct Script {
    jobs: Vec<JobId>,
    video: VideoId,
    segments: i32,
    given: Mutex<usize>,
    mood: Arc<Mutex<Mood>>,
}

impl Script {
    fn answer(&self, request: &Heard) -> Response {
        let mut mood = self.mood.lock().unwrap();
        if mood.key_revoked {
            return problem(401, "unauthorized");
        }
        let path = request.call.split(' ').nth(1).unwrap().split('?').next().unwrap();
        let reply = match path.rsplit('/').next().unwrap() {
            "heartbeat" => heartbeat(&mood, &request.json()),
            "claim" => self.claim(),
            "source" => return "the source".into_response(),
            "plan" => self.plan(&mood),
            "progress" => json!({"lease_seconds": 60}),
            "complete" => json!({"job_id": self.jobs[0], "status": "completed", "generation": 1}),
            "fail" => json!({"job_id": self.jobs[0], "status": "pending"}),
            "release" => json!({}),
            _ if matches!(mood.deliveries, Deliveries::NoRoom(_)) => {
                if let Deliveries::NoRoom(more) = mood.deliveries {
                    mood.deliveries = if more > 1 { Deliveries::NoRoom(more - 1) } else { Deliveries::Taken };
                }
                return problem(507, "disk_full");
            }
            _ if mood.deliveries != Deliveries::Taken => {
                mood.deliveries = Deliveries::Told;
                return problem(409, "segment_differs");
            }
            _ => json!({"quality": "360p", "segments_completed": 1, "segments_total": self.segments,
                "status": "in_progress", "lease_seconds": 60}),
        };
        axum::Json(reply).into_response()
    }

    fn claim(&self) -> Value {
        let mut given = self.given.lock().unwrap();
        let Some(job) = self.jobs.get(*given) else {
            return json!({"job": null, "reason": "empty", "detail": "nothing is due"});
        };
        *given += 1;
        json!({"job": {
            "job_id": job, "number": *given, "fence": 1, "queue_type": "transcode", "video_id": self.video,
            "generation": 1, "attempt_number": 1, "lease_seconds": 60, "heartbeat_seconds": 1, "qualities": [],
            "source": {"name": "a.mp4", "size": 10, "sha256": digest(b"the source")}, "cpu_only": false,
            "traceparent": TRACEPARENT,
        }})
    }

    fn plan(&self, mood: &Mood) -> Value {
        let whole = mood.deliveries == Deliveries::Told || mood.resumed.is_some();
        let have = if whole { json!([{"first": 0, "last": self.segments - 1}]) } else { json!([]) };
        let quality = |name: &str, skipped: bool, have: Value| {
            let status = if skipped { "skipped" } else { "pending" };
            json!({"quality": {"name": name, "kind": "video", "width": 640, "height": 360, "bitrate_kbps": 600,
                "skipped": skipped}, "status": status, "segments_total": self.segments, "have": have})
        };
        let mut qualities = vec![quality("720p", true, json!([])), quality("360p", false, have)];
        for track in 0..mood.audio {
            let mut audio = quality(&format!("audio{track}"), false, json!([]));
            audio["quality"]["kind"] = json!("audio");
            qualities.push(audio);
        }
        let has_images = mood.resumed == Some(Images::There);
        json!({"plan": a_plan(), "qualities": qualities, "has_images": has_images, "lease_seconds": 60})
    }
}

fn heartbeat(mood: &Mood, request: &Value) -> Value {
    let is_lost = |job: &Value| mood.lost.iter().any(|lost| job["job_id"] == json!(lost));
    let held = request["held"].as_array().unwrap().clone();
    let (lost, renewed): (Vec<_>, Vec<_>) = held.into_iter().partition(is_lost);
    let lost: Vec<_> = lost
        .iter()
        .map(|job| json!({"job_id": job["job_id"], "fence": job["fence"], "code": "fenced"}))
        .collect();
    json!({"renewed": renewed, "lost": lost, "draining": mood.draining, "lease_seconds": 60,
        "heartbeat_seconds": 1})
}

fn digest(bytes: &[u8]) -> String {
    crate::digest::measure(bytes).unwrap().1.to_string()
}
