//! Poster, thumbnails and storyboard, from frames that the qualities are made of anyway.
//!
//! What lies in segments that were made before is fetched at the end: one keyframe for each picture that is missing.

use std::fmt::Write as _;
use std::sync::mpsc::SyncSender;

use ffmpeg_next::codec::discard::Discard;
use ffmpeg_next::util::color::Space;
use ffmpeg_next::{Error, frame};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::Plan;

use super::cutter::{Shared, put};
use super::decode_pass::{Ended, FrameSink};
use super::failure::{Failure, Result};
use super::ff;
use super::frame_grab::FrameGrabber;
use super::gpu_scaler::is_on_gpu;
use super::input::{Source, SourceVideo};
use super::jpeg;
use super::protocol::{GpuStage, Report, image_path};
use super::report::Orders;
use super::rung::PlacedFrame;
use super::time::{TICKS, ticks_of_us};

const POSTER_SIDE: u32 = 1280;
const THUMBNAIL_SIDE: u32 = 320;
const TILE_SIDE: u32 = 160;
const THUMBNAILS: i64 = 10;
const MOST_TILES: i64 = 200;
const COLUMNS: usize = 10;
const TILES_A_SHEET: usize = 100;

/// A picture that is wanted at an instant.
struct Moment {
    at: i64,
    use_as: Use,
    taken: Option<frame::Video>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Tile,
    Thumbnail,
}

impl Use {
    fn side(self) -> u32 {
        match self {
            Self::Tile => TILE_SIDE,
            Self::Thumbnail => THUMBNAIL_SIDE,
        }
    }
}

pub(super) struct Images {
    shared: Shared,
    end: i64,
    /// Rising.
    moments: Vec<Moment>,
    /// The frame with the most to see, large, and how much that is. Thumbnails come before tiles.
    poster: Option<((bool, u64), frame::Video)>,
    size: (u32, u32),
    space: Space,
}

impl Images {
    pub(super) fn new(shared: &Shared, video: &SourceVideo, plan: &Plan) -> Self {
        let end = ticks_of_us(plan.source.duration_us);
        let every = tile_every(end);
        let tiles = (0..).map(|number| number * every).take_while(|at| *at < end).map(|at| (at, Use::Tile));
        let thumbnails =
            (0..THUMBNAILS).map(|number| ((2 * number + 1) * end / (2 * THUMBNAILS), Use::Thumbnail));
        let all = tiles.chain(thumbnails);
        let mut moments: Vec<Moment> = all.map(|(at, use_as)| Moment { at, use_as, taken: None }).collect();
        moments.sort_by_key(|moment| moment.at);
        Self {
            shared: shared.clone(),
            end,
            moments,
            poster: None,
            size: video.shown,
            space: video.colors.space,
        }
    }

    /// Takes every moment between this frame and the one before it.
    fn look(&mut self, shown: &PlacedFrame) -> Result<(), Error> {
        let from = self.moments.partition_point(|moment| moment.at <= shown.pts - shown.since.max(1));
        let to = self.moments.partition_point(|moment| moment.at <= shown.pts);
        let from = if shown.pts == 0 { 0 } else { from };
        for index in from..to.max(from) {
            self.take(index, &shown.frame)?;
        }
        Ok(())
    }

    fn take(&mut self, index: usize, picture: &frame::Video) -> Result<(), Error> {
        if is_on_gpu(picture) && self.moments[index].taken.is_none() {
            return self.take(index, &ff::download(picture)?);
        }
        let moment = &mut self.moments[index];
        if moment.taken.is_some() {
            return Ok(());
        }
        let small = jpeg::shrunk(picture, self.space, moment.use_as.side())?;
        let merit = (moment.use_as == Use::Thumbnail, detail(&small));
        moment.taken = Some(small);
        if self.poster.as_ref().is_none_or(|(best, _)| merit > *best) {
            self.poster = Some((merit, jpeg::shrunk(picture, self.space, POSTER_SIDE)?));
        }
        Ok(())
    }

    /// Fetches what is missing and writes everything. Images that cannot be made are no reason to fail.
    pub(super) fn finish(mut self, open: impl Fn() -> Result<Source>, orders: &Orders) -> Result<Ended> {
        if self.moments.iter().any(|moment| moment.taken.is_none())
            && let Err(failure) = self.fetch_missing(open, orders)
        {
            if failure.class == ErrorClass::Storage {
                return Err(failure);
            }
            self.shared.reporter.warn(format!("some images are missing: {failure}"));
        }
        if orders.abort() || orders.stop() {
            return Ok(Ended::Stopped);
        }
        make_directory(&self.shared)?;
        self.write()?;
        Ok(Ended::Whole)
    }

    /// What cannot be fetched is made up for when everything is written.
    fn fetch_missing(&mut self, open: impl Fn() -> Result<Source>, orders: &Orders) -> Result<()> {
        let failed = |error: Error| Failure::internal("images", error);
        let mut grabber = FrameGrabber::open(open()?, self.size)?;
        for index in 0..self.moments.len() {
            if orders.abort() || orders.stop() {
                return Ok(());
            }
            if self.moments[index].taken.is_some() {
                continue;
            }
            match grabber.at(self.moments[index].at) {
                Ok(Some(picture)) => self.take(index, &picture).map_err(failed)?,
                Err(failure) if failure.class == ErrorClass::Storage => return Err(failure),
                Ok(None) | Err(_) => {}
            }
        }
        if self.poster.is_some() {
            return Ok(());
        }
        let source = open()?;
        let video = source.video.clone().ok_or_else(|| failed(Error::StreamNotFound))?;
        let first = FrameGrabber::of(source, video, self.size, Discard::Default)?.first(orders)?;
        let first = first.ok_or_else(|| Failure::invalid("no frame could be decoded"))?;
        (0..self.moments.len()).try_for_each(|index| self.take(index, &first)).map_err(failed)
    }

