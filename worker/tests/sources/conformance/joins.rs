//! Transport streams whose pieces each begin their times anew. The picture goes on without a pause, and sound is with it after
//! every join. ffmpeg is no judge of their times: it joins by whichever stream jumps first.

/// Of 25 frames a second.
const FRAME: f64 = 3_600.0;

mod short {
    use super::FRAME;
    use crate::conformance::case::{Frames, made_by};

    sources! {
        one_piece_eight_times: made_by("V(4) A(48000,4) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts p.ts p.ts p.ts p.ts > o.ts")
            .lasts(32.0).shows(Frames::Every(800, FRAME)).unlike_ffmpeg();
        pieces_whose_sound_is_shorter: made_by("V(4) A(48000,3.5) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        pieces_whose_sound_is_longer: made_by("V(3.52) A(48000,4) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(14.08).shows(Frames::Every(352, FRAME)).unlike_ffmpeg();
        a_beep_right_behind_each_join: made_by("V(4.8,5) A(48000,4.8) -ss 0.8 X -c:a aac -b:a 192k p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(80, 5.0 * FRAME)).unlike_ffmpeg();
    }
}

mod full {
    use super::FRAME;
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        one_piece_eight_times_at_44_1_khz: made_by("V(4) A(44100,4) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts p.ts p.ts p.ts p.ts > o.ts")
            .lasts(32.0).shows(Frames::Every(800, FRAME)).unlike_ffmpeg();
        one_piece_eight_times_with_b_frames: made_by("V(4) A(48000,4) -c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts p.ts p.ts p.ts p.ts > o.ts")
            .lasts(32.0).shows(Frames::Every(800, FRAME)).unlike_ffmpeg();
        one_piece_eight_times_with_mp2: made_by("V(4) A(48000,4) -c:v mpeg2video -c:a mp2 p.ts ; cat p.ts p.ts p.ts p.ts p.ts p.ts p.ts p.ts > o.ts")
            .lasts(32.0).shows(Frames::Every(800, FRAME)).unlike_ffmpeg();
        one_piece_eight_times_with_ac3: made_by("V(4) A(48000,4) -c:v mpeg2video -bf 2 -c:a ac3 p.ts ; cat p.ts p.ts p.ts p.ts p.ts p.ts p.ts p.ts > o.ts")
            .lasts(32.0).shows(Frames::Every(800, FRAME)).unlike_ffmpeg();
        a_beep_right_behind_each_join_of_ac3: made_by("V(4.96) A(48000,4.96) -ss 0.96 -c:v mpeg2video -c:a ac3 -b:a 384k p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        pieces_of_program_streams: made_by("V(4) A(48000,4) -c:v mpeg2video -c:a mp2 p.mpg ; cat p.mpg p.mpg p.mpg p.mpg > o.mpg")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        pieces_at_59_94_frames: made_by("V(4.004,60000/1001) A(48000,4.004,1.001) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.016).shows(Frames::Every(960, 1501.5)).unlike_ffmpeg();
        pieces_at_29_97_frames: made_by("V(4.004,30000/1001) A(44100,4.004,1.001) X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.016).shows(Frames::Every(480, 3003.0)).unlike_ffmpeg();
        pieces_with_different_frame_rates: made_by("V(4,25) A(48000,4) X -c:a aac p.ts ; V(4,50) A(48000,4) X -c:a aac q.ts ; cat p.ts q.ts p.ts q.ts > o.ts")
            .lasts(16.0).shows(Frames::Count(600)).unlike_ffmpeg();
        pieces_with_different_sample_rates: made_by("V(4) A(48000,4) X -c:a aac p.ts ; V(4) A(44100,4) X -c:a aac q.ts ; cat p.ts q.ts p.ts q.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        interlaced_pieces: made_by("V(4,50) A(48000,4) -vf tinterlace=interleave_top -flags +ilme+ildct -c:v mpeg2video -b:v 2M -c:a mp2 p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        interlaced_pieces_of_h264: made_by("V(4,50) A(48000,4) -vf tinterlace=interleave_top -flags +ilme+ildct -x264-params tff=1 X -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        a_jump_forward_of_an_hour: made_by("V(7) A(48000,7) X -c:a aac p.ts ; V(7) A(48000,7) X -c:a aac -output_ts_offset 3600 q.ts ; cat p.ts q.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        a_jump_back_of_an_hour: made_by("V(7) A(48000,7) X -c:a aac -output_ts_offset 3600 p.ts ; V(7) A(48000,7) X -c:a aac q.ts ; cat p.ts q.ts > o.ts")
            .lasts(14.0).shows(Frames::Every(350, FRAME)).unlike_ffmpeg();
        pieces_without_sound: made_by("V(4) X p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.0).shows(Frames::Every(400, FRAME)).unlike_ffmpeg();
        the_second_piece_has_no_sound: made_by("V(4) A(48000,4) X -c:a aac p.ts ; V(4) X q.ts ; cat p.ts q.ts p.ts > o.ts")
            .lasts(12.0).shows(Frames::Every(300, FRAME)).hole(4.0, 8.0).unlike_ffmpeg();
        joined_sound_alone: made_by("A(48000,4) -c:a aac p.ts ; cat p.ts p.ts p.ts p.ts > o.ts")
            .lasts(16.128).synced(Sync::Unmeasured).unlike_ffmpeg();
    }
}
