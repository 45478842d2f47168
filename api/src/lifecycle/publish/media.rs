//! The segments of one finished quality, and the playlist that lists them.

use framefarm_shared::object_key::{MediaFile, Naming};
use futures::{StreamExt as _, TryStreamExt as _};

use crate::app::App;
use crate::db::generations;
use crate::db::qualities::{GenerationKey, QualityRow};
use crate::db::segments::SegmentRow;
use crate::error::Result;
use crate::playlist::{Bitrates, MediaPlaylistInput, MediaSegment, media_playlist};

/// One finished rendition with its segments.
pub(super) struct Rendition {
    pub row: QualityRow,
    pub segments: Vec<SegmentRow>,
    pub rates: Bitrates,
}

impl Rendition {
    pub(super) fn new(row: QualityRow, segments: Vec<SegmentRow>) -> Self {
        let mut rendition = Self { row, segments, rates: Bitrates::default() };
        let measured: Vec<(u64, f64)> = rendition
            .segments
            .iter()
            .map(|segment| (segment.size.unsigned_abs(), rendition.seconds(segment.duration_ticks)))
            .collect();
        rendition.rates = Bitrates::measure(&measured);
        rendition
    }

    fn seconds(&self, ticks: i64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "ticks of a day fit in 52 bits")]
        let seconds = ticks as f64 / self.row.timescale.unwrap_or(1).max(1) as f64;
        seconds
    }
}

/// The init segment that a segment goes with.
fn init_file(row: &QualityRow, segment: &SegmentRow, naming: Naming) -> Option<MediaFile> {
    let sha256 = segment.init_sha256.as_deref().or(row.init_sha256.as_deref())?;
    let digest = naming.digest(sha256.try_into().ok()?);
    Some(MediaFile::Init { quality: row.name.clone(), digest })
}

fn segment_file(quality: &str, segment: &SegmentRow, naming: Naming) -> Option<MediaFile> {
    let sha256: [u8; 32] = segment.sha256.as_slice().try_into().ok()?;
    let index = u32::try_from(segment.position).ok()?;
    Some(MediaFile::Segment { quality: quality.to_owned(), index, digest: naming.digest(sha256) })
}

/// What a quality is made of: its init segments, then its segments.
pub(crate) fn media_files<'a>(
    row: &'a QualityRow,
    segments: &'a [SegmentRow],
    naming: Naming,
) -> impl Iterator<Item = MediaFile> + 'a {
    let mut inits: Vec<MediaFile> = Vec::new();
    for init in segments.iter().filter_map(|segment| init_file(row, segment, naming)) {
        if !inits.contains(&init) {
            inits.push(init);
        }
    }
    inits.into_iter().chain(segments.iter().filter_map(move |s| segment_file(&row.name, s, naming)))
}

const COPIES_AT_ONCE: usize = 16;

/// A quality that was not encoded again gets its files into the new generation.
pub(super) async fn carry_objects(
    app: &App,
    key: GenerationKey,
    naming: Naming,
    rendition: &Rendition,
) -> Result<()> {
    let Some(from) = rendition.row.carried_from else { return Ok(()) };
    let from = GenerationKey { number: from, ..key };
    let old_naming = generations::naming(&app.db, from).await?;
    let files = |naming| media_files(&rendition.row, &rendition.segments, naming);
    let mut copies = Vec::new();
    for (old, new) in files(old_naming).zip(files(naming)) {
        copies.push(async move { app.storage.copy(&from.object(old), &key.object(new)).await });
    }
    // A long video has thousands of segments, each of which is a request to the store.
    futures::stream::iter(copies).buffer_unordered(COPIES_AT_ONCE).try_collect::<()>().await?;
    Ok(())
}

pub(super) async fn write_playlist(
    app: &App,
    key: GenerationKey,
    naming: Naming,
    rendition: &Rendition,
) -> Result<()> {
    let row = &rendition.row;
    let input = MediaPlaylistInput {
        segments: rendition
            .segments
            .iter()
            .filter_map(|segment| {
                Some(MediaSegment {
                    uri: segment_file(&row.name, segment, naming)?.file_name(),
                    seconds: rendition.seconds(segment.duration_ticks),
                    init_uri: init_file(row, segment, naming).map(|file| file.file_name()),
                })
            })
            .collect(),
        independent: true,
    };
    let file = MediaFile::Playlist { quality: row.name.clone() };
    app.storage.put(&key.object(file), media_playlist(&input).into()).await?;
    Ok(())
}
