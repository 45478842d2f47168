//! Colours stay colours: a grid of patches in every kind of pixels, through every quality and into the poster, decoded
//! by what their own tags say.

use std::path::Path;

use framefarm_worker::encoder::protocol::image_path;

use crate::clip::{Clip, Source};
use crate::made::Made;
use crate::media::{self, ffmpeg, run};

/// In rows of four, from the top left.
const PATCHES: [u32; 16] = [
    0xff_0000, 0x00_ff00, 0x00_00ff, 0xff_ff00, 0x00_ffff, 0xff_00ff, 0xff_ffff, 0x00_0000, 0x80_8080,
    0xc0_4020, 0x20_c040, 0x40_20c0, 0xe0_a070, 0x70_5030, 0x30_3030, 0xd0_d0d0,
];
const SD: (usize, usize) = (192, 108);
const HD: (usize, usize) = (1280, 720);
const LOSSLESS: &str = "-c:v libx264 -preset ultrafast -qp 0";
/// Nothing tells what the numbers mean.
const UNTAGGED: &str = "";
const TAGGED_BT709: &str = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709";
const TAGS: [&str; 4] = ["color_range", "color_space", "color_primaries", "color_transfer"];

type Rgb = [i32; 3];

/// The grid as RGB, for one second.
fn grid((width, height): (usize, usize)) -> String {
    let (w, h) = (width / 4, height / 4);
    let boxes = PATCHES.iter().enumerate().map(|(at, color)| {
        let (x, y) = (at % 4 * w, at / 4 * h);
        format!(",drawbox=x={x}:y={y}:w={w}:h={h}:c=0x{color:06x}:t=fill")
    });
    let black = format!("color=black:s={width}x{height}:r=25:d=1,format=gbrp");
    std::iter::once(black).chain(boxes).collect()
}

/// The middle of each patch in the first frame. `read` is how ffmpeg is told to read it, where its tags do not tell.
fn patches(path: &Path, (width, height): (usize, usize), read: &str) -> Vec<Rgb> {
    let filter = format!("{read},format=rgb24");
    let mut command = ffmpeg();
    command.arg("-i").arg(path).args(["-vf", &filter, "-frames:v", "1", "-f", "rawvideo", "-"]);
    let pixels = run(&mut command);
    assert_eq!(pixels.len(), width * height * 3);
    let mean = |x: usize, y: usize, channel: usize| {
        let around = (0..49).map(|at| ((y - 3 + at / 7) * width + x - 3 + at % 7) * 3 + channel);
        (around.map(|at| i32::from(pixels[at])).sum::<i32>() + 24) / 49
    };
    let middle = |at: usize| ((at % 4 * 2 + 1) * width / 8, (at / 4 * 2 + 1) * height / 8);
    (0..16).map(middle).map(|(x, y)| [0, 1, 2].map(|channel| mean(x, y, channel))).collect()
}

/// The largest difference, and where it is.
fn apart(expected: &[Rgb], found: &[Rgb]) -> (i32, String) {
    let differences = expected.iter().zip(found).map(|(expected, found)| {
        let most = (0..3).map(|channel| (expected[channel] - found[channel]).abs()).max();
        (most.unwrap(), format!("{expected:?} became {found:?}"))
    });
    differences.max_by_key(|(most, _)| *most).unwrap()
}

fn tags(path: &Path) -> [String; 4] {
    let stream = &media::streams(path, &["-select_streams", "v"])[0];
    TAGS.map(|tag| stream[tag].as_str().unwrap_or("unknown").to_owned())
}

/// Every quality says what its numbers mean, all the same, and shows the colours of the source; and so does the poster.
fn check(source: Source, size: (usize, usize), read: &str, ladder: &str, expected_tags: [&str; 4]) -> Made {
    let expected = patches(&source.path, size, read);
    check_against(source, &expected, ladder, expected_tags)
}

fn check_against(source: Source, expected: &[Rgb], ladder: &str, expected_tags: [&str; 4]) -> Made {
    let made = source.transcode_to(ladder);
    made.is_whole(1.0);
    for quality in made.pictures() {
        let (file, size) = (made.file(&quality.name), (quality.width as usize, quality.height as usize));
        assert_eq!(tags(&file), expected_tags, "{}", quality.name);
        let (most, which) = apart(expected, &patches(&file, size, "null"));
        assert!(most <= 3, "{}: {most}: {which}", quality.name);
    }
    let largest = made.sizes()[0];
    let poster = image_path(&made.output, "poster.jpg");
    let found = patches(&poster, (largest.0 as usize, largest.1 as usize), "null");
    let (most, which) = apart(expected, &found);
    assert!(most <= 6, "poster: {most}: {which}");
    made
}

const SMALL: &str = "108p:900,72p:500";
const LARGE: &str = "720p:9000,360p:3000";
const BT709: [&str; 4] = ["tv", "bt709", "bt709", "bt709"];
const NTSC: [&str; 4] = ["tv", "smpte170m", "smpte170m", "smpte170m"];

