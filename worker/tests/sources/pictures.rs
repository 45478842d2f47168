//! Pictures that need more than decoding.

use std::path::Path;

use framefarm_worker::encoder::protocol::image_path;

use crate::clip::{Clip, SECONDS, Source, X264};
use crate::made::Made;
use crate::media::{self, gray};

/// The four numbers of a display matrix that turn and mirror: right goes to `(a, b)`, down to `(c, d)`.
type Matrix = (i32, i32, i32, i32);

/// A white quarter at the top left, and this display matrix.
fn oriented(matrix: Matrix) -> Source {
    let quarter = "color=black:size=192x108:rate=25:duration=2,drawbox=w=96:h=54:c=white:t=fill";
    let (a, b, c, d) = matrix;
    Clip::empty().graph(quarter).with(X264).save("clip.mp4").changed(|mut bytes| {
        let matrix = bytes.windows(4).position(|kind| kind == b"tkhd").unwrap() + 44;
        for (word, value) in [(0, a), (1, b), (3, c), (4, d)] {
            bytes[matrix + word * 4..][..4].copy_from_slice(&(value * 0x1_0000).to_be_bytes());
        }
        bytes
    })
}

/// Which quarters are white: top left, top right, bottom left, bottom right.
fn white_quarters(path: &Path) -> [bool; 4] {
    let gray = gray(path, 2, 2);
    std::array::from_fn(|quarter| gray[quarter] > 128)
}

/// The white quarter goes where the matrix sends it, and so does the long side.
fn check_orientation(matrix: Matrix) {
    let (a, b, c, d) = matrix;
    let size = if a == 0 { (108, 192) } else { (192, 108) };
    let quarter = usize::from(a + c < 0) + 2 * usize::from(b + d < 0);
    let clip = oriented(matrix);
    // Nobody but us turns a picture; one that needs no turning may be copied.
    assert_eq!(clip.plan(true).copy, matrix == (1, 0, 0, 1));
    let made = clip.transcode_to("108p:500,72p:250:av1");
    made.is_whole(2.0).shows_every_frame();
    assert_eq!(made.sizes()[0], size);
    let files = made.pictures().map(|quality| made.file(&quality.name));
    for file in files.chain([image_path(&made.output, "poster.jpg")]) {
        assert_eq!(white_quarters(&file), std::array::from_fn(|at| at == quarter), "{}", file.display());
    }
}

#[test]
fn an_upright_picture_stays_as_it_is() {
    check_orientation((1, 0, 0, 1));
}

#[test]
fn a_picture_turned_clockwise_becomes_upright() {
    check_orientation((0, 1, -1, 0));
}

#[test]
fn a_picture_on_its_head_becomes_upright() {
    check_orientation((-1, 0, 0, -1));
}

#[test]
fn a_picture_turned_anticlockwise_becomes_upright() {
    check_orientation((0, -1, 1, 0));
}

#[test]
fn a_picture_mirrored_left_to_right_is_mirrored_back() {
    check_orientation((-1, 0, 0, 1));
}

#[test]
fn a_picture_mirrored_top_to_bottom_is_mirrored_back() {
    check_orientation((1, 0, 0, -1));
}

#[test]
fn a_picture_mirrored_and_turned_becomes_upright() {
    check_orientation((0, 1, 1, 0));
}

#[test]
fn a_picture_mirrored_and_turned_the_other_way_becomes_upright() {
    check_orientation((0, -1, -1, 0));
}

#[test]
fn a_portrait_is_measured_by_its_width() {
    let made = Clip::empty().picture("108x192", "25", SECONDS).with(X264).save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame();
    assert_eq!(made.sizes(), [(108, 192), (72, 128)]);
}

#[test]
fn odd_sides_and_full_chroma_become_even_and_plain() {
    let options = "-c:v libx264 -preset ultrafast -pix_fmt yuv444p";
    let odd = "testsrc=size=321x181:rate=25:duration=2";
    let made = Clip::empty().graph(odd).with(options).save("clip.mp4").transcode();
    made.is_whole(2.0).shows_every_frame();
    assert_eq!(made.sizes()[0], (190, 108));
    assert_eq!(pixels_of(&made), "yuv420p");
}

#[test]
fn a_tiny_picture_keeps_its_size() {
    let made = Clip::empty().picture("64x48", "25", SECONDS).with(X264).save("clip.mp4").transcode();
    made.is_whole(SECONDS).shows_every_frame();
    assert_eq!(made.sizes(), [(64, 48)]);
}

#[test]
fn an_anamorphic_picture_gets_square_pixels() {
    let clip = Clip::empty().picture("180x144", "25", SECONDS).with("-vf setsar=64/45").with(X264);
    let made = clip.save("clip.mp4").transcode_to("144p:500,120p:300");
    made.is_whole(SECONDS).shows_every_frame();
    assert_eq!(made.sizes(), [(256, 144), (212, 120)]);
    assert_eq!(media::streams(&made.file("144p"), &[])[0]["sample_aspect_ratio"], "1:1");
}

