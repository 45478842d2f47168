//! What is known of the GPUs at one moment.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use framefarm_shared::gpu::{GpuHistory, GpuKind, GpuSample, GpuState, MAX_GPU_TEXT};

/// All GPUs, and what is not there.
#[derive(Clone, Debug)]
pub struct View {
    /// NVIDIA's in the driver's order, then render nodes. One that was seen once stays in it.
    pub gpus: Vec<Snapshot>,
    /// In words: why there is no driver, which GPU does not answer, which choice matches nothing.
    pub missing: Vec<String>,
    /// When the look began.
    pub at: Instant,
}

/// One GPU.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub gpu: Arc<Found>,
    /// [`GpuState::Ready`], [`GpuState::Lost`], or [`GpuState::Unusable`] if it is divided into instances, which have no
    /// encoder as a rule.
    pub state: GpuState,
    /// Why it is not ready.
    pub reason: Option<String>,
    /// Absent if the GPU is lost, and of a render node whose driver tells nothing.
    pub sample: Option<GpuSample>,
    pub history: GpuHistory,
    /// Of programs that are not ours.
    pub foreign_memory_bytes: Option<u64>,
}

/// What a GPU is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The driver's own, `GPU-5c2f…`, or the name of the render node, `renderD128`.
    pub id: String,
    /// The ways to its encoder, the better one first.
    pub kinds: Vec<GpuKind>,
    pub name: String,
    pub memory_bytes: Option<u64>,
    pub place: Place,
    /// It is divided into these instances (MIG).
    pub mig: Option<Vec<String>>,
}

/// Where a GPU is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// How `FRAMEFARM_GPUS` may call it.
    pub ordinal: u32,
    /// `0000:01:00.0`
    pub pci: Option<String>,
    /// `/dev/dri/renderD128`
    pub node: Option<PathBuf>,
}

impl View {
    pub(super) fn empty(at: Instant) -> Self {
        Self { gpus: Vec::new(), missing: Vec::new(), at }
    }

    pub fn gpu(&self, id: &str) -> Option<&Snapshot> {
        self.gpus.iter().find(|seen| seen.gpu.id == id)
    }

    /// As [`View`] was, but for what only a driver that answers could know.
    pub(super) fn unanswered(&self, reason: &str) -> Self {
        let mut view = self.clone();
        for seen in view.gpus.iter_mut().filter(|seen| seen.gpu.is_nvidia()) {
            *seen = seen.lost(reason);
        }
        view
    }
}

impl Snapshot {
    pub(super) fn lost(&self, reason: &str) -> Self {
        Self {
            gpu: Arc::clone(&self.gpu),
            state: GpuState::Lost,
            reason: Some(short(reason)),
            sample: None,
            history: self.history.clone(),
            foreign_memory_bytes: None,
        }
    }
}

impl Found {
    /// How an encoder is told which GPU it is.
    pub fn way(&self, kind: GpuKind) -> String {
        let node = self.place.node.as_ref().filter(|_| kind != GpuKind::Nvenc);
        node.map_or_else(|| self.id.clone(), |node| node.display().to_string())
    }

    pub fn is_nvidia(&self) -> bool {
        self.kinds.contains(&GpuKind::Nvenc)
    }
}

/// One line of a length that the farm takes.
pub(super) fn short(text: &str) -> String {
    let clean = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut short: String = clean.collect::<String>().trim().to_owned();
    while short.len() > MAX_GPU_TEXT {
        short.pop();
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_or_reason_is_longer_than_the_farm_takes() {
        assert_eq!(short(" a\nb "), "a b");
        let long = short(&"ü".repeat(MAX_GPU_TEXT));
        assert_eq!(long.len(), MAX_GPU_TEXT);
    }
}
