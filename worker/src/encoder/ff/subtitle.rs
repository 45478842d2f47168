//! Decoded subtitles. The wrapper's `Subtitle` is never freed, and it takes text for UTF-8 without looking.

use std::ffi::CStr;

use ffmpeg_next::codec::decoder;
use ffmpeg_next::codec::subtitle::Subtitle;
use ffmpeg_next::ffi::{self, AVSubtitleType};
use ffmpeg_next::{Error, Packet};

/// What one packet shows, freed with its rectangles.
pub(in crate::encoder) struct DecodedSubtitle(Subtitle);

/// The text of one rectangle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::encoder) enum SubtitleText {
    /// An event of `SubStation` Alpha: nine fields, of which the last is the text.
    Ass(String),
    Plain(String),
}

impl DecodedSubtitle {
    /// None if the packet shows nothing.
    pub(in crate::encoder) fn decode(
        decoder: &mut decoder::Subtitle,
        packet: &Packet,
    ) -> Result<Option<Self>, Error> {
        let mut subtitle = Self(Subtitle::new());
        let shows = decoder.decode(packet, &mut subtitle.0)?;
        Ok(shows.then_some(subtitle))
    }

    /// Milliseconds from the packet's own time.
    pub(in crate::encoder) fn start_ms(&self) -> u32 {
        self.0.start()
    }

    pub(in crate::encoder) fn end_ms(&self) -> u32 {
        self.0.end()
    }

    /// Of its rectangles in order; pictures have none.
    pub(in crate::encoder) fn texts(&self) -> Vec<SubtitleText> {
        // SAFETY: `rects` holds `num_rects` valid pointers as long as the subtitle lives, and a rectangle of a kind
        // with text has it as a string that ends with a zero byte, or null. All is copied.
        unsafe {
            let raw = &*self.0.as_ptr();
            let count = if raw.rects.is_null() { 0 } else { raw.num_rects as usize };
            let rects = (0..count).filter_map(|index| (*raw.rects.add(index)).as_ref());
            let text = |text: *mut libc::c_char| {
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            rects
                .filter_map(|rect| match rect.type_ {
                    AVSubtitleType::SUBTITLE_ASS => text(rect.ass).map(SubtitleText::Ass),
                    AVSubtitleType::SUBTITLE_TEXT => text(rect.text).map(SubtitleText::Plain),
                    _ => None,
                })
                .collect()
        }
    }
}

impl Drop for DecodedSubtitle {
    fn drop(&mut self) {
        // SAFETY: the subtitle is ours alone; a blank one, which no decoder has filled, may be freed too.
        unsafe { ffi::avsubtitle_free(self.0.as_mut_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use ffmpeg_next::codec::{self, Id};

    use super::*;

    /// The memory of this process now.
    fn resident_bytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        resident.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    #[test]
    fn subtitles_are_freed_when_they_are_dropped() {
        const TEXT: usize = 64 * 1024;
        const CUES: usize = 2000;
        let codec = decoder::find(Id::SUBRIP).unwrap();
        let mut decoder = codec::Context::new_with_codec(codec).decoder().subtitle().unwrap();
        let packet = Packet::copy("w".repeat(TEXT).as_bytes());
        let mut decode = || {
            let subtitle = DecodedSubtitle::decode(&mut decoder, &packet).unwrap().unwrap();
            let texts = subtitle.texts();
            assert!(matches!(&texts[..], [SubtitleText::Ass(text)] if text.len() > TEXT));
        };
        decode();
        let before = resident_bytes();
        (0..CUES).for_each(|_| decode());
        let grown = resident_bytes().saturating_sub(before);
        assert!(grown < TEXT * CUES / 4, "{grown} bytes more after {CUES} subtitles of {TEXT} bytes");
    }
}
