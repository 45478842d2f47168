//! Sound that pauses: silence as long as the pause, and everything after it in its place.

mod short {
    use crate::conformance::case::made_by;

    sources! {
        two_seconds_near_the_start_at_44_1_khz:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,3.3,5.3))' X -c:a aac o.mp4").hole(3.3, 5.3);
        a_tenth_of_a_second_at_44_1_khz:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,7.4,7.5))' X -c:a aac o.mp4");
        two_seconds_late_at_44_1_khz:
            made_by("V(60,5) A(44100,60) -af aselect='not(between(t,40.3,42.3))' X -c:a aac o.mp4").hole(40.3, 42.3);
        thirteen_seconds_up_to_a_beep_in_ts:
            made_by("V(24) A(48000,24) -af aselect='not(between(t,6.3,18.95))' X -c:a aac o.ts").hole(6.3, 18.95);
        one_second_in_ts:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,4.4,5.4))' X -c:a aac o.ts").hole(4.4, 5.4);
    }
}

mod full {
    use crate::conformance::case::{Sync, made_by};

    sources! {
        a_tenth_of_a_second_at_48_khz:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,7.4,7.5))' X -c:a aac o.mp4");
        a_tenth_of_a_second_in_mkv:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,7.4,7.5))' X -c:a pcm_s16le o.mkv");
        a_tenth_of_a_second_in_ts:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,7.4,7.5))' X -c:a aac o.ts");
        a_quarter_of_a_second_at_22_05_khz:
            made_by("V(14) A(22050,14) -af aselect='not(between(t,5.4,5.65))' X -c:a aac o.mp4");
        half_a_second_at_44_1_khz:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,6.3,6.8))' X -c:a aac o.mp4");
        half_a_second_at_48_khz_in_mkv:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,6.3,6.8))' X -c:a flac o.mkv");
        half_a_second_at_96_khz_in_mkv:
            made_by("V(14) A(96000,14) -af aselect='not(between(t,6.3,6.8))' X -c:a flac o.mkv");
        one_second_at_44_1_khz_of_mp3:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,4.4,5.4))' X -c:a libmp3lame o.mkv").hole(4.4, 5.4);
        one_second_at_48_khz_of_opus:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,4.4,5.4))' X -c:a libopus o.mkv").hole(4.4, 5.4).synced(Sync::AsFfmpeg);
        one_second_of_ac3_in_ts:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,4.4,5.4))' X -c:a ac3 o.ts").hole(4.4, 5.4);
        one_second_of_mp2_at_44_1_khz_in_ts:
            made_by("V(14) A(44100,14) -af aselect='not(between(t,4.4,5.4))' X -c:a mp2 o.ts").hole(4.4, 5.4);
        two_seconds_at_48_khz:
            made_by("V(14) A(48000,14) -af aselect='not(between(t,3.3,5.3))' X -c:a aac o.mp4").hole(3.3, 5.3);
        two_seconds_at_8_khz:
            made_by("V(14) A(8000,14) -af aselect='not(between(t,3.4,5.4))' X -c:a pcm_s16le o.mkv").hole(3.4, 5.4);
        two_seconds_at_96_khz:
            made_by("V(14) A(96000,14) -af aselect='not(between(t,3.3,5.3))' X -c:a pcm_s16le o.mkv").hole(3.3, 5.3);
        two_seconds_over_a_boundary:
            made_by("V(20) A(44100,20) -af aselect='not(between(t,11.3,13.3))' X -c:a aac o.mp4").hole(11.3, 13.3);
        five_seconds_at_44_1_khz:
            made_by("V(20) A(44100,20) -af aselect='not(between(t,8.3,13.3))' X -c:a aac o.mp4").hole(8.3, 13.3);
        five_seconds_at_22_05_khz_in_mkv:
            made_by("V(20) A(22050,20) -af aselect='not(between(t,8.3,13.3))' X -c:a pcm_s16le o.mkv").hole(8.3, 13.3);
        five_seconds_at_44_1_khz_in_ts:
            made_by("V(20) A(44100,20) -af aselect='not(between(t,8.3,13.3))' X -c:a aac o.ts").hole(8.3, 13.3);
        ten_seconds_at_44_1_khz:
            made_by("V(24) A(44100,24) -af aselect='not(between(t,6.3,16.3))' X -c:a aac o.mp4").hole(6.3, 16.3);
        ten_seconds_at_48_khz_in_mkv:
            made_by("V(24) A(48000,24) -af aselect='not(between(t,6.3,16.3))' X -c:a flac o.mkv").hole(6.3, 16.3);
        ten_seconds_at_48_khz_in_ts:
            made_by("V(24) A(48000,24) -af aselect='not(between(t,6.3,16.3))' X -c:a aac o.ts").hole(6.3, 16.3);
        twelve_seconds_at_44_1_khz_in_ts:
            made_by("V(24) A(44100,24) -af aselect='not(between(t,6.3,18.3))' X -c:a aac o.ts").hole(6.3, 18.3);
        one_lost_packet:
            made_by("V(14) A(44100,14) -af aselect='not(eq(n,320))' X -c:a pcm_s16le o.mkv");
        one_lost_packet_in_ts:
            made_by("V(14) A(48000,14) -af aselect='not(eq(n,320))' X -c:a aac o.ts");
        three_holes_of_different_lengths:
            made_by("V(24) A(44100,24) -af aselect='not(between(t,2.3,2.6)+between(t,7.3,9.3)+between(t,15.3,19.3))' X -c:a aac o.mp4")
                .hole(7.3, 9.3).hole(15.3, 19.3);
        holes_every_second_of_a_tenth:
            made_by("V(20) A(44100,20) -af aselect='not(between(mod(t,1),0.5,0.6))' X -c:a aac o.mp4");
    }
}
