//! What was measured of a source, as a line of a table.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Of one source; what was not measured is empty.
#[derive(Default)]
pub(crate) struct Row {
    name: String,
    /// Made and expected.
    pub(crate) frames: Option<(usize, usize)>,
    /// How much later than its flash a beep is heard, in seconds, in the order of the source.
    pub(crate) offsets: Vec<f64>,
    /// Made and expected, in seconds.
    pub(crate) seconds: Option<(f64, f64)>,
    /// Of ours above ffmpeg's.
    pub(crate) decibels: Option<f64>,
    /// Of colours, out of 255.
    pub(crate) colors: Option<u8>,
    pub(crate) resumed: Option<bool>,
    pub(crate) copied: Option<bool>,
    pub(crate) gpu: Option<bool>,
    pub(crate) problems: Vec<String>,
}

pub(crate) const HEAD: &str = "source\tframes\tstart ms\tmiddle ms\tend ms\tworst ms\tduration ms\tloudness dB\tcolour\tresumed\tcopied\tGPU\tverdict\tproblem";

impl Row {
    pub(crate) fn new(name: &str) -> Self {
        let name = name.strip_prefix("sources::conformance::").unwrap_or(name);
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Goes on after a failed check, so that one does not hide the next.
    pub(crate) fn attempt<T>(&mut self, what: &str, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(value) => Some(value),
            Err(panic) => {
                self.problems.push(format!("{what}: {}", words(&*panic)));
                None
            }
        }
    }

    pub(crate) fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(otherwise());
        }
    }

    /// Also if it failed.
    pub(crate) fn write(&self) {
        let directory = match std::env::var_os("FRAMEFARM_MEDIA_REPORT") {
            Some(directory) => PathBuf::from(directory),
            None => Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("media"),
        };
        std::fs::create_dir_all(&directory).unwrap();
        let file = directory.join(format!("{}.tsv", self.name.replace("::", ".")));
        std::fs::write(file, format!("{HEAD}\n{self}\n")).unwrap();
    }
}

impl fmt::Display for Row {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.offsets.len();
        let ms =
            |at: usize| self.offsets.get(at).map_or(String::new(), |offset| format!("{:+.1}", offset * 1e3));
        let worst = self.offsets.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let yes = |value: Option<bool>| value.map_or("", |yes| if yes { "ok" } else { "differs" });
        let frames = self.frames.map(|(made, expected)| format!("{made}/{expected}"));
        let cells = [
            self.name.clone(),
            frames.unwrap_or_default(),
            ms(0),
            ms(count / 2),
            ms(count.wrapping_sub(1)),
            worst.map_or(String::new(), |worst| format!("{:+.1}", worst * 1e3)),
            self.seconds.map_or(String::new(), |(made, expected)| format!("{:+.1}", (made - expected) * 1e3)),
            self.decibels.map_or(String::new(), |decibels| format!("{decibels:+.2}")),
            self.colors.map_or(String::new(), |error| error.to_string()),
            yes(self.resumed).to_owned(),
            yes(self.copied).to_owned(),
            yes(self.gpu).to_owned(),
            if self.problems.is_empty() { "ok" } else { "FAILED" }.to_owned(),
            self.problems.join(" · ").replace(['\t', '\n'], " ").chars().take(600).collect(),
        ];
        to.write_str(&cells.join("\t"))
    }
}

/// Without the long command that has something to say.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
    let is_command = text.starts_with("\"ffmpeg\"") || text.starts_with("\"ffprobe\"");
    text.rsplit_once("\": ").filter(|_| is_command).map_or(text, |(_, said)| said)
}
