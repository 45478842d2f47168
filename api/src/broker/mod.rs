//! The Redis beside the database: how it is reached, and whether it can be relied on just now.
//!
//! Nothing that must not be lost is kept there. Every call is short, has a deadline, and goes through the breaker.

mod address;
mod breaker;
mod connection;

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{RedisError, RedisResult};
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;

pub use self::address::Address;
pub use self::breaker::BreakerState;
use self::breaker::{Breaker, Permit};
pub use self::connection::Connection;
use crate::config::Settings;

/// The longest that an answer may take which is not waited for on purpose.
const ANSWER: Duration = Duration::from_secs(1);
/// The longest that a call may take, with the making of a connection.
const DEADLINE: Duration = Duration::from_secs(3);

/// Cheap to clone.
#[derive(Clone)]
pub struct Broker(Arc<Inner>);

struct Inner {
    address: Address,
    prefix: String,
    /// Shared by all calls, taken in turn; empty until needed, and again after an error.
    pool: Vec<tokio::sync::Mutex<Option<Connection>>>,
    turn: AtomicUsize,
    breaker: Mutex<Breaker>,
}

/// Whether the farm can use Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrokerStatus {
    Up,
    /// Not used until the next attempt.
    Down,
}

#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    #[error("Redis failed recently and is not used until the next attempt")]
    LeftAlone,
    #[error("Redis did not respond in time")]
    TooSlow,
    #[error(transparent)]
    Failed(#[from] RedisError),
}

impl Broker {
    pub fn open(settings: &Settings) -> anyhow::Result<Option<Self>> {
        if settings.redis_url.is_empty() {
            return Ok(None);
        }
        let pause = Duration::from_secs(settings.redis_retry_seconds.into());
        let pool = (0..settings.redis_pool_size).map(|_| tokio::sync::Mutex::default()).collect();
        Ok(Some(Self(Arc::new(Inner {
            address: settings.redis_url.parse()?,
            prefix: settings.redis_prefix.clone(),
            pool,
            turn: AtomicUsize::new(0),
            breaker: Mutex::new(Breaker::new(pause)),
        }))))
    }

    /// A key or channel of this farm. The braces keep all of them on one node of a cluster.
    pub fn name(&self, rest: &str) -> String {
        format!("{{{}}}:{rest}", self.0.prefix)
    }

    /// Runs something short on a shared connection.
    pub async fn call<T, F>(&self, run: impl FnOnce(Connection) -> F) -> Result<T, BrokerError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.guarded(async {
            let slot = &self.0.pool[self.0.turn.fetch_add(1, Ordering::Relaxed) % self.0.pool.len()];
            let connection = {
                let mut slot = slot.lock().await;
                match &*slot {
                    Some(connection) => connection.clone(),
                    None => slot.insert(self.0.address.connect(ANSWER).await?).clone(),
                }
            };
            let result = run(connection).await;
            if result.as_ref().is_err_and(is_broken) {
                *slot.lock().await = None;
            }
            result
        })
        .await
    }

    /// A connection of one's own, for calls that wait up to `patience`.
    pub async fn connect(&self, patience: Duration) -> Result<Connection, BrokerError> {
        self.guarded(self.0.address.connect(patience + ANSWER)).await
    }

    pub async fn subscribe(&self) -> Result<redis::aio::PubSub, BrokerError> {
        self.guarded(self.0.address.subscribe()).await
    }

    /// Counts what a call on one's own connection came to.
    pub fn noted<T>(&self, result: RedisResult<T>) -> Result<T, BrokerError> {
        match &result {
            Err(error) if is_broken(error) => self.failed(error),
            _ => self.succeeded(),
        }
        Ok(result?)
    }

    async fn guarded<T>(&self, run: impl Future<Output = RedisResult<T>>) -> Result<T, BrokerError> {
        if self.breaker().permit(Instant::now()) == Permit::No {
            return Err(BrokerError::LeftAlone);
        }
        let Ok(result) = tokio::time::timeout(DEADLINE, run).await else {
            self.failed(&BrokerError::TooSlow);
            return Err(BrokerError::TooSlow);
        };
        self.noted(result)
    }

    fn failed(&self, error: &dyn std::fmt::Display) {
        let jitter = rand::random_range(0.8..1.2);
        if let Some(pause) = self.breaker().failed(Instant::now(), jitter) {
            tracing::warn!(%error, "Redis failed; using the database for the next {} s", pause.as_secs());
        }
    }

    fn succeeded(&self) {
        if self.breaker().succeeded() {
            tracing::info!("Redis is up again");
        }
    }

    pub fn status(&self) -> BrokerStatus {
        if self.breaker().is_closed() { BrokerStatus::Up } else { BrokerStatus::Down }
    }

    pub fn breaker_state(&self) -> BreakerState {
        self.breaker().state()
    }

    /// Until it may be tried again; nothing while it works.
    pub fn pause(&self) -> Duration {
        self.breaker().pause(Instant::now())
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A refusal of one command is an answer; these are none.
fn is_broken(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    error.is_io_error()
        || error.is_timeout()
        || error.is_unrecoverable_error()
        || matches!(
            error.kind(),
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                    | ServerErrorKind::TryAgain
                    | ServerErrorKind::ClusterDown
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::ReadOnly
            )
        )
}
