//! Poster, thumbnails and storyboard, from frames that the qualities are made of anyway.
//!
//! What lies in segments that were made before is fetched at the end: one keyframe for each picture that is missing.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::mpsc::SyncSender;

use ffmpeg_next::{Error, frame};
use framefarm_shared::plan::Plan;

use super::card_scaler::is_on_card;
use super::cutter::{Desk, put};
use super::failure::{Failure, Result};
use super::ff;
use super::film::{Audience, Ended};
use super::input::{Picture, Source};
use super::jpeg;
use super::protocol::{CardStage, Report, image_path};
use super::report::Orders;
use super::rung::Shown;
use super::still::Stills;
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

pub(super) struct Images {
    desk: Desk,
    end: i64,
    /// Rising.
    moments: Vec<Moment>,
    /// The thumbnail with the most to see, large, and how much that is.
    poster: Option<(u64, frame::Video)>,
    size: (u32, u32),
}

impl Images {
    pub(super) fn new(desk: &Desk, picture: &Picture, plan: &Plan) -> Self {
        let end = ticks_of_us(plan.source.duration_us);
        let every = tile_every(end);
        let tiles = (0..).map(|number| number * every).take_while(|at| *at < end).map(|at| (at, Use::Tile));
        let thumbnails =
            (0..THUMBNAILS).map(|number| ((2 * number + 1) * end / (2 * THUMBNAILS), Use::Thumbnail));
        let all = tiles.chain(thumbnails);
        let mut moments: Vec<Moment> = all.map(|(at, use_as)| Moment { at, use_as, taken: None }).collect();
        moments.sort_by_key(|moment| moment.at);
        Self { desk: desk.clone(), end, moments, poster: None, size: picture.shown }
    }

    /// Takes every moment between this frame and the one before it.
    fn look(&mut self, shown: &Shown) -> Result<(), Error> {
        let from = self.moments.partition_point(|moment| moment.at <= shown.pts - shown.since.max(1));
        let to = self.moments.partition_point(|moment| moment.at <= shown.pts);
        let from = if shown.pts == 0 { 0 } else { from };
        for index in from..to.max(from) {
            self.take(index, &shown.picture)?;
        }
        Ok(())
    }

    fn take(&mut self, index: usize, picture: &frame::Video) -> Result<(), Error> {
        if is_on_card(picture) && self.moments[index].taken.is_none() {
            return self.take(index, &ff::download(picture)?);
        }
        let moment = &mut self.moments[index];
        if moment.taken.is_some() {
            return Ok(());
        }
        let side = if moment.use_as == Use::Tile { TILE_SIDE } else { THUMBNAIL_SIDE };
        let small = jpeg::shrunk(picture, side)?;
        let detail = detail(&small);
        let better = self.poster.as_ref().is_none_or(|(best, _)| detail > *best);
        let is_thumbnail = moment.use_as == Use::Thumbnail;
        moment.taken = Some(small);
        if is_thumbnail && better {
            self.poster = Some((detail, jpeg::shrunk(picture, POSTER_SIDE)?));
        }
        Ok(())
    }

    /// Fetches what is missing and writes everything. Images that cannot be made are no reason to fail.
    pub(super) fn finish(mut self, source: &Path, orders: &Orders) -> Result<Ended> {
        if self.moments.iter().any(|moment| moment.taken.is_none())
            && let Err(failure) = self.fetch_missing(source, orders)
        {
            self.desk.reporter.warn(format!("some images are missing: {failure}"));
        }
        if orders.abort() || orders.stop() {
            return Ok(Ended::Stopped);
        }
        let directory = self.desk.output.join("images");
        std::fs::create_dir_all(&directory).map_err(|error| Failure::storage(&directory, &error))?;
        self.write()?;
        Ok(Ended::Whole)
    }

    fn fetch_missing(&mut self, source: &Path, orders: &Orders) -> Result<()> {
        let mut stills = Stills::open(Source::open(source)?, self.size)?;
        for index in 0..self.moments.len() {
            if orders.abort() || orders.stop() {
                return Ok(());
            }
            if self.moments[index].taken.is_some() {
                continue;
            }
            if let Some(picture) = stills.at(self.moments[index].at)? {
                self.take(index, &picture).map_err(|error| Failure::internal("images", error))?;
            }
        }
        Ok(())
    }

    fn write(&self) -> Result<()> {
        if let Some((_, poster)) = &self.poster {
            self.put_picture("poster.jpg", poster)?;
        }
        let of = |kind: Use| self.moments.iter().filter(move |moment| moment.use_as == kind);
        for (number, thumbnail) in of(Use::Thumbnail).filter_map(|moment| moment.taken.as_ref()).enumerate() {
            self.put_picture(&format!("thumb_{number:03}.jpg"), thumbnail)?;
        }
        let tiles: Vec<(i64, &frame::Video)> =
            of(Use::Tile).filter_map(|moment| Some((moment.at, moment.taken.as_ref()?))).collect();
        self.write_storyboard(&tiles)
    }

    fn write_storyboard(&self, tiles: &[(i64, &frame::Video)]) -> Result<()> {
        let Some((_, first)) = tiles.first() else { return Ok(()) };
        let (width, height) = (first.width() as usize, first.height() as usize);
        for (number, some) in tiles.chunks(TILES_A_SHEET).enumerate() {
            let pictures: Vec<_> = some.iter().map(|(_, tile)| *tile).collect();
            if let Some(sheet) = jpeg::sheet(&pictures, COLUMNS) {
                self.put_picture(&format!("sprite_{number:03}.jpg"), &sheet)?;
            }
        }
        let mut vtt = "WEBVTT\n".to_owned();
        let ends = tiles.iter().skip(1).map(|(at, _)| *at).chain([self.end]);
        for (number, ((at, _), end)) in tiles.iter().zip(ends).enumerate() {
            let (sheet, place) = (number / TILES_A_SHEET, number % TILES_A_SHEET);
            let (left, top) = (place % COLUMNS * width, place / COLUMNS * height);
            let (from, to) = (super::text::stamp(*at), super::text::stamp(end));
            let _ =
                write!(vtt, "\n{from} --> {to}\nsprite_{sheet:03}.jpg#xywh={left},{top},{width},{height}\n");
        }
        self.put("storyboard.vtt", vtt.as_bytes())
    }

    fn put_picture(&self, name: &str, picture: &frame::Video) -> Result<()> {
        let bytes = jpeg::encode(picture).map_err(|error| Failure::internal(name, error))?;
        self.put(name, &bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        put(&image_path(&self.desk.output, name), bytes)?;
        self.desk.reporter.say(&Report::Image { name: name.to_owned() });
        Ok(())
    }
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
impl Audience for (SyncSender<Shown>, Option<&mut Images>) {
    fn show(&mut self, shown: Shown) -> Result<bool> {
        if let Some(images) = &mut self.1 {
            images.look(&shown).map_err(|error| {
                if is_on_card(&shown.picture) {
                    return Failure::card(CardStage::Device, "a picture on the card", error);
                }
                Failure::internal("images", error)
            })?;
        }
        Ok(self.0.send(shown).is_ok())
    }
}
