//! The real API in this process, reached by TCP.

use std::path::Path;

use framefarm_api::app::App;
use framefarm_api::auth::{Scope, token};
use framefarm_api::config::Settings;
use framefarm_api::storage::{self, Variables};
use framefarm_api::testing::{self, TestDatabase};
use framefarm_api::{server, services};
use framefarm_shared::clock::Clock;
use framefarm_shared::id::{JobId, VideoId};
use reqwest::multipart::{Form, Part};
use reqwest::{Response, Url};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinHandle;

pub(crate) const ADMIN_SECRET: &str = "only for tests";

pub(crate) struct Api {
    pub(crate) url: Url,
    pub(crate) app: App,
    token: String,
    scratch: TempDir,
    _database: TestDatabase,
    serving: JoinHandle<()>,
}

pub(crate) struct Uploaded {
    pub(crate) id: VideoId,
    pub(crate) slug: String,
    pub(crate) job_id: JobId,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Self::on(TestDatabase::sqlite(), |_| {}).await
    }

    /// On PostgreSQL and the tests' object store, reached through `endpoint`.
    pub(crate) async fn on_s3(endpoint: &Url) -> Self {
        let mut variables = storage::process_variables();
        variables.retain(|(name, _)| name != "AWS_ENDPOINT_URL");
        variables.push(("AWS_ENDPOINT_URL".to_owned(), endpoint.as_str().trim_end_matches('/').to_owned()));
        let change = |settings: &mut Settings| settings.storage_url = testing::s3_url();
        Self::with(TestDatabase::postgres().await, change, &variables).await
    }

    pub(crate) async fn on(database: TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        Self::with(database, change, &storage::process_variables()).await
    }

    async fn with(database: TestDatabase, change: impl FnOnce(&mut Settings), variables: &Variables) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let mut settings = testing::settings(&database);
        ADMIN_SECRET.clone_into(&mut settings.admin_secret);
        settings.worker_heartbeat_interval = 1;
        change(&mut settings);
        let app = App::start_with(settings, Clock::system(), variables).await.unwrap();
        services::start(&app).detach_all();
        let (_, token) = token::create(&app, "test", Scope::Admin, "admin").await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let serving = tokio::spawn(server::serve(app.clone(), listener));
        Self { url, app, token, scratch, _database: database, serving }
    }

    pub(crate) async fn stop(self) {
        self.app.shutdown.cancel();
        self.serving.await.unwrap();
    }

    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    pub(crate) async fn upload(&self, clip: &Path) -> Uploaded {
        let name = clip.file_name().unwrap().to_str().unwrap().to_owned();
        let file = Part::bytes(std::fs::read(clip).unwrap()).file_name(name);
        let request = self.http().post(self.at("/api/videos")).multipart(Form::new().part("file", file));
        let reply = Self::good(request.bearer_auth(&self.token).send().await.unwrap()).await;
        Uploaded {
            id: reply["video_id"].as_str().unwrap().parse().unwrap(),
            slug: reply["slug"].as_str().unwrap().to_owned(),
            job_id: reply["job_id"].as_str().unwrap().parse().unwrap(),
        }
    }

    pub(crate) async fn video(&self, id: VideoId) -> Value {
        let request = self.http().get(self.at(&format!("/api/videos/{id}"))).bearer_auth(&self.token);
        Self::good(request.send().await.unwrap()).await["video"].take()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        let request = self.http().post(self.at(path)).json(&body).bearer_auth(&self.token);
        Self::good(request.send().await.unwrap()).await
    }

    /// What a player gets, who has no token.
    pub(crate) async fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path).await).unwrap()
    }

    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self.http().get(self.at(path)).send().await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response.bytes().await.unwrap().to_vec()
    }

    pub(crate) fn at(&self, path: &str) -> Url {
        self.url.join(path).unwrap()
    }

    #[expect(clippy::unused_self, reason = "reads like what it is: a client of this farm")]
    fn http(&self) -> reqwest::Client {
        reqwest::Client::new()
    }

    async fn good(response: Response) -> Value {
        let (status, body) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{status}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}
