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

/// Requests are read strictly: a misspelt field is told to its sender instead of being ignored.
macro_rules! requests {
    ($($(#[$meta:meta])* pub struct $name:ident { $($body:tt)* })+) => {
        replies! { $($(#[$meta])* #[serde(deny_unknown_fields)] pub struct $name { $($body)* })+ }
    };
}

text_enum! {
    WorkerType {
        /// On the API's own machine.
        Local = "local",
        Remote = "remote",
    }
}

text_enum! {
    /// What a worker says of itself in a heartbeat.
    ReportedStatus {
        Idle = "idle",
        Busy = "busy",
    }
}

text_enum! {
    /// Why a call about a job was refused, or a claim is gone.
    RefusalCode {
        /// The lease ran out and nobody took the job: claim it again by id and go on.
        ClaimExpired = "claim_expired",
        /// The claim was taken away (released, cancelled, finished).
        ClaimLost = "claim_lost",
        /// Somebody else holds the job under a newer fence.
        Fenced = "fenced",
        /// The caller never held this job.
        NotYours = "not_yours",
        /// There is no such job.
        Unknown = "unknown_job",
    }
}

text_enum! {
    /// Why a claim came back empty.
    NoJobReason {
        /// Nothing is due.
        Empty = "empty",
        /// The queue is paused.
        Paused = "paused",
        /// This worker is draining.
        Draining = "draining",
        /// `max_running` of the queue is reached.
        AtCapacity = "at_capacity",
        /// A job is due but waits a little for an idle GPU worker.
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

    /// A job and the fence it is held under.
    #[derive(Copy, PartialEq, Eq)]
    pub struct HeldJob {
        pub job_id: JobId,
        pub fence: i64,
    }

    pub struct HeartbeatRequest {
        /// One per process start; a new one proves that the old process is gone.
        pub boot_id: BootId,
        pub status: ReportedStatus,
        /// Every job this process holds; their leases are renewed.
        #[serde(default)]
        pub held: Vec<HeldJob>,
        pub capabilities: Option<Value>,
        pub metadata: Option<Value>,
        /// Every card of this machine as it is now, at most 16; absent: as told last.
        #[serde(default)]
        pub gpus: Option<Vec<Gpu>>,
        /// The last heartbeat of this process: it ends now. Sent only if so, since an older API does not know it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub stopping: bool,
    }

    pub struct ClaimRequest {
        pub boot_id: BootId,
        /// Kinds of work this process takes, the preferred one first; `transcode` if absent.
        pub queue_types: Option<Vec<QueueType>>,
        /// Claim this job or none (after a hint, or to take back an expired claim).
        pub job_id: Option<JobId>,
        /// How long the API may wait for work, at most 30.
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
        /// Of the whole job, 0 to 100.
        pub percent: f64,
        /// How long the rest will take, if that is known.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub eta_seconds: Option<f64>,
        #[serde(default)]
        pub qualities: Vec<QualityProgress>,
        /// The last lines that the encoder wrote, for whoever watches.
        #[serde(default)]
        pub log: Option<String>,
    }

    #[derive(Default)]
    pub struct QualityProgress {
        pub name: String,
        /// 0 to 100.
        pub percent: f64,
        /// Frames a second, of late.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub fps: Option<f64>,
        /// Seconds of video a second, of late.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(minimum = 0))]
        pub speed: Option<f64>,
        /// Who encodes it, as ffmpeg calls it: `libx264`, `h264_nvenc`.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(max_length = 40))]
        pub encoder: Option<String>,
        /// Set when the encoder gave up on this quality; the others go on.
        pub error: Option<String>,
    }

    pub struct CompleteRequest {
        pub job_id: JobId,
        pub fence: i64,
        /// What the queue type asks for: `transcode` nothing, `preview` {"images"}, `captions` {"tracks"}.
        pub results: Option<Value>,
        /// Audio tracks that the source does not let be made; the video becomes ready without them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub left_out: Vec<LeftOut>,
    }

    /// An audio quality that the video goes without.
    pub struct LeftOut {
        pub quality: String,
        /// Why, in words a person can use; cut at 500 bytes.
        pub error: String,
    }

    pub struct FailRequest {
        pub job_id: JobId,
        pub fence: i64,
        pub class: ErrorClass,
        /// What happened, in words a person can use; cut at 500 bytes.
        pub message: String,
        /// The last lines that the encoder wrote; kept with the attempt, at most 4,000 bytes of them.
        #[serde(default)]
        pub log: Option<String>,
    }

    /// Hand a job back without spending an attempt (drain, shutdown).
    pub struct ReleaseRequest {
        pub job_id: JobId,
        pub fence: i64,
        pub reason: Option<String>,
    }
}

replies! {
    pub struct RegisterReply {
        pub worker_id: WorkerId,
        /// Shown this once; only its hash is kept.
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
        /// Finish what is held and claim nothing more.
        pub draining: bool,
        /// Length of a renewed lease, from the moment the request was sent; a worker that finds none keeps the old one.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub lease_seconds: u64,
        pub heartbeat_seconds: u64,
    }

    pub struct ClaimReply {
        pub job: Option<ClaimedJob>,
        /// Why there is no job.
        pub reason: Option<NoJobReason>,
        /// The reason in words.
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
        /// Absent until a worker has probed the source.
        pub plan: Option<Plan>,
        pub qualities: Vec<QualityReport>,
        /// An encoder failed before: use the CPU.
        pub cpu_only: bool,
        /// W3C Trace Context: what a worker that traces hangs its spans under. Its flag tells whether the API traces too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub traceparent: Option<String>,
    }

    pub struct ClaimedSource {
        pub name: String,
        pub size: i64,
        pub sha256: String,
    }

    /// Where one quality stands on the server: what `have` lists is verified and need not be encoded again.
    pub struct QualityReport {
        pub quality: PlannedQuality,
        pub status: QualityStatus,
        pub segments_total: i32,
        /// Verified segments as inclusive ranges.
        pub have: Vec<SegmentRange>,
        /// Of the init segment that came first, in hex; an encoder that makes another one repeats its parameters in
        /// every segment.
        #[serde(default)]
        pub init_sha256: Option<String>,
    }

    #[derive(Copy, PartialEq, Eq)]
    pub struct SegmentRange {
        pub first: i32,
        pub last: i32,
    }

    /// The plan in force: the first one accepted for this job, so that segments of all attempts line up.
    pub struct PlanReply {
        pub plan: Plan,
        pub qualities: Vec<QualityReport>,
        /// Poster, thumbnails and storyboard were delivered, or carried over from another generation; of an audio file
        /// the cover, if it has one.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required))]
        pub has_images: bool,
        /// So were the subtitles of every track.
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
        /// The generation that now plays.
        pub generation: i32,
    }

    pub struct FailReply {
        pub job_id: JobId,
        pub status: JobStatus,
        /// Seconds until the job may be claimed again; absent when it failed for good.
        pub retry_in_seconds: Option<i64>,
    }
}

/// What a finished job has to report, by its kind.
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
            return Err("a transcode's results are what it delivered; send none".to_owned());
        }
        QueueType::Preview => serde_json::from_value::<Preview>(value).map(drop),
        QueueType::Captions => serde_json::from_value::<Captions>(value).map(drop),
    };
    checked.map_err(|error| format!("results of a {queue_type} job: {error}"))
}
