//! Every container that is read, with what it usually holds. AVI stores the order of decoding alone: ffmpeg shows the first of
//! reordered frames twice as long, and is no judge of it.

mod short {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        program_stream_with_b_frames: made_by("V(10) A(48000,10) -c:v mpeg2video -bf 2 -c:a mp2 o.mpg").shows(Frames::Every(250, 3_600.0));
        avi_with_b_frames: made_by("V(10) A(44100,10) -c:v mpeg4 -bf 2 -c:a pcm_s16le o.avi").shows(Frames::Every(250, 3_600.0)).unlike_ffmpeg();
        flv_with_aac: made_by("V(14) A(44100,14) X -c:a aac o.flv");
        wmv_with_wma: made_by("V(14) A(44100,14) -c:v wmv2 -c:a wmav2 o.wmv");
        mp3_alone: made_by("A(44100,14) -c:a libmp3lame o.mp3");
        camcorder_dv: made_by("V(3,25,720x576) A(48000,3) -ac 2 -pix_fmt yuv420p -c:v dvvideo o.dv").shows(Frames::Every(75, 3_600.0)).sized(144, 108).once();
        raw_h264: made_by("V(14) X o.h264").shows(Frames::Every(350, 3_600.0)).unlike_ffmpeg();
        animated_png: made_by("V(6,10) -c:v apng -plays 1 o.apng").synced(Sync::Unmeasured);
    }
}

mod full {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        mp4_with_the_index_first: made_by("V(14) A(44100,14) X -g 50 -c:a aac -movflags +faststart o.mp4").copied();
        mp4_in_fragments: made_by("V(14) A(44100,14) X -g 25 -c:a aac -movflags frag_keyframe+delay_moov o.mp4");
        mp4_with_mp3: made_by("V(14) A(44100,14) X -c:a libmp3lame o.mp4");
        mp4_with_opus: made_by("V(14) A(48000,14) X -c:a libopus -strict -2 o.mp4").synced(Sync::AsFfmpeg);
        mp4_with_flac: made_by("V(14) A(44100,14) X -c:a flac -strict -2 o.mp4");
        mov_with_pcm: made_by("V(14) A(44100,14) X -c:a pcm_s16be o.mov");
        mov_with_pcm_of_24_bits: made_by("V(14) A(96000,14) -c:v prores_ks -profile:v 0 -c:a pcm_s24le o.mov");
        f4v: made_by("V(14) A(44100,14) X -c:a aac o.f4v");
        phone_3gp: made_by("V(14,25,176x144) A(44100,14) -c:v h263 -c:a aac o.3gp").sized(132, 108);
        mkv_with_h264_and_vorbis: made_by("V(14) A(44100,14) X -c:a libvorbis o.mkv");
        mkv_with_truehd: made_by("V(14) A(48000,14) X -ac 2 -c:a truehd -strict -2 o.mkv");
        mkv_with_alac: made_by("V(14) A(44100,14) X -c:a alac o.mkv");
        webm_with_vp8_and_vorbis: made_by("V(14) A(44100,14) -c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis o.webm");
        webm_with_vp9_and_opus: made_by("V(14) A(48000,14) -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus o.webm").synced(Sync::AsFfmpeg);
        avi_with_mpeg4_and_mp3: made_by("V(14) A(44100,14) -c:v mpeg4 -c:a libmp3lame o.avi").synced(Sync::AsFfmpeg);
        avi_with_h264_and_b_frames: made_by("V(10) A(48000,10) -c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -c:a pcm_s16le o.avi").shows(Frames::Every(250, 3_600.0)).unlike_ffmpeg();
        avi_with_ac3: made_by("V(14) A(48000,14) -c:v mpeg4 -c:a ac3 o.avi").synced(Sync::AsFfmpeg);
        flv_with_mp3: made_by("V(14) A(44100,14) -c:v flv -c:a libmp3lame o.flv").synced(Sync::AsFfmpeg);
        ts_with_h264_and_aac: made_by("V(14) A(48000,14) X -g 50 -c:a aac o.ts").copied();
        ts_with_hevc_and_eac3: made_by("V(14) A(48000,14) -c:v libx265 -preset ultrafast -x265-params log-level=error -c:a eac3 o.ts");
        ts_with_mpeg2_and_mp2: made_by("V(14) A(44100,14) -c:v mpeg2video -bf 2 -c:a mp2 o.ts");
        m2ts_of_a_camera: made_by("V(14) A(48000,14) X -c:a ac3 -mpegts_m2ts_mode 1 o.m2ts");
        vob_of_a_disc: made_by("V(10) A(48000,10) -c:v mpeg2video -bf 2 -c:a ac3 o.vob").shows(Frames::Every(250, 3_600.0));
        program_stream_of_mpeg1: made_by("V(10) A(44100,10) -c:v mpeg1video -bf 2 -c:a mp2 o.mpg").shows(Frames::Every(250, 3_600.0));
        asf_with_msmpeg4: made_by("V(14) A(44100,14) -c:v msmpeg4 -c:a wmav1 o.asf");
        mxf_with_mpeg2: made_by("V(14) A(48000,14) -c:v mpeg2video -c:a pcm_s16le o.mxf");
        mxf_with_dnxhd: made_by("V(2,25,1920x1080) A(48000,2) -c:v dnxhd -b:v 120M -pix_fmt yuv422p -c:a pcm_s16le o.mxf").once();
        ogv_with_theora: made_by("V(14) A(44100,14) -vf noise=alls=6:allf=t -c:v libtheora -c:a libvorbis o.ogv");
        real_media: made_by("V(14,25,176x144) A(44100,14) -c:v rv10 -c:a ac3 o.rm").sized(132, 108).synced(Sync::AsFfmpeg);
        animated_gif: made_by("V(14,10) o.gif");

