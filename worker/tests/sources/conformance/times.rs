//! Where times begin, how they run on and how far: priming, edit lists, offsets, clocks that drift, frame rates, lengths.

mod short {
    use crate::conformance::case::{Frames, made_by};

    sources! {
        an_edit_list_that_cuts_the_start: made_by("V(16) A(44100,16) X -g 50 -bf 2 -c:a aac w.mp4 ; -ss 1.52 -i w.mp4 -c copy o.mp4")
            .lasts(14.48).shows(Frames::Count(362));
        times_that_overflow: made_by("V(14) A(48000,14) X -g 25 -c:a aac -output_ts_offset 95439 o.ts");
        sound_that_begins_later: made_by("V(14) A(44100,14) -af atrim=start=1.5 X -c:a aac o.mkv").hole(0.0, 1.5);
        a_clock_far_off: made_by("V(60,5,64x36) A(48480,60) -af asetrate=48000,asetpts=N/48480/TB X -c:a pcm_s16le o.mkv").once();
        sound_whose_times_jitter: made_by("V(14) A(48000,14) X -c:a flac -frame_size 2880 -bsf:a setts=ts='TS+25*sin(N*2.4)' o.mkv")
            .unlike_ffmpeg();
        frames_29_97_a_second: made_by("V(14.014,30000/1001) A(44100,14.014,1.001) X -c:a aac o.mp4");
        frames_at_irregular_times: made_by("V(14) A(48000,14) -vf select='not(mod(n,25))+not(mod(n,3))+gt(random(0),0.7)' -fps_mode vfr X -c:a aac o.mp4");
        a_single_frame: made_by("V(0.04) X o.mp4").once();
    }
}

mod full {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        an_edit_list_of_mov: made_by("V(16) A(44100,16) X -g 50 -bf 2 -c:a pcm_s16le w.mov ; -ss 1.52 -i w.mov -c copy o.mov")
            .lasts(14.48).shows(Frames::Count(362));
        an_edit_list_at_48_khz: made_by("V(16) A(48000,16) X -g 50 -c:a aac w.mp4 ; -ss 1.96 -i w.mp4 -c copy o.mp4")
            .lasts(14.04).shows(Frames::Count(351));
        a_cut_of_mkv_that_begins_with_sound: made_by("V(16) A(48000,16) X -g 25 -c:a aac w.mkv ; -ss 1.52 -i w.mkv -c copy o.mkv")
            .lasts(15.0).shows(Frames::Count(375)).synced(Sync::AsFfmpeg);
        an_empty_edit_before_the_picture: made_by("V(14) A(48000,14) -c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -c:a aac w.mp4 ; -itsoffset 0.2 -i w.mp4 -i w.mp4 -map 0:v -map 1:a -c copy o.mov")
            .lasts(14.2).shows(Frames::AtLeast(350)).synced(Sync::AsFfmpeg);
        an_empty_edit_before_the_sound: made_by("V(14) A(48000,14) X -c:a aac w.mp4 ; -itsoffset 0.08 -i w.mp4 -i w.mp4 -map 1:v -map 0:a -c copy o.mp4")
            .lasts(14.0).synced(Sync::AsFfmpeg);
        aac_without_an_edit_list: made_by("V(14) A(44100,14) X -c:a aac -use_editlist 0 o.mp4").synced(Sync::AsFfmpeg);
        fragments_with_b_frames: made_by("V(14) A(44100,14) -c:v libx264 -preset veryfast -bf 3 -g 50 -pix_fmt yuv420p -c:a aac -movflags frag_keyframe+delay_moov o.mp4");
        b_frames_in_mp4: made_by("V(14) A(44100,14) -c:v libx264 -preset veryfast -bf 3 -g 50 -pix_fmt yuv420p -c:a aac o.mp4").copied();
        b_frames_in_ts: made_by("V(14) A(48000,14) -c:v libx264 -preset veryfast -bf 3 -g 50 -pix_fmt yuv420p -c:a aac o.ts").copied();
        long_groups_in_ts: made_by("V(20) A(48000,20) -c:v libx264 -preset veryfast -bf 3 -g 250 -pix_fmt yuv420p -c:a aac o.ts");
        negative_times: made_by("V(14) A(44100,14) X -bf 2 -c:a aac -output_ts_offset -0.5 -avoid_negative_ts disabled o.ts");
        times_that_begin_late: made_by("V(14) A(44100,14) X -c:a aac -output_ts_offset 50000 o.ts");
        times_that_begin_late_in_mkv: made_by("V(14) A(44100,14) X -c:a aac -output_ts_offset 5000 o.mkv");
        times_that_overflow_at_once: made_by("V(14) A(44100,14) X -g 25 -c:a aac -output_ts_offset 95442.2 o.ts");
        times_that_overflow_late: made_by("V(14) A(44100,14) X -g 250 -c:a aac -output_ts_offset 95430 o.ts");
        times_that_overflow_in_a_program_stream: made_by("V(14) A(48000,14) -c:v mpeg2video -c:a mp2 -output_ts_offset 95436 o.mpg");
        sound_that_begins_a_little_earlier: made_by("V(14) A(48000,14) -vf trim=start=0.03 -fps_mode vfr X -c:a aac o.mkv")
            .lasts(13.96);
        sound_that_begins_much_earlier: made_by("V(14) A(44100,14) -vf trim=start=1.48 -fps_mode vfr -af volume=0:enable='lt(t,1.4)' X -c:a aac o.mkv")
            .shows(Frames::Count(313)).hole(0.0, 1.48);
        sound_that_begins_a_segment_later: made_by("V(20) A(44100,20) -af atrim=start=7.5 X -c:a aac o.mkv").hole(0.0, 7.5);
        sound_that_begins_later_in_ts: made_by("V(14) A(44100,14) -af atrim=start=2.5 X -c:a aac o.ts").hole(0.0, 2.5);
        sound_that_begins_later_in_mov: made_by("V(14) A(96000,14) -af atrim=start=2.5 X -c:a pcm_s16le o.mov").hole(0.0, 2.5);
        sound_that_ends_early: made_by("V(14) A(44100,8.5) X -c:a aac o.mp4").hole(8.5, 14.0);
        sound_a_little_longer: made_by("V(14) A(44100,14.6) X -c:a aac o.mp4");

