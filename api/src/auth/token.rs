//! API tokens: `fft_` and 256 random bits, named, with a scope, shown once.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::id::TokenId;
use framefarm_shared::wire::event::EventKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::db::Tx;
use crate::db::credentials::{self, TokenRow};
use crate::db::events::{self, Event};
use crate::error::{ApiError, Result};
use crate::lifecycle::enqueue::check_text;
use crate::lifecycle::workers::{hash_secret, random_secret};

const PREFIX: &str = "fft_";

/// What a token may do; each scope includes the ones before it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Look at everything but tokens and the audit.
    Read,
    /// And upload.
    Upload,
    /// And change everything.
    Admin,
}

impl Scope {
    pub fn includes(self, needed: Self) -> bool {
        self >= needed
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Upload => "upload",
            Self::Admin => "admin",
        }
    }

    /// A scope that this version does not know may do nothing.
    fn parse(text: &str) -> Option<Self> {
        [Self::Read, Self::Upload, Self::Admin].into_iter().find(|scope| scope.as_str() == text)
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A token without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Token {
    pub id: TokenId,
    pub name: String,
    pub scope: Scope,
    pub created_at: DateTime<Utc>,
    /// To the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl Token {
    fn of(row: TokenRow) -> Option<Self> {
        let TokenRow { id, name, created_at, last_used_at, .. } = row;
        Some(Self { id, name, scope: Scope::parse(&row.scope)?, created_at, last_used_at })
    }
}

/// Makes a token; the second value is the secret, which is not kept.
pub async fn create(app: &App, name: &str, scope: Scope, actor: &str) -> Result<(Token, String)> {
    let name = name.trim();
    check_text("name", Some(name), 100)?;
    let secret = format!("{PREFIX}{}", random_secret());
    let row = TokenRow {
        id: TokenId::new(&app.clock),
        name: name.to_owned(),
        scope: scope.as_str().to_owned(),
        token_hash: hash_secret(&secret),
        created_at: app.clock.now(),
        last_used_at: None,
    };
    let mut tx = app.db.begin().await?;
    credentials::insert_token(&mut tx, &row).await?;
    audit(&mut tx, EventKind::TokenCreated, actor, &row, row.created_at).await?;
    tx.commit().await?;
    let TokenRow { id, name, created_at, last_used_at, .. } = row;
    Ok((Token { id, name, scope, created_at, last_used_at }, secret))
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

/// The token of this secret, and a note that it was used.
pub(super) async fn find(app: &App, secret: &str) -> Result<Option<Token>> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    let Some(row) = credentials::token_by_hash(&app.db, &hash_secret(secret)).await? else { return Ok(None) };
    let now = app.clock.now();
    let a_minute_ago = now - Duration::minutes(1);
    if row.last_used_at.is_none_or(|at| at < a_minute_ago) {
        let mut tx = app.db.begin().await?;
        credentials::touch_token(&mut tx, row.id, now, a_minute_ago).await?;
        tx.commit().await?;
    }
    Ok(Token::of(row))
}
