//! Devices, and pictures in the memory of a GPU.

use std::ffi::CString;
use std::{fmt, ptr};

use ffmpeg_next::codec::Context;
use ffmpeg_next::ffi::{AVBufferRef, AVHWDeviceType, AVPixelFormat};
use ffmpeg_next::filter::Graph;
use ffmpeg_next::{Codec, Dictionary, Error, Rational, ffi, frame};
use framefarm_shared::gpu::GpuKind;

/// A counted reference of libav; dropping it gives it back.
struct Counted(*mut AVBufferRef);

// SAFETY: the count is atomic, and what it counts (devices and pools of frames) is made by libav to be shared by
// threads; we only pass the pointer back to libav.
unsafe impl Send for Counted {}
// SAFETY: as above.
unsafe impl Sync for Counted {}

impl Counted {
    /// # Safety
    /// `raw` must be null or a valid reference, which stays its owner's.
    unsafe fn another(raw: *mut AVBufferRef) -> Result<Self, Error> {
        if raw.is_null() {
            return Err(Error::InvalidData);
        }
        // SAFETY: see above.
        let copy = unsafe { ffi::av_buffer_ref(raw) };
        if copy.is_null() { Err(Error::Other { errno: ffmpeg_next::error::ENOMEM }) } else { Ok(Self(copy)) }
    }

    /// One more reference that is not ours to drop.
    fn given_away(&self) -> Result<*mut AVBufferRef, Error> {
        // SAFETY: our own reference is valid as long as we live.
        let copy = unsafe { Self::another(self.0) }?;
        let raw = copy.0;
        std::mem::forget(copy);
        Ok(raw)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // SAFETY: the reference is ours and is dropped once.
        unsafe { ffi::av_buffer_unref(&raw mut self.0) };
    }
}

/// A GPU, opened.
pub(in crate::encoder) struct Device(Counted);

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device")
    }
}

impl Device {
    /// Opens the GPU behind a render node, or the only NVIDIA GPU that this process sees.
    pub(in crate::encoder) fn open(kind: GpuKind, node: &str) -> Result<Self, Error> {
        let node = CString::new(node).map_err(|_| Error::InvalidData)?;
        let mut options = Dictionary::new();
        let (kind, name) = match kind {
            GpuKind::Nvenc => (AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA, ptr::null()),
            GpuKind::Vaapi => (AVHWDeviceType::AV_HWDEVICE_TYPE_VAAPI, node.as_ptr()),
            GpuKind::Qsv => {
                options.set("child_device", &node.to_string_lossy());
                options.set("child_device_type", "vaapi");
                (AVHWDeviceType::AV_HWDEVICE_TYPE_QSV, ptr::null())
            }
        };
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is filled only on success; name and options live through the call, which copies what it keeps.
        let made = unsafe { ffi::av_hwdevice_ctx_create(&raw mut raw, kind, name, options.as_mut_ptr(), 0) };
        if made < 0 { Err(made.into()) } else { Ok(Self(Counted(raw))) }
    }

    /// Lets a codec that is not open yet work on this GPU.
    pub(in crate::encoder) fn give_to(&self, context: &mut Context) -> Result<(), Error> {
        let device = self.0.given_away()?;
        // SAFETY: the context is not open, has no device yet, and takes over the reference.
        unsafe { (*context.as_mut_ptr()).hw_device_ctx = device };
        Ok(())
    }
}

/// A pool of pictures on a GPU, all of one size.
pub(in crate::encoder) struct Frames(Counted);

impl Frames {
    /// Pictures for VAAPI, eight bits, as many as are asked for.
    pub(in crate::encoder) fn new(device: &Device, (width, height): (u32, u32)) -> Result<Self, Error> {
        let side = |length: u32| i32::try_from(length).map_err(|_| Error::InvalidData);
        let (width, height) = (side(width)?, side(height)?);
        // SAFETY: the pool is fresh; its data is an AVHWFramesContext, which is filled in before it is initialised.
        unsafe {
            let raw = ffi::av_hwframe_ctx_alloc(device.0.0);
            if raw.is_null() {
                return Err(Error::Other { errno: ffmpeg_next::error::ENOMEM });
            }
            let pool = Self(Counted(raw));
            let frames = (*raw).data.cast::<libc::c_void>().cast::<ffi::AVHWFramesContext>();
            (*frames).format = AVPixelFormat::AV_PIX_FMT_VAAPI;
            (*frames).sw_format = AVPixelFormat::AV_PIX_FMT_NV12;
            (*frames).width = width;
            (*frames).height = height;
            let done = ffi::av_hwframe_ctx_init(raw);
            if done < 0 { Err(done.into()) } else { Ok(pool) }
        }
    }

    /// The pool that a picture comes from.
    pub(in crate::encoder) fn of(picture: &frame::Video) -> Result<Self, Error> {
        // SAFETY: the frame lives through the call, and its reference, if it has one, is valid as long.
        unsafe { Counted::another((*picture.as_ptr()).hw_frames_ctx) }.map(Self)
    }

