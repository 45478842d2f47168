//! Metadata of a stream. The wrapper takes its bytes for UTF-8 without looking; a file may hold anything.

use std::ffi::CStr;

use ffmpeg_next::ffi;
use ffmpeg_next::format::stream::Stream;

/// The value of a key; what is not UTF-8 is replaced (U+FFFD).
pub(in crate::encoder) fn metadata(stream: &Stream<'_>, key: &CStr) -> Option<String> {
    // SAFETY: the stream and its dictionary live through the block; an entry's value is a string that ends with a
    // zero byte, and it is copied before the block ends.
    unsafe {
        let entry = ffi::av_dict_get((*stream.as_ptr()).metadata, key.as_ptr(), std::ptr::null(), 0);
        let value = entry.as_ref().map(|entry| entry.value.cast_const()).filter(|value| !value.is_null())?;
        Some(CStr::from_ptr(value).to_string_lossy().into_owned())
    }
}
