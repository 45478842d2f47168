//! What the supervisor and its encoder child say to each other: JSON, one object a line.
//!
//! The child's stdin brings its task as the first line. After that the line `stop` asks it to end at the next segment
//! boundary, and the end of stdin means that nobody is left to work for: the child exits at once.
//!
//! After an upgrade or a rollback in place, a supervisor starts children of another version until it is restarted itself.
//! Names on the pipe therefore never change, even where the program has a better word by now.

use std::path::{Path, PathBuf};

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::gpu::GpuKind;
use framefarm_shared::ladder::PlannedQuality;
use framefarm_shared::part::segment_name;
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use serde::{Deserialize, Serialize};

/// The line that asks a running encoder to end at the next segment boundary.
pub const STOP: &str = "stop";

/// The task of `framefarm-worker probe`: it answers with [`Report::Probed`] or [`Report::Failed`], and says
/// [`Report::Probing`] until then.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTask {
    pub source: PathBuf,
    /// Whether the boundaries may be the source's own IDR frames, so that its best quality can be copied.
    pub copy: bool,
}

/// The task of `framefarm-worker encode`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodeTask {
    pub source: PathBuf,
    /// An existing directory; everything the child writes is below it.
    pub output: PathBuf,
    pub plan: Plan,
    /// Only these, and of each only what is missing.
    pub qualities: Vec<QualityTask>,
    /// Also poster, thumbnails and storyboard.
    pub images: bool,
    /// Also the text subtitles of the source.
    pub subtitles: bool,
    pub settings: EncoderSettings,
    /// The GPU that encodes the qualities whose coder is [`Coder::Gpu`].
    #[serde(default, rename = "card")]
    pub gpu: Option<GpuDevice>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualityTask {
    pub quality: PlannedQuality,
    /// Segments to make, as rising inclusive ranges.
    pub missing: Vec<SegmentRange>,
    /// SHA-256, in hex, of the init segment that the farm has of this quality.
    #[serde(default)]
    pub known_init: Option<String>,
    #[serde(default)]
    pub coder: Coder,
}

/// Who encodes a quality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coder {
    #[default]
    Software,
    /// The GPU of the task.
    #[serde(rename = "card")]
    Gpu,
}

/// A GPU that the child may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuDevice {
    pub kind: GpuKind,
    /// The driver's id, or the render node. An NVIDIA GPU is the only one that the child sees: its environment says so.
    pub id: String,
    /// Decode and scale there too, where the source allows it.
    #[serde(rename = "on_card")]
    pub on_gpu: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderSettings {
    /// x264's word for speed against size, `veryfast` for instance; the other codecs take what comes nearest.
    pub preset: String,
    /// Threads that all encoders share.
    pub threads: u32,
}

impl Default for EncoderSettings {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { preset: "veryfast".to_owned(), threads: u32::try_from(threads).unwrap_or(1) }
    }
}

/// What the child says, a line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub enum Report {
    /// About once a second: how many bytes the probe has read of a source that is so large.
    Probing { read: u64, size: u64 },
    Probed {
        plan: Plan,
        #[serde(default)]
        spent: Option<Spent>,
    },
    /// A segment is whole at [`segment_path`]; the init segment of its quality was written before.
    Segment { quality: String, index: u32, bytes: u64 },
    /// About once a second, whether anything moves or not.
    Progress {
        qualities: Vec<QualityPace>,
        #[serde(default)]
        read: BytesRead,
    },
    /// The work on one quality is over, whole or not: said once, before the last word.
    Coded {
        quality: String,
        /// Who coded it, as in [`QualityPace`].
        encoder: String,
        spent: Spent,
    },
    /// One quality cannot be made; the others go on.
    QualityFailed {
        quality: String,
        /// `input_invalid` if the source is at fault: trying again cannot help.
        #[serde(default = "by_encoder")]
        class: ErrorClass,
        message: String,
    },
    /// The GPU failed, not the video. The child makes nothing more; its segments so far are good.
    #[serde(rename = "card_failed")]
    GpuFailed {
        stage: GpuStage,
        /// What ffmpeg returned.
        code: i32,
        message: String,
    },
    /// An image or its index is whole at `images/{name}` below the output directory.
    Image { name: String },
    /// A subtitle track is whole at `subtitles/{track}.vtt`; `track` counts as in the plan.
    Subtitle { track: u32 },
    /// Nothing was made after this: why, for the farm and in words for a person.
    Failed { class: ErrorClass, message: String },
    /// All that was asked for is there, or all up to a boundary after a [`STOP`].
    Done {
        /// It ended early because it was asked to.
        stopped: bool,
        /// Damage in the source that was worked around, in words.
        warnings: Vec<String>,
        /// The GPU of the task was to decode, and software decoded at least a part.
        #[serde(default)]
        software_decoded: bool,
    },
}

