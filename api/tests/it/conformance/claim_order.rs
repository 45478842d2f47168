//! The order of claims, against a sort that anyone can read.

use std::cmp::Reverse;

use chrono::Duration;
use framefarm_api::db::job;
use framefarm_api::db::job::{JobRow, NewJob};
use framefarm_api::testing::{Farm, the_beginning};
use framefarm_shared::queue::QueueType;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::world::{a_video, a_worker, claimer, new_job};

/// Priorities and places in the queue, few enough to collide often.
fn some_jobs() -> impl Strategy<Value = Vec<(i32, i64)>> {
    let place = prop_oneof![0i64..3, Just(999), Just(1_000), Just(1_000_000), -2_000_000i64..2_000_000];
    prop::collection::vec((-2i32..3, place), 1..16)
}

async fn claims_follow_the_sort(farm: Farm, some: Vec<(i32, i64)>) -> Result<(), TestCaseError> {
    let mut waiting: Vec<JobRow> = Vec::new();
    for (priority, place) in some {
        let video = a_video(&farm, "clip").await;
        let new = NewJob { priority, ..new_job(&farm, &video, QueueType::Transcode) };
        let sort_at = the_beginning() + Duration::microseconds(place);
        waiting.push(commit!(farm, |tx| job::insert_unless_live(tx, new, sort_at)).unwrap());
    }
    waiting.sort_by_key(|job| (Reverse(job.priority), job.sort_at, job.number));
    farm.wait(Duration::hours(1));
    let worker = a_worker(&farm, "w1").await;
    let mut claimed = Vec::new();
    let kind = QueueType::Transcode;
    while let Some(job) =
        commit!(farm, |tx| job::claim::claim_next(tx, claimer(&farm, &worker), kind, farm.now(), false))
    {
        claimed.push(job.number);
    }
    let expected: Vec<i64> = waiting.iter().map(|job| job.number).collect();
    prop_assert_eq!(claimed, expected);
    Ok(())
}

fn holds_on(engine: impl AsyncFn() -> Farm) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() };
    let checked = TestRunner::new(config).run(&some_jobs(), |some| {
        runtime.block_on(async { claims_follow_the_sort(engine().await, some).await })
    });
    if let Err(failure) = checked {
        panic!("{failure}");
    }
}

#[test]
fn jobs_are_claimed_by_priority_then_place_then_number_on_sqlite() {
    holds_on(Farm::sqlite);
}

#[test]
fn jobs_are_claimed_by_priority_then_place_then_number_on_postgres() {
    holds_on(Farm::postgres);
}
