//! What the encoder made of a source, and what must hold whatever the source is.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use framefarm_shared::ladder::{Ladder, MediaKind, PlannedQuality, VideoCodec};
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{
    Coder, EncodeTask, EncoderSettings, ProbeTask, QualityTask, Report, init_path, segment_path,
};
use tempfile::TempDir;

use crate::clip::Source;
use crate::driver::Running;
use crate::media::{self, Decoded, Frame};
use crate::segment::Segment;
use crate::signal;

const LADDER: &str = "108p:500,72p:250";
/// How far sound may be from its picture.
const SYNC_SECONDS: f64 = 0.02;

pub(crate) struct Made {
    pub(crate) plan: Plan,
    pub(crate) qualities: Vec<PlannedQuality>,
    pub(crate) output: PathBuf,
    pub(crate) said: Vec<Report>,
    source: PathBuf,
    decoded: OnceCell<BTreeMap<String, Decoded>>,
    _scratch: TempDir,
}

impl Source {
    pub(crate) fn plan(&self, copy: bool) -> Plan {
        let ended = Running::start("probe", &ProbeTask { source: self.path.clone(), copy }).finish();
        match &ended.said[..] {
            [.., Report::Probed { plan, .. }] => plan.clone(),
            other => panic!("{other:?} {}", ended.stderr),
        }
    }

    /// Every quality encoded, even where one could be copied.
    pub(crate) fn transcode(self) -> Made {
        self.transcode_to(LADDER)
    }

    pub(crate) fn transcode_to(self, ladder: &str) -> Made {
        let plan = self.plan(false);
        self.follow(plan, ladder)
    }

    pub(crate) fn follow(self, plan: Plan, ladder: &str) -> Made {
        let qualities = qualities(&plan, ladder);
        self.make(plan, &qualities)
    }

    pub(crate) fn make(self, plan: Plan, qualities: &[PlannedQuality]) -> Made {
        let task = task(&self, &plan, qualities);
        self.encode(plan, &task, Running::start("encode", &task))
    }

    /// Hears out an encoder that does this task.
    pub(crate) fn encode(self, plan: Plan, task: &EncodeTask, running: Running) -> Made {
        let qualities = task.qualities.iter().map(|task| task.quality.clone()).collect();
        let output = task.output.clone();
        let ended = running.finish();
        let last = ended.said.last();
        assert!(!ended.late, "still running");
        assert!(matches!(last, Some(Report::Done { stopped: false, .. })), "{last:?} {}", ended.stderr);
        assert!(ended.status.success());
        let (said, source) = (ended.said, self.path);
        Made { plan, qualities, output, said, source, decoded: OnceCell::new(), _scratch: self.scratch }
    }
}

pub(crate) fn qualities(plan: &Plan, ladder: &str) -> Vec<PlannedQuality> {
    let ladder: Ladder = ladder.parse().unwrap();
    let planned = ladder.qualities_for(plan.shape(), None);
    planned.into_iter().filter(|quality| !quality.skipped).collect()
}

/// Everything of these qualities, and images and subtitles.
pub(crate) fn task(source: &Source, plan: &Plan, qualities: &[PlannedQuality]) -> EncodeTask {
    let output = source.scratch.path().join("output");
    std::fs::create_dir_all(&output).unwrap();
    let all = SegmentRange { first: 0, last: i32::try_from(plan.segment_count()).unwrap() - 1 };
    let quality = |quality: &PlannedQuality| QualityTask {
        quality: quality.clone(),
        missing: vec![all],
        known_init: None,
        coder: Coder::Software,
    };
    EncodeTask {
        source: source.path.clone(),
        output,
        plan: plan.clone(),
        qualities: qualities.iter().map(quality).collect(),
        images: true,
        subtitles: true,
        settings: EncoderSettings { preset: "ultrafast".to_owned(), threads: 1 },
        gpu: None,
    }
}