fn by_encoder() -> ErrorClass {
    ErrorClass::Encoder
}

/// What a GPU was asked for when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuStage {
    /// The device itself, or memory on it.
    Device,
    /// An encoder session.
    Open,
    /// A picture.
    Encode,
}

/// Bytes that the child has read since it began. They rise while it decodes towards the first segment that is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesRead {
    pub total: u64,
    /// By the thread that demuxes and decodes the picture.
    pub video: u64,
}

/// When something was done and how much. The child's clock begins with the child: instants would need clocks that agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub began_us: u64,
    pub lasted_us: u64,
    #[serde(default)]
    pub frames: u64,
    /// Seconds of the source.
    #[serde(default)]
    pub seconds: f64,
}

/// How fast one quality goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QualityPace {
    pub quality: String,
    /// Who codes it, as ffmpeg calls it; `copy` where nobody does.
    #[serde(default)]
    pub encoder: String,
    /// How much of the whole quality is encoded, segments of earlier attempts included; 0 to 100.
    pub percent: f64,
    /// Frames a second of real time, over the last seconds; 0 for sound.
    pub fps: f64,
    /// Seconds of the source a second of real time.
    pub speed: f64,
    /// Packets that the encoder gave so far. They rise while it codes what it was given long before.
    #[serde(default)]
    pub packets: u64,
}

/// Where the child puts the init segment of a quality.
pub fn init_path(output: &Path, quality: &str) -> PathBuf {
    output.join(quality).join("init.mp4")
}

/// Where the child puts a finished segment. Until it is whole it has another name.
pub fn segment_path(output: &Path, quality: &str, index: u32) -> PathBuf {
    output.join(quality).join(segment_name(index))
}

pub fn image_path(output: &Path, name: &str) -> PathBuf {
    output.join("images").join(name)
}

pub fn subtitle_path(output: &Path, track: u32) -> PathBuf {
    output.join("subtitles").join(format!("{track}.vtt"))
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn names_on_the_pipe_are_those_of_earlier_versions() {
        assert_eq!(to_value(Coder::Gpu).unwrap(), json!("card"));
        assert_eq!(from_value::<Coder>(json!("card")).unwrap(), Coder::Gpu);

        let gpu = GpuDevice { kind: GpuKind::Nvenc, id: "GPU-1".to_owned(), on_gpu: true };
        let on_the_pipe = json!({ "kind": "nvenc", "id": "GPU-1", "on_card": true });
        assert_eq!(to_value(&gpu).unwrap(), on_the_pipe);
        assert_eq!(from_value::<GpuDevice>(on_the_pipe.clone()).unwrap(), gpu);

        let failed =
            Report::GpuFailed { stage: GpuStage::Open, code: -12, message: "out of memory".to_owned() };
        let on_the_pipe =
            json!({ "report": "card_failed", "stage": "open", "code": -12, "message": "out of memory" });
        assert_eq!(to_value(&failed).unwrap(), on_the_pipe);
        assert_eq!(from_value::<Report>(on_the_pipe).unwrap(), failed);
    }

    /// Children reject fields that they do not know.
    #[test]
    fn a_task_has_the_fields_of_earlier_versions_alone() {
        let task = EncodeTask {
            source: "source".into(),
            output: "output".into(),
            plan: from_value(json!({ "source": { "duration_us": 0, "video": null }, "boundaries_us": [] }))
                .unwrap(),
            qualities: Vec::new(),
            images: false,
            subtitles: false,
            settings: EncoderSettings::default(),
            gpu: None,
        };
        let task = to_value(task).unwrap();
        let fields: Vec<_> = task.as_object().unwrap().keys().map(String::as_str).collect();
        let known = ["card", "images", "output", "plan", "qualities", "settings", "source", "subtitles"];
        assert_eq!(fields, known);
    }
}
