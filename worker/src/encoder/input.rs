//! The source, opened with suspicion: what it may be, and which of its streams matter.

use std::path::{Path, PathBuf};

use ffmpeg_next::codec::{self, Id};
use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::{Disposition, Stream};
use ffmpeg_next::util::color::{self, TransferCharacteristic};
use ffmpeg_next::{Dictionary, Error, Packet, Rational, format, media, packet};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::{MAX_AUDIO_TRACKS, MAX_PIXELS, MAX_SUBTITLE_TRACKS};

use super::failure::{Failure, Result};
use super::ff;
use super::time::{TICK_BASE, TICKS, rescale};
use super::video_encoder::Colors;

/// Containers of one file each. Playlists (hls, dash, concat, ffconcat) would open other files.
const CONTAINERS: &str =
    "aac,ac3,aiff,asf,avi,flac,flv,gif,matroska,mov,mp3,mp4,mpeg,mpegts,mxf,ogg,rm,w64,wav,webm";
const MAX_STREAMS: &str = "256";
/// So many damaged packets in a row are passed over; then nothing more is expected of the file.
const PATIENCE: usize = 10_000;
/// How much earlier than the picture sound may begin without shifting the whole.
const LEAD: i64 = TICKS / 10;

/// An opened source.
pub(super) struct Source {
    pub(super) input: Input,
    pub(super) picture: Option<Picture>,
    pub(super) sounds: Vec<Sound>,
    pub(super) texts: Vec<Text>,
    /// Where the video begins, in ticks of the source's own time.
    pub(super) origin: i64,
    path: PathBuf,
    /// Nothing was read yet.
    untouched: bool,
}

/// The stream that is shown.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) index: usize,
    pub(super) time_base: Rational,
    pub(super) codec: Id,
    /// As coded.
    pub(super) size: (u32, u32),
    /// As displayed: square pixels, upright.
    pub(super) shown: (u32, u32),
    /// Quarter turns clockwise.
    pub(super) turns: u8,
    pub(super) square: bool,
    pub(super) interlaced: bool,
    pub(super) hdr: Option<Hdr>,
    /// Eight bits, 4:2:0, as every player shows it.
    pub(super) plain: bool,
    pub(super) rate: Rational,
    /// Of this stream, or of the whole file if that is all that is known.
    pub(super) kbps: u64,
    pub(super) colors: Colors,
}

impl Picture {
    /// How long a frame lasts where nothing tells.
    pub(super) fn frame_ticks(&self) -> i64 {
        let rate = if (1.0..=240.0).contains(&f64::from(self.rate)) { self.rate } else { Rational(25, 1) };
        rescale(1, rate.invert(), TICK_BASE).max(1)
    }

    /// Larger than full HD, upright or not.
    pub(super) fn is_large(&self) -> bool {
        u64::from(self.size.0) * u64::from(self.size.1) > 1920 * 1088
    }
}

/// The curve of a high dynamic range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hdr {
    Pq,
    Hlg,
}

