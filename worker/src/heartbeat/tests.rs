//! Heartbeats against a scripted farm, with real processes as the work.

use axum::response::{IntoResponse as _, Response};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::JobId;
use framefarm_shared::part::Sha256Hex;
use serde_json::json;
use tokio::process::Command;
use tokio::time::timeout;

use super::*;
use crate::child::{Child, LockLostBehavior, Outcome};
use crate::part::PartArchive;
use crate::scripted::{Heard, Scripted, problem};

const SECOND: Duration = Duration::from_secs(1);

fn a_job(fence: i64) -> HeldJob {
    HeldJob { job_id: JobId::new(&Clock::system()), fence }
}

fn start(farm: &Scripted) -> Heartbeat {
    Heartbeat::start(
        farm.client(),
        BootId::new(&Clock::system()),
        SECOND,
        None,
        GpuPool::none("not asked for"),
    )
}

/// Renews all that is asked for, except what `is_lost` names.
fn renew(request: &Heard, lease_seconds: u64, is_lost: impl Fn(&Value) -> bool) -> Response {
    let asked = request.json()["held"].as_array().unwrap().clone();
    let (lost, renewed): (Vec<_>, Vec<_>) = asked.into_iter().partition(is_lost);
    let lost: Vec<_> = lost
        .iter()
        .map(|job| json!({"job_id": job["job_id"], "fence": job["fence"], "code": "fenced"}))
        .collect();
    let reply = json!({"renewed": renewed, "lost": lost, "draining": false, "lease_seconds": lease_seconds,
        "heartbeat_seconds": 1});
    axum::Json(reply).into_response()
}

fn beats_with(heard: &[Heard], job: HeldJob) -> usize {
    let id = job.job_id.to_string();
    heard.iter().filter(|request| String::from_utf8_lossy(&request.body).contains(&id)).count()
}

async fn is_lost_within(hold: &LeaseGuard, wait: Duration) -> bool {
    timeout(wait, hold.lost().cancelled()).await.is_ok()
}

#[tokio::test]
async fn of_two_jobs_only_the_lost_one_ends_with_its_processes_and_uploads_no_more() {
    let (lost, kept) = (a_job(1), a_job(2));
    let farm = Scripted::start(move |request, before| {
        if request.call.starts_with("PUT") {
            return problem(503, "database_unavailable");
        }
        renew(request, 60, |job| before > 12 && job["job_id"] == json!(lost.job_id))
    })
    .await;
    let heartbeat = start(&farm);
    let (lost_hold, kept_hold) = (heartbeat.hold(lost, 3 * SECOND), heartbeat.hold(kept, 3 * SECOND));
    let mut sleeper = Command::new("sh");
    sleeper.args(["-c", "sleep 1000 & sleep 1000"]);
    let doomed = Child::spawn(sleeper).unwrap();
    let mut sleeper = Command::new("sleep");
    let bystander = Child::spawn({
        sleeper.arg("1000");
        sleeper
    })
    .unwrap();
    let (client, directory) = (farm.client(), tempfile::tempdir().unwrap());
    let path = directory.path().join("part");
    std::fs::write(&path, b"part").unwrap();
    let part = PartArchive {
        path,
        quality: "360p".to_owned(),
        first_segment: 0,
        size: 4,
        sha256: Sha256Hex([0; 32]),
    };

    // Delivers again and again, since the farm is busy, until the claim is lost.
    let delivering = async {
        loop {
            match lost_hold.unless_lost(client.put_part(lost, &part)).await {
                Err(CallError::Stop { code, .. }) => break code,
                _ => tokio::task::yield_now().await,
            }
        }
    };
    let ended = async {
        lost_hold.lost().cancelled().await;
        Instant::now()
    };
    let working = doomed.run(lost_hold.lost(), LockLostBehavior::Sigkill);
    let (code, lost_at, outcome) = tokio::join!(delivering, ended, working);
    assert_eq!(code, "lock_lost");
    assert!(lost_at.elapsed() < SECOND, "{:?} from loss to an empty group", lost_at.elapsed());
    assert!(matches!(outcome.unwrap(), Outcome::LockLost(ended) if ended.all_are_gone));

    let uploads = |heard: &[Heard]| heard.iter().filter(|request| request.call.starts_with("PUT")).count();
    let uploads_then = uploads(&farm.heard());
    let later = lost_hold.unless_lost(client.put_part(lost, &part)).await;
    assert!(matches!(later, Err(CallError::Stop { .. })));
    let beats_then = beats_with(&farm.heard(), kept);
    farm.until(|heard| beats_with(heard, kept) > beats_then).await;
    // One that was already on its way when the claim was lost may have been noted after it.
    assert!(uploads(&farm.heard()) <= uploads_then + 1);
    assert!(!kept_hold.lost().is_cancelled());
    assert!(std::path::Path::new(&format!("/proc/{}", bystander.id())).exists());
}

