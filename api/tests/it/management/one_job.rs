//! The log of one job.

use framefarm_api::db::job;
use framefarm_api::responses::job_log;
use framefarm_shared::failure::{ErrorClass, LOG_LIMIT};

use crate::http::Site;

framefarm_api::on_both_engines! {
    async fn the_last_words_of_the_encoder_stay_with_the_attempt(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let log = format!("{}\nframe 1\0 \u{1b}[31mbad\ndecoder gave up", "x".repeat(2 * LOG_LIMIT));
        for (class, log) in [(ErrorClass::Transfer, None), (ErrorClass::InputInvalid, Some(log.as_str()))] {
            let job = worker.claim().await;
            worker.fail_with_log(&job, class, "it broke", log).await.unwrap();
            farm.wait(chrono::Duration::minutes(2));
            framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
        }
        let rows = job::attempts::of_job(&farm.app.db, upload.job.id).await.unwrap();
        assert_eq!(rows[0].log, None);
        let kept = rows[1].log.as_deref().unwrap();
        assert!(kept.len() <= LOG_LIMIT && kept.ends_with("\ndecoder gave up") && !kept.contains('\0'));

        let text = job_log::of(&farm.app, upload.job.id).await.unwrap().text;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("Job 1 ({}), transcode of \"clip\"", upload.job.id));
        assert!(lines.contains(&"error input_invalid: it broke"), "{text}");
        assert!(lines.contains(&"| decoder gave up"), "{text}");
        assert!(lines.contains(&"| frame 1   [31mbad"), "nothing that a terminal would obey: {text}");
        for kind in ["job_enqueued", "job_claimed", "job_retry_scheduled", "job_failed"] {
            assert!(text.contains(kind), "{kind} is not in {text}");
        }
        let of_attempts = lines.iter().filter(|line| line.starts_with("Attempt ")).count();
        assert_eq!(of_attempts, 2);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    }
}

#[tokio::test]
async fn the_log_of_a_job_is_saved_as_a_file() {
    let site = Site::open().await;
    let job = site.farm.upload("clip").await.job.id;
    let answer = site.admin(&format!("GET /api/queue/jobs/{job}/log"), None).await;
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert!(answer.header("content-disposition").starts_with("attachment; filename=\"job-1.txt\""));
    assert!(answer.body.as_str().unwrap().starts_with("Job 1 ("));
    let detail = site.admin(&format!("GET /api/queue/jobs/{job}"), None).await.ok();
    assert!(detail["attempts"].as_array().unwrap().is_empty());
    let unknown = framefarm_shared::id::JobId::new(&site.farm.clock);
    let answer = site.admin(&format!("GET /api/queue/jobs/{unknown}/log"), None).await;
    assert_eq!(answer.problem(), (404, "not_found"));
}
