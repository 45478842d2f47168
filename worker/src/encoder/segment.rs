//! One media segment: a `moof` and its `mdat`.
//!
//! A segment begins exactly where the plan says and ends exactly where the next one begins: the samples' decode times
//! are their presentation times in order, so no error of rounding adds up, however long the video is. B-frames are
//! shown before their decode time then; to have no negative offsets, which libav-based players get wrong, everything
//! is composed a constant [`delay`] later, and the edit list of the init segment takes that delay back.

use std::ops::Range;

use mp4_atom::{Encode, Mfhd, Moof, Tfdt, Tfhd, Traf, Trun, TrunEntry};

const TRACK: u32 = 1;
const SYNC: u32 = 0x0200_0000;
const NON_SYNC: u32 = 0x0101_0000;
/// The `mdat` header.
const HEADER: usize = 8;

/// One coded picture or packet of sound, in decoding order.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) pts: i64,
    pub(super) key: bool,
    pub(super) data: Vec<u8>,
}

/// The bytes of segment `index`, which lasts from `start` to `end`.
pub(super) fn write(index: u32, span: Range<i64>, delay: i64, samples: &[Sample]) -> Result<Vec<u8>, String> {
    let start = span.start;
    let entries = entries(span, delay, samples)?;
    let size: usize = samples.iter().map(|sample| sample.data.len()).sum();
    let mut out = Vec::with_capacity(size + 64 + entries.len() * 20);
    // The offset of the data is the size of the box that holds the offset: its length does not depend on the value.
    moof(index, start, &entries, 0)?.encode(&mut out).map_err(|error| error.to_string())?;
    let offset = i32::try_from(out.len() + HEADER).map_err(|error| error.to_string())?;
    out.clear();
    moof(index, start, &entries, offset)?.encode(&mut out).map_err(|error| error.to_string())?;
    let mdat = u32::try_from(size + HEADER).map_err(|_| "a segment of over 4 GiB".to_owned())?;
    out.extend_from_slice(&mdat.to_be_bytes());
    out.extend_from_slice(b"mdat");
    for sample in samples {
        out.extend_from_slice(&sample.data);
    }
    Ok(out)
}

fn entries(span: Range<i64>, delay: i64, samples: &[Sample]) -> Result<Vec<TrunEntry>, String> {
    let times = decode_times(&span, delay, samples)?;
    let first = samples.iter().map(|sample| sample.pts).min();
    let ends = times.iter().skip(1).copied().chain([span.end]);
    let mut entries = Vec::with_capacity(samples.len());
    for ((sample, decoded), next) in samples.iter().zip(&times).zip(ends) {
        // The first picture is shown from the very beginning of its segment.
        let pts = if Some(sample.pts) == first { span.start } else { sample.pts };
        let duration = u32::try_from(next - decoded).ok().filter(|duration| *duration > 0);
        let duration = duration.ok_or_else(|| format!("a sample at tick {decoded} that ends at {next}"))?;
        entries.push(TrunEntry {
            duration: Some(duration),
            size: Some(u32::try_from(sample.data.len()).map_err(|error| error.to_string())?),
            flags: Some(if sample.key { SYNC } else { NON_SYNC }),
            cts: Some((pts + delay - decoded).max(0)),
        });
    }
    Ok(entries)
}

/// The presentation times in order. Where frames are so far apart that the delay would not do, a sample is decoded
/// earlier instead.
fn decode_times(span: &Range<i64>, delay: i64, samples: &[Sample]) -> Result<Vec<i64>, String> {
    let mut times: Vec<i64> = samples.iter().map(|sample| sample.pts).collect();
    times.sort_unstable();
    let Some(first) = times.first_mut() else { return Err("a segment without samples".to_owned()) };
    *first = span.start;
    let mut limit = i64::MAX;
    let mut before = span.end;
    for (time, sample) in times.iter_mut().zip(samples).rev() {
        limit = limit.min(sample.pts.saturating_add(delay));
        // Two at one tick cannot be told apart by their order.
        *time = (*time).min(limit).min(before - 1);
        before = *time;
    }
    if before < span.start {
        return Err(format!("{} samples do not fit into {span:?}", samples.len()));
    }
    Ok(times)
}

