//! The encoders, each tried by a child process.

use std::io;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use framefarm_shared::failure::truncate;
use tokio::process::Command;
use tokio::time::timeout;

use super::trial::Answer;
use super::{Finding, Health};
use crate::ffmpeg_message::cleaned;

const PATIENCE: Duration = Duration::from_secs(30);
const REASON_LIMIT: usize = 300;

#[derive(Clone, Copy, Debug)]
pub(super) struct Encoder {
    pub(super) name: &'static str,
    essential: bool,
}

const fn software(name: &'static str, essential: bool) -> Encoder {
    Encoder { name, essential }
}

/// Those of GPUs are tested with their GPU.
const ENCODERS: [Encoder; 4] = [
    software("libx264", true),
    software("aac", true),
    software("libx265", false),
    software("libsvtav1", false),
];

pub(super) struct Tried {
    pub(super) encoder: Encoder,
    libraries: Vec<String>,
    error: Option<String>,
}

/// One after the other: GPUs have few sessions, and a small machine few cores.
pub(super) async fn try_all(program: &Path) -> Vec<Tried> {
    let mut tried = Vec::with_capacity(ENCODERS.len());
    for encoder in ENCODERS {
        tried.push(judge(encoder, run(program, encoder).await));
    }
    tried
}

async fn run(program: &Path, encoder: Encoder) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(["try-encoder", encoder.name]);
    command.stdin(Stdio::null()).kill_on_drop(true);
    timeout(PATIENCE, command.output())
        .await
        .unwrap_or_else(|_| Err(io::Error::other(format!("timed out after {} seconds", PATIENCE.as_secs()))))
}

fn judge(encoder: Encoder, ended: io::Result<Output>) -> Tried {
    let output = match ended {
        Ok(output) => output,
        Err(error) => return Tried { encoder, libraries: Vec::new(), error: Some(error.to_string()) },
    };
    let said = cleaned(&String::from_utf8_lossy(&output.stderr));
    // x264 and others write to stdout on some systems; the answer is the last line.
    let last = output.stdout.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let (libraries, error) = match serde_json::from_slice::<Answer>(last) {
        Ok(Answer { libraries, error, .. }) => (libraries, error),
        Err(_) => (Vec::new(), Some(format!("the test encode failed ({})", output.status))),
    };
    let error = error.map(|error| if said.is_empty() { error } else { format!("{error}: {said}") });
    let error = error.map(|error| truncate(&error, REASON_LIMIT).to_owned());
    Tried { encoder, libraries, error }
}

impl Tried {
    pub(super) fn passed(&self) -> bool {
        self.error.is_none()
    }

    pub(super) fn finding(&self) -> Finding {
        let Encoder { name, essential } = self.encoder;
        let (health, says) = match &self.error {
            None => (Health::Good, "test encode passed"),
            Some(error) if essential => (Health::Bad, error.as_str()),
            Some(error) => (Health::Absent, error.as_str()),
        };
        let finding = Finding::new(name, health, says).advise("install an ffmpeg built with it");
        if essential { finding.essential() } else { finding }
    }
}

pub(super) fn library_versions(tried: &[Tried]) -> Vec<String> {
    tried.iter().map(|tried| &tried.libraries).find(|known| !known.is_empty()).cloned().unwrap_or_default()
}

pub(super) fn libraries(tried: &[Tried]) -> Finding {
    let versions = library_versions(tried);
    if versions.is_empty() {
        return Finding::new("ffmpeg", Health::Bad, "cannot read its version").essential();
    }
    Finding::new("ffmpeg", Health::Good, versions.join(", "))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    fn ended(status: i32, stdout: &str, stderr: &str) -> Tried {
        let status = ExitStatus::from_raw(status);
        judge(ENCODERS[0], Ok(Output { status, stdout: stdout.into(), stderr: stderr.into() }))
    }

    #[test]
    fn a_crash_is_an_answer() {
        let tried = ended(11, "", "");
        assert!(!tried.passed());
        assert!(tried.finding().says.contains("SIGSEGV"), "{}", tried.finding().says);
        assert!(tried.finding().essential);
    }

    #[test]
    fn the_reason_is_in_the_words_of_ffmpeg() {
        let answer = r#"{"libraries":["libavcodec 59"],"trouble":"Operation not permitted"}"#;
        let tried = ended(0, answer, "[h264_nvenc @ 0x55d0] Cannot load libcuda.so.1\n");
        assert_eq!(tried.finding().says, "Operation not permitted: Cannot load libcuda.so.1");
    }

    #[test]
    fn what_an_encoder_prints_when_it_works_is_no_error() {
        let tried =
            ended(0, r#"{"libraries":[],"trouble":null}"#, "[libx264 @ 0x1] using cpu capabilities\n");
        assert!(tried.passed());
    }
}
