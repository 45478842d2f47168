//! The decoders that may read a source: those of what cameras, phones, editors, discs, broadcasts and the web make.
//!
//! libav has hundreds more, for old games, single images and experiments. Hardly anybody uploads those, and each is
//! another parser in C that a hostile file could choose.

use ffmpeg_next::Error;
use ffmpeg_next::codec::{self, Id, decoder};
use ffmpeg_next::format::stream::Stream;

use super::failure::Failure;

/// By libav's names of the decoders, which are not those of the codecs; covers are pictures too.
const ALLOWED: &str = "\
    aic,apng,av1,bmp,camstudio,camtasia,cfhd,cinepak,dirac,dnxhd,dvvideo,dxv,ffv1,ffvhuff,flashsv,flashsv2,flv,\
    fraps,gif,h261,h263,h263i,h263p,h264,hap,hevc,huffyuv,jpeg2000,lagarith,libaom-av1,libdav1d,libopenjpeg,libvpx,\
    libvpx-vp9,magicyuv,mjpeg,mjpegb,mpeg1video,mpeg2video,mpeg4,mpegvideo,msmpeg4,msmpeg4v1,msmpeg4v2,msrle,\
    msvideo1,png,prores,qtrle,r10k,r210,rawvideo,rpza,rv10,rv20,rv30,rv40,speedhq,svq1,svq3,theora,utvideo,v210,v308,\
    v408,v410,vc1,vp3,vp6,vp6a,vp6f,vp8,vp9,webp,wmv1,wmv2,wmv3,zmbv,\
    aac,aac_latm,ac3,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_swf,alac,amrnb,amrwb,cook,dca,dvaudio,eac3,flac,\
    gsm,gsm_ms,libopus,libspeex,libvorbis,mlp,mp1,mp1float,mp2,mp2float,mp3,mp3float,nellymoser,opus,real_144,\
    real_288,s302m,sipr,speex,truehd,tta,vorbis,wavpack,wmalossless,wmapro,wmav1,wmav2,\
    pcm_alaw,pcm_bluray,pcm_dvd,pcm_f16le,pcm_f24le,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_mulaw,pcm_s16be,\
    pcm_s16be_planar,pcm_s16le,pcm_s16le_planar,pcm_s24be,pcm_s24daud,pcm_s24le,pcm_s24le_planar,pcm_s32be,pcm_s32le,\
    pcm_s32le_planar,pcm_s64be,pcm_s64le,pcm_s8,pcm_s8_planar,pcm_u16be,pcm_u16le,pcm_u24be,pcm_u24le,pcm_u32be,\
    pcm_u32le,pcm_u8,\
    ass,mov_text,srt,ssa,subrip,text,webvtt";

/// For libav's own decoding while it looks at a file.
pub(super) fn allow_list() -> &'static str {
    ALLOWED
}

/// What to decode a stream with; nothing else makes a decoder for a source.
pub(super) fn context_of(stream: &Stream<'_>) -> Result<codec::Context, Error> {
    if !is_allowed(stream) {
        return Err(Error::DecoderNotFound);
    }
    codec::Context::from_parameters(stream.parameters())
}

pub(super) fn is_allowed(stream: &Stream<'_>) -> bool {
    may_decode(stream.parameters().id())
}

fn may_decode(id: Id) -> bool {
    decoder::find(id).is_some_and(|found| ALLOWED.split(',').any(|name| name == found.name()))
}

/// Why a stream that is not allowed is refused; `what` it is: video or audio.
pub(super) fn refusal(what: &str, stream: &Stream<'_>) -> Failure {
    let codec = stream.parameters().id().name();
    Failure::invalid(format!(
        "the {what} codec {codec} is not accepted. Convert the file to H.264 and AAC and upload it again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_upload_is_decoded_and_what_only_an_attacker_would_choose_is_not() {
        ffmpeg_next::init().unwrap();
        for id in [Id::H264, Id::HEVC, Id::AV1, Id::VP9, Id::PRORES, Id::AAC, Id::MP3, Id::OPUS, Id::SUBRIP] {
            assert!(may_decode(id), "{id:?}");
        }
        for id in [Id::SNOW, Id::ROQ, Id::EXR, Id::PSD, Id::SMACKVIDEO, Id::BINKVIDEO, Id::None] {
            assert!(!may_decode(id), "{id:?}");
        }
    }

    #[test]
    fn every_name_in_the_list_is_one_that_libav_may_have() {
        let names: Vec<&str> = ALLOWED.split(',').collect();
        assert!(
            names.iter().all(|name| !name.is_empty() && !name.contains(char::is_whitespace)),
            "{names:?}"
        );
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len());
    }
}
