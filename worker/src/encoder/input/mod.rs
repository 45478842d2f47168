//! The source, opened with suspicion: what it may be, and which of its streams matter.

mod tracks;
mod video_track;

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::Stream;
use ffmpeg_next::{Dictionary, Error, Packet, Rational, format};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::MAX_STREAMS;

use self::tracks::{audio_refusal, find_audio, find_subtitles};
pub(super) use self::tracks::{bitmap_subtitles, unreadable_audio};
pub(super) use self::video_track::{Hdr, SourceVideo};
use self::video_track::{find_cover, find_video};
use super::cut_off::lacks_index;
use super::decoders;
use super::failure::{Failure, Result};
use super::ff;
use super::outliers::{Forgetful, Outliers};
use super::still_image;
use super::time::{TICK_BASE, TICKS, rescale};
use super::timeline::Timeline;
use super::ts_packets;

/// Containers and bare streams of one file each. Playlists (hls, dash, concat, ffconcat) and sequences of images (image2)
/// would open other files.
const CONTAINERS: &str = "aac,ac3,aiff,apng,asf,av1,avi,dv,flac,flv,gif,h264,hevc,ivf,m4v,matroska,mov,mp3,mp4,mpeg,\
    mpegts,mpegvideo,mxf,obu,ogg,rm,w64,wav,webm,yuv4mpegpipe";
/// Streams of pictures and nothing else: their frames can only be counted, from the first one on.
const UNTIMED: [&str; 6] = ["av1", "h264", "hevc", "m4v", "mpegvideo", "obu"];
/// So many damaged packets in a row are passed over; then nothing more is expected of the file.
const PATIENCE: usize = 10_000;
/// What a disk or a share says that fails.
const FAILING_STORAGE: [i32; 3] = [libc::EIO, libc::ESTALE, libc::ETIMEDOUT];
/// How much earlier than the picture sound may begin without shifting the whole.
const LEAD: i64 = TICKS / 10;

/// A packet, and where its section ends.
struct Placed {
    packet: Packet,
    section_end: Option<i64>,
}

impl Forgetful for Placed {
    fn forget_times(&mut self) {
        self.packet.set_pts(None);
        self.packet.set_dts(None);
    }
}

/// An opened source.
pub(super) struct Source {
    pub(super) input: Input,
    pub(super) video: Option<SourceVideo>,
    pub(super) audio: Vec<SourceAudio>,
    pub(super) subtitles: Vec<SourceSubtitles>,
    /// Where the video begins, in ticks of the source's own time.
    pub(super) origin: i64,
    timeline: Timeline,
    /// Where in the file each stream is; a packet may hold several frames, and only the first one knows.
    positions: HashMap<usize, u64>,
    section_end: Option<i64>,
    /// Its joins are known, so what still jumps is damage.
    follows: bool,
    outliers: Outliers<Placed>,
    path: PathBuf,
    /// Nothing was read yet.
    untouched: bool,
}

#[derive(Clone, Debug)]
pub(super) struct SourceAudio {
    pub(super) index: usize,
    pub(super) time_base: Rational,
    pub(super) channels: u32,
    pub(super) language: Option<String>,
    pub(super) title: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct SourceSubtitles {
    pub(super) index: usize,
    pub(super) time_base: Rational,
    pub(super) language: Option<String>,
    pub(super) title: Option<String>,
    pub(super) forced: bool,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if !file.is_file() {
            return Err(Failure::invalid("the source is not a regular file"));
        }
        if file.len() == 0 {
            return Err(Failure::invalid("the file is empty"));
        }
        let input = open(path)?;
        let video = find_video(&input)?;
        let audio = find_audio(&input);
        if video.is_none() && audio.is_empty() {
            let nothing = || Failure::invalid("the file has no video or audio track that can be read");
            return Err(audio_refusal(&input).unwrap_or_else(nothing));
        }
        let origin = origin(&input, video.as_ref(), &audio);
        Ok(Self {
            subtitles: find_subtitles(&input),
            input,
            video,
            audio,
            origin,
            timeline: Timeline::default(),
            positions: HashMap::new(),
            section_end: None,
            follows: false,
            outliers: Outliers::default(),
            path: path.to_owned(),
            untouched: true,
        })
    }

    /// From now on its timestamps are those of one clock.
    pub(super) fn follow(&mut self, timeline: Timeline) {
        self.timeline = timeline;
        self.follows = true;
    }

    /// An instant of a stream in ticks from the beginning of the video.
    pub(super) fn ticks(&self, at: i64, time_base: Rational) -> i64 {
        rescale(at, time_base, TICK_BASE).saturating_sub(self.origin)
    }

