//! What this machine can do, found out by doing it, and why not where it cannot.
//!
//! Nothing here calls ffmpeg: each encoder is tried by a child process ([`trial`] is its half).

mod encoders;
mod farm;
mod gpus;
mod graphics;
mod machine;
mod table;
pub mod trial;

use std::io;
use std::path::{Path, PathBuf};

use framefarm_shared::gpu::GpuKind;
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;

use crate::client::Secret;
use crate::gpu::GpuPool;
use crate::sandbox::{self, Mode, Raised};
use encoders::{Encoder, Tried};

pub use gpus::{GpuTrial, Problem, try_gpu};
pub use table::print;

/// Where to look.
#[derive(Debug)]
pub struct Examination {
    /// The `framefarm-worker` to start as a child.
    pub program: PathBuf,
    pub scratch: PathBuf,
    pub api: Option<Url>,
    pub key: Option<Secret>,
    pub gpus: GpuPool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Good,
    /// Missing, and not required.
    Absent,
    Bad,
}

#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub what: String,
    pub health: Health,
    pub says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Without this the worker cannot work.
    pub essential: bool,
}

impl Finding {
    fn new(what: &str, health: Health, says: impl Into<String>) -> Self {
        Self { what: what.to_owned(), health, says: says.into(), advice: None, essential: false }
    }

    fn essential(self) -> Self {
        Self { essential: true, ..self }
    }

    /// What to do about it; kept only where something is wrong.
    fn advise(self, advice: &str) -> Self {
        let advice = (self.health != Health::Good).then(|| advice.to_owned());
        Self { advice, ..self }
    }
}

/// What the farm is told of this machine, at registration and with heartbeats.
#[derive(Clone, Debug, Serialize)]
pub struct Capabilities {
    pub version: String,
    pub cores: usize,
    pub memory_bytes: u64,
    pub ffmpeg: Vec<String>,
    /// Those that passed a test encode.
    pub encoders: Vec<String>,
    /// One entry for each GPU of which an encoder passed; their state is in every heartbeat.
    pub gpus: Vec<UsableGpu>,
    /// Why there are no more, in words.
    pub gpu_missing: Vec<String>,
    #[serde(rename = "walls")]
    pub sandbox: Option<Raised>,
    /// What a missing layer means: `required`, `best-effort` or `off`.
    pub sandbox_mode: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsableGpu {
    pub id: String,
    pub name: String,
    pub kind: GpuKind,
    pub encoders: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether nothing essential is missing.
    pub fit: bool,
    pub findings: Vec<Finding>,
    pub capabilities: Capabilities,
}

/// Everything, in the order of the table.
pub async fn examine(examination: &Examination) -> Report {
    let program = &examination.program;
    let (tried, sandbox) = (encoders::try_all(program).await, sandbox::probe_sandbox(program).await);
    let mut findings = vec![Finding::new("worker", Health::Good, env!("CARGO_PKG_VERSION"))];
    findings.push(encoders::libraries(&tried));
    findings.extend(tried.iter().map(Tried::finding));
    findings.extend(graphics::findings(&examination.gpus));
    findings.extend([machine::cores(), machine::memory()]);
    findings.extend(machine::scratch(&examination.scratch));
    findings.extend(machine::sandbox(&sandbox, Mode::from_env().ok()));
    if let Some(api) = &examination.api {
        findings.extend(farm::ask(api, examination.key.as_ref()).await);
    }
    let fit = findings.iter().all(|finding| !finding.essential || finding.health == Health::Good);
    Report { fit, findings, capabilities: gather(&tried, sandbox, &examination.gpus) }
}

/// What to send to the farm; it takes a second or two.
pub async fn capabilities(program: &Path, gpus: &GpuPool) -> serde_json::Result<Value> {
    let (tried, sandbox) = (encoders::try_all(program).await, sandbox::probe_sandbox(program).await);
    serde_json::to_value(gather(&tried, sandbox, gpus))
}

fn gather(tried: &[Tried], sandbox: io::Result<Raised>, gpus: &GpuPool) -> Capabilities {
    let passed: Vec<Encoder> =
        tried.iter().filter(|tried| tried.passed()).map(|tried| tried.encoder).collect();
    Capabilities {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cores: machine::core_count(),
        memory_bytes: machine::memory_bytes(),
        ffmpeg: encoders::library_versions(tried),
        encoders: passed.iter().map(|encoder| encoder.name.to_owned()).collect(),
        gpus: graphics::usable(gpus),
        gpu_missing: gpus.missing(),
        sandbox: sandbox.ok(),
        sandbox_mode: Mode::from_env().ok().map(Mode::name),
    }
}

#[cfg(test)]
mod tests;
