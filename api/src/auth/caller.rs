//! The people's side: a session cookie or an API token, and what it may do.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};

use super::scope::{Right, Scope};
use super::upload_rights::UploadRights;
use super::{session, token};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::lifecycle::upload::Owner;

/// May do everything. `.0` names the caller in the timeline.
pub struct Admin(pub String);
/// May change videos, jobs, queues and collections.
pub struct Manager(pub String);
/// May have the farm fetch files.
pub struct Fetcher(pub String);
/// May look.
pub struct Reader(pub String);
/// May send files, within limits.
pub struct Uploader {
    /// In the timeline.
    pub actor: String,
    pub owner: Owner,
    pub rights: UploadRights,
}

/// Somebody we know.
struct Caller {
    actor: String,
    /// Two tokens may have one name.
    id: String,
    scope: Scope,
    /// Of a token that is bound to one.
    collection: Option<String>,
}

async fn identify(app: &App, headers: &HeaderMap) -> Result<Caller> {
    if headers.contains_key(AUTHORIZATION) {
        let known = match bearer(headers) {
            Some(secret) => token::find(app, secret).await?,
            None => None,
        };
        return match known {
            Some(token) => Ok(Caller {
                actor: format!("token:{}", token.name),
                id: format!("token:{}", token.id),
                scope: token.scope,
                collection: token.collection,
            }),
            None => Err(ApiError::unauthorized("The token is invalid, expired or revoked.")),
        };
    }
    if session::is_live(app, headers).await? {
        return Ok(Caller {
            actor: session::ADMIN.to_owned(),
            id: "admin".to_owned(),
            scope: Scope::Admin,
            collection: None,
        });
    }
    Err(ApiError::unauthorized(
        "Log in with POST /api/login, or send an API token: `Authorization: Bearer fft_…`.",
    ))
}

/// The credentials of `Authorization: Bearer …`.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// How much of an event a subscriber sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// That it happened.
    Changes,
    /// Also who did it and why.
    Audit,
}

/// What whoever sent these headers may still see; `None` if nothing.
pub async fn sight(app: &App, headers: &HeaderMap) -> Result<Option<Sight>> {
    match identify(app, headers).await {
        Ok(caller) if caller.scope.has(Right::Admin) => Ok(Some(Sight::Audit)),
        Ok(caller) => Ok(caller.scope.has(Right::Read).then_some(Sight::Changes)),
        Err(error) if error.status == StatusCode::UNAUTHORIZED => Ok(None),
        Err(error) => Err(error),
    }
}

async fn require(app: &App, headers: &HeaderMap, needed: Right) -> Result<Caller> {
    let caller = identify(app, headers).await?;
    if caller.scope.has(needed) {
        return Ok(caller);
    }
    let detail =
        format!("This token has the scope `{}`; this request needs {}.", caller.scope, needed.scopes());
    Err(ApiError::forbidden("scope", detail))
}

macro_rules! callers {
    ($($name:ident needs $right:ident),+ $(,)?) => {$(
        impl FromRequestParts<App> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
                require(app, &parts.headers, Right::$right).await.map(|caller| Self(caller.actor))
            }
        }
    )+};
}
callers!(Admin needs Admin, Manager needs Manage, Fetcher needs Fetch, Reader needs Read);

impl FromRequestParts<App> for Uploader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Caller { actor, id, scope, collection } = require(app, &parts.headers, Right::Upload).await?;
        let owner = Owner { id, is_admin: scope.has(Right::Admin) };
        Ok(Self { actor, owner, rights: UploadRights::new(scope, collection) })
    }
}

/// Scope and name of whoever calls, for `GET /api/me`.
pub struct Me {
    pub actor: String,
    pub scope: Scope,
}

impl FromRequestParts<App> for Me {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Caller { actor, scope, .. } = identify(app, &parts.headers).await?;
        Ok(Self { actor, scope })
    }
}
