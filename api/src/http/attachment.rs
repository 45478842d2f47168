//! `Content-Disposition` of a file that is to be saved under its own name.

use axum::http::HeaderValue;

use crate::error::{ApiError, Result};

/// Plain for old browsers, whole for the others (RFC 6266).
pub(super) fn attachment(name: &str) -> Result<HeaderValue> {
    let text = format!("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain(name), whole(name));
    HeaderValue::try_from(text).map_err(|error| ApiError::internal(&error))
}

fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._- ()".contains(c);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn whole(name: &str) -> String {
    let written = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_breaks_out_of_its_header() {
        let value = attachment("a\"; x=\r\nb\\ü/../c.mp4").unwrap();
        let expected = "attachment; filename=\"a__ x___b___.._c.mp4\"; \
                        filename*=UTF-8''a%22%3B%20x%3D%0D%0Ab%5C%C3%BC%2F..%2Fc.mp4";
        assert_eq!(value.to_str().unwrap(), expected);
    }
}
