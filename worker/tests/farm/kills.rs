//! Fifty kills in one video: what comes out is what an undisturbed run makes, and each kill costs little.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use framefarm_api::config::Settings;
use framefarm_api::testing::TestDatabase;
use framefarm_shared::state::JobStatus;
use framefarm_shared::wire::event::EventKind;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::api::{Api, Uploaded};
use crate::program::{Member, Program};
use crate::watch::until;
use crate::{compare, encode};

const KILLS: usize = 50;
const SEED: u64 = 7;
const SECONDS: u32 = 300;
const PICTURE: &str = "120p";
/// As many segments has a part at most.
const ONE_PART: usize = 16;
/// The longest that is waited inside of a segment, about as long as one takes.
const WITHIN: Duration = Duration::from_millis(60);

/// Fifty kills are no reason to give up, and a lost job is to be had at once.
fn patient(settings: &mut Settings) {
    settings.redelivery_delay = 0;
    settings.max_lost = 1000;
    settings.max_retry_attempts = 1000;
}

struct Kill {
    what: &'static str,
    percent: usize,
    /// Whole segments that were lost, of the quality that lost most.
    repeated: usize,
    until_it_goes_on: Duration,
}

mod heavy {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn fifty_kills_leave_no_trace_in_the_video_and_cost_at_most_a_part_each() {
        let directory = tempfile::tempdir().unwrap();
        let clip = encode::long_clip(directory.path(), "160x120", 10, SECONDS).await;
        let whole = Run::start(&clip).await;
        let program = whole.start_worker();
        whole.api.until_ready(&whole.video).await;
        program.kill().await;

        let killed = Run::start(&clip).await;
        let started = Instant::now();
        let kills = killed.through_kills().await;
        print(&kills, started.elapsed());
        let job = killed.api.job(&killed.video).await;
        assert_eq!(job.status, JobStatus::Completed);
        assert_eq!((job.failure_count + job.lost_count, kills.len()), (50, KILLS));
        assert!(kills.iter().all(|kill| kill.repeated <= ONE_PART));
        compare::same_video((&whole.api, &whole.video), (&killed.api, &killed.video)).await;
    }
}

struct Run {
    api: Api,
    member: Member,
    video: Uploaded,
}

impl Run {
    async fn start(clip: &Path) -> Self {
        let api = Api::on(TestDatabase::sqlite(), patient).await;
        let member = Member::register(&api, "often killed").await;
        let video = api.upload(clip).await;
        Self { api, member, video }
    }

    fn start_worker(&self) -> Program {
        let media = self.api.app.settings.data_dir.join("media");
        self.member.start(&self.api.url, &["--x264-preset", "veryfast", "--storage", media.to_str().unwrap()])
    }

    /// Kills encoder and worker in turn, at random moments of the video, and lets the last one finish.
    async fn through_kills(&self) -> Vec<Kill> {
        let mut random = StdRng::seed_from_u64(SEED);
        let total = usize::try_from(SECONDS / 6).unwrap();
        let mut moments: Vec<usize> = (0..KILLS).map(|_| random.random_range(0..total * 9 / 10)).collect();
        moments.sort_unstable();
        let mut program = self.start_worker();
        let mut encoder = program.encoder().await;
        let mut kills = Vec::new();
        for (number, moment) in moments.into_iter().enumerate() {
            let segments = self.api.until_delivered(&self.video, PICTURE, moment).await;
            tokio::time::sleep(WITHIN.mul_f64(random.random())).await;
            let percent = segments[PICTURE].len() * 100 / total;
            let mut on_disk = self.finished_on_disk();
            let killed_at = Instant::now();
            let what = if number % 2 == 0 { "encoder" } else { "worker" };
            if what == "encoder" {
                assert!(encoder.kill());
                self.pass_the_backoff(number / 2 + 1).await;
            } else {
                program.kill().await;
                assert!(
                    encoder.dies_within(Duration::from_secs(1)).await,
                    "the encoder outlives its supervisor"
                );
                on_disk.extend(self.finished_on_disk());
                program = self.start_worker();
            }
            let fence = i64::try_from(number).unwrap() + 2;
            until("it is claimed again", async || {
                (self.api.job(&self.video).await.fence == fence).then_some(())
            })
            .await;
            let repeated = self.lost_of(&on_disk).await;
            encoder = program.encoder().await;
            kills.push(Kill { what, percent, repeated, until_it_goes_on: killed_at.elapsed() });
        }
        self.api.until_ready(&self.video).await;
        program.kill().await;
        kills
    }

    /// A crash of the encoder is a failed attempt, and the next one waits: the farm's clock does so at once.
    async fn pass_the_backoff(&self, failures: usize) {
        until("the crash is reported", async || {
            (self.api.events(&self.video, EventKind::JobRetryScheduled).await.len() == failures).then_some(())
        })
        .await;
        if let Some(due) = self.api.job(&self.video).await.retry_after {
            let clock = &self.api.app.clock;
            clock.steer(due, due - clock.now());
        }
    }

    /// Whole segments in the worker's scratch: made, and perhaps not delivered.
    fn finished_on_disk(&self) -> BTreeSet<(String, i32)> {
        let mut found = BTreeSet::new();
        for room in entries(&self.member.scratch().join("jobs")) {
            for quality in entries(&room.join("output")) {
                let name = quality.file_name().unwrap().to_str().unwrap().to_owned();
                let segments = entries(&quality).into_iter().filter_map(|path| {
                    let name = path.file_name()?.to_str()?;
                    name.strip_prefix("seg_")?.strip_suffix(".m4s")?.parse().ok()
                });
                found.extend(segments.map(|index| (name.clone(), index)));
            }
        }
        found
    }

    /// How many of these the farm did not get, of the quality with the most.
    async fn lost_of(&self, on_disk: &BTreeSet<(String, i32)>) -> usize {
        let segments = self.api.segments(&self.video).await;
        let mut lost = BTreeMap::<&str, usize>::new();
        for (quality, index) in on_disk {
            let rows = segments.get(quality).map(Vec::as_slice).unwrap_or_default();
            if !rows.iter().any(|row| row.position == *index) {
                *lost.entry(quality).or_default() += 1;
            }
        }
        lost.into_values().max().unwrap_or(0)
    }
}

fn entries(directory: &Path) -> Vec<std::path::PathBuf> {
    let found = std::fs::read_dir(directory).into_iter().flatten();
    found.flatten().map(|entry| entry.path()).collect()
}

fn print(kills: &[Kill], took: Duration) {
    println!("| kill | what | at | whole segments repeated | s until it goes on |\n|---|---|---|---|---|");
    for (number, kill) in kills.iter().enumerate() {
        let Kill { what, percent, repeated, until_it_goes_on } = kill;
        let seconds = until_it_goes_on.as_secs_f64();
        println!("| {} | {what} | {percent} % | {repeated} | {seconds:.1} |", number + 1);
    }
    let repeated: usize = kills.iter().map(|kill| kill.repeated).sum();
    println!(
        "\n{} kills, {repeated} whole segments repeated, {:.0} s in all",
        kills.len(),
        took.as_secs_f64()
    );
}
