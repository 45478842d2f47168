//! The GPUs, as workers that are present last reported them.

use framefarm_shared::gpu::{Gpu, GpuSample, GpuState};

use super::sheet::{Sheet, flag, size};
use crate::app::App;
use crate::db::worker_gpus;
use crate::error::Result;

/// The most GPUs that are exported.
const MOST: i64 = 1000;

pub(super) async fn put(app: &App, sheet: &Sheet) -> Result<()> {
    let gpus = worker_gpus::of_present_workers(&app.db, MOST).await?;
    let told = |value: fn(&Gpu) -> Option<f64>| {
        let rows = gpus.iter().filter_map(move |(worker, gpu)| Some((worker, gpu, value(gpu)?)));
        rows.map(|(worker, gpu, value)| ([worker.as_str(), gpu.id.as_str()], value)).collect::<Vec<_>>()
    };
    let gauges: [(&str, &str, Vec<_>); 9] = [
        (
            "framefarm_gpu_encoder_utilization_ratio",
            "Fraction of time that the GPU's encoder was busy.",
            told(|gpu| ratio(gpu.sample.as_ref()?.encoder_percent)),
        ),
        (
            "framefarm_gpu_decoder_utilization_ratio",
            "Fraction of time that the GPU's decoder was busy.",
            told(|gpu| ratio(gpu.sample.as_ref()?.decoder_percent)),
        ),
        (
            "framefarm_gpu_compute_utilization_ratio",
            "Fraction of time that the GPU's compute units were busy.",
            told(|gpu| ratio(gpu.sample.as_ref()?.compute_percent)),
        ),
        (
            "framefarm_gpu_encoder_sessions",
            "Encoder sessions of all processes on the GPU; only the worker's own if the driver does not report them.",
            told(|gpu| Some(f64::from(gpu.sample.as_ref().and_then(everybodys).unwrap_or(gpu.sessions)))),
        ),
        (
            "framefarm_gpu_worker_sessions",
            "Encoder sessions of the worker on the GPU.",
            told(|gpu| Some(f64::from(gpu.sessions))),
        ),
        (
            "framefarm_gpu_memory_used_bytes",
            "GPU memory in use in bytes.",
            told(|gpu| gpu.sample.as_ref()?.memory_used_bytes.map(size)),
        ),
        ("framefarm_gpu_memory_bytes", "Total GPU memory in bytes.", told(|gpu| gpu.memory_bytes.map(size))),
        (
            "framefarm_gpu_temperature_celsius",
            "GPU temperature in degrees Celsius.",
            told(|gpu| gpu.sample.as_ref()?.temperature_celsius.map(f64::from)),
        ),
        (
            "framefarm_gpu_power_watts",
            "GPU power draw in watts.",
            told(|gpu| gpu.sample.as_ref()?.power_watts.map(f64::from)),
        ),
    ];
    for (name, help, rows) in gauges {
        sheet.rows(name, help, ["worker", "gpu"], rows)?;
    }
    let states = gpus.iter().flat_map(|(worker, gpu)| {
        let labels =
            move |state: &GpuState| [worker.as_str(), gpu.id.as_str(), gpu.name.as_str(), state.as_str()];
        GpuState::ALL.iter().map(move |state| (labels(state), flag(gpu.state == *state)))
    });
    let help = "1 for the state of the GPU; only a ready GPU accepts work.";
    Ok(sheet.rows("framefarm_gpu_state", help, ["worker", "gpu", "name", "state"], states)?)
}

fn everybodys(sample: &GpuSample) -> Option<u32> {
    sample.encoder_sessions
}

fn ratio(percent: Option<u8>) -> Option<f64> {
    percent.map(|percent| f64::from(percent) / 100.0)
}
