//! Logins and tokens.

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use chrono::{DateTime, Utc};
use framefarm_shared::id::TokenId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path};
use super::openapi::TooMany;
use crate::app::App;
use crate::auth::token::{self, Token};
use crate::auth::{Admin, Me, Scope, session};
use crate::error::Result;
use crate::proxy::Visit;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(log_in))
        .routes(routes!(log_out))
        .routes(routes!(who_am_i))
        .routes(routes!(list_tokens, create_token))
        .routes(routes!(revoke_token))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    password: String,
}

/// The authenticated caller.
#[derive(Serialize, ToSchema)]
struct Identity {
    /// Name shown in timelines and the audit log.
    actor: String,
    scope: Scope,
}

/// Log in and get a session cookie
#[utoipa::path(post, path = "/api/login", tag = "auth", security(()), request_body = Login, responses(
    (status = 200, body = Identity, headers(("Set-Cookie" = String))), TooMany,
    (status = 401, body = crate::error::Problem, content_type = "application/problem+json", description = "Incorrect password"),
))]
async fn log_in(State(app): State<App>, visit: Visit, Json(login): Json<Login>) -> Result<impl IntoResponse> {
    let cookie = session::log_in(&app, login.password, &visit).await?;
    let body = Identity { actor: "admin".to_owned(), scope: Scope::Admin };
    Ok(([(SET_COOKIE, cookie)], Json(body)))
}

/// Log out
#[utoipa::path(post, path = "/api/logout", tag = "auth", security(()), responses((status = 204)))]
async fn log_out(State(app): State<App>, visit: Visit, headers: HeaderMap) -> Result<impl IntoResponse> {
    let cookie = session::log_out(&app, &headers, &visit).await?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]))
}

/// Get the authenticated caller
#[utoipa::path(get, path = "/api/me", tag = "auth", responses((status = 200, body = Identity)))]
async fn who_am_i(Me { actor, scope }: Me) -> Json<Identity> {
    Json(Identity { actor, scope })
}

#[derive(Serialize, ToSchema)]
struct Tokens {
    items: Vec<Token>,
}

/// List API tokens, without their secrets
#[utoipa::path(get, path = "/api/tokens", tag = "auth", responses((status = 200, body = Tokens)))]
async fn list_tokens(_: Admin, State(app): State<App>) -> Result<Json<Tokens>> {
    Ok(Json(Tokens { items: token::list(&app).await? }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What it is for; shown in timelines and the audit log.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    name: String,
    scope: Scope,
    /// When it expires; never if absent.
    expires_at: Option<DateTime<Utc>>,
    /// The only collection it can upload to; requires the scope `upload_only`.
    #[schema(min_length = 1, max_length = 100)]
    collection: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct CreatedToken {
    id: TokenId,
    name: String,
    scope: Scope,
    #[schema(required)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required)]
    collection: Option<String>,
    /// Shown only once; only its hash is stored.
    token: String,
}

/// Create an API token
#[utoipa::path(post, path = "/api/tokens", tag = "auth", request_body = NewToken, responses((status = 201, body = CreatedToken)))]
async fn create_token(
    Admin(actor): Admin,
    State(app): State<App>,
    Json(new): Json<NewToken>,
) -> Result<impl IntoResponse> {
    let NewToken { name, scope, expires_at, collection } = new;
    let new = token::NewToken { name, scope, expires_at, collection };
    let (made, token) = token::create_with(&app, new, &actor).await?;
    let Token { id, name, scope, expires_at, collection, .. } = made;
    Ok((StatusCode::CREATED, Json(CreatedToken { id, name, scope, expires_at, collection, token })))
}

/// Revoke an API token
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "auth", params(("id" = TokenId, Path)), responses((status = 204)))]
async fn revoke_token(
    Admin(actor): Admin,
    State(app): State<App>,
    Path(id): Path<TokenId>,
) -> Result<StatusCode> {
    token::revoke(&app, id, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}
