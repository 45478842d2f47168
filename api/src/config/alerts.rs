//! Where alerts go, how often, and what they may reach.

use anyhow::{Context, bail};
use clap::Args;

use crate::alerts::{conditions, sign};
use crate::egress::{AllowList, check_url};

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct AlertSettings {
    /// Webhook URL for alerts: Slack, Discord, or any URL that accepts JSON by POST. Empty sends none. Add
    /// more endpoints through the API
    #[arg(long, env = "FRAMEFARM_ALERT_WEBHOOK_URL", default_value = "", hide_env_values = true)]
    pub alert_webhook_url: String,

    /// Secret that signs the messages to that webhook, `whsec_` and base64; not used for Slack and Discord.
    /// Empty sends unsigned messages
    #[arg(long, env = "FRAMEFARM_ALERT_WEBHOOK_SECRET", default_value = "", hide_env_values = true)]
    pub alert_webhook_secret: String,

    /// Seconds during which further alerts of the same type are suppressed and counted; 0 sends every alert
    #[arg(long, env = "FRAMEFARM_ALERT_RATE_LIMIT_SECONDS", default_value_t = 300)]
    pub alert_rate_limit_seconds: u32,

    /// Total timeout of one delivery attempt in seconds. A longer timeout tolerates slow receivers
    #[arg(long, env = "FRAMEFARM_ALERT_WEBHOOK_TIMEOUT", default_value_t = 10)]
    pub alert_webhook_timeout: u32,

    /// Private addresses that webhooks may reach, comma-separated: networks like `10.0.0.0/8`, or
    /// `host:port`. Anyone who can change endpoints can then send requests there
    #[arg(long, env = "FRAMEFARM_ALERT_WEBHOOK_ALLOW", default_value_t = AllowList::default(), hide_default_value = true)]
    pub alert_webhook_allow: AllowList,

    /// Days until deliveries are removed from the delivery log
    #[arg(long, env = "FRAMEFARM_ALERT_RETENTION_DAYS", default_value_t = 30)]
    pub alert_retention_days: u32,

    /// Waiting jobs above which `queue_depth_high` is raised; it is resolved at nine tenths of that
    #[arg(long, env = "FRAMEFARM_ALERT_QUEUE_DEPTH", default_value_t = 10_000)]
    pub alert_queue_depth: u32,

    /// Percentage of failures among the last 100 finished jobs above which `error_rate_high` is raised; it is resolved
    /// at half of that
    #[arg(long, env = "FRAMEFARM_ALERT_ERROR_RATE", default_value_t = 10)]
    pub alert_error_rate: u32,

    /// Seconds for which a job may be due without any job being claimed, before `no_dequeue` is raised
    #[arg(long, env = "FRAMEFARM_ALERT_NO_CLAIM_SECONDS", default_value_t = 60)]
    pub alert_no_claim_seconds: u32,

    /// Time window in minutes in which failures with the same error class count as repeated (`job_failed_pattern`)
    #[arg(long, env = "FRAMEFARM_ALERT_PATTERN_MINUTES", default_value_t = 10)]
    pub alert_pattern_minutes: u32,

    /// Failures with the same error class on one worker, within `alert_pattern_minutes`, that raise
    /// `job_failed_pattern`
    #[arg(long, env = "FRAMEFARM_ALERT_PATTERN_WORKER", default_value_t = 5)]
    pub alert_pattern_worker: u32,

    /// Failures with the same error class on all workers, within `alert_pattern_minutes`, that raise
    /// `job_failed_pattern`
    #[arg(long, env = "FRAMEFARM_ALERT_PATTERN_FARM", default_value_t = 10)]
    pub alert_pattern_farm: u32,
}

/// These are never shown.
pub(super) const SECRETS: [&str; 2] = ["alert_webhook_url", "alert_webhook_secret"];

impl AlertSettings {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if !(1..=60).contains(&self.alert_webhook_timeout) {
            bail!("alert_webhook_timeout = {}: must be from 1 to 60 seconds", self.alert_webhook_timeout);
        }
        if self.alert_rate_limit_seconds > 86_400 {
            bail!(
                "alert_rate_limit_seconds = {}: must be at most 86400 seconds (a day)",
                self.alert_rate_limit_seconds
            );
        }
        if self.alert_retention_days == 0 {
            bail!("alert_retention_days = 0: must be at least 1 day");
        }
        let at_least_1 = [
            ("alert_queue_depth", self.alert_queue_depth),
            ("alert_no_claim_seconds", self.alert_no_claim_seconds),
            ("alert_pattern_minutes", self.alert_pattern_minutes),
            ("alert_pattern_worker", self.alert_pattern_worker),
            ("alert_pattern_farm", self.alert_pattern_farm),
        ];
        if let Some((name, _)) = at_least_1.iter().find(|(_, value)| *value == 0) {
            bail!("{name} = 0: must be at least 1");
        }
        if i64::from(self.alert_queue_depth) >= conditions::COUNTED {
            bail!("alert_queue_depth = {}: must be below {}", self.alert_queue_depth, conditions::COUNTED);
        }
        if !(1..=99).contains(&self.alert_error_rate) {
            bail!("alert_error_rate = {}: must be from 1 to 99 percent", self.alert_error_rate);
        }
        if self.alert_no_claim_seconds > 86_400 || self.alert_pattern_minutes > 1440 {
            bail!(
                "alert_no_claim_seconds = {}, alert_pattern_minutes = {}: each must be at most a day",
                self.alert_no_claim_seconds,
                self.alert_pattern_minutes
            );
        }
        if !self.alert_webhook_url.is_empty() {
            check_url(&self.alert_webhook_url, &self.alert_webhook_allow)
                .map_err(|refusal| anyhow::anyhow!("alert_webhook_url: {refusal}"))?;
        }
        if !self.alert_webhook_secret.is_empty() {
            sign::key(&self.alert_webhook_secret).context("alert_webhook_secret")?;
        }
        Ok(())
    }

    pub fn cool_down(&self) -> chrono::Duration {
        chrono::Duration::seconds(self.alert_rate_limit_seconds.into())
    }

    pub fn timeout(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.alert_webhook_timeout.into())
    }
}
