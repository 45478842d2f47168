//! What no farm should be started with.

use anyhow::bail;

use super::{JobQueueMode, Settings};

/// A worker ends a process it lost the lock for within this time.
const KILL_DEADLINE_SECONDS: u32 = 3;

impl Settings {
    /// Refuses settings that contradict each other, naming both.
    pub fn check(&self) -> anyhow::Result<()> {
        for (name, minutes) in [
            ("worker_claim_duration_minutes", self.worker_claim_duration_minutes),
            ("worker_offline_threshold_minutes", self.worker_offline_threshold_minutes),
        ] {
            if !(minutes > 0.0 && minutes <= 7.0 * 24.0 * 60.0) {
                bail!("{name} = {minutes}: must be above 0 and at most 10080 minutes (a week)");
            }
        }
        if self.worker_heartbeat_interval == 0 {
            bail!("worker_heartbeat_interval = 0: must be at least 1 second");
        }
        let beat = self.heartbeat();
        if self.lease() < beat * 2 {
            bail!(
                "worker_claim_duration_minutes = {}: must be at least twice worker_heartbeat_interval \
                 ({} s); otherwise one lost heartbeat loses the job",
                self.worker_claim_duration_minutes,
                self.worker_heartbeat_interval
            );
        }
        if self.offline_after() < beat * 2 {
            bail!(
                "worker_offline_threshold_minutes = {}: must be at least twice worker_heartbeat_interval ({} s)",
                self.worker_offline_threshold_minutes,
                self.worker_heartbeat_interval
            );
        }
        if self.no_progress_after() < beat * 2 {
            bail!(
                "job_stale_timeout = {}: must be at least twice worker_heartbeat_interval ({} s)",
                self.job_stale_timeout,
                self.worker_heartbeat_interval
            );
        }
        if self.redelivery_delay < KILL_DEADLINE_SECONDS {
            bail!(
                "redelivery_delay = {}: must be at least {KILL_DEADLINE_SECONDS} s, the time a worker may \
                 take to kill the old process",
                self.redelivery_delay
            );
        }
        if self.max_retry_attempts == 0 || self.max_lost == 0 {
            bail!("max_retry_attempts and max_lost must be at least 1");
        }
        if !(self.claim_poll_interval >= 0.01 && self.claim_poll_interval <= 30.0) {
            bail!("claim_poll_interval = {}: must be from 0.01 to 30 seconds", self.claim_poll_interval);
        }
        for (name, seconds) in [("sse_heartbeat", self.sse_heartbeat), ("sse_reconnect", self.sse_reconnect)]
        {
            if !(1..=3600).contains(&seconds) {
                bail!("{name} = {seconds}: must be from 1 to 3600 seconds");
            }
        }
        if self.job_queue_mode != JobQueueMode::Database && self.redis_url.is_empty() {
            bail!("job_queue_mode = redis or hybrid: set redis_url too");
        }
        if self.redis_pool_size == 0 || self.redis_retry_seconds == 0 || self.sse_clients == 0 {
            bail!("redis_pool_size, redis_retry_seconds and sse_clients must be at least 1");
        }
        if self.redis_prefix.is_empty() || self.redis_prefix.contains(['{', '}']) {
            bail!("redis_prefix = {:?}: must not be empty or contain braces", self.redis_prefix);
        }
        if !self.public_media_url.is_empty() && self.public_media().is_none() {
            bail!(
                "public_media_url = {}: must be a URL like https://cdn.example.org/path, without a query",
                self.public_media_url
            );
        }
        if !(1..=8760).contains(&self.media_cache_hours) {
            bail!("media_cache_hours = {}: must be from 1 to 8760 hours (a year)", self.media_cache_hours);
        }
        self.upload_limits.check(self.max_upload_bytes)?;
        self.check_secrets()?;
        self.tls.check()?;
        self.connections.check()?;
        self.intake.check(&self.data_dir)?;
        self.watch.check(&self.data_dir)?;
        if self.database_connections < 2 {
            bail!("database_connections = {}: must be at least 2", self.database_connections);
        }
        self.retention.check()?;
        self.alerts.check()?;
        self.metrics.check()?;
        self.stopping.check()
    }
}
