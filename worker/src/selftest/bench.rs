//! The clip that everything is tested with, and what it takes to encode it and to look at the result.

use std::path::{Path, PathBuf};

use framefarm_shared::ladder::{Ladder, PlannedQuality, VideoCodec};
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use mp4_atom::{Decode as _, Moof};
use tokio::process::Command;

use super::child::{self, Said};
use super::{Tested, in_directory};
use crate::encoder::clip::FRAMES;
use crate::encoder::protocol::{
    Coder, EncodeTask, EncoderSettings, GpuDevice, ProbeTask, QualityTask, Report, init_path, segment_path,
};

pub(super) struct Bench {
    program: PathBuf,
    scratch: PathBuf,
    clip: PathBuf,
    pub(super) plan: Plan,
}

/// What is to be encoded of the clip.
pub(super) struct Order<'a> {
    /// Where to; a new directory.
    pub(super) name: String,
    pub(super) codec: VideoCodec,
    /// None: software encodes.
    pub(super) gpu: Option<&'a Tested>,
    pub(super) on_gpu: bool,
    pub(super) segments: std::ops::Range<u32>,
    /// SHA-256 of the init segment that others made, by quality.
    pub(super) known_init: Option<String>,
}

/// Where one quality was put.
pub(super) struct Made {
    pub(super) output: PathBuf,
    pub(super) qualities: Vec<PlannedQuality>,
    pub(super) said: Said,
}

/// When a segment begins and how long it lasts, in its own ticks, and how many pictures it has.
pub(super) type Shape = (u64, u64, usize);

impl Bench {
    pub(super) async fn set_up(program: &Path, scratch: &Path) -> Result<Self, String> {
        in_directory(scratch)?;
        let clip = scratch.join("clip.mp4");
        let made = Command::new(program).arg("make-clip").arg(&clip).output().await;
        let made = made.map_err(|error| error.to_string())?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).trim().to_owned());
        }
        let plan = probe(program, &clip).await?;
        Ok(Self { program: program.to_owned(), scratch: scratch.to_owned(), clip, plan })
    }

    pub(super) fn segments(&self) -> u32 {
        self.plan.segment_count()
    }

    pub(super) async fn encode(&self, order: &Order<'_>) -> Result<Made, String> {
        let ladder = format!("360p:1500:{codec},180p:400:{codec}", codec = order.codec);
        let output = self.scratch.join(&order.name);
        in_directory(&output)?;
        let mut task = Self::task(&self.clip, &self.plan, &ladder, output.clone())?;
        let index = |index: u32| i32::try_from(index).unwrap_or(i32::MAX);
        for quality in &mut task.qualities {
            let range =
                SegmentRange { first: index(order.segments.start), last: index(order.segments.end) - 1 };
            quality.missing = vec![range];
            quality.known_init.clone_from(&order.known_init);
            quality.coder = if order.gpu.is_some() { Coder::Gpu } else { Coder::Software };
        }
        task.gpu =
            order.gpu.map(|gpu| GpuDevice { kind: gpu.kind, id: gpu.id.clone(), on_gpu: order.on_gpu });
        let said = child::run(&self.program, "encode", &task, order.gpu).await?;
        said.check()?;
        let qualities = task.qualities.into_iter().map(|task| task.quality).collect();
        Ok(Made { output, qualities, said })
    }

    fn task(source: &Path, plan: &Plan, ladder: &str, output: PathBuf) -> Result<EncodeTask, String> {
        let ladder: Ladder = ladder.parse()?;
        let planned = ladder.qualities_for(plan.shape(), None).into_iter().filter(|quality| !quality.skipped);
        let last = i32::try_from(plan.segment_count()).unwrap_or(i32::MAX) - 1;
        let missing = vec![SegmentRange { first: 0, last }];
        let quality = |quality| QualityTask {
            quality,
            missing: missing.clone(),
            known_init: None,
            coder: Coder::Software,
        };
        Ok(EncodeTask {
            source: source.to_owned(),
            output,
            plan: plan.clone(),
            qualities: planned.map(quality).collect(),
            images: false,
            subtitles: false,
            settings: EncoderSettings::default(),
            gpu: None,
        })
    }

    /// Software decodes these files, one after the other, to the last frame and without an error.
    pub(super) async fn check_decodes(
        &self,
        name: &str,
        parts: &[PathBuf],
        pictures: usize,
    ) -> Result<(), String> {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend(std::fs::read(part).map_err(|error| format!("{}: {error}", part.display()))?);
        }
        let (file, output) = (self.scratch.join(format!("{name}.mp4")), self.scratch.join(name));
        in_directory(&output)?;
        std::fs::write(&file, bytes).map_err(|error| error.to_string())?;
        let plan = probe(&self.program, &file).await?;
        let task = Self::task(&file, &plan, "90p:200", output.clone())?;
        let said = child::run(&self.program, "encode", &task, None).await?;
        said.check()?;
        let mut complaints = said.beside.split("; ").filter(|line| !line.starts_with("framefarm-worker: "));
        if complaints.any(|line| !line.is_empty()) {
            return Err(format!("the decoder reported errors: {}", said.beside));
        }
        let quality =
            task.qualities.first().map(|task| &task.quality.name).ok_or("the plan has no qualities")?;
        let mut seen = 0;
        for index in 0..plan.segment_count() {
            seen += shape(&segment_path(&output, quality, index))?.2;
        }
        if seen == pictures { Ok(()) } else { Err(format!("{seen} of {pictures} frames were decoded")) }
    }
}

impl Made {
    /// Init segment and these segments.
    pub(super) fn files(&self, quality: &str, segments: std::ops::Range<u32>) -> Vec<PathBuf> {
        let segments = segments.map(|index| segment_path(&self.output, quality, index));
        std::iter::once(init_path(&self.output, quality)).chain(segments).collect()
    }

    pub(super) fn shapes(&self, quality: &str, segments: std::ops::Range<u32>) -> Result<Vec<Shape>, String> {
        segments.map(|index| shape(&segment_path(&self.output, quality, index))).collect()
    }

    pub(super) fn fps(&self) -> f64 {
        f64::from(FRAMES) / self.said.took.as_secs_f64().max(0.001)
    }
}

async fn probe(program: &Path, source: &Path) -> Result<Plan, String> {
    let task = ProbeTask { source: source.to_owned(), copy: false };
    let said = child::run(program, "probe", &task, None).await?;
    match said.reports.into_iter().next_back() {
        Some(Report::Probed { plan, .. }) => Ok(plan),
        Some(Report::Failed { message, .. }) => Err(message),
        _ => Err(format!("the probe ended without a result: {}", said.beside)),
    }
}

/// Also checks that the segment starts with a keyframe.
fn shape(path: &Path) -> Result<Shape, String> {
    const NON_SYNC: u32 = 0x0001_0000;
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let moof = Moof::decode(&mut &bytes[..]).map_err(|error| format!("{}: {error}", path.display()))?;
    let track = moof.traf.first().ok_or("a segment has no track")?;
    let start = track.tfdt.as_ref().map_or(0, |tfdt| tfdt.base_media_decode_time);
    let samples: Vec<_> = track.trun.iter().flat_map(|run| run.samples.iter()).collect();
    if samples.first().is_none_or(|first| first.flags.unwrap_or(NON_SYNC) & NON_SYNC != 0) {
        return Err(format!("{} does not start with a keyframe", path.display()));
    }
    let length = samples.iter().map(|sample| u64::from(sample.duration.unwrap_or(0))).sum();
    Ok((start, length, samples.len()))
}
