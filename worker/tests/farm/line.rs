//! The line between a worker and the farm: it remembers what was asked, and can be cut.

use std::sync::{Arc, Mutex};

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use crate::api::Api;

pub(crate) struct Line {
    pub(crate) url: Url,
    shared: Arc<Shared>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Shared {
    /// The heads of requests, with as much of a small body as came along.
    heard: Mutex<Vec<String>>,
    /// After so many bytes the next reply with a source is cut.
    cut: Mutex<Option<usize>>,
}

impl Line {
    pub(crate) async fn to(api: &Api) -> Self {
        Self::towards(&api.url).await
    }

    pub(crate) async fn towards(url: &Url) -> Self {
        let there = url.socket_addrs(|| None).unwrap()[0];
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let shared = Arc::<Shared>::default();
        let known = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(there).await.unwrap();
                tokio::spawn(carry(near, far, Arc::clone(&known)));
            }
        });
        Self { url, shared, _task: AbortOnDropHandle::new(task) }
    }

    pub(crate) fn cut_the_source_after(&self, bytes: usize) {
        *self.shared.cut.lock().unwrap() = Some(bytes);
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.shared.heard.lock().unwrap().clone()
    }
}

/// Until one side ends, or the line is cut; then both are closed.
async fn carry(near: TcpStream, far: TcpStream, shared: Arc<Shared>) {
    let ((mut from_near, mut to_near), (mut from_far, mut to_far)) = (near.into_split(), far.into_split());
    let left = Mutex::new(None::<usize>);
    let asking = async {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from_near.read(&mut buffer).await {
            let text = String::from_utf8_lossy(&buffer[..count]);
            if text.contains(" HTTP/1.1\r\n") {
                if text.contains("/source?") {
                    *left.lock().unwrap() = shared.cut.lock().unwrap().take();
                }
                shared.heard.lock().unwrap().push(text.into_owned());
            }
            if to_far.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    };
    let answering = async {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(mut count @ 1..) = from_far.read(&mut buffer).await {
            let mut is_cut = false;
            if let Some(left) = left.lock().unwrap().as_mut() {
                is_cut = count >= *left;
                count = count.min(*left);
                *left -= count;
            }
            if to_near.write_all(&buffer[..count]).await.is_err() || is_cut {
                return;
            }
        }
    };
    tokio::select! { () = asking => {}, () = answering => {} }
}