    /// What could not be taken is shown by its nearest neighbour, or by the poster if there is none.
    fn made_up(&self, kind: Use) -> Vec<(i64, frame::Video)> {
        let of = || self.moments.iter().filter(|moment| moment.use_as == kind);
        let taken: Vec<_> = of().filter_map(|moment| Some((moment.at, moment.taken.as_ref()?))).collect();
        let nearest = |at: i64| {
            let nearest = taken.iter().min_by_key(|(taken_at, _)| taken_at.abs_diff(at));
            match (nearest, &self.poster) {
                (Some((_, picture)), _) => ff::share(picture).ok(),
                (None, Some((_, poster))) => jpeg::smaller(poster, kind.side()).ok(),
                (None, None) => None,
            }
        };
        of().filter_map(|moment| Some((moment.at, nearest(moment.at)?))).collect()
    }

    fn write(&self) -> Result<()> {
        if let Some((_, poster)) = &self.poster {
            self.put_picture("poster.jpg", poster)?;
        }
        for (number, (_, thumbnail)) in self.made_up(Use::Thumbnail).iter().enumerate() {
            self.put_picture(&format!("thumb_{number:03}.jpg"), thumbnail)?;
        }
        self.write_storyboard(&self.made_up(Use::Tile))
    }

    fn write_storyboard(&self, tiles: &[(i64, frame::Video)]) -> Result<()> {
        let Some((_, first)) = tiles.first() else { return Ok(()) };
        let (width, height) = (first.width() as usize, first.height() as usize);
        for (number, some) in tiles.chunks(TILES_A_SHEET).enumerate() {
            let pictures: Vec<_> = some.iter().map(|(_, tile)| tile).collect();
            if let Some(sheet) = jpeg::sheet(&pictures, COLUMNS) {
                self.put_picture(&format!("sprite_{number:03}.jpg"), &sheet)?;
            }
        }
        let mut vtt = "WEBVTT\n".to_owned();
        let ends = tiles.iter().skip(1).map(|(at, _)| *at).chain([self.end]);
        for (number, ((at, _), end)) in tiles.iter().zip(ends).enumerate() {
            let (sheet, place) = (number / TILES_A_SHEET, number % TILES_A_SHEET);
            let (left, top) = (place % COLUMNS * width, place / COLUMNS * height);
            let (from, to) = (super::subtitles::stamp(*at), super::subtitles::stamp(end));
            let _ =
                write!(vtt, "\n{from} --> {to}\nsprite_{sheet:03}.jpg#xywh={left},{top},{width},{height}\n");
        }
        self.put("storyboard.vtt", vtt.as_bytes())
    }

    fn put_picture(&self, name: &str, picture: &frame::Video) -> Result<()> {
        put_picture(&self.shared, name, picture)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        put_image(&self.shared, name, bytes)
    }
}

/// The picture that an audio file brings along becomes its poster. One that cannot be read is no reason to fail.
pub(super) fn write_cover(source: Source, shared: &Shared, orders: &Orders) -> Result<Ended> {
    let Some(cover) = source.cover() else { return Ok(Ended::Whole) };
    let (size, space) = (cover.shown, cover.colors.space);
    let taken =
        FrameGrabber::of(source, cover, size, Discard::Default).and_then(|mut grabber| grabber.first(orders));
    let poster = taken.ok().flatten().and_then(|cover| jpeg::shrunk(&cover, space, POSTER_SIDE).ok());
    match poster {
        Some(poster) => {
            make_directory(shared)?;
            put_picture(shared, "poster.jpg", &poster)?;
        }
        None => shared.reporter.warn("the cover art could not be read".to_owned()),
    }
    Ok(Ended::Whole)
}

fn make_directory(shared: &Shared) -> Result<()> {
    let directory = shared.output.join("images");
    std::fs::create_dir_all(&directory).map_err(|error| Failure::storage(&directory, &error))
}

fn put_picture(shared: &Shared, name: &str, picture: &frame::Video) -> Result<()> {
    let bytes = jpeg::encode(picture).map_err(|error| Failure::internal(name, error))?;
    put_image(shared, name, &bytes)
}

fn put_image(shared: &Shared, name: &str, bytes: &[u8]) -> Result<()> {
    put(&image_path(&shared.output, name), bytes)?;
    shared.reporter.say(&Report::Image { name: name.to_owned() });
    Ok(())
}

/// At most so many tiles, none closer than a second.
fn tile_every(end: i64) -> i64 {
    let seconds = (end / MOST_TILES).div_euclid(TICKS) + 1;
    seconds * TICKS
}

/// How much the brightness varies: a black or plain frame makes no poster.
fn detail(picture: &frame::Video) -> u64 {
    let bytes = picture.data(0);
    let count = bytes.len().max(1) as u64;
    let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
    let squares: u64 = bytes.iter().map(|byte| u64::from(*byte).pow(2)).sum();
    (squares / count).saturating_sub((sum / count).pow(2))
}

/// The first quality, and whoever wants some of its frames.
impl FrameSink for (SyncSender<PlacedFrame>, Option<&mut Images>) {
    fn push(&mut self, shown: PlacedFrame) -> Result<bool> {
        if let Some(images) = &mut self.1 {
            images.look(&shown).map_err(|error| {
                if is_on_gpu(&shown.frame) {
                    return Failure::gpu(GpuStage::Device, "downloading a frame from the GPU", error);
                }
                Failure::internal("images", error)
            })?;
        }
        Ok(self.0.send(shown).is_ok())
    }
}
