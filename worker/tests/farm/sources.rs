//! How the real program comes to its source.

use framefarm_shared::state::JobStatus;

use crate::api::{Api, Uploaded};
use crate::encode;
use crate::line::Line;
use crate::program::Member;

async fn done_by_one_attempt(api: &Api, video: &Uploaded) {
    api.until_ready(video).await;
    let job = api.job(video).await;
    assert_eq!((job.status, job.fence, job.failure_count), (JobStatus::Completed, 1, 0));
}

fn of_sources(line: &Line) -> Vec<String> {
    line.heard().into_iter().filter(|request| request.contains("/source?")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_download_that_is_cut_goes_on_where_it_was() {
    let api = Api::start().await;
    let (line, member) = (Line::to(&api).await, Member::register(&api, "cut off").await);
    let clip = encode::long_clip(api.scratch(), "640x360", 25, 12).await;
    assert!(std::fs::metadata(&clip).unwrap().len() > 1_000_000);
    let video = api.upload(&clip).await;
    line.cut_the_source_after(500_000);
    let program = member.start(&line.url, &["--x264-preset", "ultrafast"]);
    done_by_one_attempt(&api, &video).await;
    let [whole, rest] = &of_sources(&line)[..] else { panic!("not two downloads: {:?}", of_sources(&line)) };
    assert!(!whole.contains("range: bytes="));
    let from = rest.split_once("range: bytes=").expect("it goes on").1.split_once('-').unwrap().0;
    assert!((300_000..=500_000).contains(&from.parse::<usize>().unwrap()), "from {from}");
    program.kill().await;
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_on_a_shared_disk_is_read_there() {
    let api = Api::start().await;
    let (line, member) = (Line::to(&api).await, Member::register(&api, "beside the farm").await);
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 12).await).await;
    let media = api.app.settings.data_dir.join("media");
    let program =
        member.start(&line.url, &["--x264-preset", "ultrafast", "--storage", media.to_str().unwrap()]);
    done_by_one_attempt(&api, &video).await;
    assert_eq!(of_sources(&line), Vec::<String>::new());
    program.kill().await;
    api.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_in_an_object_store_comes_by_a_link_and_the_key_stays_with_the_farm() {
    let endpoint = std::env::var("AWS_ENDPOINT_URL").expect("run by scripts/with-services");
    let store = Line::towards(&endpoint.parse().unwrap()).await;
    let api = Api::on_s3(&store.url).await;
    let (farm, member) = (Line::to(&api).await, Member::register(&api, "far away").await);
    let video = api.upload(&encode::long_clip(api.scratch(), "640x360", 25, 12).await).await;
    let program = member.start(&farm.url, &["--x264-preset", "ultrafast"]);
    done_by_one_attempt(&api, &video).await;
    let asked = of_sources(&farm);
    assert!(asked.iter().all(|request| request.contains("link=true")), "{asked:?}");
    let fetched: Vec<String> =
        store.heard().into_iter().filter(|request| request.contains("X-Amz-Signature=")).collect();
    assert_eq!(fetched.len(), 1, "the worker went there itself");
    assert!(fetched[0].starts_with("GET ") && fetched[0].contains("/source?"), "{}", fetched[0]);
    assert!(store.heard().iter().all(|request| !request.contains(member.key())), "the key went to the store");
    assert!(farm.heard().iter().any(|request| request.contains(member.key())));
    let playlist = api.text(&format!("/videos/{}/g1/360p/playlist.m3u8", video.slug)).await;
    let segment = playlist.lines().find(|line| line.starts_with("seg_")).expect("a segment");
    assert!(!api.bytes(&format!("/videos/{}/g1/360p/{segment}", video.slug)).await.is_empty());
    program.kill().await;
    api.stop().await;
}
