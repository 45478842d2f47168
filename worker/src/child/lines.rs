//! What a process says, a line at a time. Nothing is read ahead of what was asked for, but for one buffer: a process
//! that nobody listens to waits.

use std::io;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::ChildStdout;

/// The most bytes of one line: a plan of a day has some 15,000 boundaries.
const LONGEST: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("a line is longer than {LONGEST} bytes")]
    TooLong,
    #[error("a line is not UTF-8")]
    NotText,
    #[error("cannot read its output: {0}")]
    Pipe(#[from] io::Error),
}

#[derive(Debug)]
pub struct Lines {
    pipe: BufReader<ChildStdout>,
    /// Kept here and not in the future, so that one that is dropped loses nothing.
    line: Vec<u8>,
}

impl Lines {
    pub(super) fn new(stdout: ChildStdout) -> Self {
        Self { pipe: BufReader::with_capacity(16 * 1024, stdout), line: Vec::new() }
    }

    /// The next line without its end; `None` once the process has closed its stdout. May be dropped at any time.
    pub async fn next(&mut self) -> Result<Option<String>, LineError> {
        loop {
            let bytes = self.pipe.fill_buf().await?;
            if bytes.is_empty() {
                // A process that was killed in the middle of a line has not said it.
                return Ok(None);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            self.line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.pipe.consume(used);
            if self.line.len() > LONGEST {
                return Err(LineError::TooLong);
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return String::from_utf8(line).map(Some).map_err(|_| LineError::NotText);
            }
        }
    }
}
