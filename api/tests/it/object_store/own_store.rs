//! Another program that speaks S3, in this process: it checks every signature, and a test can end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use framefarm_api::storage::Variables;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder as ConnBuilder;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

/// Gone when it is dropped, with every connection to it.
pub(super) struct OwnStore {
    endpoint: String,
    requests: Arc<AtomicUsize>,
    _dir: TempDir,
    _serving: AbortOnDropHandle<()>,
}

impl OwnStore {
    // Short: this store keeps the whole name of an object, and more, in the name of one file.
    pub(super) const URL: &str = "s3://bkt/a";

    pub(super) async fn start() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(dir.path().join("bkt")).expect("a bucket");
        let files = s3s_fs::FileSystem::new(dir.path()).expect("a store");
        let mut service = s3s::service::S3ServiceBuilder::new(files);
        service.set_auth(s3s::auth::SimpleAuth::from_single("somebody", "a secret"));
        let service = service.build();
        let requests = Arc::<AtomicUsize>::default();
        let counted = requests.clone();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                let (service, counted) = (service.clone(), counted.clone());
                connections.spawn(async move {
                    let counting = service_fn(move |request: Request<Incoming>| {
                        counted.fetch_add(1, Ordering::SeqCst);
                        Service::call(&service, request)
                    });
                    let server = ConnBuilder::new(TokioExecutor::new());
                    let _ = server.serve_connection(TokioIo::new(socket), counting).await;
                });
            }
        });
        Self { endpoint, requests, _dir: dir, _serving: AbortOnDropHandle::new(serving) }
    }

    /// So many were asked until now.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    pub(super) fn variables(&self) -> Variables {
        let variables = [
            ("AWS_ENDPOINT_URL", self.endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_ACCESS_KEY_ID", "somebody"),
            ("AWS_SECRET_ACCESS_KEY", "a secret"),
        ];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }
}