#[derive(Clone, Debug)]
pub(super) struct Sound {
    pub(super) index: usize,
    pub(super) time_base: Rational,
    pub(super) channels: u32,
    pub(super) language: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Text {
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
            return Err(Failure::invalid("the source is not a file"));
        }
        if file.len() == 0 {
            return Err(Failure::invalid("the file is empty"));
        }
        let input = open(path)?;
        let picture = find_picture(&input)?;
        let sounds = find_sounds(&input);
        if picture.is_none() && sounds.is_empty() {
            return Err(Failure::invalid("the file has neither a picture nor a sound that we can read"));
        }
        let origin = origin(&input, picture.as_ref(), &sounds);
        Ok(Self {
            texts: find_texts(&input),
            input,
            picture,
            sounds,
            origin,
            path: path.to_owned(),
            untouched: true,
        })
    }

    /// An instant of a stream in ticks from the beginning of the video.
    pub(super) fn ticks(&self, at: i64, time_base: Rational) -> i64 {
        rescale(at, time_base, TICK_BASE).saturating_sub(self.origin)
    }

    /// The next packet that is not damaged; false at the end.
    pub(super) fn read(&mut self, packet: &mut Packet) -> bool {
        for _ in 0..PATIENCE {
            // Reading into a packet that holds one forgets its bytes; it does not free them.
            *packet = Packet::empty();
            match packet.read(&mut self.input) {
                Ok(()) => return true,
                Err(Error::InvalidData) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Back to the first byte, whatever its times say.
    pub(super) fn rewind(&mut self, keep: usize) -> Result<()> {
        if !std::mem::replace(&mut self.untouched, false) {
            self.input = open(&self.path)?;
        }
        ff::keep_only(&mut self.input, &[keep]);
        Ok(())
    }

    /// Whether times may begin anew on the way, as they do where broadcasts were joined.
    pub(super) fn may_jump(&self) -> bool {
        self.input.format().name().split(',').any(|name| matches!(name, "mpegts" | "mpeg"))
    }

    /// Goes to a place from which everything from `ticks` on can be decoded: the beginning, if nothing better is
    /// known.
    pub(super) fn go_to(&mut self, stream: usize, time_base: Rational, ticks: i64) -> Result<(), Error> {
        if ticks <= 0 && std::mem::replace(&mut self.untouched, false) {
            return Ok(());
        }
        self.untouched = false;
        let target = rescale(ticks.max(0).saturating_add(self.origin), TICK_BASE, time_base);
        ff::seek_back(&mut self.input, stream, target)
            .or_else(|_| ff::seek_back(&mut self.input, stream, 0))
            .or_else(|_| self.input.seek(i64::MIN, ..))
    }
}

fn open(path: &Path) -> Result<Input> {
    if path.to_str().is_none_or(|text| text.contains('\0')) {
        return Err(Failure::internal("source", "its path is not UTF-8"));
    }
    let mut options = Dictionary::new();
    options.set("format_whitelist", CONTAINERS);
    options.set("protocol_whitelist", "file");
    options.set("max_streams", MAX_STREAMS);
    // References to other files inside a mov are an old way to read what is not ours.
    options.set("enable_drefs", "0");
    format::input_with_dictionary(path, options).map_err(|error| match error {
        Error::InvalidData => Failure::invalid("the file is not a video, or its beginning is damaged"),
        Error::Other { errno: ffmpeg_next::error::EINVAL } => {
            Failure::invalid("the file is not a video of a kind we read (playlists are not)")
        }
        Error::Other { errno: ffmpeg_next::error::EACCES | ffmpeg_next::error::EPERM } => denied(),
        other => Failure::invalid(format!("the file cannot be read as a video: {other}")),
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(ErrorClass::InputMissing, "the source is gone"),
        std::io::ErrorKind::PermissionDenied => denied(),
        _ => Failure::storage(path, error),
    }
}

fn denied() -> Failure {
    Failure::new(ErrorClass::InputDenied, "the source may not be read")
}

fn find_picture(input: &Input) -> Result<Option<Picture>> {
    let is_film = |stream: &Stream<'_>| {
        stream.parameters().medium() == media::Type::Video
            && !stream.disposition().contains(Disposition::ATTACHED_PIC)
            && stream.parameters().id() != Id::None
    };
    let pixels = |stream: &Stream<'_>| {
        let declared = ff::declared(stream);
        (stream.disposition().contains(Disposition::DEFAULT), declared.width.saturating_mul(declared.height))
    };
    // The largest of the default ones, and of equals the first.
    let best = input
        .streams()
        .filter(is_film)
        .reduce(|best, next| if pixels(&next) > pixels(&best) { next } else { best });
    best.map(|stream| {
        let rates = [stream.parameters().bit_rate(), input.bit_rate()];
        let kbps =
            rates.into_iter().find(|rate| *rate > 0).map_or(u64::MAX, |rate| rate.unsigned_abs() / 1000);
        picture_of(&stream, kbps)
    })
    .transpose()
}

fn picture_of(stream: &Stream<'_>, kbps: u64) -> Result<Picture> {
    let declared = ff::declared(stream);
    let size = (side(declared.width)?, side(declared.height)?);
    if u64::from(size.0) * u64::from(size.1) > MAX_PIXELS {
        return Err(Failure::invalid(format!(
            "the picture is {}x{}; at most {MAX_PIXELS} pixels are taken",
            size.0, size.1
        )));
    }
    let (square, wide) = squared(size, declared.aspect);
    let turns = quarter_turns(stream);
    let shown = if turns % 2 == 1 { (wide.1, wide.0) } else { wide };
    let rates = [stream.avg_frame_rate(), stream.rate()];
    let usable = |rate: &Rational| rate.0 > 0 && rate.1 > 0 && f64::from(*rate) <= 1000.0;
    let decoder = codec::Context::from_parameters(stream.parameters())
        .and_then(|context| context.decoder().video())
        .map_err(|error| Failure::invalid(format!("the picture's codec cannot be decoded: {error}")))?;
    let hdr = match decoder.color_transfer_characteristic() {
        TransferCharacteristic::SMPTE2084 => Some(Hdr::Pq),
        TransferCharacteristic::ARIB_STD_B67 => Some(Hdr::Hlg),
        _ => None,
    };
    Ok(Picture {
        index: stream.index(),
        time_base: stream.time_base(),
        codec: stream.parameters().id(),
        size,
        shown,
        turns,
        square,
        interlaced: declared.interlaced,
        hdr,
        plain: decoder.format() == format::Pixel::YUV420P,
        rate: rates.into_iter().find(usable).unwrap_or(Rational(25, 1)),
        kbps,
        colors: if hdr.is_some() { Colors::BT709 } else { colors_of(&decoder) },
    })
}

/// RGB has no matrix until we give it one.
fn colors_of(decoder: &codec::decoder::Video) -> Colors {
    match decoder.color_space() {
        color::Space::RGB => Colors::BT709,
        space => Colors {
            primaries: decoder.color_primaries(),
            transfer: decoder.color_transfer_characteristic(),
            space,
        },
    }
}

fn side(length: i32) -> Result<u32> {
    match u32::try_from(length) {
        Ok(length @ 2..) => Ok(length),
        _ => Err(Failure::invalid("the picture has no size; the file may be damaged")),
    }
}

/// The width that the picture has on a screen. A shape beyond all reason is not believed.
fn squared((width, height): (u32, u32), aspect: Rational) -> (bool, (u32, u32)) {
    let stretch = f64::from(aspect);
    if aspect.0 <= 0 || aspect.1 <= 0 || aspect.0 == aspect.1 || !(0.1..=10.0).contains(&stretch) {
        return (true, (width, height));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded by ten times a width"
    )]
    let wide = (f64::from(width) * stretch).round() as u32;
    (false, (wide.max(2), height))
}