/// The patches in this codec, which ffmpeg converts them for.
fn rgb(options: &str, name: &str) {
    let source = Clip::empty().graph(&grid(SD)).with(options).save(name);
    check(source, SD, "null", SMALL, BT709);
}

/// The patches in YUV, converted with this matrix and range and then said to be something.
fn yuv(
    size: (usize, usize),
    (matrix, range, format): (&str, &str, &str),
    said: &str,
    codec: &str,
    name: &str,
) -> Source {
    let convert =
        format!("scale=out_color_matrix={matrix}:out_range={range}:flags=accurate_rnd,format={format}");
    let graph = format!("{},{convert}", grid(size));
    Clip::empty().graph(&graph).with(codec).with(said).save(name)
}

#[test]
fn png_in_mov_keeps_its_colors() {
    rgb("-c:v png -pix_fmt rgb24", "clip.mov");
}

#[test]
fn a_palette_keeps_its_colors() {
    let palette = "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=none";
    rgb(&format!("-vf {palette} -c:v png -pix_fmt pal8"), "clip.mov");
}

#[test]
fn quicktime_animation_keeps_its_colors() {
    rgb("-c:v qtrle -pix_fmt rgb24", "clip.mov");
}

#[test]
fn a_gif_keeps_its_colors() {
    rgb("-vf split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none", "clip.gif");
}

#[test]
fn raw_rgb_keeps_its_colors() {
    rgb("-c:v rawvideo -pix_fmt bgr24", "clip.avi");
}

#[test]
fn ut_video_keeps_its_colors() {
    rgb("-c:v utvideo -pix_fmt gbrp", "clip.avi");
}

#[test]
fn h264_of_rgb_keeps_its_colors() {
    rgb("-c:v libx264rgb -preset ultrafast -qp 0", "clip.mkv");
}

#[test]
fn an_untagged_small_source_is_taken_for_bt_601() {
    let source = yuv(SD, ("bt601", "tv", "yuv420p"), UNTAGGED, LOSSLESS, "clip.mp4");
    assert_eq!(tags(&source.path)[1..], ["unknown"; 3]);
    check(source, SD, "scale=in_color_matrix=bt601", SMALL, NTSC);
}

#[test]
fn an_untagged_source_of_625_lines_is_taken_for_pal() {
    let (size, pal) = ((384, 288), ["tv", "bt470bg", "bt470bg", "smpte170m"]);
    let source = yuv(size, ("bt601", "tv", "yuv420p"), UNTAGGED, LOSSLESS, "clip.mkv");
    check(source, size, "scale=in_color_matrix=bt601", "288p:2000,144p:900", pal);
}

#[test]
fn an_untagged_large_source_is_taken_for_bt_709() {
    let source = yuv(HD, ("bt709", "tv", "yuv420p"), UNTAGGED, LOSSLESS, "clip.mp4");
    assert_eq!(tags(&source.path)[1..], ["unknown"; 3]);
    check(source, HD, "scale=in_color_matrix=bt709", LARGE, BT709);
}

#[test]
fn a_large_source_of_bt_601_stays_that() {
    let said = "-colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m";
    let source = yuv(HD, ("bt601", "tv", "yuv420p"), said, LOSSLESS, "clip.mp4");
    check(source, HD, "null", LARGE, NTSC);
}

#[test]
fn a_small_source_of_bt_709_stays_that() {
    let source = yuv(SD, ("bt709", "tv", "yuv420p"), TAGGED_BT709, LOSSLESS, "clip.mp4");
    check(source, SD, "null", SMALL, BT709);
}

#[test]
fn a_source_that_tells_its_matrix_alone_gets_the_rest_by_its_size() {
    let said = "-colorspace smpte170m";
    let source = yuv(HD, ("bt601", "tv", "yuv420p"), said, LOSSLESS, "clip.mp4");
    check(source, HD, "null", LARGE, ["tv", "smpte170m", "bt709", "bt709"]);
}

#[test]
fn motion_jpeg_keeps_its_colors_whatever_its_size() {
    let source = yuv(SD, ("bt601", "pc", "yuvj420p"), UNTAGGED, "-c:v mjpeg -q:v 1", "clip.avi");
    check(source, SD, "null", SMALL, ["tv", "bt470bg", "smpte170m", "smpte170m"]);
    let source = yuv(HD, ("bt601", "pc", "yuvj420p"), UNTAGGED, "-c:v mjpeg -q:v 1", "clip.avi");
    check(source, HD, "null", LARGE, ["tv", "bt470bg", "bt709", "bt709"]);
}

#[test]
fn gray_stays_as_bright_as_it_is() {
    let source = yuv(SD, ("bt601", "pc", "gray"), UNTAGGED, "-c:v ffv1", "clip.mkv");
    check(source, SD, "null", SMALL, NTSC);
    let source = yuv(SD, ("bt601", "pc", "gray"), UNTAGGED, "-c:v png", "clip.mov");
    check(source, SD, "null", SMALL, NTSC);
    let source = yuv(SD, ("bt601", "pc", "gray"), "-color_range pc", LOSSLESS, "clip.mp4");
    check(source, SD, "null", SMALL, NTSC);
}
