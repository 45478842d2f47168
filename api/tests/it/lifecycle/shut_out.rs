//! Workers that are switched off while they are given a job.

use framefarm_api::lifecycle::workers;
use framefarm_api::on_both_engines;
use framefarm_api::testing::Farm;
use framefarm_shared::state::JobStatus;

use super::two_slots::{claims, in_the_same_moment};

const ROUNDS: usize = 30;

/// A grant writes its event last: here it waits with its worker held, and whoever shuts the worker out waits for it.
const GRANTS_WAIT: &str = "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS \
     'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'; \
     CREATE TRIGGER wait BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.kind = 'job_claimed') EXECUTE FUNCTION wait()";
const UNTIL: &str = "SELECT pg_advisory_xact_lock(1)";

on_both_engines! {
    async fn what_is_granted_meanwhile_goes_back_at_once(farm: Farm) {
        let job = farm.upload("clip").await.job.id;
        for round in 0..ROUNDS {
            let worker = farm.worker(&format!("w{round}")).await;
            worker.beat(&[]).await.unwrap();
            let request = worker.claim_request();
            let claim = framefarm_api::lifecycle::claim::claim_now(&farm.app, worker.id, &request);
            let shut_out = async {
                match round % 3 {
                    0 => workers::disable(&farm.app, worker.id, "admin").await,
                    1 => workers::delete(&farm.app, worker.id, "admin").await,
                    _ => workers::revoke_key(&farm.app, worker.id, "admin").await,
                }
            };
            let (claimed, shut_out) = tokio::join!(claim, shut_out);
            shut_out.unwrap();
            let row = farm.job(job).await;
            let late = round % 3 == 2 && claimed.is_ok_and(|reply| reply.job.is_some());
            // A key that is revoked while its claim is granted is asked for again by who waited for the claim.
            assert!(row.status == JobStatus::Pending || late, "round {round}: {row:?}");
            farm.sql(
                "UPDATE job SET status = 'pending', claimed_at = NULL, claim_expires_at = NULL, worker_id = NULL, \
                 retry_after = NULL, lost_count = 0; UPDATE video SET status = 'pending'",
            )
            .await;
        }
    }
}

#[tokio::test]
async fn a_job_granted_while_its_worker_is_disabled_goes_back_at_once() {
    let farm = Farm::postgres().await;
    let (worker, job) = (farm.worker("w1").await, farm.upload("one").await.job.id);
    let (app, id) = (farm.app.clone(), worker.id);
    let disables = Box::pin(async move { workers::disable(&app, id, "admin").await.unwrap() });
    farm.sql(GRANTS_WAIT).await;
    in_the_same_moment(&farm, UNTIL, [claims(&worker, job), disables]).await;
    assert_eq!(farm.job(job).await.status, JobStatus::Pending);
}

#[tokio::test]
async fn a_job_granted_while_its_worker_is_deleted_goes_back_at_once() {
    let farm = Farm::postgres().await;
    let (worker, job) = (farm.worker("w1").await, farm.upload("one").await.job.id);
    let (app, id) = (farm.app.clone(), worker.id);
    let deletes = Box::pin(async move { workers::delete(&app, id, "admin").await.unwrap() });
    farm.sql(GRANTS_WAIT).await;
    in_the_same_moment(&farm, UNTIL, [claims(&worker, job), deletes]).await;
    assert_eq!(farm.job(job).await.status, JobStatus::Pending);
}
