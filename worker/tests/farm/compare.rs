//! Two videos made of one source: the same timeline to the tick, and pictures that nobody can tell apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reqwest::Url;
use tokio::process::Command;

use crate::api::{Api, Uploaded};
use crate::delivered::Segments;
use crate::player;

/// Of frames that are not equal. An encoder that starts again codes on from another state.
const WORST_PSNR: f64 = 35.0;
const MEAN_PSNR: f64 = 40.0;

pub(crate) async fn same_video(one: (&Api, &Uploaded), other: (&Api, &Uploaded)) {
    let (first, second) = (one.0.segments(one.1).await, other.0.segments(other.1).await);
    assert_eq!(timeline(&first), timeline(&second), "boundaries of segments");
    let scratch = tempfile::tempdir().unwrap();
    let first = download(one, &scratch.path().join("one")).await;
    let second = download(other, &scratch.path().join("other")).await;
    assert!(first.keys().eq(second.keys()) && first.len() == 2);
    for (name, a) in &first {
        let b = &second[name];
        assert_eq!(a.init, b.init, "init segments of {name}");
        let (packets, same) = (packets(&a.file).await, packets(&b.file).await);
        assert_eq!(packets, same, "times of the packets of {name}");
        if name.starts_with("audio") {
            let times: Vec<i64> =
                packets.iter().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
            assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 1024), "audio with a seam");
        } else {
            check_pictures(&a.file, &b.file, packets.len()).await;
        }
    }
}

fn timeline(segments: &Segments) -> BTreeMap<&str, Vec<(i32, i64, i64)>> {
    let of = |rows: &[framefarm_api::db::segments::SegmentRow]| {
        rows.iter().map(|row| (row.position, row.start_ticks, row.duration_ticks)).collect()
    };
    segments.iter().map(|(quality, rows)| (quality.as_str(), of(rows))).collect()
}

struct Rendition {
    init: Vec<u8>,
    /// All of it as one file.
    file: PathBuf,
}

async fn download((api, video): (&Api, &Uploaded), directory: &Path) -> BTreeMap<String, Rendition> {
    std::fs::create_dir_all(directory).unwrap();
    let url = api.at(&format!("/videos/{}/master.m3u8", video.slug));
    let text = player::master(api, &video.slug).await;
    let (_, master) = m3u8_rs::parse_master_playlist(text.as_bytes()).map_err(drop).unwrap();
    let pictures = master.variants.iter().map(|variant| ("picture".to_owned(), variant.uri.clone()));
    let sounds = master.alternatives.iter().map(|media| ("audio".to_owned(), media.uri.clone().unwrap()));
    let mut all = BTreeMap::new();
    for (name, uri) in pictures.chain(sounds) {
        let file = directory.join(format!("{name}.mp4"));
        let init = whole(api, &url.join(&uri).unwrap(), &file).await;
        all.insert(name, Rendition { init, file });
    }
    all
}

/// Writes init segment and segments one after the other; gives back the former.
async fn whole(api: &Api, playlist: &Url, file: &Path) -> Vec<u8> {
    let text = api.text(playlist.path()).await;
    let (_, media) = m3u8_rs::parse_media_playlist(text.as_bytes()).map_err(drop).unwrap();
    let map = media.segments.first().and_then(|segment| segment.map.clone()).unwrap();
    let init = api.bytes(playlist.join(&map.uri).unwrap().path()).await;
    let mut bytes = init.clone();
    for segment in &media.segments {
        bytes.extend(api.bytes(playlist.join(&segment.uri).unwrap().path()).await);
    }
    std::fs::write(file, bytes).unwrap();
    init
}

/// Times of every packet, one line each.
async fn packets(file: &Path) -> Vec<String> {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-show_entries", "packet=pts,dts,duration", "-of", "csv=p=0"]).arg(file);
    let output = command.output().await.unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.trim_end_matches(',').to_owned()).collect()
}

async fn check_pictures(one: &Path, other: &Path, frames: usize) {
    let stats = one.with_extension("psnr");
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error", "-i"]).arg(one).arg("-i").arg(other);
    command.args(["-lavfi", &format!("psnr=stats_file={}", stats.display()), "-f", "null", "-"]);
    let output = command.output().await.unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(stats).unwrap();
    let all: Vec<f64> = text.lines().map(psnr_of).collect();
    assert_eq!(all.len(), frames);
    // Equal frames have an infinite one, and would hide the others in the mean.
    let differing: Vec<f64> = all.into_iter().filter(|psnr| psnr.is_finite()).collect();
    let (count, worst) = (differing.len(), differing.iter().copied().fold(f64::INFINITY, f64::min));
    #[expect(clippy::cast_precision_loss, reason = "a few thousand frames")]
    let mean = differing.iter().sum::<f64>() / count.max(1) as f64;
    println!("{count} of {frames} frames differ, PSNR at worst {worst:.1} dB, {mean:.1} dB in their mean");
    assert!(
        count == 0 || (worst >= WORST_PSNR && mean >= MEAN_PSNR),
        "at worst {worst} dB, {mean} dB in the mean"
    );
}

fn psnr_of(line: &str) -> f64 {
    line.split_once("psnr_avg:").unwrap().1.split(' ').next().unwrap().parse().unwrap()
}
