//! What ffmpeg-next has no safe call for. All `unsafe` of the worker is in this file and below it.
#![expect(unsafe_code, reason = "calls into libav that the wrapper lacks; each says why it is sound")]

mod gpu;
mod log;
mod metadata;
mod resampler;
mod subtitle;

use std::ffi::CString;
use std::ptr;

use ffmpeg_next::codec::packet::Ref as _;
use ffmpeg_next::codec::{Context, Parameters};
use ffmpeg_next::ffi::AVFieldOrder;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::Stream;
use ffmpeg_next::{Error, Packet, Rational, ffi, frame};

pub(super) use gpu::{Device, Frames, add_source, decodes_on_gpu, download, set_options};
pub(super) use log::{remember, said};
pub(super) use metadata::metadata;
pub(super) use resampler::{Planes, Resampler};
pub(super) use subtitle::{DecodedSubtitle, SubtitleText};

/// Another handle on the same picture; the pixels are shared and must not be written to.
pub(super) fn share(picture: &frame::Video) -> Result<frame::Video, Error> {
    let mut handle = frame::Video::empty();
    // SAFETY: both point to frames that live through the call, and `handle` is blank as av_frame_ref demands.
    let done = unsafe { ffi::av_frame_ref(handle.as_mut_ptr(), picture.as_ptr()) };
    if done < 0 { Err(done.into()) } else { Ok(handle) }
}

/// Nobody else holds a handle on these pixels.
pub(super) fn is_unshared(picture: &frame::Video) -> bool {
    // SAFETY: the frame lives through the call, which only reads reference counts.
    unsafe { ffi::av_frame_is_writable(picture.as_ptr().cast_mut()) > 0 }
}

/// What a pixel format is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum PixelFlag {
    Rgb,
    Palette,
    Alpha,
}

pub(super) fn has_flag(format: Pixel, flag: PixelFlag) -> bool {
    let flag = match flag {
        PixelFlag::Rgb => ffi::AV_PIX_FMT_FLAG_RGB,
        PixelFlag::Palette => ffi::AV_PIX_FMT_FLAG_PAL,
        PixelFlag::Alpha => ffi::AV_PIX_FMT_FLAG_ALPHA,
    };
    // SAFETY: a descriptor is a constant of libav, and only a number is read.
    format.descriptor().is_some_and(|descriptor| unsafe {
        (*descriptor.as_ptr()).flags & u64::try_from(flag).unwrap_or(0) != 0
    })
}

/// The colours of a picture that has a palette, each with its alpha in the upper eight bits.
pub(super) fn palette(picture: &frame::Video) -> Option<[u32; 256]> {
    if picture.format() != Pixel::PAL8 {
        return None;
    }
    // SAFETY: at `data[1]` a frame of this format has a palette of 256 numbers of 32 bits, if it has buffers at all.
    unsafe {
        let palette = (*picture.as_ptr()).data[1];
        (!palette.is_null()).then(|| palette.cast::<[u32; 256]>().read_unaligned())
    }
}

/// Codec settings that stand before the first packet: SPS and PPS, for instance.
pub(super) fn extradata(parameters: &Parameters) -> &[u8] {
    // SAFETY: libav keeps `extradata_size` bytes at `extradata` as long as the parameters live, which the returned
    // slice borrows.
    unsafe {
        let raw = &*parameters.as_ptr();
        match usize::try_from(raw.extradata_size) {
            Ok(size) if size > 0 && !raw.extradata.is_null() => {
                std::slice::from_raw_parts(raw.extradata, size)
            }
            _ => &[],
        }
    }
}

/// What a stream says of its picture before anything is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) aspect: Rational,
    pub(super) interlaced: bool,
    pub(super) channels: u32,
}

pub(super) fn declared(stream: &Stream<'_>) -> Declared {
    let parameters = stream.parameters();
    // SAFETY: the stream and its parameters live through the block, and only plain numbers are read.
    unsafe {
        let raw = &*parameters.as_ptr();
        let container = (*stream.as_ptr()).sample_aspect_ratio;
        let aspect = if container.num > 0 { container } else { raw.sample_aspect_ratio };
        let interlaced = matches!(
            raw.field_order,
            AVFieldOrder::AV_FIELD_TT
                | AVFieldOrder::AV_FIELD_BB
                | AVFieldOrder::AV_FIELD_TB
                | AVFieldOrder::AV_FIELD_BT
        );
        Declared {
            width: raw.width,
            height: raw.height,
            aspect: aspect.into(),
            interlaced,
            channels: u32::try_from(raw.ch_layout.nb_channels).unwrap_or(0),
        }
    }
}

/// Lets only these streams through.
pub(super) fn keep_only(input: &mut Input, wanted: &[usize]) {
    // SAFETY: `streams` holds `nb_streams` valid pointers as long as the context lives; only their `discard` is set.
    unsafe {
        let context = &mut *input.as_mut_ptr();
        for index in 0..context.nb_streams as usize {
            let stream = *context.streams.add(index);
            (*stream).discard = if wanted.contains(&index) {
                ffi::AVDiscard::AVDISCARD_DEFAULT
            } else {
                ffi::AVDiscard::AVDISCARD_ALL
            };
        }
    }
}

/// Only others need it to be decoded; the edit list of the file cuts it off.
pub(super) fn is_cut_off(packet: &Packet) -> bool {
    // SAFETY: the packet lives through the call, and only a number is read.
    unsafe { (*packet.as_ptr()).flags & ffi::AV_PKT_FLAG_DISCARD != 0 }
}

