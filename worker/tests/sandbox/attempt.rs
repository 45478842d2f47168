//! Ways out, and how each is checked.

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use framefarm_worker::sandbox::{Layer, Limits, Raised, State, probe_sandbox};
use libtest_mimic::Failed;
use rustix::thread::{CapabilitySet, capabilities};

use crate::inside::{Told, roomy, start};
use crate::yard::Yard;
use crate::{files, network, processes, resources};

/// `Ok` means that it got out.
pub(crate) type Work = fn(&Yard) -> io::Result<()>;

pub(crate) struct WayOut {
    pub(crate) name: &'static str,
    /// Each of these stops it alone.
    pub(crate) stopped_by: &'static [Layer],
    /// These may stop it as well, by the version of the kernel.
    pub(crate) perhaps_by: &'static [Layer],
    pub(crate) limits: Limits,
    /// The kernel may end the child for it.
    pub(crate) may_die: bool,
    /// Without layers it is sure to succeed only with this.
    pub(crate) needs: CapabilitySet,
    pub(crate) run: Work,
}

impl WayOut {
    pub(crate) fn new(name: &'static str, stopped_by: &'static [Layer], run: Work) -> Self {
        let (perhaps_by, limits) = (&[][..], roomy());
        Self { name, stopped_by, perhaps_by, limits, may_die: false, needs: CapabilitySet::empty(), run }
    }

    fn is_stopped(&self, told: &Told) -> Result<(), Failed> {
        let stopped =
            told.did == Some(false) || (self.may_die && told.did.is_none() && !told.status.success());
        if stopped { Ok(()) } else { Err(format!("{:?}: {} {}", told.raised, told.status, told.text).into()) }
    }
}

pub(crate) fn all() -> Vec<WayOut> {
    [network::ways_out(), files::ways_out(), processes::ways_out(), resources::ways_out()]
        .into_iter()
        .flatten()
        .collect()
}

pub(crate) static THIS_KERNEL: LazyLock<Raised> = LazyLock::new(|| {
    let worker = Path::new(env!("CARGO_BIN_EXE_framefarm-worker"));
    tokio::runtime::Runtime::new().unwrap().block_on(probe_sandbox(worker)).unwrap()
});

pub(crate) fn check(way: &WayOut) -> Result<(), Failed> {
    let there: Vec<_> = way.stopped_by.iter().copied().filter(|layer| THIS_KERNEL.is_up(*layer)).collect();
    let told = go(way, &Layer::ALL);
    for layer in way.stopped_by.iter().filter(|layer| !there.contains(layer)) {
        let said = told.raised.0.get(layer);
        assert!(
            matches!(said, Some(State::Missing(missing)) if !missing.detail.is_empty()),
            "{layer:?} is not reported as missing"
        );
    }
    if !there.is_empty() {
        way.is_stopped(&told)?;
    }
    for layer in there {
        way.is_stopped(&go(way, &[layer]))?;
    }
    let others = Layer::ALL
        .into_iter()
        .filter(|layer| !way.stopped_by.contains(layer) && !way.perhaps_by.contains(layer));
    let told = go(way, &others.collect::<Vec<_>>());
    if capabilities(None).unwrap().effective.contains(way.needs) {
        assert_eq!(told.did, Some(true), "without {:?}: {} {}", way.stopped_by, told.status, told.text);
    }
    Ok(())
}

fn go(way: &WayOut, layers: &[Layer]) -> Told {
    let yard = Yard::new();
    let listening = network::Listening::start();
    let mut variables = listening.variables();
    variables.push(processes::where_the_secret_is());
    start(way.name, &yard, layers, &variables)
}