    /// Lets an encoder that is not open yet take pictures of this pool.
    pub(in crate::encoder) fn give_to(&self, context: &mut Context) -> Result<(), Error> {
        let frames = self.0.given_away()?;
        // SAFETY: the context is not open, has no pool yet, and takes over the reference.
        unsafe { (*context.as_mut_ptr()).hw_frames_ctx = frames };
        Ok(())
    }

    pub(in crate::encoder) fn upload(&self, picture: &frame::Video) -> Result<frame::Video, Error> {
        let mut there = frame::Video::empty();
        // SAFETY: the pool and both frames live through the calls, and `there` is blank as the first demands.
        unsafe {
            let taken = ffi::av_hwframe_get_buffer(self.0.0, there.as_mut_ptr(), 0);
            if taken < 0 {
                return Err(taken.into());
            }
            transfer(picture, &mut there)?;
        }
        Ok(there)
    }
}

/// The same picture in our own memory.
pub(in crate::encoder) fn download(picture: &frame::Video) -> Result<frame::Video, Error> {
    let mut here = frame::Video::empty();
    // SAFETY: both frames live through the call; a blank one gets its own memory.
    unsafe { transfer(picture, &mut here)? };
    Ok(here)
}

/// # Safety
/// One of the two must be a picture on a GPU, the other blank or of the same size in memory.
unsafe fn transfer(from: &frame::Video, to: &mut frame::Video) -> Result<(), Error> {
    // SAFETY: see the caller.
    unsafe {
        let moved = ffi::av_hwframe_transfer_data(to.as_mut_ptr(), from.as_ptr(), 0);
        if moved < 0 {
            return Err(moved.into());
        }
        let copied = ffi::av_frame_copy_props(to.as_mut_ptr(), from.as_ptr());
        if copied < 0 { Err(copied.into()) } else { Ok(()) }
    }
}

/// Whether a decoder can leave its pictures on an NVIDIA GPU.
pub(in crate::encoder) fn decodes_on_gpu(codec: Codec) -> bool {
    let by_device = ffi::AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX as i32;
    let ways = (0..).map_while(|index| {
        // SAFETY: the codec is one of libav's own, which live for ever; the answer is null or as lasting.
        unsafe { ffi::avcodec_get_hw_config(codec.as_ptr(), index).as_ref() }
    });
    let mut ways = ways.take(64);
    ways.any(|way| way.device_type == AVHWDeviceType::AV_HWDEVICE_TYPE_CUDA && way.methods & by_device != 0)
}

/// A source of pictures like this one for a graph of filters, called `in`.
pub(in crate::encoder) fn add_source(
    graph: &mut Graph,
    like: &frame::Video,
    time_base: Rational,
) -> Result<(), Error> {
    // SAFETY: the graph owns the filter; the parameters are ours, are freed once, and what they refer to belongs to
    // the picture, of which libav takes its own reference.
    unsafe {
        let filter = ffi::avfilter_get_by_name(c"buffer".as_ptr());
        if filter.is_null() {
            return Err(Error::FilterNotFound);
        }
        let source = ffi::avfilter_graph_alloc_filter(graph.as_mut_ptr(), filter, c"in".as_ptr());
        let parameters = ffi::av_buffersrc_parameters_alloc();
        if source.is_null() || parameters.is_null() {
            ffi::av_free(parameters.cast());
            return Err(Error::Other { errno: ffmpeg_next::error::ENOMEM });
        }
        let picture = &*like.as_ptr();
        (*parameters).format = picture.format;
        (*parameters).width = picture.width;
        (*parameters).height = picture.height;
        (*parameters).time_base = time_base.into();
        (*parameters).sample_aspect_ratio = ffi::AVRational { num: 1, den: 1 };
        (*parameters).hw_frames_ctx = picture.hw_frames_ctx;
        let mut done = ffi::av_buffersrc_parameters_set(source, parameters);
        ffi::av_free(parameters.cast());
        if done >= 0 {
            done = ffi::avfilter_init_str(source, ptr::null());
        }
        if done < 0 { Err(done.into()) } else { Ok(()) }
    }
}

/// Sets options of a codec that is not open yet; gives back the names that it does not know.
pub(in crate::encoder) fn set_options<'a>(
    context: &mut Context,
    options: &'a [(&'static str, String)],
) -> Result<Vec<&'a str>, Error> {
    let mut unknown = Vec::new();
    for (name, value) in options {
        let text = |text: &str| CString::new(text).map_err(|_| Error::InvalidData);
        let (key, value) = (text(name)?, text(value)?);
        // SAFETY: the context begins with its class, as libav's options demand, and the texts live through the call.
        let done = unsafe {
            ffi::av_opt_set(
                context.as_mut_ptr().cast(),
                key.as_ptr(),
                value.as_ptr(),
                ffi::AV_OPT_SEARCH_CHILDREN,
            )
        };
        match Error::from(done) {
            _ if done >= 0 => {}
            Error::OptionNotFound => unknown.push(*name),
            error => return Err(error),
        }
    }
    Ok(unknown)
}