/// Goes to the last keyframe of the stream at or before `at`, in the stream's own time base.
pub(super) fn seek_back(input: &mut Input, stream: usize, at: i64) -> Result<(), Error> {
    let stream = i32::try_from(stream).unwrap_or(-1);
    // SAFETY: the context is open and not shared.
    let done = unsafe { ffi::av_seek_frame(input.as_mut_ptr(), stream, at, ffi::AVSEEK_FLAG_BACKWARD) };
    if done < 0 { Err(done.into()) } else { Ok(()) }
}

/// Goes to a byte of the file.
pub(super) fn seek_to_byte(input: &mut Input, position: u64) -> Result<(), Error> {
    let position = i64::try_from(position).map_err(|_| Error::InvalidData)?;
    // SAFETY: the context is open and not shared.
    let done = unsafe { ffi::av_seek_frame(input.as_mut_ptr(), -1, position, ffi::AVSEEK_FLAG_BYTE) };
    if done < 0 { Err(done.into()) } else { Ok(()) }
}

/// Why the file could not be read, if that is why the packets ended.
pub(super) fn read_error(input: &mut Input) -> Option<Error> {
    // SAFETY: an opened input has a byte stream as long as it lives; only a number is read.
    let error = unsafe {
        let stream = (*input.as_mut_ptr()).pb;
        if stream.is_null() { 0 } else { (*stream).error }
    };
    (error < 0 && error != ffi::AVERROR_EOF).then(|| error.into())
}

/// Its decoder settings change with this packet.
pub(super) fn brings_new_settings(packet: &Packet) -> bool {
    use ffmpeg_next::packet::side_data::Type;
    packet.side_data().any(|data| data.kind() == Type::NewExtraData)
}

/// How many frames a decoder holds back to show them in order.
pub(super) fn reorder_depth(decoder: &Context) -> usize {
    // SAFETY: the context is valid, and only a number is read.
    usize::try_from(unsafe { (*decoder.as_ptr()).has_b_frames }).unwrap_or(0)
}

/// What the container calls a stream; in a transport stream its packet identifier.
pub(super) fn stream_id(stream: &Stream<'_>) -> i32 {
    // SAFETY: the stream lives through the call, and only a number is read.
    unsafe { (*stream.as_ptr()).id }
}

/// The parameters of an opened encoder.
pub(super) fn parameters_of(encoder: &Context) -> Result<Parameters, Error> {
    let mut parameters = Parameters::new();
    // SAFETY: both are valid and exclusively held for the call.
    let done = unsafe { ffi::avcodec_parameters_from_context(parameters.as_mut_ptr(), encoder.as_ptr()) };
    if done < 0 { Err(done.into()) } else { Ok(parameters) }
}

/// The init segment of a track: `ftyp` and `moov` as libav's own muxer writes them.
pub(super) fn init_segment(parameters: &Parameters, timescale: i32) -> Result<Vec<u8>, Error> {
    let mp4 = CString::new("mp4").map_err(|_| Error::Bug)?;
    let mut context: *mut ffi::AVFormatContext = ptr::null_mut();
    // SAFETY: the context is made, used and freed inside this block; the stream belongs to it; the dynamic buffer is
    // closed exactly once, on every way out, before the context is freed.
    unsafe {
        let made =
            ffi::avformat_alloc_output_context2(&raw mut context, ptr::null(), mp4.as_ptr(), ptr::null());
        if made < 0 {
            return Err(made.into());
        }
        let result = write_header(context, parameters, timescale);
        ffi::avformat_free_context(context);
        result
    }
}

/// # Safety
/// `context` must be a fresh output context.
unsafe fn write_header(
    context: *mut ffi::AVFormatContext,
    parameters: &Parameters,
    timescale: i32,
) -> Result<Vec<u8>, Error> {
    // SAFETY: see the caller; every pointer comes from libav and is checked before it is used.
    unsafe {
        let stream = ffi::avformat_new_stream(context, ptr::null());
        if stream.is_null() {
            return Err(Error::Bug);
        }
        let copied = ffi::avcodec_parameters_copy((*stream).codecpar, parameters.as_ptr());
        if copied < 0 {
            return Err(copied.into());
        }
        let hevc = (*(*stream).codecpar).codec_id == ffi::AVCodecID::AV_CODEC_ID_HEVC;
        // Apple plays HEVC only as `hvc1`; every other tag is the muxer's choice.
        (*(*stream).codecpar).codec_tag = if hevc { u32::from_le_bytes(*b"hvc1") } else { 0 };
        (*stream).time_base = ffi::AVRational { num: 1, den: timescale };
        (*context).flags |= ffi::AVFMT_FLAG_BITEXACT;
        let opened = ffi::avio_open_dyn_buf(&raw mut (*context).pb);
        if opened < 0 {
            return Err(opened.into());
        }
        let mut options = ffmpeg_next::Dictionary::new();
        options.set("movflags", "empty_moov+default_base_moof+cmaf");
        options.set("video_track_timescale", &timescale.to_string());
        let mut options = options.disown();
        let written = ffi::avformat_write_header(context, &raw mut options);
        drop(ffmpeg_next::Dictionary::own(options));
        let mut bytes: *mut u8 = ptr::null_mut();
        let size = ffi::avio_close_dyn_buf((*context).pb, &raw mut bytes);
        (*context).pb = ptr::null_mut();
        let init = usize::try_from(size).ok().filter(|_| !bytes.is_null());
        let init = init.map(|size| std::slice::from_raw_parts(bytes, size).to_vec()).unwrap_or_default();
        ffi::av_free(bytes.cast());
        if written < 0 { Err(written.into()) } else { Ok(init) }
    }
}
