//! A login: the password is exchanged for a cookie.

use std::time::Instant;

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use chrono::Duration;
use framefarm_shared::wire::event::EventKind;
use serde_json::json;

use super::password;
use crate::app::App;
use crate::db::credentials;
use crate::db::events::{self, Event};
use crate::error::{ApiError, Result};
use crate::lifecycle::workers::{hash_secret, random_secret};
use crate::proxy::Visit;

const COOKIE_NAME: &str = "framefarm_session";
pub(super) const ADMIN: &str = "admin";

/// Checks the password and returns the `Set-Cookie` of a new session.
pub async fn log_in(app: &App, password: String, visit: &Visit) -> Result<HeaderValue> {
    let guess = app.auth.passwords.pay(visit.client).await?;
    if !password::is_right(app, password).await? {
        note_failure(app, visit).await?;
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "wrong_password", "Incorrect password."));
    }
    guess.was_right();
    let secret = random_secret();
    let lasts = Duration::hours(app.settings.session_hours.into());
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    credentials::insert_session(&mut tx, &hash_secret(&secret), now, now + lasts).await?;
    events::append(&mut tx, event(EventKind::LoggedIn, ADMIN, visit), now).await?;
    tx.commit().await?;
    cookie(app, visit, &secret, lasts.num_seconds())
}

/// Ends the session of this request, if there is one, and returns the `Set-Cookie` that clears it.
pub async fn log_out(app: &App, headers: &HeaderMap, visit: &Visit) -> Result<HeaderValue> {
    // Anybody may ask; only who is logged in makes us write.
    if let Some(secret) = find(headers)
        && is_live(app, headers).await?
    {
        let mut tx = app.db.begin().await?;
        credentials::delete_session(&mut tx, &hash_secret(secret)).await?;
        events::append(&mut tx, event(EventKind::LoggedOut, ADMIN, visit), app.clock.now()).await?;
        tx.commit().await?;
    }
    cookie(app, visit, "", 0)
}

fn event(kind: EventKind, actor: &str, visit: &Visit) -> Event {
    let event = Event::new(kind, actor).with(json!({ "client": visit.client }));
    match visit.client {
        Some(client) => event.because(format!("from {client}")),
        None => event,
    }
}

/// Guessers must not fill the audit log: of many failures some are recorded, with the number of the others.
async fn note_failure(app: &App, visit: &Visit) -> Result<()> {
    tracing::warn!("login failed: incorrect password");
    let Some(untold) = app.auth.failed_logins.tell(Instant::now()) else { return Ok(()) };
    let data = json!({ "client": visit.client, "untold": untold });
    let failed = event(EventKind::LoginFailed, "anonymous", visit).with(data);
    let mut tx = app.db.begin().await?;
    events::append(&mut tx, failed, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

pub(super) async fn is_live(app: &App, headers: &HeaderMap) -> Result<bool> {
    let Some(secret) = find(headers) else { return Ok(false) };
    Ok(credentials::session_is_live(&app.db, &hash_secret(secret), app.clock.now()).await?)
}

fn cookie(app: &App, visit: &Visit, secret: &str, seconds: i64) -> Result<HeaderValue> {
    let secure = if app.settings.secure_cookie || visit.is_https() { "; Secure" } else { "" };
    let text = format!("{COOKIE_NAME}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let mut value = HeaderValue::try_from(text).map_err(|error| ApiError::internal(&error))?;
    value.set_sensitive(true);
    Ok(value)
}

fn find(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE_NAME)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=b; framefarm_session=xyz;c=d"));
        assert_eq!(find(&headers), Some("xyz"));
        assert_eq!(find(&HeaderMap::new()), None);
    }
}
