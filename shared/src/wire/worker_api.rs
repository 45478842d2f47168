//! The worker protocol: one request and one reply per call of `/api/worker/…`.
//!
//! Every call about a job carries the fence of the claim. 409, 401 and 410 mean *stop now, send no more bytes*;
//! 5xx and timeouts mean *try again*. Durations travel, never instants: clocks need not agree.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::ErrorClass;
use crate::gpu::Gpu;
use crate::id::{BootId, JobId, VideoId, WorkerId};
use crate::ladder::PlannedQuality;
use crate::plan::Plan;
use crate::queue::QueueType;
use crate::state::{JobStatus, QualityStatus, Step};
use crate::text_enum::text_enum;

/// The longest a claim may wait on the API.
pub const MAX_CLAIM_WAIT_SECONDS: u32 = 30;
/// The most bytes of JSON a worker may send as capabilities, and as metadata.
pub const MAX_WORKER_JSON: usize = 10_000;

/// Replies may grow: an older worker reads over fields it does not know. See `requests!` for the other way.
macro_rules! replies {
    ($($(#[$meta:meta])* pub struct $name:ident { $($body:tt)* })+) => {$(
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $(#[$meta])*
        pub struct $name { $($body)* }
    )+};
}

/// Requests are read strictly: a misspelt field is an error, not ignored.
macro_rules! requests {
    ($($(#[$meta:meta])* pub struct $name:ident { $($body:tt)* })+) => {
        replies! { $($(#[$meta])* #[serde(deny_unknown_fields)] pub struct $name { $($body)* })+ }
    };
}

text_enum! {
    WorkerType {
        /// On the same machine as the API.
        Local = "local",
        Remote = "remote",
    }
}

text_enum! {
    /// Status that a worker reports in a heartbeat.
    ReportedStatus {
        Idle = "idle",
        Busy = "busy",
    }
}

text_enum! {
    /// Why a request about a job was refused, or why a claim has ended.
    RefusalCode {
        /// The lease expired and no other worker claimed the job: claim it again by id and resume.
        ClaimExpired = "claim_expired",
        /// The claim has ended (released, cancelled, finished).
        ClaimLost = "claim_lost",
        /// The job was claimed again with a newer fence.
        Fenced = "fenced",
        /// The caller never held this job.
        NotYours = "not_yours",
        /// There is no such job.
        Unknown = "unknown_job",
    }
}

text_enum! {
    /// Why a claim returned no job.
    NoJobReason {
        /// No job is due.
        Empty = "empty",
        /// The queue is paused.
        Paused = "paused",
        /// This worker is draining.
        Draining = "draining",
        /// `max_running` of the queue is reached.
        AtCapacity = "at_capacity",
        /// A job is due but waits briefly for an idle GPU worker.
        WaitingForGpu = "waiting_for_gpu",
    }
}

requests! {
    pub struct RegisterRequest {
        /// Readable name, at most 100 characters.
        pub name: Option<String>,
        pub worker_type: Option<WorkerType>,
        /// GPUs, encoders that passed a test encode, cores; at most 10,000 bytes of JSON.
        pub capabilities: Option<Value>,
        /// Anything the operator wants to see; at most 10,000 bytes of JSON.
        pub metadata: Option<Value>,
    }

    /// A job and the fence of its claim.
    #[derive(Copy, PartialEq, Eq)]
    pub struct HeldJob {
        pub job_id: JobId,
        pub fence: i64,
    }

    pub struct HeartbeatRequest {
        /// New for each start of the process; a new one proves that the old process is gone.
        pub boot_id: BootId,
        pub status: ReportedStatus,
        /// All jobs held by this process; their leases are renewed.
        #[serde(default)]
        pub held: Vec<HeldJob>,
        pub capabilities: Option<Value>,
        pub metadata: Option<Value>,
        /// Current state of all GPUs of this machine, at most 16; unchanged if absent.
        #[serde(default)]
        pub gpus: Option<Vec<Gpu>>,
        /// The last heartbeat of a process that is stopping. Sent only if true: older APIs do not know it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub stopping: bool,
    }

    pub struct ClaimRequest {
        pub boot_id: BootId,
        /// Types of jobs that this process accepts, the preferred one first. Default: `transcode`.
        pub queue_types: Option<Vec<QueueType>>,
        /// Claim only this job (after a hint, or again after its lease expired).
        pub job_id: Option<JobId>,
        /// How long the API may wait for a job, at most 30.
        #[cfg_attr(feature = "openapi", schema(maximum = 30))]
        pub wait_seconds: Option<u32>,
    }

    pub struct PlanRequest {
        pub fence: i64,
        pub plan: Plan,
    }

    pub struct ProgressRequest {
        pub job_id: JobId,
        pub fence: i64,
        pub step: Step,
        /// Progress of the whole job, 0 to 100.
        pub percent: f64,
        /// Remaining time, if known.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub eta_seconds: Option<f64>,
        #[serde(default)]
        pub qualities: Vec<QualityProgress>,
        /// The last lines of the encoder log, for live display.
        #[serde(default)]
        pub log: Option<String>,
    }

    #[derive(Default)]
    pub struct QualityProgress {
        pub name: String,
        /// 0 to 100.
        pub percent: f64,
        /// Current frames per second.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub fps: Option<f64>,
        /// Current speed: seconds of video encoded per second.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub speed: Option<f64>,
        /// Name of the encoder in ffmpeg: `libx264`, `h264_nvenc`.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(max_length = 40))]
        pub encoder: Option<String>,
        /// Set if the encoder failed on this quality; the others continue.
        pub error: Option<String>,
    }

    pub struct CompleteRequest {
        pub job_id: JobId,
        pub fence: i64,
        /// By queue type: `transcode` none, `preview` {"images"}, `captions` {"tracks"}.
        pub results: Option<Value>,
        /// Audio tracks that cannot be encoded from the source; the video becomes ready without them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub left_out: Vec<LeftOut>,
    }

    /// An audio quality that is left out of the video.
    pub struct LeftOut {
        pub quality: String,
        /// Why, in a sentence for people; truncated to 500 bytes.
        pub error: String,
    }

    pub struct FailRequest {
        pub job_id: JobId,
        pub fence: i64,
        pub class: ErrorClass,
        /// What happened, in a sentence for people; truncated to 500 bytes.
        pub message: String,
        /// The last lines of the encoder log; at most 4,000 bytes are stored with the attempt.
        #[serde(default)]
        pub log: Option<String>,
    }

    /// Releases a job without using up an attempt (drain, shutdown).
    pub struct ReleaseRequest {
        pub job_id: JobId,
        pub fence: i64,
        pub reason: Option<String>,
    }
}

replies! {
    pub struct RegisterReply {
        pub worker_id: WorkerId,
        /// Shown only once; only its hash is stored.
        pub api_key: String,
        pub heartbeat_seconds: u64,
        pub lease_seconds: u64,
    }

    pub struct LostJob {
        pub job_id: JobId,
        pub fence: i64,
        pub code: RefusalCode,
    }

    pub struct HeartbeatReply {
        pub renewed: Vec<HeldJob>,
        /// Stop working on these now.
        pub lost: Vec<LostJob>,
        /// Finish the held jobs and claim no new ones.
        pub draining: bool,
        /// Length of a renewed lease, from when the request was sent; if missing, the worker keeps its own.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub lease_seconds: u64,
        pub heartbeat_seconds: u64,
    }

    pub struct ClaimReply {
        pub job: Option<ClaimedJob>,
        /// Why there is no job.
        pub reason: Option<NoJobReason>,
        /// The reason as a text.
        pub detail: Option<String>,
    }

    pub struct ClaimedJob {
        pub job_id: JobId,
        pub number: i64,
        pub fence: i64,
        pub queue_type: QueueType,
        pub video_id: VideoId,
        pub generation: i32,
        pub attempt_number: i32,
        pub lease_seconds: u64,
        pub heartbeat_seconds: u64,
        pub source: ClaimedSource,
        /// Null until a worker has probed the source.
        pub plan: Option<Plan>,
        pub qualities: Vec<QualityReport>,
        /// Use the CPU, because an encoder failed before.
        pub cpu_only: bool,
        /// W3C Trace Context: parent of the worker's spans. Its sampled flag says whether the API traces.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub traceparent: Option<String>,
    }

    pub struct ClaimedSource {
        pub name: String,
        pub size: i64,
        pub sha256: String,
    }

    /// State of one quality on the server: the segments in `have` are verified and need not be encoded again.
    pub struct QualityReport {
        pub quality: PlannedQuality,
        pub status: QualityStatus,
        pub segments_total: i32,
        /// Verified segments as inclusive ranges.
        pub have: Vec<SegmentRange>,
        /// Hash of the first init segment, in hex; an encoder with a different one repeats its parameters in
        /// every segment.
        #[serde(default)]
        pub init_sha256: Option<String>,
    }

    #[derive(Copy, PartialEq, Eq)]
    pub struct SegmentRange {
        pub first: i32,
        pub last: i32,
    }

    /// The plan in force: the first one accepted for this job, so that the segments of all attempts line up.
    pub struct PlanReply {
        pub plan: Plan,
        pub qualities: Vec<QualityReport>,
        /// Whether poster, thumbnails and storyboard were delivered or carried over from another generation;
        /// for an audio file, the cover, if it has one.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub has_images: bool,
        /// Whether the subtitles of all tracks were delivered or carried over.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub has_subtitles: bool,
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub lease_seconds: u64,
    }

    pub struct LeaseReply {
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub lease_seconds: u64,
    }

    pub struct PartReply {
        pub quality: String,
        pub segments_completed: i32,
        pub segments_total: i32,
        pub status: QualityStatus,
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub lease_seconds: u64,
    }

    pub struct CompleteReply {
        pub job_id: JobId,
        pub status: JobStatus,
        /// The generation that is now published.
        pub generation: i32,
    }

    pub struct FailReply {
        pub job_id: JobId,
        pub status: JobStatus,
        /// Seconds until the job can be claimed again; null if it failed permanently.
        pub retry_in_seconds: Option<i64>,
    }
}

/// Checks the results of a finished job, by queue type.
pub fn check_results(queue_type: QueueType, results: Option<&Value>) -> Result<(), String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Preview {
        #[serde(rename = "images")]
        _images: u32,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Captions {
        #[serde(rename = "tracks")]
        _tracks: u32,
    }
    let value = results.cloned().unwrap_or(Value::Null);
    let checked = match queue_type {
        QueueType::Transcode if value.is_null() => Ok(()),
        QueueType::Transcode => {
            return Err("a transcode job must not have results: its output was delivered".to_owned());
        }
        QueueType::Preview => serde_json::from_value::<Preview>(value).map(drop),
        QueueType::Captions => serde_json::from_value::<Captions>(value).map(drop),
    };
    checked.map_err(|error| format!("results of a {queue_type} job: {error}"))
}
