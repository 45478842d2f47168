//! Sound of one to eight channels, all alike: what is mixed down must not clip.

/// How much quieter or louder than ffmpeg's own normalised mix ours may be.
const MIX: f64 = 7.0;

mod short {
    use super::MIX;
    use crate::conformance::case::made_by;

    sources! {
        two_channels_of_aac: made_by("V(14) A(44100,14) X -ac 2 -c:a aac o.mp4");
        six_channels_of_ac3: made_by("V(14) A(48000,14) C(5.1) X -c:a ac3 o.mkv").within_decibels(MIX);
    }
}

mod full {
    use super::MIX;
    use crate::conformance::case::{Sync, made_by};

    sources! {
        one_channel_of_pcm: made_by("V(14) A(44100,14) X -ac 1 -c:a pcm_s16le o.mov");
        two_channels_of_pcm: made_by("V(14) A(44100,14) X -ac 2 -c:a pcm_s16le o.mov");
        two_and_a_bass: made_by("V(14) A(44100,14) C(2.1) X -c:a pcm_s16le o.mkv").within_decibels(MIX);
        three_channels: made_by("V(14) A(44100,14) C(3.0) X -c:a flac o.mkv").within_decibels(MIX);
        four_channels: made_by("V(14) A(44100,14) C(quad) X -c:a flac o.mkv").within_decibels(MIX);
        five_channels: made_by("V(14) A(44100,14) C(5.0) X -c:a flac o.mkv").within_decibels(MIX);
        six_channels_of_pcm: made_by("V(14) A(48000,14) C(5.1) X -c:a pcm_s16le o.mkv").within_decibels(MIX);
        six_channels_of_aac: made_by("V(14) A(44100,14) C(5.1) X -c:a aac o.mp4").within_decibels(MIX);
        six_channels_of_eac3: made_by("V(14) A(48000,14) C(5.1) X -c:a eac3 o.mp4").within_decibels(MIX);
        six_channels_of_opus: made_by("V(14) A(48000,14) C(5.1) X -c:a libopus -mapping_family 1 o.mkv").within_decibels(MIX).synced(Sync::AsFfmpeg);
        six_channels_of_vorbis: made_by("V(14) A(44100,14) C(5.1) X -c:a libvorbis o.mkv").within_decibels(MIX);
        six_channels_of_dts: made_by("V(14) A(48000,14) C(5.1) X -c:a dca -strict -2 o.mkv").within_decibels(MIX).synced(Sync::AsFfmpeg);
        seven_channels: made_by("V(14) A(48000,14) C(6.1) X -c:a flac o.mkv").within_decibels(MIX);
        eight_channels_of_pcm: made_by("V(14) A(96000,14) C(7.1) X -c:a pcm_s24le o.mkv").within_decibels(MIX);
        eight_channels_of_aac: made_by("V(14) A(48000,14) C(7.1) X -c:a aac o.mp4").within_decibels(MIX);
        eight_channels_of_flac: made_by("V(14) A(44100,14) C(7.1) X -c:a flac o.mkv").within_decibels(MIX);
        two_tracks: made_by("V(14) A(44100,14) A(48000,14) -map 0 -map 1 -map 2 X -c:a aac o.mp4").tracks(2);
        no_sound: made_by("V(14) X o.mp4");
    }
}
