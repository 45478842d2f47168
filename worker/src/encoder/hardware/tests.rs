use ffmpeg_next::codec::Context;
use ffmpeg_next::encoder;

use super::*;

fn first_way(kind: GpuKind, codec: VideoCodec) -> String {
    let aim = Aim { codec, preset: "veryfast", cap_kbps: 5000 };
    let ways = ways(kind, aim);
    ways[0].iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_path_has_its_settings() {
    let h264 = |kind| first_way(kind, VideoCodec::H264);
    assert_eq!(
        h264(GpuKind::Nvenc),
        "preset=p4 tune=hq rc=vbr cq=23 b=0 g=1048576 forced-idr=1 profile=high maxrate=5000k bufsize=10000k \
         spatial-aq=1 bf=2"
    );
    assert_eq!(
        h264(GpuKind::Qsv),
        "preset=veryfast profile=high b=4000k g=65535 forced_idr=1 maxrate=5000k bufsize=10000k \
         global_quality=23 bf=2"
    );
    assert_eq!(
        h264(GpuKind::Vaapi),
        "profile=high b=4000k g=1048576 maxrate=5000k bufsize=10000k rc_mode=QVBR global_quality=23 bf=2"
    );
}

#[test]
fn hevc_aims_at_the_number_of_x265_and_av1_at_that_of_svt() {
    let settings = |kind, codec| first_way(kind, codec);
    assert!(settings(GpuKind::Nvenc, VideoCodec::Hevc).contains(" cq=26 "));
    assert!(settings(GpuKind::Nvenc, VideoCodec::Av1).contains(" cq=35 "));
    assert!(settings(GpuKind::Vaapi, VideoCodec::Av1).contains(" global_quality=28 "));
}

/// What this build of ffmpeg has is asked with its own option parser: an unknown name and a value that is not taken
/// both fail. Debian's has no AV1 encoder of a GPU.
#[test]
fn ffmpeg_knows_every_option_and_takes_every_value() {
    ffmpeg_next::init().unwrap();
    let mut asked = 0;
    for (kind, codec) in
        GpuKind::ALL.iter().flat_map(|kind| VideoCodec::ALL.iter().map(move |codec| (kind, codec)))
    {
        let name = name(*kind, *codec);
        let Some(found) = encoder::find_by_name(&name) else {
            assert_eq!(*codec, VideoCodec::Av1, "{name} is missing");
            continue;
        };
        for preset in
            ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "placebo"]
        {
            for way in ways(*kind, Aim { codec: *codec, preset, cap_kbps: 800 }) {
                let mut context = Context::new_with_codec(found);
                let unknown = ff::set_options(&mut context, &way);
                assert_eq!(
                    unknown.map_err(|error| format!("{name}: {error} in {way:?}")),
                    Ok(vec![]),
                    "{name}"
                );
                asked += 1;
            }
        }
    }
    assert!(asked >= 6 * 9 * 2, "{asked}");
}

#[test]
fn a_name_that_ffmpeg_does_not_know_is_told() {
    ffmpeg_next::init().unwrap();
    let mut context = Context::new_with_codec(encoder::find_by_name("h264_nvenc").unwrap());
    let options = vec![("forced_idr", "1".to_owned()), ("rc", "vbr".to_owned())];
    assert_eq!(ff::set_options(&mut context, &options), Ok(vec!["forced_idr"]));
    assert!(ff::set_options(&mut context, &[("rc", "qvbr".to_owned())]).is_err());
}
