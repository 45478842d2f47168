//! libswresample: audio of any rate, format and layout as 48 kHz float samples of one, two or six channels.

use std::ptr;

use ffmpeg_next::{Error, ffi, frame};

use crate::encoder::time::SAMPLES;

const RATE: i32 = 48_000;
/// A second of no sound that anybody hears has fewer samples. A hostile file could claim one sample a second, and each
/// would become 48,000.
const LOWEST_RATE: u32 = 1_000;
/// A resampler that is added later, for a first compensation, would forget what it holds.
const ALWAYS_RESAMPLE: i64 = ffi::SWR_FLAG_RESAMPLE as i64;

/// One channel after the other, all of the same length.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in super::super) struct Planes(pub(in super::super) Vec<Vec<f32>>);

impl Planes {
    pub(in super::super) fn new(channels: usize) -> Self {
        Self(vec![Vec::new(); channels])
    }

    pub(in super::super) fn len(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }
}

pub(in super::super) struct Resampler {
    context: *mut ffi::SwrContext,
    channels: usize,
}

impl Resampler {
    /// For frames like this one.
    pub(in super::super) fn open(frame: &frame::Audio, channels: usize) -> Result<Self, Error> {
        if frame.rate() < LOWEST_RATE {
            return Err(Error::InvalidData);
        }
        let known = Self::open_with(frame, channels, false);
        known.or_else(|_| Self::open_with(frame, channels, true))
    }

    /// With `plain_matrix` channels are dealt out in turn (of two, every second one goes to the left), whatever they
    /// are called: for layouts that libswresample knows no matrix for.
    fn open_with(frame: &frame::Audio, channels: usize, plain_matrix: bool) -> Result<Self, Error> {
        let mut resampler = Self { context: ptr::null_mut(), channels };
        // SAFETY: the frame lives through the block; both layouts are initialised by libav and uninitialised again; the
        // context is freed by `drop`, whatever fails.
        unsafe {
            let raw = &*frame.as_ptr();
            let mut from: ffi::AVChannelLayout = std::mem::zeroed();
            let mut to: ffi::AVChannelLayout = std::mem::zeroed();
            let named = raw.ch_layout.order != ffi::AVChannelOrder::AV_CHANNEL_ORDER_UNSPEC && !plain_matrix;
            let copied =
                if named { ffi::av_channel_layout_copy(&raw mut from, &raw const raw.ch_layout) } else { 0 };
            if !named {
                ffi::av_channel_layout_default(&raw mut from, raw.ch_layout.nb_channels);
            }
            ffi::av_channel_layout_default(&raw mut to, i32::try_from(channels).unwrap_or(2));
            let made = ffi::swr_alloc_set_opts2(
                &raw mut resampler.context,
                &raw mut to,
                ffi::AVSampleFormat::AV_SAMPLE_FMT_FLTP,
                RATE,
                &raw mut from,
                sample_format(raw.format),
                raw.sample_rate,
                0,
                ptr::null_mut(),
            );
            ffi::av_channel_layout_uninit(&raw mut from);
            ffi::av_channel_layout_uninit(&raw mut to);
            check(copied)?;
            check(made)?;
            let object = resampler.context.cast();
            check(ffi::av_opt_set_int(object, c"flags".as_ptr(), ALWAYS_RESAMPLE, 0))?;
            // Six full channels mixed to two, or eight mixed to six, stay within full scale.
            check(ffi::av_opt_set_double(object, c"rematrix_maxval".as_ptr(), 1.0, 0))?;
            if plain_matrix {
                let matrix = plain_matrix_of(raw.ch_layout.nb_channels, channels);
                check(ffi::swr_set_matrix(resampler.context, matrix.as_ptr(), raw.ch_layout.nb_channels))?;
            }
            check(ffi::swr_init(resampler.context))?;
        }
        Ok(resampler)
    }

    /// What comes of a frame is put behind what is in `out`.
    pub(in super::super) fn push(&mut self, frame: &frame::Audio, out: &mut Planes) -> Result<(), Error> {
        // SAFETY: a decoded frame has `nb_samples` samples in every plane that `extended_data` points to.
        unsafe {
            let raw = &*frame.as_ptr();
            self.convert(raw.extended_data.cast_const().cast(), raw.nb_samples, out)
        }
    }

    /// What it still holds.
    pub(in super::super) fn finish(&mut self, out: &mut Planes) -> Result<(), Error> {
        // SAFETY: no input means the end.
        unsafe { self.convert(ptr::null_mut(), 0, out) }
    }

    /// # Safety
    /// `input` must point to as many planes of `count` samples as the frame had that it was opened for, or be null.
    unsafe fn convert(&mut self, input: *const *const u8, count: i32, out: &mut Planes) -> Result<(), Error> {
        // SAFETY: the context is initialised; every output plane has room for as many samples as libswresample says
        // that it may write.
        unsafe {
            let most = ffi::swr_get_out_samples(self.context, count);
            check(most)?;
            let room = usize::try_from(most).unwrap_or(0);
            let before = out.len();
            out.0.iter_mut().for_each(|plane| plane.resize(before + room, 0.0));
            let mut planes: Vec<*mut u8> =
                out.0.iter_mut().map(|plane| plane.as_mut_ptr().add(before).cast()).collect();
            debug_assert_eq!(planes.len(), self.channels, "as many planes as it was opened for");
            let written = ffi::swr_convert(self.context, planes.as_mut_ptr(), most, input.cast_mut(), count);
            let kept = before + usize::try_from(written).unwrap_or(0);
            out.0.iter_mut().for_each(|plane| plane.truncate(kept));
            check(written)
        }
    }

    /// How many samples are still inside.
    pub(in super::super) fn delay(&self) -> i64 {
        // SAFETY: the context is initialised, and only its counters are read.
        unsafe { ffi::swr_get_delay(self.context, SAMPLES) }
    }

    /// Makes `delta` samples more or fewer of the next `distance`.
    pub(in super::super) fn compensate(&mut self, delta: i32, distance: i32) -> Result<(), Error> {
        // SAFETY: the context is initialised and not shared.
        check(unsafe { ffi::swr_set_compensation(self.context, delta, distance) })
    }
}

impl Drop for Resampler {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the context; a null one is left alone.
        unsafe { ffi::swr_free(&raw mut self.context) }
    }
}

/// The number of a decoded frame's format as libav's enum.
fn sample_format(number: i32) -> ffi::AVSampleFormat {
    // SAFETY: decoders set a frame's format to a value of this enum.
    unsafe { std::mem::transmute::<i32, ffi::AVSampleFormat>(number) }
}

fn plain_matrix_of(from: i32, to: usize) -> Vec<f64> {
    let from = usize::try_from(from).unwrap_or(0);
    let row = |side: usize| {
        let is_heard = move |channel: usize| to == 1 || from == 1 || channel % to == side;
        let heard = (0..from).filter(|channel| is_heard(*channel)).count().max(1);
        #[expect(clippy::cast_precision_loss, reason = "a few channels")]
        let weight = 1.0 / heard as f64;
        (0..from).map(move |channel| if is_heard(channel) { weight } else { 0.0 })
    };
    (0..to).flat_map(row).collect()
}

fn check(done: i32) -> Result<(), Error> {
    if done < 0 { Err(done.into()) } else { Ok(()) }
}
