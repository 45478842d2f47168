//! Many connections, each reading the stream of one video.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::drive::Job;

const LONGEST_MILLIS: usize = 60_000;
/// Fewer than the backlog of a listener; the reconnect knows no such courtesy.
const CONNECTING_AT_ONCE: usize = 500;

/// When each call was answered, and how late its messages arrived.
pub(crate) struct Told {
    began: Instant,
    /// Nanoseconds since `began`, by video and number of the call; 0 before the answer.
    answers: Vec<Vec<AtomicU64>>,
    delays: Vec<AtomicU64>,
}

pub(crate) struct Delays {
    pub(crate) arrived: u64,
    by_millis: Vec<u64>,
}

impl Told {
    pub(crate) fn new(videos: usize, calls: usize) -> Self {
        let answers = (0..videos).map(|_| (0..calls).map(|_| AtomicU64::new(0)).collect()).collect();
        let delays = (0..=LONGEST_MILLIS).map(|_| AtomicU64::new(0)).collect();
        Self { began: Instant::now(), answers, delays }
    }

    pub(crate) fn most(&self) -> usize {
        self.answers.first().map_or(0, Vec::len)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn answered(&self, video: usize, call: usize) {
        self.answers[video][call].store(self.now(), Ordering::Release);
    }

    /// Before the answer reached its worker is not late at all.
    fn arrived(&self, video: usize, call: usize) {
        let answered = match self.answers[video][call].load(Ordering::Acquire) {
            0 => u64::MAX,
            at => at,
        };
        let millis =
            usize::try_from(self.now().saturating_sub(answered).div_ceil(1_000_000)).unwrap_or(usize::MAX);
        self.delays[millis.min(LONGEST_MILLIS)].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn delays(&self) -> Delays {
        let by_millis: Vec<u64> = self.delays.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        Delays { arrived: by_millis.iter().sum(), by_millis }
    }
}

impl Delays {
    /// Milliseconds within which this share arrived.
    pub(crate) fn at(&self, share: f64) -> usize {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank"
        )]
        let rank = (self.arrived as f64 * share).ceil() as u64;
        let mut sum = 0;
        let found = self.by_millis.iter().position(|count| {
            sum += count;
            sum >= rank
        });
        found.unwrap_or(LONGEST_MILLIS)
    }
}

pub(crate) struct Crowd {
    address: SocketAddr,
    token: String,
    jobs: Arc<Vec<Job>>,
    each: usize,
    told: Arc<Told>,
    reading: JoinSet<()>,
}

pub(crate) struct Back {
    pub(crate) took: Duration,
    pub(crate) refused: usize,
}

impl Crowd {
    pub(crate) async fn gather(
        url: &str,
        token: &str,
        jobs: &Arc<Vec<Job>>,
        each: usize,
        told: &Arc<Told>,
    ) -> Self {
        let address = url.trim_start_matches("http://").parse().expect("an address");
        let (token, jobs, told, reading) = (token.to_owned(), jobs.clone(), told.clone(), JoinSet::new());
        let mut crowd = Self { address, token, jobs, each, told, reading };
        crowd.connect(CONNECTING_AT_ONCE).await;
        crowd
    }

    /// Every connection breaks at the same moment, and everybody comes back at once.
    pub(crate) async fn reconnect(&mut self) -> Back {
        self.reading.shutdown().await;
        let began = Instant::now();
        let refused = self.connect(Semaphore::MAX_PERMITS).await;
        Back { took: began.elapsed(), refused }
    }

    /// Returns when all were greeted; how many answers were no welcome.
    async fn connect(&mut self, at_once: usize) -> usize {
        let watchers = self.jobs.len() * self.each;
        let (permits, refused) = (Arc::new(Semaphore::new(at_once)), Arc::new(AtomicUsize::new(0)));
        let (greeted, mut greetings) = tokio::sync::mpsc::unbounded_channel();
        for watcher in 0..watchers {
            let video = watcher % self.jobs.len();
            let head = format!(
                "GET /api/events?topics=videos:{} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\r\n",
                self.jobs[video].video, self.token
            );
            let (address, told) = (self.address, self.told.clone());
            let (permits, refused, greeted) = (permits.clone(), refused.clone(), greeted.clone());
            self.reading.spawn(async move {
                let permit = permits.acquire().await;
                let mut stream = loop {
                    if let Ok(stream) = welcome(address, watcher, &head).await {
                        break stream;
                    }
                    refused.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(rand::random_range(100..300))).await;
                };
                drop(permit);
                let _ = greeted.send(());
                read(&mut stream, video, &told).await;
            });
        }
        for _ in 0..watchers {
            let greeting = tokio::time::timeout(Duration::from_mins(2), greetings.recv()).await;
            greeting.unwrap_or_else(|_| {
                panic!("not all were greeted; refused: {}", refused.load(Ordering::Relaxed))
            });
        }
        refused.load(Ordering::Relaxed)
    }
}

/// Connects and reads up to the first message.
async fn welcome(address: SocketAddr, watcher: usize, head: &str) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    // Several addresses of this machine: one has not ports enough for those that close as well.
    let own = Ipv4Addr::new(127, 0, 0, u8::try_from(2 + watcher % 8).unwrap_or(2));
    socket.bind(SocketAddr::from((own, 0)))?;
    let mut stream = socket.connect(address).await?;
    stream.write_all(head.as_bytes()).await?;
    let mut seen = Vec::with_capacity(1024);
    while !contains(&seen, b"event: hello") {
        let mut chunk = [0; 1024];
        let count = stream.read(&mut chunk).await?;
        seen.extend_from_slice(&chunk[..count]);
        if count == 0 || !seen.starts_with(&b"HTTP/1.1 200"[..seen.len().min(12)]) {
            return Err(std::io::Error::other("no welcome"));
        }
    }
    Ok(stream)
}

fn contains(text: &[u8], words: &[u8]) -> bool {
    text.windows(words.len()).any(|window| window == words)
}

/// Looks for the number of the call in what arrives, until the connection ends.
async fn read(stream: &mut TcpStream, video: usize, told: &Told) {
    const MARK: &[u8] = b"call=";
    let mut buffer = Vec::with_capacity(2048);
    loop {
        match stream.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let mut rest = 0;
        while let Some(at) = buffer[rest..].windows(MARK.len()).position(|window| window == MARK) {
            let number = &buffer[rest + at + MARK.len()..];
            let Some(end) = number.iter().position(|byte| *byte == b';') else { break };
            if let Some(call) = std::str::from_utf8(&number[..end]).ok().and_then(|text| text.parse().ok()) {
                told.arrived(video, call);
            }
            rest += at + MARK.len() + end;
        }
        // The end may be half of a mark or of a number.
        let keep = buffer.len().saturating_sub(32).max(rest);
        buffer.drain(..keep);
    }
}
