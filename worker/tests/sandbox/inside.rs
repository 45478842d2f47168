//! The child's half: enforce the layers that the test names, then do what it names.

use std::env;
use std::process::{Command, ExitStatus, Stdio};

use framefarm_worker::sandbox::{Layer, Limits, Raised, raise};

use crate::yard::Yard;
use crate::{attempt, ordinary};

const NAME: &str = "SANDBOX_INSIDE";
const RAISE: &str = "SANDBOX_RAISE";

pub(crate) fn asked_for() -> Option<String> {
    env::var(NAME).ok()
}

pub(crate) fn run(name: &str) {
    let yard = Yard::inherited();
    let work = attempt::all().into_iter().find(|way| way.name == name).map(|way| (way.limits, way.run));
    let (limits, work) = work.or_else(|| ordinary::find(name)).unwrap();
    let rules = yard.rules(limits);
    let wanted = env::var(RAISE).unwrap();
    let wanted = Layer::ALL.into_iter().filter(|layer| wanted.split(',').any(|name| name == layer.name()));
    let raised = Raised(wanted.map(|layer| (layer, raise(layer, &rules))).collect());
    println!("{}", serde_json::to_string(&raised).unwrap());
    match work(&yard) {
        Ok(()) => println!("did it"),
        Err(error) => println!("stopped: {error}"),
    }
}

pub(crate) struct Told {
    pub(crate) raised: Raised,
    pub(crate) status: ExitStatus,
    /// `None` from a child that died before it could tell.
    pub(crate) did: Option<bool>,
    pub(crate) text: String,
}

/// Starts this program again as the child.
pub(crate) fn start(name: &str, yard: &Yard, layers: &[Layer], variables: &[(&str, String)]) -> Told {
    let names: Vec<_> = layers.iter().map(|layer| layer.name()).collect();
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(NAME, name).env(RAISE, names.join(",")).env(yard.variable().0, yard.variable().1);
    command.envs(variables.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (first, verdict) = text.split_once('\n').unwrap_or((&text, ""));
    let raised = serde_json::from_str(first).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let did = match verdict {
        "" => None,
        verdict => Some(verdict.starts_with("did it")),
    };
    Told { raised, status: output.status, did, text: verdict.to_owned() }
}

pub(crate) fn roomy() -> Limits {
    Limits::default()
}
