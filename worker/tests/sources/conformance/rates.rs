//! Sound of every sample rate, in every codec that has it.

mod short {
    use crate::conformance::case::made_by;

    sources! {
        pcm_of_8_khz: made_by("V(14) A(8000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a pcm_s16le o.mkv");
        pcm_of_96_khz: made_by("V(14) A(96000,14) X -c:a pcm_s16le o.mkv");
        aac_of_22_05_khz: made_by("V(14) A(22050,14) X -c:a aac o.mp4");
        aac_of_44_1_khz: made_by("V(14) A(44100,14) X -g 50 -c:a aac o.mp4").copied();
        continuous_pcm_of_44_1_khz: made_by("V(14) S(44100,14) X -c:a pcm_s16le o.mkv");
    }
}

mod full {
    use crate::conformance::case::{Frames, Sync, made_by};

    sources! {
        pcm_of_11_025_khz: made_by("V(14) A(11025,14) X -c:a pcm_s16le o.mkv");
        pcm_of_12_khz: made_by("V(14) A(12000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_16_khz: made_by("V(14) A(16000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_22_05_khz: made_by("V(14) A(22050,14) X -c:a pcm_s16le o.mkv");
        pcm_of_24_khz: made_by("V(14) A(24000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_32_khz: made_by("V(14) A(32000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_48_khz: made_by("V(14) A(48000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_64_khz: made_by("V(14) A(64000,14) X -c:a pcm_s16le o.mkv");
        pcm_of_88_2_khz: made_by("V(14) A(88200,14) X -c:a pcm_s16le o.mkv");
        pcm_of_176_4_khz: made_by("V(14) A(176400,14) X -c:a pcm_s16le o.mkv");
        pcm_of_192_khz: made_by("V(14) A(192000,14) X -c:a pcm_s16le o.mkv");

        aac_of_8_khz: made_by("V(14) A(8000,14) X -c:a aac o.mp4");
        aac_of_11_025_khz: made_by("V(14) A(11025,14) X -c:a aac o.mp4");
        aac_of_12_khz: made_by("V(14) A(12000,14) X -c:a aac o.mp4");
        aac_of_16_khz: made_by("V(14) A(16000,14) X -c:a aac o.mp4");
        aac_of_24_khz: made_by("V(14) A(24000,14) X -c:a aac o.mp4");
        aac_of_32_khz: made_by("V(14) A(32000,14) X -c:a aac o.mp4");
        aac_of_48_khz: made_by("V(14) A(48000,14) X -c:a aac o.mp4");
        aac_of_88_2_khz: made_by("V(14) A(88200,14) X -c:a aac o.mp4");
        aac_of_96_khz: made_by("V(14) A(96000,14) X -c:a aac o.mp4");

        // The encoder's delay of 138 ms is not marked as such, so sound begins before the picture, which waits for it.
        mp3_of_8_khz: made_by("V(14) A(8000,14) X -c:a libmp3lame o.mkv").lasts(14.138).shows(Frames::Count(350));
        mp3_of_16_khz: made_by("V(14) A(16000,14) X -c:a libmp3lame o.mkv");
        mp3_of_22_05_khz: made_by("V(14) A(22050,14) X -c:a libmp3lame o.mkv");
        mp3_of_32_khz: made_by("V(14) A(32000,14) X -c:a libmp3lame o.mkv");
        mp3_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a libmp3lame o.mkv");
        mp3_of_48_khz: made_by("V(14) A(48000,14) X -c:a libmp3lame o.mkv");

        opus_of_8_khz: made_by("V(14) A(8000,14) X -c:a libopus o.mkv").synced(Sync::AsFfmpeg);
        opus_of_16_khz: made_by("V(14) A(16000,14) X -c:a libopus o.mkv").synced(Sync::AsFfmpeg);
        opus_of_48_khz: made_by("V(14) A(48000,14) X -c:a libopus o.mkv").synced(Sync::AsFfmpeg);
        vorbis_of_8_khz: made_by("V(14) A(8000,14) X -c:a libvorbis o.mkv");
        vorbis_of_22_05_khz: made_by("V(14) A(22050,14) X -c:a libvorbis o.mkv");
        vorbis_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a libvorbis o.mkv");
        vorbis_of_96_khz: made_by("V(14) A(96000,14) X -c:a libvorbis o.mkv");
        flac_of_8_khz: made_by("V(14) A(8000,14) X -c:a flac o.mkv");
        flac_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a flac o.mkv");
        flac_of_88_2_khz: made_by("V(14) A(88200,14) X -c:a flac o.mkv");
        flac_of_192_khz: made_by("V(14) A(192000,14) X -c:a flac o.mkv");
        ac3_of_32_khz: made_by("V(14) A(32000,14) X -c:a ac3 o.mkv");
        ac3_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a ac3 o.mkv");
        ac3_of_48_khz: made_by("V(14) A(48000,14) X -c:a ac3 o.ts");
        eac3_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a eac3 o.mkv");
        eac3_of_48_khz: made_by("V(14) A(48000,14) X -c:a eac3 o.mp4");
        alac_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a alac o.mov");
        alac_of_96_khz: made_by("V(14) A(96000,14) X -c:a alac o.mov");
        mp2_of_16_khz: made_by("V(14) A(16000,14) X -c:a mp2 o.ts");
        mp2_of_44_1_khz: made_by("V(14) A(44100,14) X -c:a mp2 o.ts");
        mp2_of_48_khz: made_by("V(14) A(48000,14) X -c:a mp2 o.ts");
        adpcm_of_22_05_khz: made_by("V(14) A(22050,14) X -c:a adpcm_ms o.mkv");
        wma_of_44_1_khz: made_by("V(14) A(44100,14) -c:v wmv2 -c:a wmav2 o.wmv");

        continuous_pcm_of_22_05_khz: made_by("V(14) S(22050,14) X -c:a pcm_s16le o.mkv");
        continuous_pcm_of_48_khz: made_by("V(14) S(48000,14) X -c:a pcm_s16le o.mkv");
        continuous_pcm_of_96_khz: made_by("V(14) S(96000,14) X -c:a pcm_s16le o.mkv");
        continuous_alac_of_44_1_khz_in_mp4: made_by("V(14) S(44100,14) X -c:a alac -sample_fmt s16p o.mp4");
        continuous_alac_of_48_khz_in_mp4: made_by("V(14) S(48000,14) X -g 50 -c:a alac -sample_fmt s16p o.mp4").copied();
        continuous_pcm_of_48_khz_in_ts: made_by("V(14) S(48000,14) X -ac 2 -c:a s302m -strict -2 o.ts");
        continuous_flac_of_44_1_khz_in_mkv: made_by("V(14) S(44100,14) X -c:a flac o.mkv");
        continuous_sound_alone: made_by("S(44100,20) o.wav");
    }
}
