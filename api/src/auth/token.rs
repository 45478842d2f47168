//! API tokens: `fft_` and 256 random bits, named, with a scope, shown once; optionally with an expiry and a
//! collection.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::TokenId;
use framefarm_shared::wire::event::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::Scope;
use crate::app::App;
use crate::db::Tx;
use crate::db::credentials::{self, TokenRow};
use crate::db::events::{self, Event};
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::check_text;
use crate::lifecycle::workers::{hash_secret, random_secret};

const PREFIX: &str = "fft_";

/// A token without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Token {
    pub id: TokenId,
    pub name: String,
    pub scope: Scope,
    pub created_at: DateTime<Utc>,
    /// Accurate to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it expires; null if never.
    #[schema(required)]
    pub expires_at: Option<DateTime<Utc>>,
    /// The only collection it can upload to; null if not limited.
    #[schema(required)]
    pub collection: Option<String>,
}

impl Token {
    fn of(row: TokenRow) -> Option<Self> {
        let scope = Scope::parse(&row.scope)?;
        let TokenRow { id, name, created_at, last_used_at, expires_at, collection, .. } = row;
        Some(Self { id, name, scope, created_at, last_used_at, expires_at, collection })
    }
}

/// What a token is to be.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub scope: Scope,
    pub expires_at: Option<DateTime<Utc>>,
    pub collection: Option<String>,
}

impl NewToken {
    fn check(&self, now: DateTime<Utc>) -> Result<()> {
        check_text("name", Some(self.name.trim()), 100)?;
        check_text("collection", self.collection.as_deref(), 100)?;
        if self.collection.is_some() && self.scope != Scope::UploadOnly {
            let detail = "Only a token with the scope `upload_only` can be limited to a collection.";
            return Err(ApiError::bad_request("bad_collection", detail));
        }
        if self.expires_at.is_some_and(|at| at <= now) {
            return Err(ApiError::bad_request("bad_expiry", "`expires_at` must be in the future."));
        }
        Ok(())
    }
}

/// A token without an end.
pub async fn create(app: &App, name: &str, scope: Scope, actor: &str) -> Result<(Token, String)> {
    create_with(app, NewToken { name: name.to_owned(), scope, expires_at: None, collection: None }, actor)
        .await
}

/// Makes a token; the second value is the secret, which is not kept.
pub async fn create_with(app: &App, new: NewToken, actor: &str) -> Result<(Token, String)> {
    let now = app.clock.now();
    new.check(now)?;
    let NewToken { name, scope, expires_at, collection } = new;
    let secret = format!("{PREFIX}{}", random_secret());
    let row = TokenRow {
        id: TokenId::new(&app.clock),
        name: name.trim().to_owned(),
        scope: scope.as_str().to_owned(),
        token_hash: hash_secret(&secret),
        created_at: now,
        last_used_at: None,
        expires_at,
        collection: collection.map(|name| name.trim().to_owned()),
    };
    let mut tx = app.db.begin().await?;
    credentials::insert_token(&mut tx, &row).await?;
    audit(&mut tx, EventKind::TokenCreated, actor, &row, row.created_at).await?;
    tx.commit().await?;
    let TokenRow { id, name, created_at, last_used_at, expires_at, collection, .. } = row;
    Ok((Token { id, name, scope, created_at, last_used_at, expires_at, collection }, secret))
}

pub async fn list(app: &App) -> Result<Vec<Token>> {
    Ok(credentials::tokens(&app.db).await?.into_iter().filter_map(Token::of).collect())
}

pub async fn revoke(app: &App, id: TokenId, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let Some(row) = credentials::delete_token(&mut tx, id).await? else {
        return Err(ApiError::no_such("token"));
    };
    audit(&mut tx, EventKind::TokenRevoked, actor, &row, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

async fn audit(
    tx: &mut Tx,
    kind: EventKind,
    actor: &str,
    token: &TokenRow,
    now: DateTime<Utc>,
) -> Result<()> {
    let reason = format!("{} ({})", token.name, token.scope);
    events::append(tx, Event::new(kind, actor).because(reason), now).await?;
    Ok(())
}

/// The token of this secret, unless it has ended, and a note that it was used.
pub(super) async fn find(app: &App, secret: &str) -> Result<Option<Token>> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    let Some(row) = credentials::token_by_hash(&app.db, &hash_secret(secret)).await? else { return Ok(None) };
    let now = app.clock.now();
    if row.expires_at.is_some_and(|at| at <= now) {
        return Ok(None);
    }
    let a_minute_ago = now - Duration::minutes(1);
    if row.last_used_at.is_none_or(|at| at < a_minute_ago) {
        let mut tx = app.db.begin().await?;
        credentials::touch_token(&mut tx, row.id, now, a_minute_ago).await?;
        tx.commit().await?;
    }
    Ok(Token::of(row))
}
