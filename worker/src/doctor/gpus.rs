//! A GPU, tested by child processes: one for each codec.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use framefarm_shared::failure::truncate;
use framefarm_shared::gpu::{GpuEncoder, GpuKind, MAX_GPU_TEXT};
use framefarm_shared::ladder::VideoCodec;
use tokio::process::Command;
use tokio::time::timeout;

use super::trial::Answer;
use crate::encoder::gpu_trial::{Ability, Sessions};
use crate::ffmpeg_message::cleaned;

/// A driver that is loaded for the first time takes its time; one that hangs takes all of it.
const PATIENCE: Duration = Duration::from_mins(1);
/// No GPU is known to refuse later than this.
const MOST_SESSIONS: u32 = 32;

/// What a GPU did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuTrial {
    /// Those that passed.
    pub encoders: Vec<GpuEncoder>,
    /// As many sessions as could be open at once, if one more was refused for that reason.
    pub session_limit: Option<u32>,
    pub problems: Vec<Problem>,
}

/// What did not work.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub what: String,
    pub why: String,
    /// Whether it says anything about the GPU: an encoder that this ffmpeg lacks does not.
    pub is_fault: bool,
}

/// Tries every encoder of a GPU. `program` is a `framefarm-worker`; `id` is the driver's, or a render node.
///
/// The sessions are counted once. Those of others at that moment make the limit lower than it is.
pub async fn try_gpu(program: &Path, kind: GpuKind, id: &str) -> GpuTrial {
    let mut trial = GpuTrial::default();
    let mut counted = kind != GpuKind::Nvenc;
    for codec in VideoCodec::ALL {
        let name = format!("{codec}_{kind}");
        let sessions = if counted { 0 } else { MOST_SESSIONS };
        match ask(program, kind, id, &name, sessions).await {
            Ok(ability) => {
                counted = true;
                trial.count(&name, ability.sessions.as_ref());
                trial.passed(kind, name, *codec, ability);
            }
            Err(TrialError::Hung) => {
                let words = format!("timed out after {} seconds", PATIENCE.as_secs());
                trial.error(&name, &words);
                // The next one would hang as long.
                break;
            }
            Err(TrialError::Missing(words)) => trial.problem(&name, &words, false),
            Err(TrialError::Words(words)) => trial.error(&name, &words),
        }
    }
    trial
}

enum TrialError {
    Hung,
    /// This ffmpeg has no such encoder.
    Missing(String),
    Words(String),
}

async fn ask(
    program: &Path,
    kind: GpuKind,
    id: &str,
    name: &str,
    sessions: u32,
) -> Result<Ability, TrialError> {
    let mut command = Command::new(program);
    command.args(["try-encoder", name, "--gpu", "--device", id, "--sessions", &sessions.to_string()]);
    if kind == GpuKind::Nvenc {
        command.env("CUDA_VISIBLE_DEVICES", id);
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    let words = |text: &str| TrialError::Words(truncate(text, MAX_GPU_TEXT).to_owned());
    let ended = timeout(PATIENCE, command.output()).await.map_err(|_| TrialError::Hung)?;
    let output = ended.map_err(|error| words(&format!("cannot start the test encode: {error}")))?;
    // Encoders write to stdout on some systems; the answer is the last line.
    let last = output.stdout.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    match serde_json::from_slice::<Answer>(last) {
        Ok(Answer { gpu: Some(ability), .. }) => Ok(ability),
        Ok(Answer { error: Some(error), is_missing: true, .. }) => Err(TrialError::Missing(error)),
        Ok(Answer { error: Some(error), .. }) => Err(words(&error)),
        Ok(_) => Err(words("the test encode reported nothing about the GPU")),
        Err(_) => {
            let said = cleaned(&String::from_utf8_lossy(&output.stderr));
            Err(words(&format!("the test encode failed ({}): {said}", output.status)))
        }
    }
}

impl GpuTrial {
    fn passed(&mut self, kind: GpuKind, name: String, codec: VideoCodec, ability: Ability) {
        let Ability { fps, max_side, on_gpu, not_on_gpu, .. } = ability;
        let entirely = format!("{name} entirely on the GPU");
        if let Some(why) = not_on_gpu {
            // Other GPUs are not meant to.
            self.problem(&entirely, &why, kind == GpuKind::Nvenc);
        }
        self.encoders.push(GpuEncoder { name, codec, max_side, fps, on_gpu });
    }

    fn count(&mut self, name: &str, sessions: Option<&Sessions>) {
        let Some(Sessions { opened, limited, refusal }) = sessions else { return };
        match refusal {
            Some(_) if *limited => self.session_limit = Some(*opened),
            Some(why) => self.error(&format!("{} sessions of {name}", opened + 1), why),
            None => {}
        }
    }

    fn error(&mut self, what: &str, why: &str) {
        self.problem(what, why, true);
    }

    fn problem(&mut self, what: &str, why: &str, is_fault: bool) {
        let (what, why) = (what.to_owned(), truncate(why, MAX_GPU_TEXT).to_owned());
        self.problems.push(Problem { what, why, is_fault });
    }
}
