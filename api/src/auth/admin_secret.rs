//! The secret that registers workers, in the header `X-Admin-Secret`.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::error::ApiError;

/// The caller knows the admin secret.
pub struct AdminSecret;

impl FromRequestParts<App> for AdminSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let expected = &app.settings.admin_secret;
        if expected.is_empty() {
            let detail =
                "Set admin_secret (FRAMEFARM_ADMIN_SECRET) on the server, then register workers with it.";
            return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "admin_secret_unset", detail));
        }
        let Some(given) = parts.headers.get("x-admin-secret") else {
            return Err(ApiError::unauthorized("Send the server's admin secret in X-Admin-Secret."));
        };
        // Digests have one length, so that not even the secret's length shows in the time it takes.
        let same = Sha256::digest(given.as_bytes()).ct_eq(&Sha256::digest(expected.as_bytes()));
        if bool::from(same) {
            return Ok(Self);
        }
        Err(ApiError::forbidden("wrong_admin_secret", "X-Admin-Secret is not the secret of this server."))
    }
}
