//! Every video codec that this ffmpeg can make.

mod short {
    use crate::conformance::case::made_by;

    sources! {
        hevc: made_by("V(7) A(44100,7) -c:v libx265 -preset ultrafast -x265-params log-level=error -tag:v hvc1 -c:a aac o.mp4");
        motion_jpeg: made_by("V(7) A(44100,7) -c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le o.avi");
    }
}

mod full {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        av1_of_svt: made_by("V(7) A(44100,7) -c:v libsvtav1 -preset 12 -c:a aac o.mp4");
        av1_of_aom: made_by("V(3) A(48000,3) -c:v libaom-av1 -cpu-used 8 -usage realtime -c:a libopus o.mkv").once().synced(Sync::AsFfmpeg);
        h264_of_10_bits: made_by("V(7) A(44100,7) -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le -c:a aac o.mp4");
        h264_of_full_chroma: made_by("V(7) A(44100,7) -c:v libx264 -preset ultrafast -pix_fmt yuv444p -c:a aac o.mkv");
        h264_of_rgb: made_by("V(7) A(44100,7) -c:v libx264rgb -preset ultrafast -c:a aac o.mkv");
        hevc_of_10_bits: made_by("V(7) A(44100,7) -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params log-level=error -c:a aac o.mkv");
        vp8: made_by("V(7) A(44100,7) -c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis o.mkv");
        vp9: made_by("V(7) A(44100,7) -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libvorbis o.mkv");
        mpeg1: made_by("V(7) A(44100,7) -c:v mpeg1video -c:a mp2 o.mkv");
        mpeg2: made_by("V(7) A(44100,7) -c:v mpeg2video -bf 2 -c:a mp2 o.mkv");
        mpeg4: made_by("V(7) A(44100,7) -c:v mpeg4 -bf 2 -c:a aac o.mp4");
        xvid: made_by("V(7) A(44100,7) -c:v libxvid -c:a pcm_s16le o.avi");
        h263: made_by("V(7,25,176x144) A(44100,7) -c:v h263 -c:a aac o.mov");
        msmpeg4v2: made_by("V(7) A(44100,7) -c:v msmpeg4v2 -c:a pcm_s16le o.avi");
        msmpeg4v3: made_by("V(7) A(44100,7) -c:v msmpeg4 -c:a pcm_s16le o.avi");
        wmv1: made_by("V(7) A(44100,7) -c:v wmv1 -c:a wmav2 o.wmv");
        flash: made_by("V(7) A(44100,7) -c:v flv -c:a pcm_s16le o.flv");
        prores: made_by("V(7) A(44100,7) -c:v prores_ks -profile:v 1 -c:a pcm_s16le o.mov");
        prores_with_alpha: made_by("V(7) A(44100,7) -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le -c:a pcm_s16le o.mov").notes(&["alpha_on_black"]);
        dnxhr: made_by("V(2,25,256x144) A(44100,2) -c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p -c:a pcm_s16le o.mov").once();
        ffv1: made_by("V(7) A(44100,7) -c:v ffv1 -c:a flac o.mkv");
        huffyuv: made_by("V(7) A(44100,7) -c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le o.avi");
        utvideo: made_by("V(7) A(44100,7) -c:v utvideo -pix_fmt yuv420p -c:a pcm_s16le o.avi");
        magicyuv: made_by("V(7) A(44100,7) -c:v magicyuv -pix_fmt yuv420p -c:a pcm_s16le o.avi");
        quicktime_animation: made_by("V(7) A(44100,7) -c:v qtrle -pix_fmt rgb24 -c:a pcm_s16le o.mov");
        png: made_by("V(7) A(44100,7) -c:v png -pix_fmt rgb24 -c:a pcm_s16le o.mov");
        theora: made_by("V(7) A(44100,7) -vf noise=alls=6:allf=t -c:v libtheora -c:a flac o.mkv");
        cinepak: made_by("V(2) A(44100,2) -c:v cinepak -c:a pcm_s16le o.avi").once();
        sorenson: made_by("V(7) A(44100,7) -c:v svq1 -pix_fmt yuv410p -c:a pcm_s16le o.mov");
        raw_frames: made_by("V(7) A(44100,7) -c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le o.avi");
        raw_frames_packed: made_by("V(7) A(44100,7) -c:v rawvideo -pix_fmt yuyv422 -c:a pcm_s16le o.mov");
        jpeg_2000: made_by("V(2) A(44100,2) -c:v jpeg2000 -pix_fmt yuv420p -c:a pcm_s16le o.mov").once();
        cineform: made_by("V(2,25,192x96) A(44100,2) -c:v cfhd -pix_fmt yuv422p10le -c:a pcm_s16le o.mov").once();
        screen_capture: made_by("V(7) A(44100,7) -c:v zmbv -c:a pcm_s16le o.avi");
        flash_screen: made_by("V(7) A(44100,7) -c:v flashsv -c:a libmp3lame o.flv").synced(Sync::AsFfmpeg);
        real_video: made_by("V(7,25,176x144) -c:v rv20 o.rm").shows(Frames::Count(175));
        v210: made_by("V(2) A(48000,2) -c:v v210 -pix_fmt yuv422p10le -c:a pcm_s24le o.mov").once();
        hap: made_by("V(7) A(44100,7) -c:v hap -c:a pcm_s16le o.mov").once();
    }
}
