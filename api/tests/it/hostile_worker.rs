//! A worker with a valid key that does all it can to harm, over real connections, beside one that works.
//!
//! `FRAMEFARM_HOSTILE=5000 … -E 'test(hostile_worker)' --no-capture` sends so many parts that are refused and twice as many
//! claims, and tells how long others waited without it and beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use framefarm_api::server;
use framefarm_api::testing::media;
use framefarm_api::testing::media::video_segment;
use framefarm_shared::wire::worker_api::ClaimedJob;
use futures::{StreamExt as _, stream};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use crate::served::{Actor, BOUNDARIES, Served, repr_digest};

const SLOW_BODIES: usize = 20;
/// Calls of the attacker that wait for their answers, of each kind.
const AT_ONCE: usize = 32;

struct Site {
    farm: Served,
    url: String,
}

impl Site {
    async fn open() -> Self {
        let farm = Served::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(server::serve(farm.app.clone(), listener));
        Self { farm, url }
    }

    fn part(&self, client: &Client, worker: &Actor, job: &ClaimedJob, bytes: Vec<u8>) -> RequestBuilder {
        let path = format!("qualities/720p/parts/0?fence={}", job.fence);
        let request = client.put(format!("{}/api/worker/jobs/{}/{path}", self.url, job.job_id));
        request.bearer_auth(&worker.key).header("Repr-Digest", repr_digest(&bytes)).body(bytes)
    }

    /// What a page and an honest worker ask as long as `goes_on`, and how long the slowest of a hundred took.
    async fn p99(
        &self,
        client: &Client,
        honest: &Actor,
        job: &ClaimedJob,
        goes_on: impl Fn(usize) -> bool,
    ) -> Duration {
        let mut took = Vec::new();
        while goes_on(took.len()) {
            let progress =
                client.post(format!("{}/api/worker/progress", self.url)).bearer_auth(&honest.key).json(
                    &json!({ "job_id": job.job_id, "fence": job.fence, "step": "transcode", "percent": 10 }),
                );
            let videos = client.get(format!("{}/api/videos", self.url)).bearer_auth(&self.farm.token);
            for request in [progress, videos] {
                let began = Instant::now();
                assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
                took.push(began.elapsed());
            }
        }
        took.sort();
        took[took.len() * 99 / 100]
    }
}

/// All that a worker with a valid key can send, as fast as it can, from threads of its own: what it costs the attacker to
/// make is not what others wait for.
struct Attack {
    site: Arc<Site>,
    hostile: Actor,
    own: ClaimedJob,
    theirs: ClaimedJob,
    refused: u32,
}

impl Attack {
    fn run(self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = Client::new();
        runtime.block_on(async { tokio::join!(self.parts(&client), self.claims(&client)) });
    }

    async fn parts(&self, client: &Client) {
        let huge = huge_manifest();
        let part = |payload: u32| {
            // Another content of what is there, bytes that are not what the digest says, no archive at all, a huge manifest.
            let (bytes, other) = match payload % 4 {
                0 => (part_with(payload), None),
                1 => (part_with(payload), Some(repr_digest(b"other"))),
                2 => (vec![0xff; 20_000], None),
                _ => (huge.clone(), None),
            };
            let mut request = self.site.part(client, &self.hostile, &self.own, bytes);
            if let Some(other) = other {
                request = request.header("Repr-Digest", other);
            }
            async move {
                let status = answer(request).await;
                assert!(status.is_none_or(|status| status.is_client_error()), "{payload}: {status:?}");
                u32::from(status == Some(StatusCode::TOO_MANY_REQUESTS))
            }
        };
        let parts = stream::iter(1..=self.refused).map(part).buffer_unordered(AT_ONCE);
        let slowed = parts.fold(0, async |sum, slowed| sum + slowed).await;
        assert!(slowed > 0, "nobody looks at everything it sends");
    }

    async fn claims(&self, client: &Client) {
        let claim = |number: u32| async move {
            let claim =
                client.post(format!("{}/api/worker/claim", self.site.url)).bearer_auth(&self.hostile.key);
            let status = answer(claim.json(&json!({ "boot_id": self.hostile.boot }))).await;
            assert!(status.is_none_or(|status| [200, 429].contains(&status.as_u16())), "{status:?}");
            if number.is_multiple_of(8) {
                let status = answer(self.site.part(client, &self.hostile, &self.theirs, part_with(7))).await;
                let is_refused = status.is_none_or(|status| [403, 429].contains(&status.as_u16()));
                assert!(is_refused, "the job of another: {status:?}");
            }
        };
        stream::iter(0..self.refused * 2).map(claim).buffer_unordered(AT_ONCE).for_each(async |()| ()).await;
    }
}

