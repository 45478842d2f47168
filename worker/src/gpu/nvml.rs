//! NVIDIA GPUs, as the driver tells of them.
//!
//! What a GPU does not tell, or cannot be, is absent. Every reason says what to do.

use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use framefarm_shared::gpu::{GpuKind, GpuSample, MAX_GPUS};
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};

use super::snapshot::{Found, Place, short};

const LIBRARY: &str = "libnvidia-ml.so.1";
/// More than these is nonsense.
const MOST_CELSIUS: u32 = 150;
const MOST_WATTS: u32 = 2000;
const MOST_SESSIONS: u32 = 1000;
const MOST_INSTANCES: u32 = 16;

pub(super) struct Driver {
    nvml: Nvml,
}

/// Why there is no driver.
#[derive(Clone, Debug)]
pub(super) struct NoDriver {
    pub(super) words: String,
    /// It is installed, and may come to life.
    pub(super) is_installed: bool,
}

/// A GPU that the driver counts.
pub(super) struct Counted {
    pub(super) ordinal: u32,
    /// Or why it does not answer.
    pub(super) gpu: Result<Answered, String>,
}

pub(super) struct Answered {
    pub(super) found: Found,
    pub(super) sample: GpuSample,
    /// `None`: it does not name them.
    pub(super) processes: Option<Vec<ProcessInfo>>,
}

impl Driver {
    pub(super) fn open(library: Option<&Path>) -> Result<Self, NoDriver> {
        let name = library.map_or(OsStr::new(LIBRARY), Path::as_os_str);
        guarded(|| Nvml::builder().lib_path(name).init())
            .map(|nvml| Self { nvml })
            .map_err(|error| why_no_driver(&error, &name.to_string_lossy()))
    }

    pub(super) fn look(&self) -> Result<Vec<Counted>, NoDriver> {
        let counted = guarded(|| {
            let count = self.nvml.device_count()?.min(u32::try_from(MAX_GPUS).unwrap_or(u32::MAX));
            Ok((0..count).map(|ordinal| self.look_at(ordinal)).collect())
        });
        counted.map_err(|error| why_no_driver(&error, LIBRARY))
    }

    fn look_at(&self, ordinal: u32) -> Counted {
        let answer = self.nvml.device_by_index(ordinal).and_then(|device| {
            let Some(found) = identify(&device, ordinal)? else {
                return Ok(Err("its ID cannot be read".to_owned()));
            };
            let (sample, processes) = (sample(&device)?, processes(&device)?);
            Ok(Ok(Answered { found, sample, processes }))
        });
        let gpu = answer.unwrap_or_else(|error| Err(why_no_gpu(&error)));
        Counted { ordinal, gpu }
    }
}

/// The wrapper trusts numbers of the library that it should not, and panics.
fn guarded<T>(call: impl FnOnce() -> Result<T, NvmlError>) -> Result<T, NvmlError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(NvmlError::Unknown))
}

