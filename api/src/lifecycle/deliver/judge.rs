//! Whether a verified part can count, found before anything of it is stored.

use std::collections::HashSet;

use super::{Expected, rows_of};
use crate::app::App;
use crate::db::qualities::GenerationKey;
use crate::db::segments::SegmentRow;
use crate::db::{Tx, qualities, segments};
use crate::error::{ApiError, Result};
use crate::lifecycle::allowance;
use crate::parts::VerifiedPart;

/// What of a part is not stored yet.
pub(super) struct New {
    pub(super) init: bool,
    /// By their indexes.
    pub(super) segments: HashSet<u32>,
}

/// Refuses what does not fit what is here, or is too much. The transaction that counts the part looks again.
pub(super) async fn judge(app: &App, expected: &Expected, part: &VerifiedPart) -> Result<New> {
    let (key, name) = (expected.key, expected.expectation.quality.as_str());
    let rows = rows_of(part)?;
    let mut tx = app.db.begin_reading().await?;
    let known = check_neighbours(&mut tx, key, name, &rows).await?;
    let new: Vec<&SegmentRow> = rows.iter().filter(|row| !known.contains(&row.position)).collect();
    let here = segments::total_size(&mut tx, key, name).await?.max(0).unsigned_abs();
    let more: u64 = new.iter().map(|row| row.size.unsigned_abs()).sum();
    allowance::check(&format!("The quality {name}"), here + more, expected.most_bytes)?;
    let quality = qualities::get_in(&mut tx, key, name).await?;
    let own_init = quality.and_then(|quality| quality.init_sha256);
    let inits = segments::other_inits(&mut tx, key, name).await?;
    tx.rollback().await?;
    let is_known = |sha256: &Vec<u8>| sha256[..] == part.init.sha256[..];
    let init = !own_init.iter().chain(&inits).any(is_known);
    if init && inits.len() >= allowance::MOST_INITS {
        let detail = format!("{name} already has parts of {} encoders, the maximum.", inits.len() + 1);
        return Err(ApiError::unprocessable("too_many_inits", detail));
    }
    let index = |row: &&SegmentRow| row.position.unsigned_abs();
    Ok(New { init, segments: new.iter().map(index).collect() })
}

/// A segment that is there already must be the same one, and the timeline must go on across parts. Gives back which of
/// the segments are there.
pub(super) async fn check_neighbours(
    tx: &mut Tx,
    key: GenerationKey,
    name: &str,
    new: &[SegmentRow],
) -> Result<Vec<i32>> {
    let (Some(first), Some(last)) = (new.first(), new.last()) else { return Ok(Vec::new()) };
    let mut known = Vec::new();
    for old in segments::in_range(tx, key, name, first.position - 1, last.position + 1).await? {
        if let Some(same) = new.iter().find(|segment| segment.position == old.position) {
            if same.sha256 != old.sha256 {
                let detail =
                    format!("Segment {} of {name} was already delivered with different bytes.", old.position);
                return Err(ApiError::conflict("segment_differs", detail));
            }
            known.push(old.position);
            continue;
        }
        let joined = if old.position < first.position {
            old.start_ticks + old.duration_ticks == first.start_ticks
        } else {
            last.start_ticks + last.duration_ticks == old.start_ticks
        };
        if !joined {
            let detail = format!(
                "The part is not continuous with segment {} of {name}, which is already stored.",
                old.position
            );
            return Err(ApiError::unprocessable("part_timeline", detail));
        }
    }
    Ok(known)
}
