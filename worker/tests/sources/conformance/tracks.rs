//! Subtitles and languages: each cue with its flash, in every container that holds them.

mod short {
    use crate::conformance::case::made_by;

    sources! {
        subrip_in_mkv: made_by("cues 14 s.srt ; V(14) A(44100,14) -i s.srt -map 0 -map 1 -map 2 X -c:a aac -c:s srt -metadata:s:s:0 language=ger o.mkv")
            .lasts(14.0).subtitles(&["de"]);
    }
}

mod full {
    use crate::conformance::case::made_by;

    sources! {
        timed_text_in_mp4: made_by("cues 14 s.srt ; V(14) A(44100,14) -i s.srt -map 0 -map 1 -map 2 X -c:a aac -c:s mov_text -metadata:s:s:0 language=fra o.mp4")
            .lasts(14.0).subtitles(&["fr"]);
        substation_alpha_in_mkv: made_by("cues 14 s.srt ; V(14) A(48000,14) -i s.srt -map 0 -map 1 -map 2 X -c:a aac -c:s ass -metadata:s:s:0 language=eng o.mkv")
            .lasts(14.0).subtitles(&["en"]);
        webvtt_in_webm: made_by("cues 14 s.srt ; V(14) A(48000,14) -i s.srt -map 0 -map 1 -map 2 -c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis -c:s webvtt -metadata:s:s:0 language=jpn o.webm")
            .lasts(14.0).subtitles(&["ja"]);
        three_languages: made_by("cues 14 s.srt ; V(14) A(48000,14) A(44100,14) -i s.srt -map 0 -map 1 -map 2 -map 3 -map 3 -map 3 X -c:a aac -c:s srt -metadata:s:s:0 language=ger -metadata:s:s:1 language=cze -metadata:s:s:2 language=pt-BR o.mkv")
            .lasts(14.0).tracks(2).subtitles(&["de", "cs", "pt-BR"]);
        subtitles_of_a_late_clock: made_by("cues 14 s.srt ; V(14) A(48000,14) -i s.srt -map 0 -map 1 -map 2 X -c:a aac -c:s srt -output_ts_offset 5000 o.mkv")
            .lasts(14.0).subtitles(&[""]);
    }
}
