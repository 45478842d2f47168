//! Files that are no video at all.

use crate::seed::Seed;
use crate::trial::{judge, try_bytes};

#[test]
fn what_is_no_video_is_refused() {
    let mut seed = Seed(1);
    let with_noise = |head: &[u8], seed: &mut Seed| [head, &seed.bytes(5_000)].concat();
    let inputs = [
        ("empty", vec![]),
        ("one byte", vec![b'a']),
        ("text", b"hello world\n".repeat(1_000)),
        ("utf-16", [0xff, 0xfe].into_iter().chain(b"hello".iter().flat_map(|c| [*c, 0])).collect()),
        ("html", b"<!doctype html><html><body>hi</body></html>".repeat(100)),
        ("json", br#"{"video": true}"#.to_vec()),
        ("subtitles", b"1\n00:00:01,000 --> 00:00:02,000\nhello\n".to_vec()),
        ("random", seed.bytes(300_000)),
        ("zeros", vec![0; 300_000]),
        ("ones", vec![0xff; 300_000]),
        ("png", with_noise(b"\x89PNG\r\n\x1a\n", &mut seed)),
        ("jpeg", with_noise(b"\xff\xd8\xff\xe0\0\x10JFIF", &mut seed)),
        ("zip", with_noise(b"PK\x03\x04", &mut seed)),
        ("gzip", with_noise(b"\x1f\x8b\x08", &mut seed)),
        ("pdf", with_noise(b"%PDF-1.7\n", &mut seed)),
        ("sqlite", with_noise(b"SQLite format 3\0", &mut seed)),
        ("svg", br#"<svg xmlns="http://www.w3.org/2000/svg"><image href="beside.mp4"/></svg>"#.to_vec()),
        ("program", std::fs::read(env!("CARGO_BIN_EXE_framefarm-worker")).unwrap()[..200_000].to_vec()),
    ];
    judge(inputs.map(|(name, bytes)| try_bytes(name, &bytes).must_be_refused()).into());
}
