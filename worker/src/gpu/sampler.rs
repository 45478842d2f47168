//! The thread that asks the drivers. It may hang, and nobody waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use framefarm_shared::gpu::{GpuSample, GpuState};

use super::inventory::Options;
use super::nvml::{Answered, Counted, Driver, NoDriver, memory_of};
use super::own_processes::Ours;
use super::record::Record;
use super::render;
use super::snapshot::{Found, Snapshot, View, short};

/// A driver that does not work, or that has lost a GPU, is opened anew with each so many looks: it keeps to what it
/// knew when it was opened.
const OPEN_AGAIN_AFTER: u32 = 5;

const DRIVERLESS: &str =
    "NVIDIA GPU found, but no NVIDIA driver; install the driver to use the GPU's encoder";
const DRIVER_WITHOUT_GPU: &str = "the NVIDIA driver is running, but finds no GPU; check `lspci` and `dmesg`";

pub(super) struct Sampler {
    options: Options,
    driver: Result<Driver, NoDriver>,
    looks_until_opened: u32,
    /// Every GPU that was ever seen, chosen or not.
    known: Vec<Known>,
    ours: HashMap<String, Ours>,
    /// A GPU did not answer when it was last looked at.
    is_incomplete: bool,
    /// As many GPUs as the driver ever counted; render nodes have the numbers after these.
    counted: u32,
}

struct Known {
    seen: Snapshot,
    record: Record,
}

/// What a look tells of one GPU.
type News = Result<(GpuSample, Option<u64>), String>;

impl Sampler {
    pub(super) fn new(options: Options) -> Self {
        let driver = Driver::open(options.nvml_library.as_deref());
        Self {
            options,
            driver,
            looks_until_opened: OPEN_AGAIN_AFTER,
            known: Vec::new(),
            ours: HashMap::new(),
            is_incomplete: false,
            counted: 0,
        }
    }

    /// Whether another look could tell anything new.
    pub(super) fn has_more(&self) -> bool {
        let is_installed = self.driver.as_ref().err().is_none_or(|error| error.is_installed);
        is_installed || !self.known.is_empty()
    }

    pub(super) fn look(&mut self) -> View {
        let mut view = View::empty(Instant::now());
        let gpus = self.ask_the_driver();
        let nodes = render::nodes(&self.options.root, self.counted);
        if let Err(error) = &self.driver {
            let is_driverless = nodes.nvidia && !error.is_installed;
            view.missing.push(if is_driverless { DRIVERLESS.to_owned() } else { error.words.clone() });
        }
        if self.driver.is_ok() && self.counted == 0 {
            view.missing.push(DRIVER_WITHOUT_GPU.to_owned());
        }
        let is_silent = gpus.iter().any(|counted| counted.gpu.is_err());
        let mut news = HashMap::<String, News>::new();
        for Counted { ordinal, gpu } in gpus {
            match gpu {
                Ok(gpu) => self.take(gpu, &mut news),
                Err(reason) => match self.known_at(ordinal) {
                    Some(id) => drop(news.insert(id, Err(reason))),
                    None => view.missing.push(short(&format!("NVIDIA GPU {ordinal}: {reason}"))),
                },
            }
        }
        for node in nodes.found {
            let sample = render::sample(&self.options.root, &node.id).unwrap_or_default();
            news.insert(node.id.clone(), Ok((sample, None)));
            self.meet(node);
        }
        view.missing.extend(nodes.missing);
        self.record(news);
        let is_lost = |known: &Known| known.seen.gpu.is_nvidia() && known.seen.state == GpuState::Lost;
        self.is_incomplete = is_silent || self.known.iter().any(is_lost);
        self.choose(&mut view);
        view
    }

    fn ask_the_driver(&mut self) -> Vec<Counted> {
        if self.is_incomplete || self.driver.as_ref().is_err_and(|error| error.is_installed) {
            self.looks_until_opened -= 1;
        }
        if self.looks_until_opened == 0 {
            self.looks_until_opened = OPEN_AGAIN_AFTER;
            // The old one is closed before: as long as anyone has it open, the library does not begin anew.
            self.driver = Err(NoDriver { words: String::new(), is_installed: true });
            self.driver = Driver::open(self.options.nvml_library.as_deref());
        }
        let Ok(driver) = &self.driver else { return Vec::new() };
        match driver.look() {
            Ok(gpus) => {
                self.counted = gpus.iter().map(|gpu| gpu.ordinal + 1).max().unwrap_or(0).max(self.counted);
                gpus
            }
            Err(error) => {
                self.driver = Err(error);
                Vec::new()
            }
        }
    }