    /// The next packet that is not damaged, with the timestamps of the timeline; false, and an empty packet, at the end.
    pub(super) fn read(&mut self, packet: &mut Packet) -> Result<bool> {
        if !(self.follows && self.may_jump()) {
            return self.read_placed(packet);
        }
        *packet = Packet::empty();
        let mut is_over = false;
        loop {
            if let Some(placed) = self.outliers.pop() {
                (*packet, self.section_end) = (placed.packet, placed.section_end);
                return Ok(true);
            }
            if is_over {
                return Ok(false);
            }
            let mut next = Packet::empty();
            if !self.read_placed(&mut next)? {
                is_over = true;
                self.outliers.finish();
                continue;
            }
            let stream = next.stream();
            let time_base = self.input.stream(stream).map(|stream| stream.time_base());
            // Behind the first frame of a PES packet libav only counts on.
            let own = next.dts().filter(|_| next.position() >= 0);
            let at = own.zip(time_base).map(|(at, time_base)| self.ticks(at, time_base));
            self.outliers.push(stream, at, Placed { packet: next, section_end: self.section_end });
        }
    }

    fn read_placed(&mut self, packet: &mut Packet) -> Result<bool> {
        self.untouched = false;
        let mut damaged = 0;
        while damaged < PATIENCE {
            // Reading into a packet that holds one forgets its bytes; it does not free them.
            *packet = Packet::empty();
            match packet.read(&mut self.input) {
                Ok(()) if self.place(packet) => return Ok(true),
                Ok(()) => {}
                Err(Error::InvalidData) => damaged += 1,
                Err(_) => break,
            }
        }
        self.ended()
    }

    /// Demuxers have many words for the end of a file; only the file itself tells whether it could not be read.
    fn ended(&mut self) -> Result<bool> {
        match ff::read_error(&mut self.input) {
            None => Ok(false),
            Some(error) => {
                Err(Failure::new(ErrorClass::Storage, format!("reading the source failed: {error}")))
            }
        }
    }

    /// Corrects the timestamps of a packet. False if it lies beyond the end of its section: at a join the picture decides
    /// when the next recording begins.
    fn place(&mut self, packet: &mut Packet) -> bool {
        // AVI has only an order of decoding; what libav adds is a guess that is off by what the decoder holds back.
        if self.is_one_of(&["avi"]) {
            packet.set_pts(None);
        }
        if self.may_jump() && pts_is_absurd(packet, self.input.stream(packet.stream())) {
            packet.set_pts(None);
        }
        self.timeline.is_plain() || self.correct(packet)
    }

    fn correct(&mut self, packet: &mut Packet) -> bool {
        let latest = self.positions.entry(packet.stream()).or_default();
        *latest = u64::try_from(packet.position()).unwrap_or(*latest);
        let Some(stream) = self.input.stream(packet.stream()) else { return true };
        let (offset, end) = self.timeline.correction(packet.stream(), *latest);
        let offset = rescale(offset, TICK_BASE, stream.time_base());
        packet.set_pts(packet.pts().map(|at| at.saturating_add(offset)));
        packet.set_dts(packet.dts().map(|at| at.saturating_add(offset)));
        let at = packet.pts().or(packet.dts()).map(|at| self.ticks(at, stream.time_base()));
        self.section_end = end;
        at.zip(end).is_none_or(|(at, end)| at < end)
    }

    /// Where the recording ends that the last packet belongs to, in ticks; none if it is the last or the only one.
    pub(super) fn section_end(&self) -> Option<i64> {
        self.section_end
    }

    fn forget_place(&mut self) {
        self.positions.clear();
        self.outliers = Outliers::default();
    }

    /// Back to the first byte, whatever its times say.
    pub(super) fn rewind(&mut self, keep: usize) -> Result<()> {
        if !std::mem::replace(&mut self.untouched, true) {
            self.input = open(&self.path)?;
            self.forget_place();
        }
        ff::keep_only(&mut self.input, &[keep]);
        Ok(())
    }

    /// Whether times may begin anew on the way, as they do where broadcasts were joined. Such a file has no index either.
    pub(super) fn may_jump(&self) -> bool {
        self.is_one_of(&["mpegts", "mpeg"])
    }

    /// Whether only some of its frames have a time of their own, and libav guesses the others.
    pub(super) fn guesses_times(&self) -> bool {
        self.is_one_of(&["mpeg"])
    }

    fn is_one_of(&self, formats: &[&str]) -> bool {
        self.input.format().name().split(',').any(|name| formats.contains(&name))
    }

    /// The first picture that is attached to the file, if it can be decoded.
    pub(super) fn cover(&self) -> Option<SourceVideo> {
        find_cover(&self.input)
    }

    /// No packet of the picture's transport stream was lost; other containers have none.
    pub(super) fn has_whole_packets(&self) -> bool {
        let stream = self.video.as_ref().and_then(|video| self.input.stream(video.index));
        match stream {
            Some(stream) if self.is_one_of(&["mpegts"]) => u16::try_from(ff::stream_id(&stream))
                .is_ok_and(|identifier| ts_packets::are_whole(&self.path, identifier)),
            _ => true,
        }
    }