/// `None` where the server closed the connection: it does not read the body of a part that it refuses.
async fn answer(request: RequestBuilder) -> Option<StatusCode> {
    match request.send().await {
        Ok(answer) => Some(answer.status()),
        Err(error) if error.is_request() => None,
        Err(error) => panic!("{error:?}"),
    }
}

/// The first segment with a payload of its own.
fn part_with(payload: u32) -> Vec<u8> {
    let mut first = video_segment(BOUNDARIES[0], BOUNDARIES[1]);
    let end = first.len() - 4;
    first[end..].copy_from_slice(&payload.to_be_bytes());
    media::part("720p", 0, &BOUNDARIES).segment(0, first).build()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_worker_stores_nothing_and_costs_others_nothing() {
    let refused: u32 = std::env::var("FRAMEFARM_HOSTILE").map_or(60, |text| text.parse().unwrap());
    let site = Arc::new(Site::open().await);
    let client = Client::new();
    let (honest, hostile) = (site.farm.register("honest").await, site.farm.register("hostile").await);
    site.farm.upload(b"one").await;
    let theirs = site.farm.claim_and_plan(&honest).await;
    site.farm.upload(b"two").await;
    let own = site.farm.claim_and_plan(&hostile).await;
    // A second key, since it takes all the room that one key gets.
    let slow_one = site.farm.register("slow").await;
    site.farm.upload(b"three").await;
    let slow_job = site.farm.claim_and_plan(&slow_one).await;
    let answer = site.part(&client, &hostile, &own, part_with(0)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    let alone = site.p99(&client, &honest, &theirs, |asked| asked < 2_000).await;
    let before = [site.farm.files("media"), site.farm.files("tmp")];

    let mut slow = Vec::new();
    for _ in 0..SLOW_BODIES {
        let mut stream = TcpStream::connect(site.url.trim_start_matches("http://")).await.unwrap();
        let path =
            format!("/api/worker/jobs/{}/qualities/720p/parts/0?fence={}", slow_job.job_id, slow_job.fence);
        let head = format!(
            "PUT {path} HTTP/1.1\r\nhost: farm\r\nauthorization: {}\r\nrepr-digest: {}\r\ncontent-length: {}\r\n\r\nP",
            slow_one.bearer(),
            repr_digest(b"never"),
            site.farm.app.settings.max_part_bytes,
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let over = Arc::new(AtomicBool::new(false));
    let beside = {
        let (site, client, over) = (site.clone(), client.clone(), over.clone());
        let (honest, theirs) = (honest.clone(), theirs.clone());
        tokio::spawn(async move {
            let goes_on = |asked| asked == 0 || !over.load(Ordering::Relaxed);
            site.p99(&client, &honest, &theirs, goes_on).await
        })
    };
    let attack = Attack { site: site.clone(), hostile, own, theirs: theirs.clone(), refused };
    tokio::task::spawn_blocking(|| attack.run()).await.unwrap();
    over.store(true, Ordering::Relaxed);
    let beside = beside.await.unwrap();
    println!(
        "p99 of others: {alone:?} alone, {beside:?} beside {refused} refused parts and {} claims",
        refused * 2
    );

    assert_eq!(site.farm.files("media"), before[0]);
    let answer = site.part(&client, &honest, &theirs, part_with(0)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    drop(slow);
    let done = client.post(format!("{}/api/worker/complete", site.url)).bearer_auth(&honest.key);
    let done = done.json(&json!({ "job_id": theirs.job_id, "fence": theirs.fence })).send().await.unwrap();
    assert_eq!(done.status(), 200, "{}", done.text().await.unwrap());
    let row = site.farm.job(theirs.job_id).await;
    assert_eq!((row.attempt_number, row.failure_count, row.lost_count), (1, 0, 0));
    // Unfinished files go with the connections that brought them.
    let began = Instant::now();
    while site.farm.files("tmp") != before[1] {
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", site.farm.files("tmp"));
        tokio::task::yield_now().await;
    }
}

/// An archive whose list of segments alone is larger than any honest part.
fn huge_manifest() -> Vec<u8> {
    let boundaries: Vec<u64> = (0..20_000).map(|segment| segment * 6_000_000).collect();
    let manifest = format!("{boundaries:?}").repeat(4);
    let mut head = tar_head("manifest.json", manifest.len());
    head.extend(manifest.as_bytes());
    head.resize(head.len().next_multiple_of(512) + 1024, 0);
    head
}

fn tar_head(name: &str, size: usize) -> Vec<u8> {
    let mut head = vec![0; 512];
    head[..name.len()].copy_from_slice(name.as_bytes());
    head[100..107].copy_from_slice(b"0000644");
    head[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    head[156] = b'0';
    head[257..263].copy_from_slice(b"ustar\0");
    head[263..265].copy_from_slice(b"00");
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}