#[tokio::test]
async fn failures_cost_only_time_and_the_time_ends_the_lease() {
    let farm = Scripted::start(|_, _| problem(503, "database_unavailable")).await;
    let heartbeat = start(&farm);
    let started = Instant::now();
    let hold = heartbeat.hold(a_job(1), SECOND);
    farm.until(|heard| beats_with(heard, hold.job()) >= 2).await;
    assert!(!hold.lost().is_cancelled());
    assert!(is_lost_within(&hold, 2 * SECOND).await);
    assert!(started.elapsed() >= SECOND.mul_f64(0.9));
}

#[tokio::test]
async fn a_renewal_after_failures_saves_the_lease() {
    let farm = Scripted::start(|request, before| match before {
        0..3 => problem(502, "bad_gateway"),
        _ => renew(request, 60, |_| false),
    })
    .await;
    let heartbeat = start(&farm);
    let hold = heartbeat.hold(a_job(1), 2 * SECOND);
    assert!(!is_lost_within(&hold, 3 * SECOND).await);
}

#[tokio::test]
async fn a_reply_that_names_no_lease_keeps_the_old_one() {
    let farm = Scripted::start(|request, _| renew(request, 0, |_| false)).await;
    let heartbeat = start(&farm);
    let hold = heartbeat.hold(a_job(1), SECOND);
    assert!(!is_lost_within(&hold, 2 * SECOND).await);
}

#[tokio::test]
async fn a_farm_that_hangs_cannot_hide_that_the_lease_ran_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let client = Client::new(url, &crate::client::Secret::new("k")).unwrap();
    let heartbeat =
        Heartbeat::start(client, BootId::new(&Clock::system()), SECOND, None, GpuPool::none("not asked for"));
    let hold = heartbeat.hold(a_job(1), SECOND);
    assert!(is_lost_within(&hold, SECOND).await);
}

#[tokio::test]
async fn a_refused_key_ends_every_job_and_is_told() {
    let farm = Scripted::start(|_, _| problem(401, "unauthorized")).await;
    let heartbeat = start(&farm);
    let (one, two) = (heartbeat.hold(a_job(1), 60 * SECOND), heartbeat.hold(a_job(2), 60 * SECOND));
    assert!(is_lost_within(&one, SECOND).await && is_lost_within(&two, SECOND).await);
    let mut standing = heartbeat.standing();
    let refused = standing.wait_for(|now| matches!(now, Standing::Refused { .. }));
    timeout(SECOND, refused).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_upload_that_is_told_no_ends_its_job_at_once_and_a_missing_file_does_not() {
    let farm = Scripted::start(|request, _| renew(request, 60, |_| false)).await;
    let heartbeat = start(&farm);
    let hold = heartbeat.hold(a_job(1), 60 * SECOND);
    let stop = |code: &str| {
        std::future::ready(Err::<(), _>(CallError::Stop { code: code.to_owned(), detail: String::new() }))
    };
    assert!(hold.unless_lost(stop("not_found")).await.is_err());
    assert!(!hold.lost().is_cancelled());
    assert!(hold.unless_lost(stop("claim_lost")).await.is_err());
    assert!(hold.lost().is_cancelled());
}

#[tokio::test]
async fn a_job_that_is_let_go_is_renewed_no_more() {
    let farm = Scripted::start(|request, _| renew(request, 60, |_| false)).await;
    let heartbeat = start(&farm);
    let hold = heartbeat.hold(a_job(1), 60 * SECOND);
    let job = hold.job();
    farm.until(|heard| beats_with(heard, job) > 0).await;
    drop(hold);
    let other = heartbeat.hold(a_job(2), 60 * SECOND);
    farm.until(|heard| beats_with(heard, other.job()) > 0).await;
    let last = farm.heard().into_iter().rfind(|request| request.call.ends_with("heartbeat")).unwrap();
    assert_eq!(beats_with(&[last], job), 0);
}
