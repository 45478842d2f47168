//! What ffmpeg says, on its way to stderr, remembered by the thread that made it say so.

#[cfg(target_arch = "x86_64")]
use std::cell::Cell;
use std::cell::RefCell;

/// More than this is no longer read by anybody.
#[cfg(target_arch = "x86_64")]
const MOST: usize = 2_000;

thread_local! {
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(target_arch = "x86_64")]
thread_local! {
    /// Whether the next piece begins a line; libav keeps count in it.
    static LINE_BEGINS: Cell<libc::c_int> = const { Cell::new(1) };
}

/// What ffmpeg said in this thread since the last question, without the addresses in front.
pub(in crate::encoder) fn said() -> String {
    crate::ffmpeg_message::cleaned(&SAID.take())
}

/// From now on everything that ffmpeg says is remembered too.
#[cfg(target_arch = "x86_64")]
pub(in crate::encoder) fn remember() {
    // SAFETY: the function lives for ever and may be called from any thread.
    unsafe { ffmpeg_next::ffi::av_log_set_callback(Some(heard)) };
}

/// How C passes a list of arguments is known to us on one architecture only; elsewhere stderr has to do.
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::encoder) fn remember() {}

/// # Safety
/// Only libav calls it, with the arguments that belong to `format`.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn heard(
    speaker: *mut libc::c_void,
    level: libc::c_int,
    format: *const libc::c_char,
    arguments: *mut ffmpeg_next::ffi::__va_list_tag,
) {
    use ffmpeg_next::ffi;

    let mut line = [0_u8; 1024];
    let size = libc::c_int::try_from(line.len()).unwrap_or(0);
    let mut prefix = LINE_BEGINS.try_with(Cell::get).unwrap_or(1);
    // SAFETY: libav gives what it wants back, and writes at most `size` bytes, a zero at the end included.
    let written = unsafe {
        if level > ffi::av_log_get_level() {
            return;
        }
        ffi::av_log_format_line2(
            speaker,
            level,
            format,
            arguments,
            line.as_mut_ptr().cast(),
            size,
            &raw mut prefix,
        )
    };
    let _kept_or_not = LINE_BEGINS.try_with(|begins| begins.set(prefix));
    let length = usize::try_from(written).unwrap_or(0).min(line.len() - 1);
    keep(&line[..length]);
}

#[cfg(target_arch = "x86_64")]
fn keep(line: &[u8]) {
    use std::io::Write as _;

    let _written_or_not = std::io::stderr().write_all(line);
    let text = String::from_utf8_lossy(line);
    // A thread that ends has nobody left to remember for.
    let _kept_or_not = SAID.try_with(|said| {
        if let Ok(mut said) = said.try_borrow_mut()
            && said.len() < MOST
        {
            said.push_str(&text);
        }
    });
}