        wav_alone: made_by("A(44100,14) o.wav");
        wav_alone_of_8_khz: made_by("A(8000,14) -c:a pcm_u8 o.wav");
        wav_alone_of_192_khz: made_by("A(192000,14) -c:a pcm_f32le o.wav");
        w64_alone: made_by("A(96000,14) o.w64");
        aiff_alone: made_by("A(22050,14) o.aiff");
        flac_alone: made_by("A(44100,14) o.flac");
        mp3_alone_of_22_05_khz: made_by("A(22050,14) -c:a libmp3lame o.mp3");
        aac_alone: made_by("A(44100,14) -c:a aac o.aac");
        ac3_alone: made_by("A(48000,14) -c:a ac3 o.ac3");
        m4a_alone: made_by("A(44100,14) -c:a aac o.m4a");
        alac_alone: made_by("A(44100,14) -c:a alac o.m4a");
        ogg_alone: made_by("A(44100,14) -c:a libvorbis o.ogg");
        opus_alone: made_by("A(48000,14) -c:a libopus o.opus");
        wma_alone: made_by("A(44100,14) -c:a wmav2 o.wma");
        mka_alone: made_by("A(44100,14) -c:a flac o.mka");

        ntsc_dv: made_by("V(3.003,30000/1001,720x480) A(48000,3.003,1.001) -ac 2 -pix_fmt yuv411p -c:v dvvideo o.dv").shows(Frames::Every(90, 3_003.0)).once();
        dv_in_avi: made_by("V(3,25,720x576) A(48000,3) -ac 2 -pix_fmt yuv420p -c:v dvvideo o.avi").synced(Sync::AsFfmpeg).once();
        raw_yuv: made_by("V(7) -pix_fmt yuv420p o.y4m");
        raw_hevc: made_by("V(7) -c:v libx265 -preset ultrafast -x265-params log-level=error o.hevc").shows(Frames::Every(175, 3_600.0)).unlike_ffmpeg();
        raw_h264_with_b_frames: made_by("V(7) -c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p o.h264").shows(Frames::Every(175, 3_600.0)).unlike_ffmpeg();
    }
}