/// From the display matrix, whose first row tells where the picture's right side points.
fn quarter_turns(stream: &Stream<'_>) -> u8 {
    let is_matrix = |data: &packet::SideData<'_>| data.kind() == packet::side_data::Type::DisplayMatrix;
    let Some(matrix) = stream.side_data().find(is_matrix) else { return 0 };
    let number = |at: usize| {
        let bytes = matrix.data().get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, i32::from_ne_bytes)
    };
    let (a, b) = (f64::from(number(0)), f64::from(number(1)));
    let degrees = b.atan2(a).to_degrees();
    #[expect(clippy::cast_possible_truncation, reason = "from -2 to 2")]
    let turns = (degrees / 90.0).round() as i8;
    u8::try_from(turns.rem_euclid(4)).unwrap_or(0)
}

fn find_sounds(input: &Input) -> Vec<Sound> {
    let streams = input.streams().filter(|stream| stream.parameters().medium() == media::Type::Audio);
    let known = streams.filter(|stream| codec::decoder::find(stream.parameters().id()).is_some());
    known
        .filter_map(|stream| {
            let channels = ff::declared(&stream).channels.min(64);
            let sound = Sound {
                index: stream.index(),
                time_base: stream.time_base(),
                channels,
                language: language(&stream),
            };
            (channels > 0).then_some(sound)
        })
        .take(MAX_AUDIO_TRACKS)
        .collect()
}

/// Pictures of text (DVD, Blu-ray) would need reading; only text is taken.
fn find_texts(input: &Input) -> Vec<Text> {
    let is_text = |stream: &Stream<'_>| {
        matches!(
            stream.parameters().id(),
            Id::SUBRIP | Id::SRT | Id::ASS | Id::SSA | Id::MOV_TEXT | Id::WEBVTT | Id::TEXT
        )
    };
    input
        .streams()
        .filter(is_text)
        .map(|stream| Text {
            index: stream.index(),
            time_base: stream.time_base(),
            language: language(&stream),
            title: stream.metadata().get("title").map(|title| title.chars().take(100).collect()),
            forced: stream.disposition().contains(Disposition::FORCED),
        })
        .take(MAX_SUBTITLE_TRACKS)
        .collect()
}

fn language(stream: &Stream<'_>) -> Option<String> {
    let metadata = stream.metadata();
    let tag = metadata.get("language")?;
    let fits = (2..=35).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (fits && tag != "und").then(|| tag.to_owned())
}

/// The picture's beginning; the sound's, if it begins clearly earlier.
fn origin(input: &Input, picture: Option<&Picture>, sounds: &[Sound]) -> i64 {
    let start = |index: usize, time_base: Rational| {
        let start = input.stream(index).map(|stream| stream.start_time())?;
        (start != ffmpeg_next::ffi::AV_NOPTS_VALUE).then(|| rescale(start, time_base, TICK_BASE))
    };
    let shown = picture.and_then(|picture| start(picture.index, picture.time_base));
    let heard = sounds.iter().filter_map(|sound| start(sound.index, sound.time_base)).min();
    match (shown, heard) {
        (Some(shown), Some(heard)) if heard < shown - LEAD => heard,
        (Some(shown), _) => shown,
        (None, heard) => heard.unwrap_or(0),
    }
}
