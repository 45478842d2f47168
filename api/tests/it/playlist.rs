//! Playlists as text, and as a parser reads them back.

use framefarm_api::playlist::{
    AudioRendition, Bitrates, MasterInput, MediaPlaylistInput, MediaSegment, SubtitleRendition, Variant,
    master_playlist, media_playlist, subtitle_playlist,
};
use m3u8_rs::{MasterPlaylist, MediaPlaylist, MediaPlaylistType};
use proptest::prelude::*;

fn segments(durations: &[f64]) -> Vec<MediaSegment> {
    let segment = |(at, seconds): (usize, &f64)| MediaSegment {
        uri: format!("seg_{at:05}.m4s"),
        seconds: *seconds,
        init_uri: Some("init.mp4".into()),
    };
    durations.iter().enumerate().map(segment).collect()
}

fn media(durations: &[f64]) -> String {
    media_playlist(&MediaPlaylistInput { segments: segments(durations), independent: true })
}

fn parse_media(text: &str) -> MediaPlaylist {
    m3u8_rs::parse_media_playlist_res(text.as_bytes()).expect("a media playlist")
}

fn parse_master(text: &str) -> MasterPlaylist {
    m3u8_rs::parse_master_playlist_res(text.as_bytes()).expect("a master playlist")
}

/// The durations as written, in microseconds: the parser would round them to f32.
fn written_micros(text: &str) -> Vec<u64> {
    let extinf = text.lines().filter_map(|line| line.strip_prefix("#EXTINF:"));
    extinf
        .map(|value| {
            let (seconds, fraction) = value.trim_end_matches(',').split_once('.').expect("a fraction");
            assert_eq!(fraction.len(), 6, "six decimals: {value}");
            format!("{seconds}{fraction}").parse().expect("digits")
        })
        .collect()
}

fn video(name: &str, bandwidth: u64, resolution: (u32, u32)) -> Variant {
    Variant {
        uri: format!("{name}/index.m3u8"),
        bandwidth,
        average_bandwidth: bandwidth / 2,
        codecs: "avc1.640028".into(),
        resolution: Some(resolution),
        frame_rate: Some(30_000.0 / 1_001.0),
        audio_group: Some("aac".into()),
    }
}

fn audio(name: &str, language: &str, bandwidth: u64) -> AudioRendition {
    AudioRendition {
        group: "aac".into(),
        name: name.into(),
        language: Some(language.into()),
        uri: format!("audio_{language}/index.m3u8"),
        default: language == "en",
        channels: Some(2),
        bandwidth,
        average_bandwidth: bandwidth - 1_000,
        codecs: "mp4a.40.2".into(),
    }
}

#[test]
fn a_media_playlist_has_all_that_a_finished_rendition_needs() {
    let text = media(&[6.006, 6.006, 2.5]);
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-TARGETDURATION:6
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-MAP:URI="init.mp4"
    #EXTINF:6.006000,
    seg_00000.m4s
    #EXTINF:6.006000,
    seg_00001.m4s
    #EXTINF:2.500000,
    seg_00002.m4s
    #EXT-X-ENDLIST
    "#);
    let parsed = parse_media(&text);
    assert_eq!(parsed.playlist_type, Some(MediaPlaylistType::Vod));
    assert!(parsed.end_list && parsed.independent_segments);
    assert_eq!(parsed.segments.len(), 3);
    let map = parsed.segments[0].map.as_ref().expect("a map");
    assert_eq!(map.uri, "init.mp4");
}

#[test]
fn where_the_encoder_changed_another_init_segment_begins_and_nothing_else_changes() {
    let mut segments = segments(&[4.0, 4.0, 4.0, 2.0]);
    segments[1].init_uri = Some("other.mp4".into());
    segments[2].init_uri = Some("other.mp4".into());
    let text = media_playlist(&MediaPlaylistInput { segments, independent: true });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-TARGETDURATION:4
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-MAP:URI="init.mp4"
    #EXTINF:4.000000,
    seg_00000.m4s
    #EXT-X-MAP:URI="other.mp4"
    #EXTINF:4.000000,
    seg_00001.m4s
    #EXTINF:4.000000,
    seg_00002.m4s
    #EXT-X-MAP:URI="init.mp4"
    #EXTINF:2.000000,
    seg_00003.m4s
    #EXT-X-ENDLIST
    "#);
}

