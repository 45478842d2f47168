//! A model of the farm against the farm: random claims, renewals, failures, restarts and clock jumps on both
//! engines at once. `make sim SEEDS=1000` tries many; `make sim SEED=n` replays one exactly.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod farm;
mod model;
mod step;

use farm::Simulation;
use model::Model;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

const STEPS: std::ops::Range<usize> = 1..120;

#[test]
fn the_farm_behaves_as_its_model() {
    let number = |name: &str| {
        std::env::var(name).ok().filter(|text| !text.is_empty()).map(|text| text.parse().unwrap())
    };
    let one: Option<u64> = number("FRAMEFARM_SIM_SEED");
    let count: u64 = number("FRAMEFARM_SIM_SEEDS").unwrap_or(20);
    let first: u64 = number("FRAMEFARM_SIM_FIRST").unwrap_or(1);
    let seeds = one.map_or(first..first + count, |seed| seed..seed + 1);
    println!("simulating seeds {seeds:?}");
    for seed in seeds {
        if let Err(error) = simulate(seed) {
            panic!("seed {seed} failed; replay it with `make sim SEED={seed}`\n{error}");
        }
    }
}

fn simulate(seed: u64) -> Result<(), String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: 1, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config.clone(), rng);
    runner
        .run(&Model::sequential_strategy(STEPS), |(initial, steps, seen)| {
            Simulation::test_sequential(config.clone(), initial, steps, seen);
            Ok(())
        })
        .map_err(|error| error.to_string())
}
