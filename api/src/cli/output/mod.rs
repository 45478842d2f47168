//! What a person or a script reads on stdout.

mod card;
mod table;
mod tone;

pub(crate) use card::Card;
pub(crate) use table::{Cell, Column, Table};
pub(crate) use tone::{Tone, toned};

use std::borrow::Cow;
use std::io::{ErrorKind, Write as _};

use anyhow::Context;
use serde::Serialize;

use super::client::Answer;
use super::exit::Ended;

/// Writes to stdout. A reader that is gone ends the command, quietly.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write(text.as_bytes())
}

fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Ended::quietly()),
        done => done.context("cannot write to stdout"),
    }
}

/// A line of text.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    print(&format!("{text}\n"))
}

/// The API's own JSON, on one line.
pub(crate) fn raw(answer: &Answer) -> anyhow::Result<()> {
    write(&[answer.0.trim_ascii_end(), b"\n"].concat())
}

/// Answers of the API that were put together.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    say(&serde_json::to_string(value)?)
}

/// Text from elsewhere without what would move the cursor or ring the bell: an encoder's words may quote a hostile file.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| c.is_control() && c != '\n') {
        return Cow::Owned(text.replace(|c: char| c.is_control() && c != '\n', " "));
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_steer_a_terminal() {
        assert_eq!(tame("a\x1b[31mb\rc\u{9b}2J\nd"), "a [31mb c 2J\nd");
        assert_eq!(tame("Größe"), "Größe");
    }
}