impl Made {
    /// What holds for every source: it lasts so long, and every segment of every quality is there, begins exactly
    /// where the plan says, can be begun with, and is decoded without a complaint.
    pub(crate) fn is_whole(&self, seconds: f64) -> &Self {
        self.plan.check().unwrap();
        self.lasts(seconds);
        for quality in &self.qualities {
            self.check_quality(quality);
        }
        let pictures: Vec<_> = self.pictures().map(|quality| self.shape(quality)).collect();
        assert!(pictures.windows(2).all(|pair| pair[0] == pair[1]), "all sizes have the same times");
        assert!(self.qualities.iter().all(|quality| !self.is_leftover(quality)));
        self
    }

    /// Within a frame.
    fn lasts(&self, seconds: f64) {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a clip")]
        let planned = self.plan.source.duration_us as f64 / 1e6;
        let rate = self.plan.source.video.as_ref().map_or(25.0, |video| video.frame_rate);
        assert!((planned - seconds).abs() <= 1.0 / rate + 0.001, "{planned} s instead of {seconds} s");
    }

    fn check_quality(&self, quality: &PlannedQuality) {
        let segments = self.segments(quality);
        let (starts, mut told) = (self.starts(quality), vec![]);
        for (segment, span) in segments.iter().zip(starts.windows(2)) {
            assert_eq!(segment.start, span[0], "{}", quality.name);
            assert_eq!(segment.start + segment.duration(), span[1], "{}", quality.name);
            assert!(segment.is_in_order(), "{} at {}", quality.name, segment.start);
            self.check_size(quality, segment);
            if quality.kind == MediaKind::Video {
                assert!(segment.begins_anew(quality.codec), "{} at {}", quality.name, segment.start);
            }
            told.push((u32::try_from(told.len()).unwrap(), segment.bytes));
        }
        assert_eq!(self.told_of(quality), told);
        match quality.kind {
            MediaKind::Video => {
                let samples: usize = segments.iter().map(|segment| segment.samples.len()).sum();
                assert_eq!(self.frames(quality).len(), samples, "{}", quality.name);
            }
            MediaKind::Audio => assert_eq!(self.sound(&quality.name).len() as u64, starts[starts.len() - 1]),
        }
    }

    /// The cap holds over two seconds more than a segment lasts, and AAC and AV1 know no cap.
    fn check_size(&self, quality: &PlannedQuality, segment: &Segment) {
        let capped = quality.kind == MediaKind::Video && quality.codec != VideoCodec::Av1 && !self.plan.copy;
        let milliseconds = segment.duration() / 90 + 2_000;
        let most = u64::from(quality.bitrate_kbps) * milliseconds * 110 / 100 / 8;
        assert!(!capped || segment.bytes < most, "{}: {} of {most} bytes", quality.name, segment.bytes);
    }

    /// Where segments begin and the last one ends, in ticks of the track: of a frame exactly, of sound at the
    /// nearest packet.
    fn starts(&self, quality: &PlannedQuality) -> Vec<u64> {
        let ticks = |us: &u64| match quality.kind {
            MediaKind::Video => (us * 90 + 500) / 1000,
            MediaKind::Audio => ((us * 48 + 500) / 1000 + 512) / 1024 * 1024,
        };
        self.plan.boundaries_us.iter().map(ticks).collect()
    }

    fn told_of(&self, quality: &PlannedQuality) -> Vec<(u32, u64)> {
        let told = self.said.iter().filter_map(|report| match report {
            Report::Segment { quality: name, index, bytes } if *name == quality.name => {
                Some((*index, *bytes))
            }
            _ => None,
        });
        told.collect()
    }

    fn shape(&self, quality: &PlannedQuality) -> Vec<(u64, usize)> {
        self.segments(quality).iter().map(|segment| (segment.start, segment.samples.len())).collect()
    }

