//! An admin invites a worker; the first who comes with the invitation is registered.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{RegisterReply, RegisterRequest};

use super::workers::{self, hash_secret, random_secret};
use crate::app::App;
use crate::db::events::Event;
use crate::db::{events, invitations};
use crate::error::{ApiError, Result};

const LASTS: Duration = Duration::hours(1);
/// So that a person sees what it is.
const PREFIX: &str = "ffj_";

pub struct Invitation {
    pub token: String,
    pub expires_at: DateTime<Utc>,
}

pub async fn invite(app: &App, actor: &str) -> Result<Invitation> {
    let (token, now) = (format!("{PREFIX}{}", random_secret()), app.clock.now());
    let expires_at = now + LASTS;
    let mut tx = app.db.begin().await?;
    invitations::insert(&mut tx, &hash_secret(&token), now, expires_at).await?;
    events::append(&mut tx, Event::new(EventKind::WorkerInvited, actor), now).await?;
    tx.commit().await?;
    Ok(Invitation { token, expires_at })
}

/// Uses the invitation up and registers the worker, both or neither.
pub async fn join(app: &App, token: &str, request: RegisterRequest) -> Result<RegisterReply> {
    workers::check_registration(&request)?;
    let hash = hash_secret(token);
    // Anybody may ask; only who has an invitation makes us write.
    let used = invitations::was_used(&app.db, &hash).await?;
    if used != Some(false) {
        return Err(refusal(used));
    }
    let mut tx = app.db.begin().await?;
    if !invitations::use_if_open(&mut tx, &hash, app.clock.now()).await? {
        tx.rollback().await?;
        return Err(refusal(invitations::was_used(&app.db, &hash).await?));
    }
    let reply = workers::register_in(app, &mut tx, request).await?;
    tx.commit().await?;
    Ok(reply)
}

fn refusal(used: Option<bool>) -> ApiError {
    let (code, detail) = match used {
        Some(true) => ("invitation_used", "This invitation was already used; each is good for one worker."),
        Some(false) => ("invitation_expired", "This invitation has expired; ask for a new one."),
        None => ("invitation_unknown", "The invitation is unknown, or expired long ago; ask for a new one."),
    };
    ApiError::forbidden(code, detail)
}
