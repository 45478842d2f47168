//! What a person or a script reads on stdout.

mod details;
mod table;
mod tone;

pub(crate) use details::Details;
pub(crate) use table::{Cell, Column, Table};
pub(crate) use tone::{Tone, toned};

use std::io::{ErrorKind, Write as _};

use anyhow::Context;
pub(crate) use framefarm_shared::untrusted_text::tame;
use serde::Serialize;

use super::client::Answer;
use super::exit::Ended;

/// Writes to stdout. A reader that is gone ends the command, quietly.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write(text.as_bytes())
}

/// As they come from the farm.
pub(crate) fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    write(bytes)
}

fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Ended::quietly()),
        done => done.context("cannot write to stdout"),
    }
}

/// A line of text, tamed.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    print(&format!("{}\n", tame(text)))
}

/// The same on stderr, where it is in no script's way.
pub(crate) fn remark(text: &str) {
    eprintln!("{}", tame(text));
}

/// The API's own JSON, on one line.
pub(crate) fn raw(answer: &Answer) -> anyhow::Result<()> {
    write(&[answer.0.trim_ascii_end(), b"\n"].concat())
}

/// Answers of the API that were put together.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string(value)?))
}
