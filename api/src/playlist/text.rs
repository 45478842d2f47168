//! What may stand in a playlist. The writer of m3u8-rs prints every string as it is, so a quote or a line break in a
//! track's title would write attributes and tags of its own.

use std::fmt::Write as _;
use std::io;

const LONGEST_VALUE: usize = 128;

/// A value for between quotes: no quote, no control character, no line or paragraph separator. May be empty.
pub(super) fn quotable(value: &str) -> String {
    let harmless = value.chars().map(|c| match c {
        '"' => '\'',
        '\u{2028}' | '\u{2029}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    });
    let short: String = harmless.take(LONGEST_VALUE).collect();
    short.trim().to_owned()
}

/// The distinct codecs of comma-separated lists, in order, without the characters that no codec string has.
pub(super) fn codecs<'a>(lists: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut distinct: Vec<String> = Vec::new();
    for codec in lists.into_iter().flat_map(|list| list.split(',')) {
        let codec: String =
            codec.chars().filter(|c| c.is_ascii_alphanumeric() || ".-_+".contains(*c)).collect();
        if !codec.is_empty() && !distinct.contains(&codec) {
            distinct.push(codec);
        }
    }
    (!distinct.is_empty()).then(|| distinct.join(","))
}

/// A URI for a line of its own or between quotes. A `#` at the start would make the line a comment.
pub(super) fn uri(uri: &str) -> String {
    let mut out = String::with_capacity(uri.len());
    for (at, byte) in uri.bytes().enumerate() {
        if byte.is_ascii_graphic() && byte != b'"' && !(at == 0 && byte == b'#') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text that a writer of m3u8-rs produces.
pub(super) fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    let result = write(&mut out);
    debug_assert!(result.is_ok(), "a Vec takes every byte");
    String::from_utf8_lossy(&out).into_owned()
}
