//! A source and what must hold of it.

use std::ops::Range;

use framefarm_shared::ladder::{MediaKind, PlannedQuality};
use framefarm_shared::plan::Plan;

use super::check;
use super::recipe;
use super::report::Row;
use crate::made::qualities;

/// Of two channels, where the samples themselves are looked at: at a quarter of it AAC leaves a third of a sine as noise, in
/// which no click is heard, and goes a tenth beyond full scale.
const CLEAR_KBPS: u32 = 320;

/// What must hold is in the fields; most entries of the tables need the usual values.
#[expect(clippy::struct_excessive_bools, reason = "each says what to look at, and all combinations occur")]
pub(crate) struct Case {
    pub(crate) recipe: &'static str,
    pub(crate) ladder: &'static str,
    /// Of the video, where the recipe is not one command.
    pub(crate) seconds: Option<f64>,
    pub(crate) frames: Frames,
    pub(crate) sync: Sync,
    /// Where the source has no sound, in seconds.
    pub(crate) holes: Vec<Range<f64>>,
    pub(crate) picture: bool,
    pub(crate) sound: bool,
    /// Compare times and length with ffmpeg's.
    pub(crate) as_ffmpeg: bool,
    /// Also resumed, copied and on a GPU.
    pub(crate) variants: bool,
    pub(crate) copied: bool,
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) tracks: Option<usize>,
    /// The languages of its subtitle tracks, each with a cue for every flash.
    pub(crate) subtitles: &'static [&'static str],
    pub(crate) warning: Option<&'static str>,
    /// The codes of the plan's notes.
    pub(crate) notes: &'static [&'static str],
    pub(crate) refusal: Option<&'static str>,
    /// So much of full scale may be the difference to ffmpeg's level, in decibels.
    pub(crate) decibels: f64,
    pub(crate) damaged: bool,
}

/// Which frames are shown when.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frames {
    /// All of the source, at its own times to the tick.
    AsSource,
    /// So many.
    Count(usize),
    /// So many, each so many ticks of 1/90000 s after the one before.
    Every(usize, f64),
    /// At least so many.
    AtLeast(usize),
}

/// How sound stands to the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// Each beep with its flash.
    Together,
    /// As ffmpeg has it: the container does not tell what the codec's delay is.
    AsFfmpeg,
    /// Without a beep to look for.
    Unmeasured,
}

/// The usual expectations: every frame at its time, each beep with its flash, all as ffmpeg has it.
pub(crate) fn made_by(recipe: &'static str) -> Case {
    let has = |word: &str| recipe.contains(word);
    let (picture, sound) = (has("V(") || has("P("), has("A(") || has("S("));
    let sync = match (picture, has("A(")) {
        (true, true) => Sync::Together,
        (false, true) => Sync::AsFfmpeg,
        _ => Sync::Unmeasured,
    };
    Case {
        recipe,
        // Colours are not to suffer from the bit rate.
        ladder: if has("P(") { "108p:3000,72p:1500" } else { "108p:500,72p:250" },
        seconds: recipe::seconds(recipe),
        frames: Frames::AsSource,
        sync,
        holes: vec![],
        picture,
        sound,
        as_ffmpeg: true,
        variants: true,
        copied: false,
        size: None,
        tracks: None,
        subtitles: &[],
        warning: None,
        notes: &[],
        refusal: None,
        decibels: 0.5,
        damaged: false,
    }
}

/// A source that must be refused, with a message that has these words.
pub(crate) fn refused(recipe: &'static str, words: &'static str) -> Case {
    Case { refusal: Some(words), ..made_by(recipe) }
}

impl Case {
    pub(crate) fn lasts(self, seconds: f64) -> Self {
        Self { seconds: Some(seconds), ..self }
    }

    pub(crate) fn shows(self, frames: Frames) -> Self {
        Self { frames, ..self }
    }

    pub(crate) fn hole(mut self, from: f64, to: f64) -> Self {
        self.holes.push(from..to);
        self
    }

    pub(crate) fn synced(self, sync: Sync) -> Self {
        Self { sync, ..self }
    }

    /// ffmpeg is no judge of this source's times.
    pub(crate) fn unlike_ffmpeg(self) -> Self {
        Self { as_ffmpeg: false, ..self }
    }

    /// Only undisturbed, because the source is long or has too little in it.
    pub(crate) fn once(self) -> Self {
        Self { variants: false, ..self }
    }

    /// The best quality must be the source's own stream.
    pub(crate) fn copied(self) -> Self {
        Self { copied: true, ..self }
    }

    pub(crate) fn sized(self, width: u32, height: u32) -> Self {
        Self { size: Some((width, height)), ..self }
    }

    pub(crate) fn tracks(self, tracks: usize) -> Self {
        Self { tracks: Some(tracks), ..self }
    }

    pub(crate) fn subtitles(self, languages: &'static [&'static str]) -> Self {
        Self { subtitles: languages, ..self }
    }

    pub(crate) fn warns(self, words: &'static str) -> Self {
        Self { warning: Some(words), ..self }
    }

    /// The plan's notes have exactly these codes.
    pub(crate) fn notes(self, codes: &'static [&'static str]) -> Self {
        Self { notes: codes, ..self }
    }

    pub(crate) fn ladder(self, ladder: &'static str) -> Self {
        Self { ladder, ..self }
    }

    /// What is mixed down need not be as loud as ffmpeg has it.
    pub(crate) fn within_decibels(self, decibels: f64) -> Self {
        Self { decibels, ..self }
    }

    /// Some of it cannot be decoded.
    pub(crate) fn damaged(self) -> Self {
        Self { damaged: true, as_ffmpeg: false, ..self }
    }

    pub(crate) fn qualities(&self, plan: &Plan) -> Vec<PlannedQuality> {
        let mut qualities = qualities(plan, self.ladder);
        let audio = qualities.iter_mut().filter(|quality| quality.kind == MediaKind::Audio);
        if ["S(", "C("].iter().any(|word| self.recipe.contains(word)) {
            audio.for_each(|quality| quality.bitrate_kbps = CLEAR_KBPS);
        }
        qualities
    }

    pub(crate) fn check(&self, name: &str) {
        let mut row = Row::new(name);
        row.attempt("run", |row| check::measure(self, row));
        row.write();
        assert!(row.problems.is_empty(), "\n  {}\n{row}\n", row.problems.join("\n  "));
    }
}
