//! Every route against everybody who may call: the routes come from the router, and each needs a rule here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use chrono::Duration;
use framefarm_api::auth::token::{self, NewToken};
use framefarm_api::auth::{Right, Scope};
use framefarm_api::db::credentials;
use framefarm_api::http::router::document;
use framefarm_api::lifecycle::workers::{self, hash_secret, random_secret};
use framefarm_api::testing::a_plan;
use framefarm_shared::id::BootId;
use framefarm_shared::wire::worker_api::RegisterRequest;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::Site;
use crate::conformance;
use crate::docs::assert_current;
use crate::served::repr_digest;

#[derive(Clone, Copy, Debug)]
enum Rule {
    Anyone,
    /// Whoever has a login or a token, whatever it may do.
    Known,
    Needs(Right),
    /// A registered, enabled worker; which job it may touch is for the fences.
    Worker,
    /// An invitation or the admin secret; nobody here has one.
    Registrar,
}

const RULES: &[(Rule, &[&str])] = &[
    (
        Rule::Anyone,
        &[
            "POST /api/login",
            "POST /api/logout",
            "OPTIONS /api/uploads",
            "OPTIONS /api/uploads/{id}",
            "GET /api/health",
            "GET /health",
            "GET /healthz",
            "GET /readyz",
            "GET /version",
            "GET /videos/{slug}/master.m3u8",
            "GET /videos/{slug}/{generation}/{quality}/{name}",
        ],
    ),
    (Rule::Known, &["GET /api/me"]),
    (Rule::Registrar, &["POST /api/worker/register"]),
    (
        Rule::Needs(Right::Read),
        &[
            // Without a token only from `metrics_networks`.
            "GET /metrics",
            "GET /api/alerts",
            "GET /api/alerts/deliveries",
            "GET /api/alerts/deliveries/{id}",
            "GET /api/alerts/endpoints",
            "GET /api/alerts/endpoints/{id}",
            "GET /api/collections",
            "GET /api/collections/{name}",
            "GET /api/events",
            "GET /api/intake",
            "GET /api/intake/{id}",
            "GET /api/overview",
            "GET /api/queue",
            "GET /api/queue/counts",
            "GET /api/queue/depth",
            "GET /api/queue/jobs",
            "GET /api/queue/jobs/{id}",
            "GET /api/queue/jobs/{id}/log",
            "GET /api/queue/next",
            "GET /api/queue/stuck",
            "GET /api/throughput",
            "GET /api/videos",
            "GET /api/videos/{id}",
            "GET /api/videos/{id}/source",
            "GET /api/workers",
            "GET /api/workers/{id}",
        ],
    ),
    (
        Rule::Needs(Right::Upload),
        &[
            "POST /api/uploads",
            "HEAD /api/uploads/{id}",
            "PATCH /api/uploads/{id}",
            "DELETE /api/uploads/{id}",
            "POST /api/videos",
        ],
    ),
    (Rule::Needs(Right::Fetch), &["POST /api/videos/batch"]),
    (
        Rule::Needs(Right::Manage),
        &[
            "POST /api/collections",
            "DELETE /api/collections/{name}",
            "PATCH /api/collections/{name}",
            "DELETE /api/intake/{id}",
            "POST /api/intake/{id}/retry",
            "POST /api/queue/clear-completed",
            "POST /api/queue/clear-errors",
            "POST /api/queue/jobs/{id}/cancel",
            "POST /api/queue/jobs/{id}/priority",
            "POST /api/queue/jobs/{id}/requeue",
            "POST /api/queue/pause",
            "POST /api/queue/priority",
            "POST /api/queue/requeue",
            "POST /api/queue/resume",
            "POST /api/queue/retry-errors",
            "PATCH /api/queue/{queue_type}",
            "DELETE /api/videos/{id}",
            "PATCH /api/videos/{id}",
            "POST /api/videos/{id}/cancel",
            "POST /api/videos/{id}/restore",
            "POST /api/videos/{id}/retranscode",
            "POST /api/videos/{id}/retry",
        ],
    ),
    (
        Rule::Needs(Right::Admin),
        &[
            "POST /api/alerts/deliveries/{id}/replay",
            "POST /api/alerts/endpoints",
            "DELETE /api/alerts/endpoints/{id}",
            "PATCH /api/alerts/endpoints/{id}",
            "POST /api/alerts/endpoints/{id}/rotate-secret",
            "POST /api/alerts/endpoints/{id}/test",
            "GET /api/audit",
            "GET /api/audit/export",
            "POST /api/gc",
            "GET /api/queue/export",
            "POST /api/queue/import",
            "GET /api/tokens",
            "POST /api/tokens",
            "GET /api/uploads",
            "DELETE /api/tokens/{id}",
            "POST /api/workers/invitations",
            "DELETE /api/workers/{id}",
            "POST /api/workers/{id}/disable",
            "POST /api/workers/{id}/drain",
            "POST /api/workers/{id}/enable",
            "POST /api/workers/{id}/revoke-key",
            "POST /api/workers/{id}/rotate-key",
        ],
    ),
    (
        Rule::Worker,
        &[
            "POST /api/worker/claim",
            "POST /api/worker/complete",
            "POST /api/worker/fail",
            "POST /api/worker/heartbeat",
            "PUT /api/worker/jobs/{id}/images/{name}",
            "POST /api/worker/jobs/{id}/plan",
            "PUT /api/worker/jobs/{id}/qualities/{quality}/parts/{first_segment}",
            "GET /api/worker/jobs/{id}/source",
            "PUT /api/worker/jobs/{id}/subtitles/{track}",
            "POST /api/worker/progress",
            "POST /api/worker/release",
        ],
    ),
];