    fn take(&mut self, gpu: Answered, news: &mut HashMap<String, News>) {
        let Answered { found, mut sample, processes } = gpu;
        let ours = self.ours.entry(found.id.clone()).or_default();
        let mut foreign_memory = None;
        if let Some(processes) = processes.filter(|_| self.options.sees_all_processes) {
            let strangers = ours.strangers(&processes, |process| process.pid);
            sample.foreign_processes = u32::try_from(strangers.len()).ok();
            foreign_memory = Some(strangers.into_iter().map(memory_of).fold(0, u64::saturating_add));
        }
        news.insert(found.id.clone(), Ok((sample, foreign_memory)));
        self.meet(found);
    }

    /// What a GPU is stays as it was first seen, but for its number and its division into instances.
    fn meet(&mut self, found: Found) {
        if let Some(known) = self.known.iter_mut().find(|known| known.seen.gpu.id == found.id) {
            let gpu = Arc::make_mut(&mut known.seen.gpu);
            gpu.place.ordinal = found.place.ordinal;
            gpu.mig = found.mig;
        } else {
            let record = Record::new(self.options.every);
            let seen = Snapshot {
                gpu: Arc::new(found),
                state: GpuState::Ready,
                reason: None,
                sample: None,
                history: record.history(),
                foreign_memory_bytes: None,
            };
            self.known.push(Known { seen, record });
        }
        self.known.sort_by_key(|known| (!known.seen.gpu.is_nvidia(), known.seen.gpu.place.ordinal));
    }

    fn known_at(&self, ordinal: u32) -> Option<String> {
        let mut nvidia = self.known.iter().filter(|known| known.seen.gpu.is_nvidia());
        let known = nvidia.find(|known| known.seen.gpu.place.ordinal == ordinal)?;
        Some(known.seen.gpu.id.clone())
    }

    fn record(&mut self, mut news: HashMap<String, News>) {
        let gone = self.driver.as_ref().err().map(|error| error.words.clone());
        for Known { seen, record } in &mut self.known {
            let gpu = Arc::clone(&seen.gpu);
            match news.remove(&gpu.id) {
                Some(Ok((sample, foreign_memory))) => {
                    record.push(Some(&sample), gpu.memory_bytes);
                    let divided = gpu.mig.as_ref().map(|instances| divided(instances));
                    seen.state = if divided.is_some() { GpuState::Unusable } else { GpuState::Ready };
                    seen.reason = divided;
                    seen.sample = (sample != GpuSample::default()).then_some(sample);
                    seen.foreign_memory_bytes = foreign_memory;
                }
                Some(Err(reason)) => {
                    record.push(None, None);
                    *seen = seen.lost(&reason);
                }
                None => {
                    record.push(None, None);
                    let unlisted = if gpu.is_nvidia() {
                        "the driver no longer lists the GPU"
                    } else {
                        "the render node is gone"
                    };
                    *seen = seen.lost(gone.as_deref().filter(|_| gpu.is_nvidia()).unwrap_or(unlisted));
                }
            }
            seen.history = record.history();
        }
    }

    fn choose(&self, view: &mut View) {
        let all = self.known.iter().map(|known| (*known.seen.gpu).clone()).collect();
        let (chosen, unmatched) = self.options.choice.apply(all);
        let is_chosen = |known: &&Known| chosen.iter().any(|gpu| gpu.id == known.seen.gpu.id);
        view.gpus = self.known.iter().filter(is_chosen).map(|known| known.seen.clone()).collect();
        view.missing.extend(unmatched.iter().map(|words| short(words)));
    }
}

fn divided(instances: &[String]) -> String {
    short(&format!(
        "MIG splits the GPU into {} instances, usually without an encoder; turn it off with `nvidia-smi -mig 0`",
        instances.len()
    ))
}
