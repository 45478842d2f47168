//! Workers that are switched off while they are given a job.

use framefarm_api::lifecycle::workers;
use framefarm_api::on_both_engines;
use framefarm_shared::state::JobStatus;

const ROUNDS: usize = 30;

on_both_engines! {
    async fn what_is_granted_meanwhile_goes_back_at_once(farm: Farm) {
        let job = farm.upload("film").await.job.id;
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