#[test]
fn ten_bits_become_eight() {
    let options = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le -c:a aac";
    let made = Clip::usual().with(options).save("clip.mkv").transcode();
    made.is_whole(SECONDS).shows_every_frame().is_in_sync();
    assert_eq!(pixels_of(&made), "yuv420p");
}

#[test]
fn perceptual_quantizer_becomes_standard_range() {
    check_hdr("smpte2084");
}

#[test]
fn hybrid_log_gamma_becomes_standard_range() {
    check_hdr("arib-std-b67");
}

fn check_hdr(curve: &str) {
    let tags = format!("log-level=error:colorprim=bt2020:transfer={curve}:colormatrix=bt2020nc");
    let options = format!("-pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params {tags}");
    let made = Clip::empty().picture("192x108", "25", 2.0).with(&options).save("clip.mp4").transcode();
    made.is_whole(2.0).shows_every_frame();
    let stream = &media::streams(&made.file("108p"), &[])[0];
    let tags = ["pix_fmt", "color_transfer", "color_primaries", "color_space", "color_range"];
    assert_eq!(tags.map(|tag| stream[tag].as_str().unwrap()), ["yuv420p", "bt709", "bt709", "bt709", "tv"]);
    let brightness = gray(&made.file("108p"), 1, 1)[0];
    assert!((30..220).contains(&brightness), "{brightness}");
}

#[test]
fn fields_of_two_moments_become_whole_frames() {
    let moving = "testsrc2=size=320x192:rate=50:duration=1,tinterlace=interleave_top";
    let options = "-c:v mpeg2video -flags +ilme+ildct -top 1 -b:v 4M";
    let made = Clip::empty().graph(moving).with(options).save("clip.mpg").transcode_to("192p:900");
    made.is_whole(1.0).shows_every_frame();
    let (before, after) = (combs(made.source()), combs(&made.file("192p")));
    assert!(after * 2 < before, "combs of {before} became {after}");
    assert_eq!(media::streams(&made.file("192p"), &[])[0]["field_order"], "progressive");
}

/// How much each line differs from both its neighbours.
fn combs(path: &Path) -> u64 {
    let (width, height) = (320, 192);
    let gray = gray(path, width, height);
    let mut sum = 0;
    for frame in gray.chunks(width * height) {
        for three in frame.windows(2 * width + 1) {
            let (above, here, below) = (three[0], three[width], three[2 * width]);
            let between = above.min(below)..=above.max(below);
            sum += u64::from(!between.contains(&here))
                * u64::from(here.abs_diff(above).min(here.abs_diff(below)));
        }
    }
    sum
}

#[test]
fn full_range_of_jpeg_becomes_the_range_of_players() {
    check_white("-c:v mjpeg -pix_fmt yuvj420p", "clip.avi");
}

#[test]
fn full_range_that_only_a_flag_tells_becomes_the_range_of_players() {
    let full = "-vf scale=out_range=pc,format=yuv420p -color_range pc";
    check_white(&format!("{full} -c:v libvpx-vp9 -deadline realtime -cpu-used 8"), "clip.webm");
}

fn check_white(options: &str, name: &str) {
    let white = "color=white:size=192x108:rate=25:duration=2";
    let made = Clip::empty().graph(white).with(options).save(name).transcode();
    made.is_whole(2.0).shows_every_frame();
    let brightness = gray(&made.file("108p"), 1, 1)[10];
    assert!((233..=237).contains(&brightness), "{brightness}");
}

#[test]
fn a_picture_that_changes_its_size_on_the_way_keeps_the_planned_one() {
    let small = Clip::empty().picture("160x120", "25", 4.0).with(X264).with("-output_ts_offset 4");
    let small = small.save("small.ts");
    let clip =
        Clip::empty().picture("192x108", "25", 4.0).with(X264).save("clip.ts").followed_by(&small.path);
    let made = clip.transcode();
    made.is_whole(8.0).shows(200);
    assert_eq!(made.sizes()[0], (192, 108));
}

#[test]
fn a_video_that_begins_amid_its_frames_begins_with_the_first_that_can_be_shown() {
    let clip = cut_at_the_front();
    let (made, seconds) = (clip.transcode(), SECONDS - 0.4);
    // Frames up to the second keyframe cannot be shown.
    made.is_whole(seconds).shows(175 - 25);
}

/// A second between keyframes, and the first ten frames are gone.
fn cut_at_the_front() -> Source {
    let clip = Clip::silent().with(X264).with("-g 25").save("whole.ts");
    clip.remuxed("-bsf:v noise=amount=0:drop=lt(n\\,10)", "clip.ts")
}

fn pixels_of(made: &Made) -> String {
    media::streams(&made.file("108p"), &[])[0]["pix_fmt"].as_str().unwrap().to_owned()
}
