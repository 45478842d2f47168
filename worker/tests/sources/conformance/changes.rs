//! Sound that changes its rate, its channels or its codec on the way, as broadcasts do between programmes.
//! ffmpeg is no judge of their times: where sound changes it sets up its filters anew. Where the codec of a track changes, libav
//! goes on with the old one, and what follows is silent.

/// Of 25 frames a second.
const FRAME: f64 = 3_600.0;

mod short {
    use super::FRAME;
    use crate::conformance::case::{Frames, made_by};

    sources! {
        from_48_to_44_1_khz: made_by("V(7) A(48000,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(44100,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        from_one_channel_to_two: made_by("V(7) A(48000,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(48000,7) X -ac 2 -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
    }
}

mod full {
    use super::FRAME;
    use crate::conformance::case::{Frames, made_by};

    sources! {
        from_44_1_to_48_khz: made_by("V(7) A(44100,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(48000,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        from_48_to_44_1_khz_late: made_by("V(24) A(48000,24) X -c:a aac -output_ts_offset 1 a.ts ; V(10) A(44100,10) X -c:a aac -output_ts_offset 25 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(34.0).shows(Frames::Every(850, FRAME)).unlike_ffmpeg();
        from_48_to_44_1_khz_where_the_pieces_overlap: made_by("V(7) A(48000,7) X -c:a aac a.ts ; V(7) A(44100,7) X -c:a aac -output_ts_offset 7 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Count(350)).unlike_ffmpeg();
        from_48_to_8_khz: made_by("V(7) A(48000,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(8000,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        from_22_05_to_96_khz: made_by("V(7) A(22050,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(96000,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        there_and_back: made_by("V(5) A(48000,5) X -c:a aac -output_ts_offset 1 a.ts ; V(5) A(32000,5) X -c:a aac -output_ts_offset 6 b.ts ; V(5) A(48000,5) X -c:a aac -output_ts_offset 11 c.ts ; cat a.ts b.ts c.ts > o.ts")
            .lasts(15.0).shows(Frames::Every(375, FRAME)).unlike_ffmpeg();
        mp2_from_48_to_32_khz: made_by("V(7) A(48000,7) X -c:a mp2 -output_ts_offset 1 a.ts ; V(7) A(32000,7) X -c:a mp2 -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        ac3_from_48_to_44_1_khz: made_by("V(7) A(48000,7) X -c:a ac3 -output_ts_offset 1 a.ts ; V(7) A(44100,7) X -c:a ac3 -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        from_two_channels_to_six: made_by("V(7) A(48000,7) X -ac 2 -c:a ac3 -output_ts_offset 1 a.ts ; V(7) A(48000,7) C(5.1) X -c:a ac3 -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg().within_decibels(7.0);
        from_six_channels_to_one: made_by("V(7) A(48000,7) C(5.1) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(48000,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg().within_decibels(7.0);
        from_aac_to_mp2: made_by("V(7) A(48000,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(48000,7) X -c:a mp2 -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg().hole(7.0, 14.0).warns("could not be decoded");
        from_ac3_to_aac: made_by("V(7) A(48000,7) X -c:a ac3 -output_ts_offset 1 a.ts ; V(7) A(48000,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg().hole(7.0, 14.0);
        rate_and_channels_at_once: made_by("V(7) A(44100,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7) A(32000,7) X -ac 2 -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
    }
}