    /// Goes to a place from which everything from `ticks` on can be decoded: the beginning, if nothing better is known.
    pub(super) fn go_to(&mut self, stream: usize, time_base: Rational, ticks: i64) -> Result<()> {
        if ticks <= 0 || self.is_one_of(&UNTIMED) {
            return self.rewind(stream);
        }
        let point = self.timeline.seek_point(ticks);
        let sought = match point {
            Some(position) => {
                self.forget_place();
                ff::seek_to_byte(&mut self.input, position)
            }
            // Its own idea of a place is any packet, not a keyframe.
            None if self.may_jump() || !self.timeline.is_plain() => Err(Error::Unknown),
            None => {
                let target = rescale(ticks.saturating_add(self.origin), TICK_BASE, time_base);
                ff::seek_back(&mut self.input, stream, target)
            }
        };
        self.untouched = false;
        if sought.is_err() { self.rewind(stream) } else { Ok(()) }
    }
}

fn open(path: &Path) -> Result<Input> {
    if path.to_str().is_none_or(|text| text.contains('\0')) {
        return Err(Failure::internal("source", "its path is not UTF-8"));
    }
    let mut options = Dictionary::new();
    options.set("format_whitelist", CONTAINERS);
    options.set("codec_whitelist", decoders::allow_list());
    options.set("protocol_whitelist", "file");
    options.set("max_streams", &MAX_STREAMS.to_string());
    // References to other files inside a mov are an old way to read what is not ours.
    options.set("enable_drefs", "0");
    let opened = format::input_with_dictionary(path, options);
    opened.map_err(|error| match read_ends(path) {
        Err(unread) => unreadable(path, &unread),
        Ok(()) => still_image::refusal(path).unwrap_or_else(|| not_a_video(path, error)),
    })
}

/// The beginning and the end of the file can be read, which is where containers say what they are. libav has no word for
/// a disk that fails there.
fn read_ends(path: &Path) -> std::io::Result<()> {
    const LENGTH: u64 = 16 << 20;
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    for start in [0, end.saturating_sub(LENGTH)] {
        file.seek(SeekFrom::Start(start))?;
        std::io::copy(&mut (&mut file).take(LENGTH), &mut std::io::sink())?;
    }
    Ok(())
}

fn not_a_video(path: &Path, error: Error) -> Failure {
    match error {
        Error::InvalidData | Error::Eof if lacks_index(path) => Failure::invalid(
            "the file's index (moov) is missing; it was probably cut off while copying. Copy it again",
        ),
        Error::InvalidData => Failure::invalid("the file is not a video, or its beginning is damaged"),
        Error::Other { errno: ffmpeg_next::error::EINVAL } => {
            Failure::invalid("unsupported file type (playlists are not accepted)")
        }
        Error::Other { errno: ffmpeg_next::error::EACCES | ffmpeg_next::error::EPERM } => denied(),
        Error::Other { errno } if FAILING_STORAGE.contains(&errno) => {
            Failure::new(ErrorClass::Storage, format!("the source could not be read: {error}"))
        }
        other => Failure::invalid(format!("the file cannot be read as a video: {other}")),
    }
}

/// So far from when it is decoded no frame is shown: the packet is damaged.
fn pts_is_absurd(packet: &Packet, stream: Option<Stream<'_>>) -> bool {
    const MOST: i64 = 10 * TICKS;
    let Some((pts, dts)) = packet.pts().zip(packet.dts()) else { return false };
    stream.is_some_and(|stream| rescale(pts - dts, stream.time_base(), TICK_BASE).abs() > MOST)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(ErrorClass::InputMissing, "the source file is missing"),
        std::io::ErrorKind::PermissionDenied => denied(),
        _ => Failure::storage(path, error),
    }
}

fn denied() -> Failure {
    Failure::new(ErrorClass::InputDenied, "the worker has no permission to read the source")
}

/// The picture's beginning; the sound's, if it begins clearly earlier.
fn origin(input: &Input, video: Option<&SourceVideo>, audio: &[SourceAudio]) -> i64 {
    let start = |index: usize, time_base: Rational| {
        let start = input.stream(index).map(|stream| stream.start_time())?;
        (start != ffmpeg_next::ffi::AV_NOPTS_VALUE).then(|| rescale(start, time_base, TICK_BASE))
    };
    let shown = video.and_then(|video| start(video.index, video.time_base));
    let heard = audio.iter().filter_map(|track| start(track.index, track.time_base)).min();
    match (shown, heard) {
        (Some(shown), Some(heard)) if heard < shown - LEAD => heard,
        (Some(shown), _) => shown,
        (None, heard) => heard.unwrap_or(0),
    }
}
