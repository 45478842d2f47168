//! Colours, whatever the source says or does not say of them, and shapes.

mod short {
    use crate::conformance::case::made_by;

    sources! {
        rgb_of_png_in_mov: made_by("P(2) -c:v png -pix_fmt rgb24 o.mov");
        bt601_untagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -c:v libx264 -crf 1 -pix_fmt yuv420p o.mp4");
        bt709_untagged_hd: made_by("P(1,1280x720) -vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -c:v libx264 -preset ultrafast -crf 1 -pix_fmt yuv420p o.mp4")
            .ladder("720p:9000,108p:500").once();
        oblong_pixels: made_by("V(7,25,720x576) A(48000,7) -vf setsar=64/45 X -c:a aac o.mp4").ladder("144p:500").sized(256, 144).once();
    }
}

mod full {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        rgb_of_quicktime_animation: made_by("P(2) -c:v qtrle -pix_fmt rgb24 o.mov");
        rgb_of_gif: made_by("P(2) -filter_complex [0]split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none o.gif");
        rgb_of_apng: made_by("P(2) -c:v apng -plays 1 -pix_fmt rgb24 o.apng");
        rgb_raw: made_by("P(2) -c:v rawvideo -pix_fmt bgr24 o.avi");
        rgb_raw_palette: made_by("P(2) -filter_complex [0]split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none -c:v png -pix_fmt pal8 o.mov");
        rgb_of_utvideo: made_by("P(2) -c:v utvideo -pix_fmt gbrp o.avi");
        rgb_of_magicyuv: made_by("P(2) -c:v magicyuv -pix_fmt gbrp o.avi");
        rgb_of_huffyuv: made_by("P(2) -c:v huffyuv -pix_fmt rgb24 o.avi");
        rgb_of_ffv1: made_by("P(2) -c:v ffv1 -pix_fmt bgr0 o.mkv");
        rgb_of_h264: made_by("P(2) -c:v libx264rgb -crf 1 o.mkv");
        rgb_of_zmbv: made_by("P(2) -c:v zmbv -pix_fmt bgr0 o.avi");
        rgb_with_alpha_of_png: made_by("P(2) -c:v png -pix_fmt rgba o.mov").notes(&["alpha_on_black"]);
        // ffmpeg shows what is transparent in whatever colour it has, so it is no judge of what is white.
        transparent_gif: made_by("V(2,10) -filter_complex [0]format=rgba,pad=200:108:color=black@0,split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none o.gif").shows(Frames::Count(20)).notes(&["alpha_on_black"]);
        transparent_palette: made_by("V(2,10) -filter_complex [0]format=rgba,pad=200:108:color=black@0,split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none -c:v png -pix_fmt pal8 o.mov").shows(Frames::Count(20)).notes(&["alpha_on_black"]);
        rgb_hd_of_png: made_by("P(1,1280x720) -c:v png -pix_fmt rgb24 o.mov").ladder("720p:9000,108p:500").once();
        rgb_of_12_bits: made_by("P(2) -c:v ffv1 -pix_fmt gbrp12le o.mkv");
        bt601_tagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m -color_range tv -c:v libx264 -crf 1 -pix_fmt yuv420p o.mp4");
        bt470bg_tagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -colorspace bt470bg -color_primaries bt470bg -color_trc bt709 -color_range tv -c:v libx264 -crf 1 -pix_fmt yuv420p o.mp4");
        bt709_tagged: made_by("P(2) -vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv -c:v libx264 -crf 1 -pix_fmt yuv420p o.mp4");
        bt601_tagged_hd: made_by("P(1,1280x720) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m -c:v libx264 -preset ultrafast -crf 1 -pix_fmt yuv420p o.mp4")
            .ladder("720p:9000,108p:500").once();
        bt709_tagged_hd: made_by("P(1,1280x720) -vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -colorspace bt709 -color_primaries bt709 -color_trc bt709 -c:v libx264 -preset ultrafast -crf 1 -pix_fmt yuv420p o.mp4")
            .ladder("720p:9000,108p:500").once();
        full_range_tagged: made_by("P(2) -vf scale=out_color_matrix=bt709:out_range=pc:flags=accurate_rnd+full_chroma_int -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range pc -c:v libx264 -crf 1 -pix_fmt yuv420p o.mp4");
        full_range_of_motion_jpeg: made_by("P(2) -vf scale=out_color_matrix=bt601:out_range=pc:flags=accurate_rnd+full_chroma_int -c:v mjpeg -q:v 1 -qmin 1 -pix_fmt yuvj444p o.avi");
        full_chroma: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -c:v libx264 -crf 1 -pix_fmt yuv444p o.mkv");
        half_chroma_of_prores: made_by("P(2) -vf scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int,setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709 -colorspace bt709 -color_primaries bt709 -color_trc bt709 -c:v prores_ks -profile:v 3 -pix_fmt yuv422p10le o.mov");
        ten_bits_untagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -c:v libx264 -crf 1 -pix_fmt yuv420p10le o.mkv");
        mpeg2_untagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -c:v mpeg2video -q:v 1 -qmin 1 -pix_fmt yuv420p o.mpg");
        vp9_untagged: made_by("P(2) -vf scale=out_color_matrix=bt601:flags=accurate_rnd+full_chroma_int -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 4 -b:v 0 -pix_fmt yuv420p o.webm");
        bt2020_of_ten_bits: made_by("P(2) -vf scale=out_color_matrix=bt2020:flags=accurate_rnd+full_chroma_int -colorspace bt2020nc -color_primaries bt709 -color_trc bt709 -c:v libx264 -crf 1 -pix_fmt yuv420p10le o.mkv");

        narrow_pixels: made_by("V(7,25,192x108) A(44100,7) -vf setsar=3/4 X -c:a aac o.mp4").sized(144, 108);
        odd_sides: made_by("V(7,25,191x107) A(44100,7) -c:v libx264 -preset ultrafast -pix_fmt yuv444p -c:a aac o.mp4");
        a_tall_picture: made_by("V(7,25,108x192) A(44100,7) X -c:a aac o.mp4").sized(108, 192);
        a_very_wide_picture: made_by("V(7,25,768x64) A(44100,7) X -c:a aac o.mp4");
        a_very_small_picture: made_by("V(7,25,32x18) A(44100,7) X -c:a aac o.mp4").sized(32, 18);
        a_size_that_changes: made_by("V(7,25,192x108) A(44100,7) X -c:a aac -output_ts_offset 1 a.ts ; V(7,25,160x120) A(44100,7) X -c:a aac -output_ts_offset 8 b.ts ; cat a.ts b.ts > o.ts")
            .lasts(14.0).sized(192, 108).shows(Frames::Count(350)).synced(Sync::Unmeasured);
        two_pictures_of_which_the_larger_is_shown: made_by("V(7,25,96x54) V(7,25,192x108) A(44100,7) -map 0 -map 1 -map 2 X -c:a aac o.mkv").sized(192, 108);
    }
}