    /// More in its directory than its init segment and what the plan says.
    fn is_leftover(&self, quality: &PlannedQuality) -> bool {
        let files = std::fs::read_dir(self.output.join(&quality.name)).unwrap().count();
        files != self.plan.segment_count() as usize + 1
    }

    pub(crate) fn segments(&self, quality: &PlannedQuality) -> Vec<Segment> {
        let path = |index| segment_path(&self.output, &quality.name, index);
        (0..self.plan.segment_count()).map(|index| Segment::read(&path(index))).collect()
    }

    pub(crate) fn pictures(&self) -> impl Iterator<Item = &PlannedQuality> {
        self.qualities.iter().filter(|quality| quality.kind == MediaKind::Video)
    }

    pub(crate) fn frames(&self, quality: &PlannedQuality) -> &[Frame] {
        match &self.decoded()[&quality.name] {
            Decoded::Frames(frames) => frames,
            Decoded::Sound(_) => panic!("{} is audio", quality.name),
        }
    }

    pub(crate) fn sound(&self, name: &str) -> &[f32] {
        match &self.decoded()[name] {
            Decoded::Sound(sound) => sound,
            Decoded::Frames(_) => panic!("{name} is video"),
        }
    }

    /// All qualities, decoded without a complaint.
    fn decoded(&self) -> &BTreeMap<String, Decoded> {
        self.decoded.get_or_init(|| {
            let files: Vec<_> = self.qualities.iter().map(|quality| self.file(&quality.name)).collect();
            let kinds = self.qualities.iter().map(|quality| quality.kind);
            let files: Vec<_> = files.iter().map(PathBuf::as_path).zip(kinds).collect();
            let names = self.qualities.iter().map(|quality| quality.name.clone());
            names.zip(media::decode(&files)).collect()
        })
    }

    /// A quality as one file.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let file = self.output.with_file_name(format!("{name}.mp4"));
        if !file.exists() {
            let segments =
                (0..self.plan.segment_count()).map(|index| segment_path(&self.output, name, index));
            let parts = std::iter::once(init_path(&self.output, name)).chain(segments);
            let bytes: Vec<u8> = parts.flat_map(|part| std::fs::read(part).unwrap()).collect();
            std::fs::write(&file, bytes).unwrap();
        }
        file
    }

    /// As many frames as ffprobe counts in the source.
    pub(crate) fn shows_every_frame(&self) -> &Self {
        self.shows(media::count_frames(&self.source))
    }

    pub(crate) fn shows(&self, frames: usize) -> &Self {
        for quality in self.pictures() {
            assert_eq!(self.frames(quality).len(), frames, "frames of {}", quality.name);
        }
        self
    }

    /// The picture turns white when the tone begins.
    pub(crate) fn is_in_sync(&self) -> &Self {
        let smallest = self.pictures().last().unwrap();
        let (seen, heard) = (signal::flash(self.frames(smallest)), signal::tone(self.sound("audio0")));
        assert!((seen - heard).abs() < SYNC_SECONDS, "seen at {seen} s, heard at {heard} s");
        self
    }

    /// How long its best picture is shown, or its first sound is heard.
    pub(crate) fn seconds(&self) -> f64 {
        let quality = &self.qualities[0];
        let ends: u64 = self.segments(quality).last().map_or(0, |last| last.start + last.duration());
        let units = if quality.kind == MediaKind::Video { 90_000.0 } else { 48_000.0 };
        #[expect(clippy::cast_precision_loss, reason = "ticks of a day at most")]
        let seconds = ends as f64 / units;
        seconds
    }

    /// What it said of damage in the source.
    pub(crate) fn warnings(&self) -> &[String] {
        match self.said.last() {
            Some(Report::Done { warnings, .. }) => warnings,
            _ => &[],
        }
    }

    pub(crate) fn sizes(&self) -> Vec<(u32, u32)> {
        self.pictures().map(|quality| (quality.width, quality.height)).collect()
    }

    pub(crate) fn source(&self) -> &Path {
        &self.source
    }
}
