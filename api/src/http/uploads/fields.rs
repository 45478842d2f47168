//! What an uploader may ask for, by name: the same in tus metadata and in a form.

use framefarm_shared::queue::parse_priority;

use crate::error::{ApiError, Result};
use crate::lifecycle::file_name::clean_file_name;
use crate::lifecycle::upload::UploadRequest;

pub(in crate::http) const NAMES: &str = "title, collection, priority, qualities, force, cancel_running";

pub(in crate::http) fn empty() -> UploadRequest {
    UploadRequest { file_name: "upload".to_owned(), ..UploadRequest::default() }
}

/// Takes one field; `false` if there is none of that name. An empty text is the same as no text: forms send those.
pub(in crate::http) fn set(request: &mut UploadRequest, name: &str, text: &str) -> Result<bool> {
    let text = text.trim();
    match name {
        "title" | "collection" | "priority" | "qualities" | "force" | "cancel_running" if text.is_empty() => {
        }
        "title" => request.title = Some(text.to_owned()),
        "collection" => request.collection = Some(text.to_owned()),
        "priority" => {
            request.priority =
                parse_priority(text).map_err(|detail| ApiError::bad_request("bad_priority", detail))?;
            request.priority_named = true;
        }
        "qualities" => request.qualities = Some(text.split(',').map(|name| name.trim().to_owned()).collect()),
        "force" => request.force = flag(name, text)?,
        "cancel_running" => request.cancel_running = flag(name, text)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Only the last part of a path, whichever way its slashes lean.
pub(in crate::http) fn set_file_name(request: &mut UploadRequest, text: &str) {
    let name = clean_file_name(text.rsplit(['/', '\\']).next().unwrap_or_default());
    if !name.is_empty() && name != "." && name != ".." {
        request.file_name = name;
    }
}

fn flag(name: &str, text: &str) -> Result<bool> {
    match text {
        "true" | "1" | "on" => Ok(true),
        "false" | "0" | "off" => Ok(false),
        _ => Err(ApiError::bad_request("bad_flag", format!("`{name}` must be true or false, not `{text}`."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_part_of_a_file_name_is_kept() {
        for (given, kept) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\videos\\a.mov", "a.mov"),
            ("..", "upload"),
            ("a/..", "upload"),
            ("/", "upload"),
            ("plain.mp4", "plain.mp4"),
            ("two\nlines\t.mp4", "two lines .mp4"),
            ("\r\n", "upload"),
        ] {
            let mut request = empty();
            set_file_name(&mut request, given);
            assert_eq!(request.file_name, kept, "{given}");
        }
    }

    #[test]
    fn empty_texts_ask_for_nothing_and_bad_ones_are_refused() {
        let mut request = empty();
        for name in NAMES.split(", ") {
            assert!(set(&mut request, name, " ").expect("nothing is asked"));
        }
        assert_eq!(request, empty());
        assert!(set(&mut request, "qualities", "720p, 360p").expect("a list"));
        assert_eq!(request.qualities.as_deref(), Some(&["720p".to_owned(), "360p".to_owned()][..]));
        assert!(set(&mut request, "force", "perhaps").is_err());
        assert!(set(&mut request, "priority", "9999").is_err());
        assert!(!set(&mut request, "colour", "blue").expect("unknown is not an error here"));
    }
}
