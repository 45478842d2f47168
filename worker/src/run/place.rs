//! Where the qualities of a job are coded: on a GPU that has room for them, the rest on the CPU.

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::ladder::MediaKind;

use super::Supervisor;
use super::error::AttemptError;
use crate::encoder::protocol::{Coder, QualityTask};
use crate::gpu::{GpuError, Reservation, Wanted};

/// So often a job may lose its GPU before it is done on the CPU.
const MOST_MOVES: u32 = 4;

/// What to do with a quality when every GPU is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum WhenFull {
    /// Encode on the CPU.
    #[default]
    Cpu,
    /// Return the job to the queue without using up an attempt, unless a GPU has room for at least one quality.
    Queue,
}

/// What a job went through with the GPUs so far.
#[derive(Debug, Default)]
pub(super) struct Moves {
    count: u32,
    /// GPUs that failed with it.
    avoid: Vec<String>,
}

impl Moves {
    pub(super) fn failed(&mut self, reservation: &Reservation, error: GpuError) {
        self.count += 1;
        if error != GpuError::SessionLimit {
            self.avoid.push(reservation.gpu().id.clone());
        }
    }
}

/// Reserves a GPU and marks the qualities that are for it. `None`: all of them are for the CPU.
pub(super) fn reserve(
    supervisor: &Supervisor,
    cpu_only: bool,
    moves: &Moves,
    tasks: &mut [QualityTask],
) -> Result<Option<Reservation>, AttemptError> {
    let mut pictures: Vec<usize> =
        (0..tasks.len()).filter(|at| tasks[*at].quality.kind == MediaKind::Video).collect();
    if cpu_only || moves.count >= MOST_MOVES || pictures.is_empty() {
        return Ok(None);
    }
    let pixels = |at: &usize| u64::from(tasks[*at].quality.width) * u64::from(tasks[*at].quality.height);
    pictures.sort_by_key(|at| std::cmp::Reverse(pixels(at)));
    let wanted: Vec<Wanted> = pictures.iter().map(|at| wanted(&tasks[*at])).collect();
    let gpus = &supervisor.options.gpus;
    let Some(reservation) = gpus.reserve(&wanted, &moves.avoid) else {
        if supervisor.options.when_full == WhenFull::Queue && gpus.could_ever(&wanted) {
            let words = "every suitable GPU is full or in use";
            return Err(AttemptError::failed(ErrorClass::GpuBusy, words));
        }
        return Ok(None);
    };
    for at in reservation.qualities() {
        tasks[pictures[*at]].coder = Coder::Gpu;
    }
    Ok(Some(reservation))
}

fn wanted(task: &QualityTask) -> Wanted {
    let quality = &task.quality;
    Wanted { codec: quality.codec, width: quality.width, height: quality.height }
}