        a_clock_that_is_fast: made_by("V(600,5,64x36) A(47952,600) -af asetrate=48000,asetpts=N/47952/TB X -c:a pcm_s16le o.mkv").once();
        a_clock_of_44_1_khz_that_is_slow: made_by("V(600,5,64x36) A(44144,600) -af asetrate=44100,asetpts=N/44144/TB X -c:a aac o.mp4").once();
        a_clock_that_is_slow: made_by("V(600,5,64x36) A(48048,600) -af asetrate=48000,asetpts=N/48048/TB X -c:a pcm_s16le o.mkv").once();

        one_frame_a_second: made_by("V(20,1) A(44100,20,2) X -c:a aac o.mp4");
        five_frames_a_second: made_by("V(20,5) A(44100,20) X -c:a aac o.mp4");
        frames_12_5_a_second: made_by("V(14,25/2) A(44100,14,1.04) X -c:a aac o.mp4");
        frames_23_976_a_second: made_by("V(14.014,24000/1001) A(44100,14.014,1.001) X -c:a aac o.mp4");
        frames_24_a_second: made_by("V(14,24) A(48000,14) X -c:a aac o.mkv");
        frames_29_97_a_second_in_mkv: made_by("V(14.014,30000/1001) A(44100,14.014,1.001) X -c:a aac o.mkv");
        frames_30_a_second_in_ts: made_by("V(14,30) A(48000,14) X -c:a aac o.ts");
        frames_50_a_second: made_by("V(14,50) A(48000,14) X -c:a aac o.mp4");
        frames_59_94_a_second: made_by("V(14.014,60000/1001) A(44100,14.014,1.001) X -c:a aac o.mp4");
        frames_59_94_a_second_in_ts: made_by("V(14.014,60000/1001) A(48000,14.014,1.001) X -c:a aac o.ts");
        frames_60_a_second: made_by("V(14,60) A(44100,14) X -c:a aac o.mp4");
        frames_120_a_second: made_by("V(14,120) A(44100,14) X -c:a aac o.mp4");
        frames_240_a_second: made_by("V(7,240) A(44100,7) X -c:a aac o.mp4");
        irregular_times_in_mkv: made_by("V(14) A(44100,14) -vf select='not(mod(n,25))+not(mod(n,7))+gt(random(0),0.8)' -fps_mode vfr X -c:a aac o.mkv");
        a_pause_of_the_picture: made_by("V(14) A(44100,14) -vf select='not(between(n,80,120))' -fps_mode vfr X -c:a aac o.mp4").hole(3.5, 4.9).synced(Sync::Unmeasured);
        // The segment in its middle shows the last frame again.
        a_long_pause_of_the_picture_in_ts: made_by("V(24) A(48000,24) -vf select='not(between(n,158,473))' -fps_mode vfr X -c:a aac o.ts")
            .shows(Frames::Count(285)).synced(Sync::Unmeasured);

        interlaced_mpeg2: made_by("V(14,50) A(48000,14) -vf tinterlace=interleave_top -flags +ilme+ildct -c:v mpeg2video -b:v 2M -c:a mp2 o.mpg").shows(Frames::Count(350));
        interlaced_h264_in_ts: made_by("V(14,50) A(48000,14) -vf tinterlace=interleave_top -flags +ilme+ildct -x264-params tff=1 X -c:a aac o.ts").shows(Frames::Count(350));
        bottom_field_first: made_by("V(14,50) A(48000,14) -vf tinterlace=interleave_bottom -flags +ilme+ildct -c:v mpeg2video -b:v 2M -c:a mp2 o.mkv").shows(Frames::Count(350));
        telecine: made_by("V(14.014,24000/1001) A(48000,14.014,1.001) -vf telecine -flags +ilme+ildct -c:v mpeg2video -b:v 2M -c:a ac3 o.ts").shows(Frames::Count(420)).synced(Sync::Unmeasured);

        two_frames: made_by("V(0.08) X o.mp4").once();
        a_fifth_of_a_second: made_by("V(0.2) A(44100,0.2) X -c:a aac o.mp4").synced(Sync::Unmeasured).once();
        a_tail_of_one_frame: made_by("V(12.04) A(44100,11.9) X -c:a aac o.mp4").hole(11.9, 12.1);
        an_hour_of_one_frame_a_second: made_by("V(3600,1,64x36) X o.mp4").once();
        // A segment without a frame of its own begins with the last one again.
        a_day_of_sparse_frames: made_by("V(86390,1/10,64x36) X o.mkv").ladder("36p:50").shows(Frames::Count(14_399)).once();
    }
}
