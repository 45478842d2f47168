//! One media segment: a `moof` and its `mdat`.
//!
//! A segment begins exactly where the plan says and ends exactly where the next one begins, so no error of rounding
//! adds up, however long the video is. Its first sample is decoded and shown at that instant; every later one is decoded
//! no later than it is shown, and no later than anything that is shown before it. So there are no negative offsets,
//! which libav-based players get wrong, and no edit list, which hls.js overlooks.

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
pub(super) fn write(index: u32, span: Range<i64>, samples: &[Sample]) -> Result<Vec<u8>, String> {
    let start = span.start;
    let entries = entries(&span, samples)?;
    let size: usize = samples.iter().map(|sample| sample.data.len()).sum();
    let mut out = Vec::with_capacity(size + 64 + entries.len() * 20);
    // The offset of the data is the size of the box that holds the offset: its length does not depend on the value.
    moof(index, start, &entries, 0)?.encode(&mut out).map_err(|error| error.to_string())?;
    let offset = i32::try_from(out.len() + HEADER).map_err(|error| error.to_string())?;
    out.clear();
    moof(index, start, &entries, offset)?.encode(&mut out).map_err(|error| error.to_string())?;
    let mdat = u32::try_from(size + HEADER).map_err(|_| "the segment is larger than 4 GiB".to_owned())?;
    out.extend_from_slice(&mdat.to_be_bytes());
    out.extend_from_slice(b"mdat");
    for sample in samples {
        out.extend_from_slice(&sample.data);
    }
    Ok(out)
}

fn entries(span: &Range<i64>, samples: &[Sample]) -> Result<Vec<TrunEntry>, String> {
    let shown = shown_times(span, samples)?;
    let decoded = decode_times(&shown, span.end);
    let ends = decoded.iter().skip(1).copied().chain([span.end]);
    let mut entries = Vec::with_capacity(samples.len());
    for (((sample, shown), decoded), next) in samples.iter().zip(&shown).zip(&decoded).zip(ends) {
        let duration = u32::try_from(next - decoded)
            .map_err(|_| format!("a sample at tick {decoded} ends at {next}"))?;
        entries.push(TrunEntry {
            duration: Some(duration),
            size: Some(u32::try_from(sample.data.len()).map_err(|error| error.to_string())?),
            flags: Some(if sample.key { SYNC } else { NON_SYNC }),
            cts: Some(shown - decoded),
        });
    }
    Ok(entries)
}

/// When each sample is shown. The first picture is shown from the very beginning of its segment.
fn shown_times(span: &Range<i64>, samples: &[Sample]) -> Result<Vec<i64>, String> {
    let mut times: Vec<i64> = samples.iter().map(|sample| sample.pts).collect();
    let first = times.iter_mut().min().ok_or("the segment has no samples")?;
    *first = span.start;
    match times.iter().find(|time| !span.contains(time)) {
        Some(outside) => Err(format!("a sample at tick {outside} is outside its segment {span:?}")),
        None => Ok(times),
    }
}

/// When each sample is decoded: the times of the pictures in order, as many samples late as B-frames demand. Those that
/// must be decoded before the second picture is shown share the time of the first; from there on every sample lasts as
/// long as a picture, which is what browsers seek by.
fn decode_times(shown: &[i64], end: i64) -> Vec<i64> {
    let mut order: Vec<i64> = shown.to_vec();
    order.sort_unstable();
    let late = lateness(shown, &order);
    let (first, second) = (order[0], order.get(1).copied().unwrap_or(order[0]));
    let crowd = i64::try_from(late + 1).unwrap_or(i64::MAX);
    let early = (0..crowd).map(|place| first + (second - first) * place / crowd);
    let mut times: Vec<i64> = early.chain(order.iter().skip(1).copied()).take(shown.len()).collect();
    end_with(end, shown, &mut times);
    times
}

/// At the end decoding catches up: a sample that lasted beyond its segment would make the video longer for a browser.
fn end_with(end: i64, shown: &[i64], times: &mut [i64]) {
    let mut next = end;
    for (time, shown) in times.iter_mut().zip(shown).rev() {
        *time = (*time).max(next - (end - shown));
        next = *time;
    }
}

/// By how many samples decoding must run ahead so that nothing is shown before it is decoded.
fn lateness(shown: &[i64], order: &[i64]) -> usize {
    let mut limit = i64::MAX;
    let needed = shown.iter().enumerate().rev().map(|(index, shown)| {
        limit = limit.min(*shown);
        let shown_by_then = order.partition_point(|time| *time <= limit);
        (index + 1).saturating_sub(shown_by_then)
    });
    needed.max().unwrap_or(0)
}

fn moof(index: u32, start: i64, entries: &[TrunEntry], data_offset: i32) -> Result<Moof, String> {
    let start = u64::try_from(start).map_err(|_| format!("the segment starts at {start}"))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples(pts: &[i64]) -> Vec<Sample> {
        pts.iter().map(|pts| Sample { pts: *pts, key: false, data: vec![1] }).collect()
    }

    #[test]
    fn after_its_beginning_a_segment_with_b_frames_is_decoded_frame_by_frame() {
        let pts = [0, 30, 10, 20, 60, 40, 50, 90, 70, 80];
        let entries = entries(&(0..100), &samples(&pts)).unwrap();
        let durations: Vec<_> = entries.iter().map(|entry| entry.duration.unwrap()).collect();
        assert_eq!(durations, [5, 5, 10, 10, 10, 10, 10, 10, 10, 20]);
    }

    #[test]
    fn a_pyramid_of_b_frames_is_decoded_two_samples_early() {
        let pts = [0, 40, 20, 10, 30, 80, 60, 50, 70];
        let entries = entries(&(0..90), &samples(&pts)).unwrap();
        let durations: Vec<_> = entries.iter().map(|entry| entry.duration.unwrap()).collect();
        assert_eq!(durations, [3, 3, 4, 10, 10, 10, 10, 20, 20]);
    }

    proptest! {
        #[test]
        fn a_segment_lasts_as_planned_and_shows_every_picture_at_its_time(
            gaps in proptest::collection::vec(1i64..500_000, 1..30), order in any::<u64>(),
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
            let entries = entries(&(1_000..end), &samples).unwrap();
            let mut decoded = 1_000;
            for (entry, sample) in entries.iter().zip(&samples) {
                prop_assert!(entry.cts.unwrap() >= 0);
                prop_assert_eq!(decoded + entry.cts.unwrap(), sample.pts);
                prop_assert!(sample.pts + i64::from(entry.duration.unwrap()) <= end);
                decoded += i64::from(entry.duration.unwrap());
            }
            prop_assert_eq!(decoded, end);
        }
    }
}
