//! The cards, as workers that are there told of them last.

use framefarm_shared::gpu::{Gpu, GpuSample, GpuState};

use super::sheet::{Sheet, flag, size};
use crate::app::App;
use crate::db::worker_gpus;
use crate::error::Result;

/// More cards than this are not shown.
const MOST: i64 = 1000;

pub(super) async fn put(app: &App, sheet: &Sheet) -> Result<()> {
    let cards = worker_gpus::of_present_workers(&app.db, MOST).await?;
    let told = |value: fn(&Gpu) -> Option<f64>| {
        let rows = cards.iter().filter_map(move |(worker, gpu)| Some((worker, gpu, value(gpu)?)));
        rows.map(|(worker, gpu, value)| ([worker.as_str(), gpu.id.as_str()], value)).collect::<Vec<_>>()
    };
    let gauges: [(&str, &str, Vec<_>); 9] = [
        (
            "framefarm_gpu_encoder_utilization_ratio",
            "Part of the time that the card's encoder was busy.",
            told(|gpu| ratio(gpu.sample.as_ref()?.encoder_percent)),
        ),
        (
            "framefarm_gpu_decoder_utilization_ratio",
            "Part of the time that the card's decoder was busy.",
            told(|gpu| ratio(gpu.sample.as_ref()?.decoder_percent)),
        ),
        (
            "framefarm_gpu_compute_utilization_ratio",
            "Part of the time that the card computed.",
            told(|gpu| ratio(gpu.sample.as_ref()?.compute_percent)),
        ),
        (
            "framefarm_gpu_encoder_sessions",
            "Encoder sessions of everybody on the card; the worker's own where the driver does not tell.",
            told(|gpu| Some(f64::from(gpu.sample.as_ref().and_then(everybodys).unwrap_or(gpu.sessions)))),
        ),
        (
            "framefarm_gpu_worker_sessions",
            "Encoder sessions of the worker on the card.",
            told(|gpu| Some(f64::from(gpu.sessions))),
        ),
        (
            "framefarm_gpu_memory_used_bytes",
            "Memory in use on the card.",
            told(|gpu| gpu.sample.as_ref()?.memory_used_bytes.map(size)),
        ),
        ("framefarm_gpu_memory_bytes", "Memory of the card.", told(|gpu| gpu.memory_bytes.map(size))),
        (
            "framefarm_gpu_temperature_celsius",
            "How warm the card is.",
            told(|gpu| gpu.sample.as_ref()?.temperature_celsius.map(f64::from)),
        ),
        (
            "framefarm_gpu_power_watts",
            "What the card draws.",
            told(|gpu| gpu.sample.as_ref()?.power_watts.map(f64::from)),
        ),
    ];
    for (name, help, rows) in gauges {
        sheet.rows(name, help, ["worker", "gpu"], rows)?;
    }
    let states = cards.iter().flat_map(|(worker, gpu)| {
        let labels =
            move |state: &GpuState| [worker.as_str(), gpu.id.as_str(), gpu.name.as_str(), state.as_str()];
        GpuState::ALL.iter().map(move |state| (labels(state), flag(gpu.state == *state)))
    });
    let help = "1 for the state that the card is in: only a ready one takes work.";
    Ok(sheet.rows("framefarm_gpu_state", help, ["worker", "gpu", "name", "state"], states)?)
}

fn everybodys(sample: &GpuSample) -> Option<u32> {
    sample.encoder_sessions
}

fn ratio(percent: Option<u8>) -> Option<f64> {
    percent.map(|percent| f64::from(percent) / 100.0)
}