fn identify(device: &Device<'_>, ordinal: u32) -> Result<Option<Found>, NvmlError> {
    // It becomes part of an environment, where a comma would begin the next GPU.
    let is_id = |id: &String| {
        !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let Some(id) = told(device.uuid())?.filter(is_id) else { return Ok(None) };
    let name = told(device.name())?.map(|name| short(&name)).filter(|name| !name.is_empty());
    let memory = told(device.memory_info())?;
    let pci = told(device.pci_info())?.map(|pci| short(&pci.bus_id));
    Ok(Some(Found {
        id: short(&id),
        kinds: vec![GpuKind::Nvenc],
        name: name.unwrap_or_else(|| "NVIDIA GPU".to_owned()),
        memory_bytes: memory.map(|memory| memory.total).filter(|total| is_memory(*total)),
        place: Place { ordinal, pci, node: None },
        mig: instances(device)?,
    }))
}

fn instances(device: &Device<'_>) -> Result<Option<Vec<String>>, NvmlError> {
    if told(device.mig_mode())?.is_none_or(|mode| mode.current != 1) {
        return Ok(None);
    }
    let found = (0..MOST_INSTANCES).filter_map(|index| device.mig_device_by_index(index).ok()?.uuid().ok());
    Ok(Some(found.map(|id| short(&id)).collect()))
}

fn sample(device: &Device<'_>) -> Result<GpuSample, NvmlError> {
    let memory =
        told(device.memory_info())?.filter(|memory| memory.used <= memory.total && is_memory(memory.total));
    let celsius =
        told(device.temperature(TemperatureSensor::Gpu))?.filter(|celsius| *celsius <= MOST_CELSIUS);
    let watts =
        |milliwatts: Option<u32>| milliwatts.map(|some| some / 1000).filter(|watts| *watts <= MOST_WATTS);
    Ok(GpuSample {
        encoder_percent: percent(told(device.encoder_utilization())?.map(|busy| busy.utilization)),
        decoder_percent: percent(told(device.decoder_utilization())?.map(|busy| busy.utilization)),
        compute_percent: percent(told(device.utilization_rates())?.map(|busy| busy.gpu)),
        memory_used_bytes: memory.map(|memory| memory.used),
        temperature_celsius: celsius.and_then(|celsius| u8::try_from(celsius).ok()),
        power_watts: watts(told(device.power_usage())?),
        power_limit_watts: watts(told(device.enforced_power_limit())?),
        encoder_sessions: told(device.encoder_stats())?
            .map(|stats| stats.session_count)
            .filter(|sessions| *sessions <= MOST_SESSIONS),
        foreign_processes: None,
        throttled: told(device.current_throttle_reasons())?.map(in_words).unwrap_or_default(),
    })
}

fn processes(device: &Device<'_>) -> Result<Option<Vec<ProcessInfo>>, NvmlError> {
    let computing = told(device.running_compute_processes())?;
    let drawing = told(device.running_graphics_processes())?;
    Ok(computing.map(|mut all| {
        let drawing = drawing.unwrap_or_default();
        let known: Vec<u32> = all.iter().map(|process| process.pid).collect();
        all.extend(drawing.into_iter().filter(|process| !known.contains(&process.pid)));
        all
    }))
}

pub(super) fn memory_of(process: &ProcessInfo) -> u64 {
    match process.used_gpu_memory {
        UsedGpuMemory::Used(bytes) if is_memory(bytes) => bytes,
        UsedGpuMemory::Used(_) | UsedGpuMemory::Unavailable => 0,
    }
}

/// What is not told is absent; only a GPU that is gone is an error.
fn told<T>(answer: Result<T, NvmlError>) -> Result<Option<T>, NvmlError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_gone(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

fn is_gone(error: &NvmlError) -> bool {
    matches!(
        error,
        NvmlError::GpuLost
            | NvmlError::ResetRequired
            | NvmlError::Uninitialized
            | NvmlError::DriverNotLoaded
            | NvmlError::LibRmVersionMismatch
    )
}

fn percent(value: Option<u32>) -> Option<u8> {
    value.and_then(|percent| u8::try_from(percent).ok()).filter(|percent| *percent <= 100)
}

/// A pebibyte is none.
fn is_memory(bytes: u64) -> bool {
    (1..1 << 50).contains(&bytes)
}

/// `power` and `heat` are documented values of the API.
fn in_words(reasons: ThrottleReasons) -> Vec<String> {
    let power = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN;
    let heat = ThrottleReasons::SW_THERMAL_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
    let settings = ThrottleReasons::APPLICATIONS_CLOCKS_SETTING | ThrottleReasons::DISPLAY_CLOCK_SETTING;
    let known = [
        (power, "power"),
        (heat, "heat"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware slowdown"),
        (ThrottleReasons::SYNC_BOOST, "sync boost with another GPU"),
        (settings, "clock settings"),
    ];
    known.iter().filter(|(bits, _)| reasons.intersects(*bits)).map(|(_, word)| (*word).to_owned()).collect()
}

fn why_no_driver(error: &NvmlError, library: &str) -> NoDriver {
    let is_installed = !matches!(error, NvmlError::LibloadingError(_));
    let words = match error {
        NvmlError::LibloadingError(error) if error_says(error, "No such file") => {
            format!("no NVIDIA driver on this machine ({library} was not found)")
        }
        NvmlError::LibloadingError(error) => {
            format!("{library} cannot be loaded: {}", innermost(error))
        }
        NvmlError::DriverNotLoaded => {
            "the NVIDIA driver is installed but not running (NVML: NVIDIA driver is not \
            loaded); run `modprobe nvidia`, or restart the machine"
                .to_owned()
        }
        NvmlError::LibRmVersionMismatch => {
            "the NVIDIA driver and its libraries have different versions, often after an update (NVML: \
            driver/library version mismatch); restart the machine"
                .to_owned()
        }
        NvmlError::NoPermission => {
            "this user has no access to the NVIDIA driver (NVML: no permission); give it \
            access to /dev/nvidia*, in a container with `--gpus all`"
                .to_owned()
        }
        error => {
            format!("the NVIDIA driver does not work (NVML: {error}); check `nvidia-smi` and `dmesg`")
        }
    };
    NoDriver { words: short(&words), is_installed }
}

fn why_no_gpu(error: &NvmlError) -> String {
    short(&match error {
        NvmlError::GpuLost => {
            "the GPU has fallen off the bus (NVML: GPU is lost); check its power supply and seating, and \
            restart the machine"
                .to_owned()
        }
        NvmlError::ResetRequired => {
            "the GPU needs a reset (NVML: reset required); run `nvidia-smi --gpu-reset`, or restart the machine"
                .to_owned()
        }
        NvmlError::NoPermission => {
            "this user has no access to the GPU (NVML: no permission); give it access to /dev/nvidia*".to_owned()
        }
        NvmlError::InsufficientPower => {
            "the GPU gets too little power (NVML: insufficient power); check its power cables".to_owned()
        }
        error => format!("the GPU does not respond (NVML: {error}); check `nvidia-smi` and `dmesg`"),
    })
}

fn error_says(error: &dyn std::error::Error, words: &str) -> bool {
    innermost(error).contains(words)
}

/// The loader's own words; what is around them says no more.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_reasons_of_one_kind_are_one_word() {
        let heat = ThrottleReasons::SW_THERMAL_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(in_words(heat | ThrottleReasons::SW_POWER_CAP), ["power", "heat"]);
        assert!(in_words(ThrottleReasons::GPU_IDLE).is_empty(), "an idle GPU is not throttled");
    }

    #[test]
    fn a_call_that_panics_is_an_error() {
        assert!(guarded::<()>(|| panic!("nonsense")).is_err());
    }

    #[test]
    fn every_reason_has_room_for_what_to_do() {
        for error in [NvmlError::DriverNotLoaded, NvmlError::LibRmVersionMismatch, NvmlError::NoPermission] {
            let words = why_no_driver(&error, LIBRARY).words;
            assert!(["machine", "all`"].iter().any(|end| words.ends_with(end)), "cut off: {words}");
        }
        for error in [NvmlError::GpuLost, NvmlError::ResetRequired, NvmlError::NoPermission] {
            let words = why_no_gpu(&error);
            assert!(["machine", "nvidia*"].iter().any(|end| words.ends_with(end)), "cut off: {words}");
        }
    }
}