/// Every operation of the router, as `GET /api/videos/{id}`.
fn routes() -> BTreeSet<String> {
    let document = serde_json::to_value(document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys().filter(|key| *key != "parameters");
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}

#[test]
fn every_route_has_one_rule() {
    let ruled: Vec<String> =
        RULES.iter().flat_map(|(_, calls)| calls.iter()).map(|call| (*call).to_owned()).collect();
    let unique: BTreeSet<String> = ruled.iter().cloned().collect();
    assert_eq!(unique.len(), ruled.len(), "a route has two rules");
    assert_eq!(unique, routes());
}

/// Which function answers, as `uploads/form.rs: upload_form`, read from the sources.
fn handlers() -> BTreeMap<String, String> {
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { sources(&path, found) } else { found.push(path) }
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let mut files = Vec::new();
    sources(&folder, &mut files);
    let mut handlers = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for annotated in text.split("#[utoipa::path(").skip(1) {
            let method = annotated.split(',').next().unwrap().trim().to_uppercase();
            let path = annotated.split("path = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            let function =
                annotated.split("fn ").nth(1).and_then(|rest| rest.split(['(', '<']).next()).unwrap();
            let place = file.strip_prefix(&folder).unwrap().display();
            handlers.insert(format!("{method} {path}"), format!("`{place}`: `{function}`"));
        }
    }
    handlers
}

fn page() -> String {
    let mut page = String::from(
        "# Routes\n\n<!-- Generated by `make docs` from the router, the handlers and the rules of access; do not edit. -->\n\n\
         For developers, and for everyone who writes a client: every route, who may call it, and the function in `api/src/http` that answers. `api/tests/it/http/matrix.rs` calls each \
         as every kind of caller; [the OpenAPI document](openapi.json) has parameters, bodies and errors. The page and its \
         documents (`/`, `/api/docs`, `/api/openapi.json`) are open to anyone.\n",
    );
    let handlers = handlers();
    for (rule, calls) in RULES {
        let who = match rule {
            Rule::Anyone => "Anyone".to_owned(),
            Rule::Known => "Anyone with a login or a token".to_owned(),
            Rule::Needs(right) => {
                format!("Logins, and tokens whose scope includes the permission `{right:?}`")
                    .replace("Right::", "")
            }
            Rule::Worker => "Registered workers, each for the jobs it holds".to_owned(),
            Rule::Registrar => "Holders of an invitation or the admin secret".to_owned(),
        };
        let _ = write!(page, "\n## {who}\n\n| Route | Handler |\n|---|---|\n");
        for call in *calls {
            let handler = handlers.get(*call).unwrap_or_else(|| panic!("no handler says {call}"));
            let _ = writeln!(page, "| `{call}` | {handler} |");
        }
    }
    page
}

#[test]
fn the_page_of_routes_is_up_to_date() {
    assert_current("routes.md", &page());
}

/// Who calls.
#[derive(Clone, Copy, Debug)]
enum Identity {
    Nobody,
    Session,
    ExpiredSession,
    Token(Scope),
    BoundToken,
    ExpiredToken,
    RevokedToken,
    Worker,
    DisabledWorker,
    WorkerWithoutKey,
}

impl Identity {
    fn all() -> Vec<Self> {
        let others = [
            Self::Nobody,
            Self::Session,
            Self::ExpiredSession,
            Self::BoundToken,
            Self::ExpiredToken,
            Self::RevokedToken,
            Self::Worker,
            Self::DisabledWorker,
            Self::WorkerWithoutKey,
        ];
        others.into_iter().chain(Scope::ALL.map(Self::Token)).collect()
    }

    fn may(self, rule: Rule) -> bool {
        let scope = match self {
            Self::Session => Some(Scope::Admin),
            Self::Token(scope) => Some(scope),
            Self::BoundToken => Some(Scope::UploadOnly),
            _ => None,
        };
        match rule {
            Rule::Anyone => true,
            Rule::Known => scope.is_some(),
            Rule::Needs(right) => scope.is_some_and(|scope| scope.has(right)),
            Rule::Worker => matches!(self, Self::Worker),
            Rule::Registrar => false,
        }
    }

    /// The header that it sends; a new one each time, since some calls end it.
    async fn header(self, site: &Site) -> Option<(&'static str, String)> {
        let app = &site.farm.app;
        let now = app.clock.now();
        let bearer = |secret: String| Some(("authorization", format!("Bearer {secret}")));
        let made = async |scope, collection: Option<&str>, expires_at| {
            let (name, collection) = ("matrix".to_owned(), collection.map(str::to_owned));
            token::create_with(app, NewToken { name, scope, expires_at, collection }, "admin").await.unwrap()
        };
        let session = async |ends| {
            let secret = random_secret();
            let mut tx = app.db.begin().await.unwrap();
            credentials::insert_session(&mut tx, &hash_secret(&secret), now, ends).await.unwrap();
            tx.commit().await.unwrap();
            Some(("cookie", format!("framefarm_session={secret}")))
        };
        let registered = async || {
            let request =
                RegisterRequest { name: None, worker_type: None, capabilities: None, metadata: None };
            workers::register(app, request).await.unwrap()
        };
        match self {
            Self::Nobody => None,
            Self::Session => session(now + Duration::hours(1)).await,
            Self::ExpiredSession => session(now).await,
            Self::Token(scope) => bearer(made(scope, None, Some(now + Duration::hours(1))).await.1),
            Self::BoundToken => bearer(made(Scope::UploadOnly, Some("news"), None).await.1),
            Self::ExpiredToken => {
                let (_, secret) = made(Scope::Admin, None, Some(now + Duration::seconds(1))).await;
                site.farm.wait(Duration::seconds(1));
                bearer(secret)
            }
            Self::RevokedToken => {
                let (made, secret) = made(Scope::Admin, None, None).await;
                token::revoke(app, made.id, "admin").await.unwrap();
                bearer(secret)
            }
            Self::Worker => bearer(registered().await.api_key),
            Self::DisabledWorker => {
                let worker = registered().await;
                workers::disable(app, worker.worker_id, "admin").await.unwrap();
                bearer(worker.api_key)
            }
            Self::WorkerWithoutKey => {
                let worker = registered().await;
                workers::revoke_key(app, worker.worker_id, "admin").await.unwrap();
                bearer(worker.api_key)
            }
        }
    }
}

/// A path of the document with something in the place of each name.
fn filled(path: &str) -> String {
    let values = [
        ("{id}", "01990a2c-7b1e-7c3a-9f5e-3b0d5c1a2b3c"),
        ("{slug}", "x"),
        ("{generation}", "g1"),
        ("{quality}", "720p"),
        ("{first_segment}", "0"),
        ("{track}", "0"),
        ("{queue_type}", "transcode"),
        ("{name}", "poster.jpg"),
    ];
    values.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
}

/// Whether the call came past the guard; what becomes of it behind that does not matter here.
async fn passes(site: &Site, call: &str, identity: Identity) -> bool {
    let (method, path) = call.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(filled(path)).header("tus-resumable", "1.0.0");
    if let Some((name, value)) = identity.header(site).await {
        request = request.header(name, value);
    }
    let response = site.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    match response.status() {
        StatusCode::UNAUTHORIZED => false,
        // An answer to HEAD has no body.
        StatusCode::FORBIDDEN if method == "HEAD" => false,
        StatusCode::FORBIDDEN => {
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let problem: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(problem["code"], "scope", "{call}: {problem}");
            false
        }
        _ => true,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_may_do_what_the_rules_say_and_nothing_else() {
    let site = Site::open().await;
    tokio::spawn(framefarm_api::events::follow(site.farm.app.clone()));
    let mut wrong = Vec::new();
    for (rule, calls) in RULES {
        for call in *calls {
            for identity in Identity::all() {
                if passes(&site, call, identity).await != identity.may(*rule) {
                    wrong.push(format!("{identity:?}: {call} ({rule:?})"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is stored, but for who was here when.
async fn stored(site: &Site) -> Vec<String> {
    let rows = conformance::dump(&site.farm).await;
    rows.into_iter().filter(|row| !row.starts_with("worker")).collect()
}

#[tokio::test]
async fn no_worker_touches_the_job_of_another() {
    let site = Site::open().await;
    let [holder, other] = [site.worker_key("holder").await, site.worker_key("other").await];
    site.farm.upload("clip").await;
    let boot = BootId::new(&site.farm.clock);
    let claim = Some(json!({ "boot_id": boot }));
    let job = site.as_bearer(&holder, "POST /api/worker/claim", claim).await.ok()["job"].clone();
    let before = stored(&site).await;
    let calls = RULES.iter().filter(|(rule, _)| matches!(rule, Rule::Worker)).flat_map(|(_, calls)| *calls);
    let mut tried = 0;
    for call in calls.filter(|call| !call.ends_with("/claim") && !call.ends_with("/heartbeat")) {
        let (method, path) = call.split_once(' ').unwrap();
        let path = filled(&path.replace("{id}", job["job_id"].as_str().unwrap()));
        let body = json!({
            "job_id": job["job_id"], "fence": job["fence"], "plan": a_plan(), "step": "probe", "percent": 5,
            "class": "internal", "message": "not mine",
        });
        // Calls take only the fields that are theirs.
        let fields: &[&str] = match path.rsplit('/').next().unwrap() {
            "plan" => &["fence", "plan"],
            "progress" => &["job_id", "fence", "step", "percent"],
            "fail" => &["job_id", "fence", "class", "message"],
            _ => &["job_id", "fence"],
        };
        let body: serde_json::Map<_, _> =
            fields.iter().map(|field| ((*field).to_owned(), body[field].clone())).collect();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{path}?fence={}", job["fence"]))
            .header("authorization", format!("Bearer {other}"));
        let content = match method {
            "POST" => Body::from(serde_json::to_vec(&body).unwrap()),
            "PUT" => Body::from("bytes"),
            _ => Body::empty(),
        };
        request = match method {
            "POST" => request.header("content-type", "application/json"),
            _ => request.header("repr-digest", repr_digest(b"bytes")),
        };
        let answer = site.send(request.body(content).unwrap()).await;
        assert_eq!(answer.problem(), (403, "not_yours"), "{call}");
        tried += 1;
    }
    assert_eq!(tried, 9);
    assert_eq!(stored(&site).await, before);
}
