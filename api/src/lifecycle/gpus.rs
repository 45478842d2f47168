//! The GPUs of a worker, as its heartbeats report them: checked, stored, with events of failure and recovery.

use framefarm_shared::gpu::{Abilities, Gpu, GpuState, MAX_GPU_TEXT, MAX_GPUS, MAX_SAMPLES};
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::wire::event::EventKind;
use serde_json::Value;

use crate::app::App;
use crate::db::events::Event;
use crate::db::worker_gpus::{self, StoredGpu};
use crate::db::workers::{ReadyGpus, WorkerRow};
use crate::db::{Tx, events};
use crate::error::{ApiError, Result};

/// What the ready GPUs can do together.
pub fn ready(gpus: &[Gpu]) -> ReadyGpus {
    ReadyGpus {
        abilities: gpus.iter().map(Abilities::of_gpu).fold(Abilities::default(), Abilities::and),
        speed: gpus.iter().map(Gpu::speed).fold(0.0, f64::max),
    }
}

/// A worker that reports its GPUs only in its capabilities: they count as ready. Anything malformed is
/// ignored, never an error.
pub fn claimed(capabilities: &Value) -> ReadyGpus {
    let gpus = capabilities.get("gpus").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut abilities = Abilities::default();
    for gpu in gpus {
        let names = gpu.get("encoders").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let names = names.iter().filter_map(|name| name.as_str()?.split('_').next()?.parse().ok());
        let mut codecs: Vec<VideoCodec> = names.collect();
        if codecs.is_empty() {
            codecs.push(VideoCodec::H264);
        }
        for codec in codecs {
            for side in framefarm_shared::gpu::SIDES {
                abilities = abilities.and(Abilities::needed_for(codec, side, side));
            }
        }
    }
    ReadyGpus { abilities, speed: 0.0 }
}

/// Bounds for what is stored and shown as it came.
pub fn check(gpus: &[Gpu]) -> Result<()> {
    let refused = |detail: String| Err(ApiError::bad_request("bad_gpus", detail));
    if gpus.len() > MAX_GPUS {
        return refused(format!("`gpus` has {} entries; at most {MAX_GPUS} are allowed.", gpus.len()));
    }
    for gpu in gpus {
        let texts = [Some(&gpu.id), Some(&gpu.name), gpu.reason.as_ref()];
        let texts = texts.into_iter().flatten().chain(gpu.encoders.iter().map(|encoder| &encoder.name));
        let throttled = gpu.sample.iter().flat_map(|sample| &sample.throttled);
        for text in texts.chain(throttled) {
            if text.len() > MAX_GPU_TEXT {
                return refused(format!(
                    "A GPU text field has {} bytes; at most {MAX_GPU_TEXT} are allowed.",
                    text.len()
                ));
            }
            if text.contains('\0') {
                return Err(ApiError::zero_byte());
            }
        }
        let history = &gpu.history;
        let lists = [&history.encoder_percent, &history.memory_percent, &history.temperature_celsius];
        if lists.iter().any(|list| list.len() > MAX_SAMPLES) {
            return refused(format!("The history of GPU {} has more than {MAX_SAMPLES} samples.", gpu.id));
        }
        let many = gpu.encoders.len() > 16 || gpu.sample.as_ref().is_some_and(|now| now.throttled.len() > 16);
        if many || gpu.encoders.iter().any(|encoder| !encoder.fps.is_finite() || encoder.fps < 0.0) {
            return refused(format!("The encoders or throttle reasons of GPU {} are out of range.", gpu.id));
        }
    }
    let mut ids: Vec<&str> = gpus.iter().map(|gpu| gpu.id.as_str()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => refused(format!("GPU {} is listed twice.", pair[0])),
        None => Ok(()),
    }
}

/// Stores the report, with an event for each GPU that failed or recovered.
pub async fn keep(app: &App, tx: &mut Tx, worker: &WorkerRow, gpus: &[Gpu]) -> Result<()> {
    let before = worker_gpus::states(tx, worker.id).await?;
    if before.is_empty() && gpus.is_empty() {
        return Ok(());
    }
    worker_gpus::replace(tx, worker.id, gpus).await?;
    for gpu in gpus {
        let was = before.iter().find(|stored| stored.id == gpu.id).map(|stored| stored.state);
        let Some(kind) = transition(was, gpu.state) else { continue };
        let why = gpu.reason.as_deref().unwrap_or("accepts jobs again");
        let event = Event::by_worker_itself(kind, &worker.name, worker.id).with(gpu_data(&gpu.id));
        events::append(tx, event.because(format!("{} ({}): {why}", gpu.name, gpu.id)), app.clock.now())
            .await?;
    }
    for gone in before.iter().filter(|stored| is_gone(stored, gpus)) {
        let event = Event::by_worker_itself(EventKind::GpuQuarantined, &worker.name, worker.id)
            .with(gpu_data(&gone.id));
        let why = format!("{}: no longer present", gone.id);
        events::append(tx, event.because(why), app.clock.now()).await?;
    }
    Ok(())
}

/// The second key is the earlier name of the first: instances and clients of an earlier version read it.
fn gpu_data(id: &str) -> Value {
    serde_json::json!({ "gpu": id, "card": id })
}

fn has_failed(state: GpuState) -> bool {
    matches!(state, GpuState::Quarantined | GpuState::Lost)
}

/// A GPU that worked and is no longer reported.
fn is_gone(stored: &StoredGpu, gpus: &[Gpu]) -> bool {
    !has_failed(stored.state)
        && stored.state != GpuState::Unusable
        && gpus.iter().all(|gpu| gpu.id != stored.id)
}

/// One event when a GPU fails and one when it recovers, whatever it goes through in between.
fn transition(was: Option<GpuState>, is: GpuState) -> Option<EventKind> {
    match (was.is_some_and(has_failed), has_failed(is)) {
        (false, true) => Some(EventKind::GpuQuarantined),
        (true, false) => Some(EventKind::GpuRecovered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_capabilities_are_no_gpu() {
        for value in [json!(null), json!(7), json!({"gpus": "yes"}), json!({"gpus": []}), json!([1])] {
            assert!(!claimed(&value).any(), "{value}");
        }
        assert!(claimed(&json!({"gpus": [{"name": "RTX"}]})).any());
    }

    #[test]
    fn an_event_names_its_gpu_for_earlier_versions_too() {
        assert_eq!(gpu_data("GPU-1"), json!({"gpu": "GPU-1", "card": "GPU-1"}));
    }

    #[test]
    fn a_claimed_gpu_can_do_what_its_encoders_are_called() {
        let hevc = claimed(&json!({"gpus": [{"kind": "nvenc", "encoders": ["hevc_nvenc", 7]}]})).abilities;
        assert!(hevc.any_of(Abilities::needed_for(VideoCodec::Hevc, 3840, 2160)));
        assert!(!hevc.any_of(Abilities::needed_for(VideoCodec::H264, 640, 360)));
    }

    #[test]
    fn a_failure_is_told_once_and_so_is_the_recovery() {
        use EventKind::{GpuQuarantined, GpuRecovered};
        use GpuState::{Lost, Quarantined, Ready, Yielding};
        let course = [Ready, Quarantined, Quarantined, Lost, Quarantined, Yielding, Ready, Lost];
        let told: Vec<_> = course.windows(2).filter_map(|pair| transition(Some(pair[0]), pair[1])).collect();
        assert_eq!(told, [GpuQuarantined, GpuRecovered, GpuQuarantined]);
        assert_eq!((transition(None, Ready), transition(None, Lost)), (None, Some(GpuQuarantined)));
    }
}
