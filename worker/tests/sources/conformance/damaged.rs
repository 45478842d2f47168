//! Damaged files, and files that are no video: what can be shown is, and what cannot is said.

mod short {
    use crate::conformance::case::{Frames, made_by, refused};

    sources! {
        a_still_image_of_png: refused("V(0.04) -frames:v 1 o.png", "still image");
        an_mp4_whose_end_is_missing: refused("V(7) A(44100,7) X -c:a aac o.mp4 ; cut 2/3 o.mp4", "index (moov) is missing");
        lost_packets: made_by("V(14) A(48000,14) -c:v libx264 -preset veryfast -b:v 400k -g 25 -pix_fmt yuv420p -c:a aac o.ts ; lose 12 o.ts")
            .lasts(14.0).shows(Frames::AtLeast(300)).damaged().warns("damaged places");
    }
}

mod full {
    use crate::conformance::case::{Frames, made_by, refused};

    sources! {
        a_still_image_of_jpeg: refused("V(0.04) -frames:v 1 o.jpg", "still image");
        a_still_image_of_webp: refused("V(0.04) -frames:v 1 -c:v libwebp o.webp", "still image");
        a_still_image_of_bmp: refused("V(0.04) -frames:v 1 o.bmp", "still image");
        a_still_image_of_tiff: refused("V(0.04) -frames:v 1 o.tiff", "still image");
        a_still_image_of_gif: refused("V(0.04) -frames:v 1 o.gif", "still image");
        an_animated_webp: refused("V(3,10) -c:v libwebp_anim o.webp", "WebP");
        a_mov_whose_end_is_missing: refused("V(7) A(44100,7) X -c:a pcm_s16le o.mov ; cut 1/2 o.mov", "index (moov) is missing");
        many_lost_packets: made_by("V(20) A(48000,20) -c:v libx264 -preset veryfast -b:v 400k -g 50 -pix_fmt yuv420p -c:a aac o.ts ; lose 60 o.ts")
            .lasts(20.0).shows(Frames::AtLeast(400)).damaged();
        lost_packets_of_mpeg2: made_by("V(14) A(48000,14) -c:v mpeg2video -g 12 -c:a mp2 o.ts ; lose 12 o.ts")
            .lasts(14.0).shows(Frames::AtLeast(300)).damaged();
        a_blank_part_of_ts: made_by("V(14) A(48000,14) -c:v libx264 -preset veryfast -b:v 400k -g 25 -pix_fmt yuv420p -c:a aac o.ts ; blank o.ts")
            .lasts(14.0).shows(Frames::AtLeast(250)).damaged().warns("damaged places");
        a_blank_part_of_mkv: made_by("V(14) A(48000,14) -c:v libx264 -preset veryfast -b:v 400k -g 25 -pix_fmt yuv420p -c:a aac o.mkv ; blank o.mkv")
            .lasts(14.0).shows(Frames::AtLeast(250)).damaged();
        an_mkv_whose_end_is_missing: made_by("V(14) A(48000,14) X -g 25 -c:a pcm_s16le o.mkv ; cut 3/4 o.mkv").lasts(10.5).damaged().shows(Frames::AtLeast(240));
        a_ts_whose_end_is_missing: made_by("V(14) A(48000,14) X -g 25 -c:a mp2 o.ts ; cut 3/4 o.ts").lasts(10.5).damaged().shows(Frames::AtLeast(240));
    }
}
