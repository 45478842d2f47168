//! The sandbox that the encoder child puts around itself before it opens hostile media.
//!
//! It has several layers: a bug in a codec that gets past one still meets the next. None needs root, and none can be
//! removed again. Landlock and capabilities belong to a thread and pass to the threads it starts, so
//! [`enter`] is the first thing a child does, in its main thread, before it has another and before it has opened
//! anything but its pipes.
//!
//! `docs/sandbox.md` lists what each layer stops and which kernel has it.

mod check;
mod files;
mod limits;
mod missing;
mod mode;
mod privileges;
mod syscalls;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use check::{everything_closed, probe_sandbox, refusal};
pub use limits::Limits;
pub use missing::{Cause, MissingLayer};
pub use mode::{MODE_VARIABLE, Mode};

/// What a child may still do.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Files and directories to read, beside what the libraries need.
    pub read: Vec<PathBuf>,
    /// The one directory to write in; `None` for a child that only looks.
    pub write: Option<PathBuf>,
    /// Whether it may talk to GPUs.
    pub gpu: bool,
    pub limits: Limits,
}

impl Rules {
    pub fn new(source: &Path, output: Option<&Path>, limits: Limits) -> Self {
        let (read, write) = (vec![source.to_owned()], output.map(Path::to_owned));
        Self { read, write, gpu: false, limits }
    }

    /// Lets it use GPUs, whose drivers may be where the environment says.
    pub fn with_gpus(self) -> Self {
        let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let libraries = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
        Self { read: self.read.into_iter().chain(libraries).collect(), gpu: true, ..self }
    }
}

/// In the order they go up: the filter of system calls is last, since it refuses some that the others need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Memory, file size, CPU time, open files, no core dump.
    Limits,
    /// No program it might start gets rights that it has not.
    NoNewPrivs,
    /// Root is an ordinary user, whose limits are final.
    Capabilities,
    /// Landlock: only the files of [`Rules`].
    Files,
    /// seccomp: no sockets, no processes, no other ways out.
    Syscalls,
}

impl Layer {
    pub const ALL: [Self; 5] =
        [Self::Limits, Self::NoNewPrivs, Self::Capabilities, Self::Files, Self::Syscalls];

    pub fn name(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::NoNewPrivs => "no_new_privs",
            Self::Capabilities => "capabilities",
            Self::Files => "filesystem",
            Self::Syscalls => "syscalls",
        }
    }

    /// The system calls that it is made with, which a filter around the worker has to allow.
    pub fn system_calls(self) -> &'static [&'static str] {
        match self {
            Self::Limits => &["prlimit64"],
            Self::NoNewPrivs => &["prctl"],
            Self::Capabilities => &["prctl", "capset"],
            Self::Files => &["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"],
            Self::Syscalls => &["prctl", "seccomp"],
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Up,
    Missing(MissingLayer),
}

/// Which layers are enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised(pub BTreeMap<Layer, State>);

impl Raised {
    pub fn is_up(&self, layer: Layer) -> bool {
        self.0.get(&layer) == Some(&State::Up)
    }

    pub fn missing(&self) -> impl Iterator<Item = (Layer, &MissingLayer)> {
        self.0.iter().filter_map(|(layer, state)| match state {
            State::Up => None,
            State::Missing(missing) => Some((*layer, missing)),
        })
    }

    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }

    /// What to do about what is missing.
    pub fn advice(&self) -> String {
        let of =
            |cause| self.missing().filter(move |(_, missing)| missing.cause == cause).map(|(layer, _)| layer);
        let mut calls: Vec<&str> = of(Cause::Forbidden).flat_map(Layer::system_calls).copied().collect();
        calls.sort_unstable();
        calls.dedup();
        let mut advice = Vec::new();
        if !calls.is_empty() {
            advice.push(format!(
                "allow the system calls {} where the worker is started (SystemCallFilter= in a systemd unit, the \
                 seccomp profile of a container)",
                calls.join(", ")
            ));
        }
        if of(Cause::Unsupported).next().is_some() {
            advice.push(
                "use a kernel that has all layers: Linux 5.13 or newer with Landlock enabled".to_owned(),
            );
        }
        advice.push(format!("or set {MODE_VARIABLE}=best-effort to encode without the missing layers"));
        advice.join("; ")
    }
}

/// `filesystem (Landlock: not available in this kernel), limits (…)`.
impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (layer, missing)) in self.missing().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({missing})", layer.name())?;
        }
        Ok(())
    }
}

/// Why a child must not go on.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("{MODE_VARIABLE}=required, but layers are missing: {0}. What to do: {advice}", advice = .0.advice())]
    Missing(Raised),
    #[error("invalid {MODE_VARIABLE}={0}; use one of required, best-effort, off")]
    UnknownMode(String),
}

/// What a child calls: enters the sandbox as `FRAMEFARM_SANDBOX` says, and refuses if it must not continue.
pub fn enter(rules: &Rules) -> Result<Raised, Refused> {
    let mode = Mode::from_env()?;
    mode.judge(enforce_in(mode, rules))
}

/// As [`enter`] does, but only reports a missing layer.
pub(crate) fn enforce_in(mode: Mode, rules: &Rules) -> Raised {
    if mode != Mode::Off {
        return enforce_all(rules);
    }
    let off = State::Missing(MissingLayer::new(Cause::SwitchedOff, format!("disabled by {MODE_VARIABLE}")));
    Raised(Layer::ALL.into_iter().map(|layer| (layer, off.clone())).collect())
}

/// Enforces every layer that this kernel has.
pub fn enforce_all(rules: &Rules) -> Raised {
    Raised(Layer::ALL.into_iter().map(|layer| (layer, raise(layer, rules))).collect())
}

/// Enforces one layer.
pub fn raise(layer: Layer, rules: &Rules) -> State {
    let raised = match layer {
        Layer::Limits => limits::raise(rules),
        Layer::NoNewPrivs => privileges::forbid_new(),
        Layer::Capabilities => privileges::drop_all(),
        Layer::Files => files::raise(rules),
        Layer::Syscalls => syscalls::raise(rules),
    };
    raised.map_or_else(State::Missing, |()| State::Up)
}