#[test]
fn segments_that_are_not_independent_are_not_called_so() {
    let input = MediaPlaylistInput { independent: false, ..MediaPlaylistInput::default() };
    assert!(!media_playlist(&input).contains("INDEPENDENT"));
}

#[test]
fn the_target_duration_is_that_of_the_duration_as_written() {
    assert_eq!(parse_media(&media(&[6.499_999])).target_duration, 6);
    assert_eq!(parse_media(&media(&[6.5])).target_duration, 7);
    // Written as 6.500000, which a player rounds to 7.
    assert_eq!(parse_media(&media(&[6.499_999_9])).target_duration, 7);
    assert_eq!(parse_media(&media(&[0.2])).target_duration, 1);
}

#[test]
fn a_thousand_thirds_of_a_second_do_not_drift() {
    let written = written_micros(&media(&[1.0 / 3.0; 1_000]));
    assert_eq!(written.iter().sum::<u64>(), 333_333_333);
}

#[test]
fn a_duration_that_is_no_number_does_not_reach_the_playlist() {
    let text = media(&[6.0, f64::NAN, f64::INFINITY, -1.0, 6.0]);
    assert_eq!(written_micros(&text), [6_000_000, 0, 0, 0, 6_000_000]);
}

#[test]
fn a_segment_name_cannot_write_lines_of_its_own() {
    let text = media_playlist(&MediaPlaylistInput {
        segments: vec![MediaSegment {
            uri: "#a b\r\n#EXT-X-DISCONTINUITY".into(),
            seconds: 6.0,
            init_uri: Some("init\".mp4\n#EXT-X-ENDLIST".into()),
        }],
        independent: true,
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-TARGETDURATION:6
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-MAP:URI="init%22.mp4%0A#EXT-X-ENDLIST"
    #EXTINF:6.000000,
    %23a%20b%0D%0A#EXT-X-DISCONTINUITY
    #EXT-X-ENDLIST
    "#);
}

#[test]
fn a_master_adds_the_biggest_audio_of_the_group_and_starts_with_1080p() {
    let text = master_playlist(&MasterInput {
        variants: vec![
            video("720p", 3_000_000, (1_280, 720)),
            video("2160p", 16_000_000, (3_840, 2_160)),
            video("1080p", 6_000_000, (1_920, 1_080)),
        ],
        audio: vec![audio("English", "en", 130_000), audio("Deutsch", "de", 140_000)],
        independent: true,
        ..MasterInput::default()
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_en/index.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_de/index.m3u8",GROUP-ID="aac",LANGUAGE="de",NAME="Deutsch",AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-STREAM-INF:BANDWIDTH=6140000,AVERAGE-BANDWIDTH=3139000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=29.970,AUDIO="aac"
    1080p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=16140000,AVERAGE-BANDWIDTH=8139000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=3840x2160,FRAME-RATE=29.970,AUDIO="aac"
    2160p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=3140000,AVERAGE-BANDWIDTH=1639000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="aac"
    720p/index.m3u8
    "#);
    let parsed = parse_master(&text);
    assert_eq!(parsed.variants.len(), 3);
    assert_eq!(parsed.variants[0].frame_rate, Some(29.97));
    assert_eq!(parsed.alternatives.len(), 2);
}

#[test]
fn only_the_audio_of_its_own_group_counts_for_a_variant() {
    let surround =
        AudioRendition { group: "ac3".into(), codecs: "ac-3".into(), ..audio("Surround", "en", 640_000) };
    let parsed = parse_master(&master_playlist(&MasterInput {
        variants: vec![video("720p", 3_000_000, (1_280, 720))],
        audio: vec![audio("English", "en", 130_000), surround],
        independent: true,
        ..MasterInput::default()
    }));
    assert_eq!(parsed.variants[0].bandwidth, 3_130_000);
    assert_eq!(parsed.variants[0].codecs.as_deref(), Some("avc1.640028,mp4a.40.2"));
}

#[test]
fn variants_of_the_first_audio_group_come_before_all_others() {
    let surround = |rendition: AudioRendition| AudioRendition {
        group: "surround".into(),
        uri: "surround_en/index.m3u8".into(),
        channels: Some(6),
        bandwidth: 400_000,
        average_bandwidth: 390_000,
        ..rendition
    };
    let sizes = [("1080p", 6_000_000, (1_920, 1_080)), ("2160p", 16_000_000, (3_840, 2_160))];
    let variants = sizes.iter().flat_map(|(name, bandwidth, size)| {
        ["surround", "aac"]
            .map(|group| Variant { audio_group: Some(group.into()), ..video(name, *bandwidth, *size) })
    });
    let (stereo, german) = (audio("English", "en", 130_000), audio("Deutsch", "de", 140_000));
    let text = master_playlist(&MasterInput {
        variants: variants.collect(),
        audio: vec![
            stereo.clone(),
            german.clone(),
            surround(stereo),
            AudioRendition { group: "surround".into(), ..german },
        ],
        independent: true,
        ..MasterInput::default()
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_en/index.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_de/index.m3u8",GROUP-ID="aac",LANGUAGE="de",NAME="Deutsch",AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-MEDIA:TYPE=AUDIO,URI="surround_en/index.m3u8",GROUP-ID="surround",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="6"
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_de/index.m3u8",GROUP-ID="surround",LANGUAGE="de",NAME="Deutsch",AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-STREAM-INF:BANDWIDTH=6140000,AVERAGE-BANDWIDTH=3139000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=29.970,AUDIO="aac"
    1080p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=16140000,AVERAGE-BANDWIDTH=8139000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=3840x2160,FRAME-RATE=29.970,AUDIO="aac"
    2160p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=16400000,AVERAGE-BANDWIDTH=8390000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=3840x2160,FRAME-RATE=29.970,AUDIO="surround"
    2160p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=6400000,AVERAGE-BANDWIDTH=3390000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=29.970,AUDIO="surround"
    1080p/index.m3u8
    "#);
}

#[test]
fn a_video_without_pictures_lists_its_stereo_audio_first() {
    let surround = AudioRendition {
        group: "surround".into(),
        uri: "surround_en/index.m3u8".into(),
        channels: Some(6),
        ..audio("English", "en", 400_000)
    };
    let parsed = parse_master(&master_playlist(&MasterInput {
        audio: vec![audio("English", "en", 130_000), surround],
        ..MasterInput::default()
    }));
    let told: Vec<_> = parsed.variants.iter().map(|v| (v.uri.as_str(), v.bandwidth)).collect();
    assert_eq!(told, [("audio_en/index.m3u8", 130_000), ("surround_en/index.m3u8", 400_000)]);
}

#[test]
fn a_variant_without_audio_names_no_group() {
    let silent = parse_master(&master_playlist(&MasterInput {
        variants: vec![video("720p", 3_000_000, (1_280, 720))],
        ..MasterInput::default()
    }));
    assert_eq!(silent.variants[0].audio, None);
    assert_eq!(silent.variants[0].bandwidth, 3_000_000);
}

#[test]
fn a_portrait_video_is_measured_by_its_short_side() {
    let parsed = parse_master(&master_playlist(&MasterInput {
        variants: vec![
            video("2160p", 16_000_000, (2_160, 3_840)),
            video("1080p", 6_000_000, (1_080, 1_920)),
            video("360p", 1_000_000, (360, 640)),
        ],
        ..MasterInput::default()
    }));
    let order: Vec<&str> = parsed.variants.iter().map(|v| v.uri.as_str()).collect();
    assert_eq!(order, ["1080p/index.m3u8", "2160p/index.m3u8", "360p/index.m3u8"]);
}

#[test]
fn a_larger_variant_is_listed_before_a_smaller_one_that_takes_more_bits() {
    let parsed = parse_master(&master_playlist(&MasterInput {
        variants: vec![
            video("360p", 1_000_000, (640, 360)),
            video("1080p", 3_000_000, (1_920, 1_080)),
            // A copied source may be coded better than what is made from it.
            video("4320p", 9_000_000, (7_680, 4_320)),
            video("720p", 4_000_000, (1_280, 720)),
            video("2160p", 12_000_000, (3_840, 2_160)),
            video("2160phevc", 8_000_000, (3_840, 2_160)),
        ],
        ..MasterInput::default()
    }));
    let order: Vec<&str> = parsed.variants.iter().filter_map(|v| v.uri.split('/').next()).collect();
    assert_eq!(order, ["1080p", "4320p", "2160p", "2160phevc", "720p", "360p"]);
}

#[test]
fn a_video_without_pictures_gets_a_master_of_its_audio() {
    let text = master_playlist(&MasterInput {
        audio: vec![audio("Deutsch", "de", 140_000), audio("English", "en", 130_000)],
        independent: true,
        ..MasterInput::default()
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_de/index.m3u8",GROUP-ID="aac",LANGUAGE="de",NAME="Deutsch",AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_en/index.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-STREAM-INF:BANDWIDTH=140000,AVERAGE-BANDWIDTH=139000,CODECS="mp4a.40.2",AUDIO="aac"
    audio_en/index.m3u8
    "#);
    assert_eq!(parse_master(&text).variants[0].resolution, None);
}

#[test]
fn a_track_title_cannot_break_out_of_its_attribute() {
    let hostile = AudioRendition {
        name: "x\",URI=\"http://evil\"\r\n#EXT-X-ENDLIST\u{2028}y\u{85}z\0".into(),
        language: Some("en\",DEFAULT=YES".into()),
        codecs: "mp4a.40.2\"\n#".into(),
        ..audio("", "en", 130_000)
    };
    let text = master_playlist(&MasterInput {
        variants: vec![video("720p", 3_000_000, (1_280, 720))],
        audio: vec![hostile],
        independent: true,
        ..MasterInput::default()
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_en/index.m3u8",GROUP-ID="aac",NAME="x',URI='http://evil'  #EXT-X-ENDLIST y z",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-STREAM-INF:BANDWIDTH=3130000,AVERAGE-BANDWIDTH=1629000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="aac"
    720p/index.m3u8
    "#);
}

#[test]
fn a_title_of_any_length_stays_short() {
    let parsed = parse_master(&master_playlist(&MasterInput {
        audio: vec![audio(&"ä".repeat(10_000), "de", 130_000)],
        ..MasterInput::default()
    }));
    assert_eq!(parsed.alternatives[0].name.chars().count(), 128);
}

#[test]
fn a_frame_rate_that_is_no_number_is_left_out() {
    for frame_rate in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let text = master_playlist(&MasterInput {
            variants: vec![Variant {
                frame_rate: Some(frame_rate),
                ..video("720p", 3_000_000, (1_280, 720))
            }],
            ..MasterInput::default()
        });
        assert!(!text.contains("FRAME-RATE"), "{text}");
    }
}

#[test]
fn a_group_has_distinct_names_one_default_and_one_choice_a_language() {
    let parsed = parse_master(&master_playlist(&MasterInput {
        audio: vec![audio("", "en", 130_000), audio("\n", "en", 130_000), audio("Audio", "und", 130_000)],
        ..MasterInput::default()
    }));
    let names: Vec<&str> = parsed.alternatives.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["Audio", "Audio 2", "Audio 3"]);
    let chosen: Vec<(bool, bool)> = parsed.alternatives.iter().map(|a| (a.default, a.autoselect)).collect();
    assert_eq!(chosen, [(true, true), (false, false), (false, false)]);
    assert_eq!(parsed.alternatives[2].language, None);
}

#[test]
fn the_peak_is_that_of_the_biggest_segment() {
    let measured = Bitrates::measure(&[(750_000, 6.0), (1_500_000, 6.0), (750_000, 6.0)]);
    assert_eq!((measured.peak, measured.average), (2_000_000, 1_333_334));
}

#[test]
fn a_very_short_last_segment_makes_no_absurd_peak() {
    let measured = Bitrates::measure(&[(750_000, 6.0), (750_000, 6.0), (100_000, 0.04)]);
    // Alone the last one would be 20 Mbit/s.
    assert_eq!(measured.peak, 1_125_828);
}

#[test]
fn a_clip_shorter_than_half_a_second_has_its_average_as_peak() {
    let measured = Bitrates::measure(&[(10_000, 0.4)]);
    assert_eq!(measured, Bitrates { peak: 200_000, average: 200_000 });
    assert_eq!(Bitrates::measure(&[]), Bitrates::default());
}

fn subtitle(name: &str, language: Option<&str>, forced: bool) -> SubtitleRendition {
    SubtitleRendition {
        name: name.into(),
        language: language.map(str::to_owned),
        forced,
        uri: "g1/subtitles/0.m3u8".into(),
    }
}

#[test]
fn subtitles_are_one_group_that_every_variant_names() {
    let text = master_playlist(&MasterInput {
        variants: vec![video("720p", 3_000_000, (1_280, 720)), video("360p", 700_000, (640, 360))],
        audio: vec![audio("English", "en", 130_000)],
        subtitles: vec![subtitle("English", Some("en"), false), subtitle("English", Some("en"), true)],
        independent: true,
    });
    insta::assert_snapshot!(text, @r#"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,URI="audio_en/index.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
    #EXT-X-MEDIA:TYPE=SUBTITLES,URI="g1/subtitles/0.m3u8",GROUP-ID="subtitles",LANGUAGE="en",NAME="English",AUTOSELECT=YES
    #EXT-X-MEDIA:TYPE=SUBTITLES,URI="g1/subtitles/0.m3u8",GROUP-ID="subtitles",LANGUAGE="en",NAME="English 2",AUTOSELECT=YES,FORCED=YES
    #EXT-X-STREAM-INF:BANDWIDTH=3130000,AVERAGE-BANDWIDTH=1629000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="aac",SUBTITLES="subtitles"
    720p/index.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=830000,AVERAGE-BANDWIDTH=479000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=29.970,AUDIO="aac",SUBTITLES="subtitles"
    360p/index.m3u8
    "#);
    let parsed = parse_master(&text);
    assert!(parsed.variants.iter().all(|variant| variant.subtitles.as_deref() == Some("subtitles")));
    assert!(parsed.alternatives.iter().skip(1).all(|media| !media.default));
}

#[test]
fn a_group_of_subtitles_has_distinct_names_and_one_choice_a_language() {
    let parsed = parse_master(&master_playlist(&MasterInput {
        audio: vec![audio("English", "en", 130_000)],
        subtitles: vec![
            subtitle("", None, false),
            subtitle("x\",URI=\"http://evil\"\n#EXT-X-ENDLIST", Some("de\",DEFAULT=YES"), false),
            subtitle("Deutsch", Some("de"), false),
            subtitle("Deutsch", Some("de"), true),
            subtitle("Deutsch", Some("de"), false),
        ],
        ..MasterInput::default()
    }));
    let told: Vec<_> =
        parsed.alternatives[1..].iter().map(|a| (a.name.as_str(), a.autoselect, a.forced)).collect();
    assert_eq!(
        told,
        [
            ("Subtitles", true, false),
            ("x',URI='http://evil' #EXT-X-ENDLIST", false, false),
            ("Deutsch", true, false),
            ("Deutsch 2", true, true),
            ("Deutsch 3", false, false),
        ]
    );
    assert_eq!(parsed.alternatives[2].language, None);
    assert_eq!(parsed.variants[0].codecs.as_deref(), Some("mp4a.40.2"), "text is in no list of codecs");
    assert_eq!(parsed.variants[0].subtitles.as_deref(), Some("subtitles"), "sound alone has them too");
}

#[test]
fn a_subtitle_is_one_segment_as_long_as_the_video() {
    let text = subtitle_playlist("0-abababababababab.vtt", 18.04);
    insta::assert_snapshot!(text, @r"
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-TARGETDURATION:18
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXTINF:18.040000,
    0-abababababababab.vtt
    #EXT-X-ENDLIST
    ");
    assert_eq!(parse_media(&text).segments.len(), 1);
}

proptest! {
    #[test]
    fn no_written_duration_exceeds_the_target_and_their_sum_is_kept(
        durations in proptest::collection::vec(0.001_f64..20.0, 1..200)
    ) {
        let text = media(&durations);
        let written = written_micros(&text);
        let target = parse_media(&text).target_duration;
        prop_assert!(written.iter().all(|micros| (micros + 500_000) / 1_000_000 <= target));
        let least = written.iter().any(|micros| (micros + 500_000) / 1_000_000 == target);
        prop_assert!(least || target == 1);
        let sum = std::time::Duration::from_micros(written.iter().sum()).as_secs_f64();
        prop_assert!((sum - durations.iter().sum::<f64>()).abs() < 0.000_001);
    }
}
