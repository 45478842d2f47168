//! What a worker is told of a job: the qualities and what of them is verified already.

use framefarm_shared::ladder::PlannedQuality;
use framefarm_shared::state::QualityStatus;
use framefarm_shared::wire::worker_api::{QualityReport, SegmentRange};

use crate::db::qualities::{GenerationKey, QualityRow};
use crate::db::{Tx, qualities, segments};
use crate::error::Result;

pub(super) async fn qualities_of(tx: &mut Tx, key: GenerationKey) -> Result<Vec<QualityReport>> {
    let rows = qualities::of_generation_in(tx, key).await?;
    let positions = segments::positions(tx, key).await?;
    Ok(rows.into_iter().map(|row| report(row, &positions)).collect())
}

fn report(row: QualityRow, positions: &[(String, i32)]) -> QualityReport {
    let have =
        ranges(positions.iter().filter(|(quality, _)| *quality == row.name).map(|(_, position)| *position));
    let side = |value: i32| u32::try_from(value).unwrap_or(0);
    let quality = PlannedQuality {
        kind: row.kind,
        width: side(row.width),
        height: side(row.height),
        bitrate_kbps: side(row.bitrate_kbps),
        codec: row.codec,
        skipped: row.status == QualityStatus::Skipped,
        name: row.name,
    };
    let init_sha256 = row.init_sha256.map(hex::encode);
    QualityReport { quality, status: row.status, segments_total: row.segments_total, have, init_sha256 }
}

/// Rising positions as inclusive ranges.
fn ranges(positions: impl Iterator<Item = i32>) -> Vec<SegmentRange> {
    let mut found: Vec<SegmentRange> = Vec::new();
    for position in positions {
        match found.last_mut() {
            Some(range) if range.last + 1 == position => range.last = position,
            _ => found.push(SegmentRange { first: position, last: position }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_join_into_one_range() {
        let found = ranges([0, 1, 2, 5, 7, 8].into_iter());
        let pairs: Vec<_> = found.iter().map(|range| (range.first, range.last)).collect();
        assert_eq!(pairs, [(0, 2), (5, 5), (7, 8)]);
    }
}