fn moof(index: u32, start: i64, entries: &[TrunEntry], data_offset: i32) -> Result<Moof, String> {
    let start = u64::try_from(start).map_err(|_| format!("a segment that starts at {start}"))?;
    let run = Trun { data_offset: Some(data_offset), samples: entries.to_vec().into() };
    Ok(Moof {
        mfhd: Mfhd { sequence_number: index + 1 },
        traf: vec![Traf {
            tfhd: Tfhd { track_id: TRACK, default_base_is_moof: true, ..Tfhd::default() },
            tfdt: Some(Tfdt { base_media_decode_time: start }),
            trun: vec![run],
            ..Traf::default()
        }],
    })
}

/// How much later than it is decoded a picture may be shown: so many frames at the source's rate.
pub(super) fn delay(frames: i64, rate: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "at most some seconds")]
    let frame = (90_000.0 / rate.clamp(1.0, 1000.0)).ceil() as i64;
    frames * frame
}

/// The init segment with an edit list that takes the delay back.
pub(super) fn with_delay(mut init: Vec<u8>, delay: i64) -> Option<Vec<u8>> {
    if delay == 0 {
        return Some(init);
    }
    let moov = find(&init, 0, *b"moov")?;
    let trak = find(&init, moov + HEADER, *b"trak")?;
    let tkhd = find(&init, trak + HEADER, *b"tkhd")?;
    let mut edits = Vec::new();
    for word in [36, u32::from_be_bytes(*b"edts"), 28, u32::from_be_bytes(*b"elst"), 0, 1, 0] {
        edits.extend_from_slice(&u32::to_be_bytes(word));
    }
    edits.extend_from_slice(&i32::try_from(delay).ok()?.to_be_bytes());
    edits.extend_from_slice(&[0, 1, 0, 0]);
    let behind = tkhd + size_at(&init, tkhd)?;
    for parent in [moov, trak] {
        let grown = u32::try_from(size_at(&init, parent)? + edits.len()).ok()?;
        init[parent..parent + 4].copy_from_slice(&grown.to_be_bytes());
    }
    init.splice(behind..behind, edits);
    Some(init)
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    let size = bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)?;
    usize::try_from(size).ok().filter(|size| *size >= HEADER)
}

/// The first box of a kind from here on, among its like.
fn find(bytes: &[u8], mut at: usize, kind: [u8; 4]) -> Option<usize> {
    while bytes.get(at + 4..at + 8)? != kind {
        at += size_at(bytes, at)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples(pts: &[i64]) -> Vec<Sample> {
        pts.iter().map(|pts| Sample { pts: *pts, key: false, data: vec![1] }).collect()
    }

    #[test]
    fn pictures_are_decoded_in_the_order_of_their_times_and_shown_at_theirs() {
        let entries = entries(0..40, 20, &samples(&[0, 30, 10, 20])).unwrap();
        let durations: Vec<_> = entries.iter().map(|entry| entry.duration.unwrap()).collect();
        let offsets: Vec<_> = entries.iter().map(|entry| entry.cts.unwrap()).collect();
        assert_eq!((durations, offsets), (vec![10; 4], vec![20, 40, 10, 10]));
    }

    proptest! {
        #[test]
        fn a_segment_lasts_as_planned_and_shows_every_picture_at_its_time(
            gaps in proptest::collection::vec(1i64..500_000, 1..30), order in any::<u64>(), delay in 0i64..20_000,
        ) {
            let mut pts = vec![1_000];
            pts.extend(gaps.iter().scan(1_000, |at, gap| { *at += gap; Some(*at) }));
            let end = pts[pts.len() - 1] + 100;
            // Pairs change places, as B-frames do.
            for pair in 1..pts.len() / 2 {
                if order >> (pair % 64) & 1 == 1 {
                    pts.swap(pair * 2 - 1, pair * 2);
                }
            }
            let samples = samples(&pts);
            let entries = entries(1_000..end, delay, &samples).unwrap();
            let mut decoded = 1_000;
            for (entry, sample) in entries.iter().zip(&samples) {
                prop_assert_eq!(decoded + entry.cts.unwrap() - delay, sample.pts);
                decoded += i64::from(entry.duration.unwrap());
            }
            prop_assert_eq!(decoded, end);
        }
    }
}
