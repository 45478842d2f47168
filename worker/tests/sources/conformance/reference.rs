//! What plain ffmpeg makes of a source: the other opinion on every time and every level.

use std::path::Path;

use framefarm_shared::ladder::MediaKind;

use crate::media::{self, Decoded, Frame, ffmpeg};

/// A source as ffmpeg decodes it; both from the same zero.
pub(crate) struct Reference {
    pub(crate) frames: Vec<Frame>,
    /// Of the frames, a second.
    pub(crate) ticks: f64,
    /// Of one channel and 48 kHz.
    pub(crate) sound: Vec<f32>,
}

/// Where the source's own timestamps leave off from the samples before by more than this, ffmpeg's samples are moved. What is
/// below it is the rounding of a container.
const JUMP: i64 = 48_000 / 200;

/// No filter fills holes or follows clocks here: ffmpeg resamples, and each of its frames is put where its own timestamp says.
/// `async` of its resampler leaves holes under a tenth of a second and starts anew where the rate changes.
///
/// Where the source's times run on, they are taken `as_stored`: else ffmpeg guesses that they jump whenever a packet is longer
/// than it thinks.
pub(crate) fn decode(source: &Path, picture: bool, sound: bool, as_stored: bool) -> Reference {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| scratch.path().join(name);
    let mut command = ffmpeg();
    command.args(["-v", "fatal"]);
    if as_stored {
        command.args(["-copyts", "-start_at_zero"]);
    }
    command.arg("-i").arg(source);
    if picture {
        media::decode_picture(&mut command, "0:v:0", &file("picture"));
    }
    if sound {
        // As our own tracks are made and decoded: what has more channels is mixed to two, then to one.
        let filter = if channels(source) > 1 {
            "aresample=48000:rematrix_maxval=1,aformat=sample_fmts=fltp:channel_layouts=stereo,\
             aresample,aformat=sample_fmts=flt:channel_layouts=mono"
        } else {
            "aresample=48000,aformat=sample_fmts=flt:channel_layouts=mono"
        };
        for (format, name) in [("framecrc", "times"), ("f32le", "sound.pcm")] {
            command.args(["-map", "0:a:0", "-af", filter, "-c:a", "pcm_f32le", "-f", format]).arg(file(name));
        }
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let (mut frames, mut ticks) = (vec![], 1.0);
    if picture {
        let Decoded::Frames(found) = media::read(&file("picture"), MediaKind::Video) else { unreachable!() };
        (frames, ticks) = (found, ticks_a_second(&file("picture.md5")));
    }
    let sound = if sound { placed(&file("sound.pcm"), &file("times")) } else { vec![] };
    Reference { frames, ticks, sound }
}

fn channels(source: &Path) -> u64 {
    let streams = media::streams(source, &["-select_streams", "a:0"]);
    streams.first().and_then(|stream| stream["channels"].as_u64()).unwrap_or(1)
}

/// From a line like `#tb 0: 1/12800`.
fn ticks_a_second(path: &Path) -> f64 {
    let text = std::fs::read_to_string(path).unwrap();
    let base = text.lines().find_map(|line| line.strip_prefix("#tb 0: ")).unwrap();
    let (part, whole) = base.split_once('/').unwrap();
    whole.trim().parse::<f64>().unwrap() / part.parse::<f64>().unwrap()
}

fn placed(pcm: &Path, times: &Path) -> Vec<f32> {
    let Decoded::Sound(samples) = media::read(pcm, MediaKind::Audio) else { unreachable!() };
    let text = std::fs::read_to_string(times).unwrap();
    let chunks: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(chunk).collect();
    let (mut rest, mut placed, mut at) = (&samples[..], Vec::new(), 0);
    for (number, (pts, length)) in chunks.iter().enumerate() {
        if number == 0 || jumps(&chunks[number..], at) {
            at = *pts;
        }
        let (chunk, after) = rest.split_at(usize::try_from(*length).unwrap().min(rest.len()));
        rest = after;
        let skipped = usize::try_from(-at).unwrap_or(0).min(chunk.len());
        let from = usize::try_from(at).unwrap_or(0);
        let end = from + chunk.len() - skipped;
        placed.resize(end.max(placed.len()), 0.0);
        placed[from..end].copy_from_slice(&chunk[skipped..]);
        at += length;
    }
    placed
}

/// The timestamp and the samples of a line like `0, 1024, 1024, 1024, 4096, 0x1bd4a8ec`.
fn chunk(line: &str) -> (i64, i64) {
    let fields: Vec<i64> = line.split(',').map_while(|field| field.trim().parse().ok()).collect();
    (fields[2], fields[4] / 4)
}

/// Whether timestamps leave off from where the samples are, for longer than the few packets that Ogg stamps wrongly.
fn jumps(chunks: &[(i64, i64)], mut at: i64) -> bool {
    let apart = chunks.iter().take(6).map(|(pts, length)| {
        at += length;
        pts + length - at
    });
    let apart: Vec<_> = apart.collect();
    apart.iter().all(|apart| *apart > JUMP) || apart.iter().all(|apart| *apart < -JUMP)
}
