//! Who may register a worker: the admin secret in the header `X-Admin-Secret`, or an invitation in `X-Invitation`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::error::ApiError;
use crate::proxy::Visit;

pub enum Registrar {
    /// The caller knows the admin secret.
    Secret,
    /// The caller has this invitation, good or not.
    Invited(String),
}

impl FromRequestParts<App> for Registrar {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        if let Some(token) = parts.headers.get("x-invitation") {
            return Ok(Self::Invited(String::from_utf8_lossy(token.as_bytes()).into_owned()));
        }
        let expected = &app.settings.admin_secret;
        if expected.is_empty() {
            let detail = "admin_secret is not set. Invite the worker in the web page, or set admin_secret \
                          (FRAMEFARM_ADMIN_SECRET) on the server.";
            return Err(ApiError::unavailable("admin_secret_unset", detail));
        }
        let Some(given) = parts.headers.get("x-admin-secret") else {
            return Err(ApiError::unauthorized(
                "Send an invitation in X-Invitation, or the server's admin secret in X-Admin-Secret.",
            ));
        };
        let client = parts.extensions.get::<Visit>().and_then(|visit| visit.client);
        let guess = app.auth.admin_secrets.pay(client).await?;
        // Digests have one length, so that not even the secret's length shows in the time it takes.
        let same = Sha256::digest(given.as_bytes()).ct_eq(&Sha256::digest(expected.as_bytes()));
        if bool::from(same) {
            guess.was_right();
            return Ok(Self::Secret);
        }
        Err(ApiError::forbidden("wrong_admin_secret", "X-Admin-Secret is incorrect."))
    }
}
