//! One thing, told in lines: a name, and what it is.

use std::fmt::Write as _;

use super::{Tone, tame, toned};

/// How far the names reach.
const NAMES: usize = 11;

#[derive(Default)]
pub(crate) struct Details(String);

impl Details {
    pub(crate) fn headed(title: &str, state: &str) -> Self {
        let title = tame(title).replace('\n', " ");
        Self(format!(
            "{}  {}\n",
            console::style(title).bold(),
            toned(&state.replace('_', " "), Tone::of(state))
        ))
    }

    pub(crate) fn line(&mut self, name: &str, value: impl AsRef<str>) {
        self.toned_line(name, value, Tone::Plain);
    }

    pub(crate) fn toned_line(&mut self, name: &str, value: impl AsRef<str>, tone: Tone) {
        let value = tame(value.as_ref().trim_end());
        let mut name = name;
        for line in value.lines() {
            let padded = toned(&format!("{name:NAMES$}"), Tone::Faint);
            let _ = writeln!(self.0, "{padded} {}", toned(line, tone));
            name = "";
        }
    }

    /// Nothing if there is nothing to say.
    pub(crate) fn maybe(&mut self, name: &str, value: Option<impl AsRef<str>>) {
        if let Some(value) = value {
            self.line(name, value);
        }
    }

    /// A table below, after an empty line; nothing if it has no rows.
    pub(crate) fn table(&mut self, table: super::Table) {
        if !table.is_empty() {
            self.0.push('\n');
            self.0.push_str(&table.text());
        }
    }

    /// Lines as somebody else wrote them, after an empty one; nothing if there are none.
    pub(crate) fn text_below(&mut self, heading: &str, text: Option<&str>) {
        if let Some(text) = text {
            let _ = writeln!(self.0, "\n{}\n{}", console::style(heading).bold(), tame(text.trim_end()));
        }
    }

    pub(crate) fn text(self) -> String {
        self.0
    }
}
