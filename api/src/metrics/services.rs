//! The service loops: when each ran last, and how often it failed.

use std::time::Duration;

use chrono::{DateTime, Utc};
use prometheus::{GaugeVec, IntCounterVec, Result};

use super::make::Maker;
use super::sheet::number;

#[derive(Debug)]
pub struct Services {
    runs: IntCounterVec,
    failures: IntCounterVec,
    last: GaugeVec,
    took: GaugeVec,
}

impl Services {
    pub(super) fn new(make: &Maker) -> Result<Self> {
        Ok(Self {
            runs: make.counters(
                "framefarm_service_runs_total",
                "Total number of service runs.",
                &["service"],
            )?,
            failures: make.counters(
                "framefarm_service_failures_total",
                "Total number of failed service runs; each is retried at the next tick.",
                &["service"],
            )?,
            last: make.gauges(
                "framefarm_service_last_run_timestamp_seconds",
                "Unix timestamp of the last successful run of a service.",
                &["service"],
            )?,
            took: make.gauges(
                "framefarm_service_last_run_duration_seconds",
                "Duration of the last run of a service.",
                &["service"],
            )?,
        })
    }

    pub fn ran(&self, service: &str, took: Duration, succeeded: bool, now: DateTime<Utc>) {
        self.runs.with_label_values(&[service]).inc();
        self.took.with_label_values(&[service]).set(took.as_secs_f64());
        let failures = self.failures.with_label_values(&[service]);
        if succeeded {
            self.last.with_label_values(&[service]).set(number(now.timestamp()));
        } else {
            failures.inc();
        }
    }
}
