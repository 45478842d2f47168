//! What may happen in a simulation. Indices are taken modulo what exists.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Upload {
        priority: i32,
    },
    Claim {
        worker: usize,
    },
    /// Claims a job it once held, by its id.
    ClaimAgain {
        worker: usize,
        token: usize,
    },
    Beat {
        worker: usize,
    },
    Progress {
        worker: usize,
        token: usize,
        percent: u8,
    },
    Complete {
        worker: usize,
        token: usize,
    },
    Fail {
        worker: usize,
        token: usize,
        permanent: bool,
    },
    Release {
        worker: usize,
        token: usize,
    },
    /// The worker's process starts anew; it forgets nothing it may still send.
    RestartWorker {
        worker: usize,
    },
    Disable {
        worker: usize,
    },
    Enable {
        worker: usize,
    },
    Cancel {
        job: usize,
    },
    Retry {
        job: usize,
    },
    Pause {
        paused: bool,
    },
    Wait {
        seconds: i64,
    },
    Reap,
    RestartApi {
        down_seconds: i64,
    },
}

pub(crate) fn any_step() -> BoxedStrategy<Step> {
    let worker = 0..4usize;
    let token = 0..64usize;
    prop_oneof![
        4 => prop::sample::select(vec![-100, 0, 0, 0, 100]).prop_map(|priority| Step::Upload { priority }),
        8 => worker.clone().prop_map(|worker| Step::Claim { worker }),
        2 => (worker.clone(), token.clone()).prop_map(|(worker, token)| Step::ClaimAgain { worker, token }),
        8 => worker.clone().prop_map(|worker| Step::Beat { worker }),
        6 => (worker.clone(), token.clone(), 0..=100u8)
            .prop_map(|(worker, token, percent)| Step::Progress { worker, token, percent }),
        4 => (worker.clone(), token.clone()).prop_map(|(worker, token)| Step::Complete { worker, token }),
        4 => (worker.clone(), token.clone(), prop::bool::weighted(0.2))
            .prop_map(|(worker, token, permanent)| Step::Fail { worker, token, permanent }),
        2 => (worker.clone(), token.clone()).prop_map(|(worker, token)| Step::Release { worker, token }),
        2 => worker.clone().prop_map(|worker| Step::RestartWorker { worker }),
        1 => worker.clone().prop_map(|worker| Step::Disable { worker }),
        1 => worker.prop_map(|worker| Step::Enable { worker }),
        1 => (0..16usize).prop_map(|job| Step::Cancel { job }),
        2 => (0..16usize).prop_map(|job| Step::Retry { job }),
        1 => prop::bool::weighted(0.3).prop_map(|paused| Step::Pause { paused }),
        8 => prop::sample::select(vec![1, 10, 29, 60, 299, 300, 301, 900, 1799, 1800, 1801, 5400])
            .prop_map(|seconds| Step::Wait { seconds }),
        6 => Just(Step::Reap),
        2 => prop::sample::select(vec![1, 29, 30, 31, 600, 4000])
            .prop_map(|down_seconds| Step::RestartApi { down_seconds }),
    ]
    .boxed()
}
