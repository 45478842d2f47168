//! The GPUs, as findings.

use framefarm_shared::gpu::{Gpu, GpuState};

use super::{Finding, Health, UsableGpu};
use crate::gpu::GpuPool;

/// One for each GPU, or one that says why there is none.
pub(super) fn findings(gpus: &GpuPool) -> Vec<Finding> {
    let missing = gpus.missing().into_iter().map(|why| Finding::new("gpu", Health::Absent, why));
    gpus.report().iter().map(finding).chain(missing).collect()
}

fn finding(gpu: &Gpu) -> Finding {
    let what = format!("{} {}", gpu.kind, gpu.name);
    if gpu.state != GpuState::Ready {
        let why = gpu.reason.as_deref().unwrap_or("no reason reported");
        return Finding::new(&what, Health::Bad, format!("{}: {why}", gpu.state))
            .advise("run `framefarm-worker gpu-selftest` for details, and see docs/gpu.md");
    }
    let encoders = gpu.encoders.iter().map(|encoder| {
        let on_gpu = if encoder.on_gpu { ", decodes and scales on the GPU" } else { "" };
        format!(
            "{} {:.0} fps at 1080p, up to {} pixels wide or high{on_gpu}",
            encoder.name, encoder.fps, encoder.max_side
        )
    });
    let sessions =
        gpu.session_limit.map_or_else(String::new, |limit| format!("; up to {limit} concurrent sessions"));
    Finding::new(&what, Health::Good, format!("{}{sessions}", encoders.collect::<Vec<_>>().join(", ")))
}

/// Those that could be used at the start.
pub(super) fn usable(gpus: &GpuPool) -> Vec<UsableGpu> {
    let usable = gpus.report().into_iter().filter(|gpu| !gpu.encoders.is_empty());
    usable
        .map(|gpu| UsableGpu {
            id: gpu.id,
            name: gpu.name,
            kind: gpu.kind,
            encoders: gpu.encoders.into_iter().map(|encoder| encoder.name).collect(),
        })
        .collect()
}
