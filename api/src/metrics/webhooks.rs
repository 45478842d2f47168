//! Webhook deliveries.

use prometheus::{IntCounterVec, Result};

use super::few::Few;
use super::make::Maker;

#[derive(Debug)]
pub struct Webhooks {
    deliveries: IntCounterVec,
    words: Few,
}

impl Webhooks {
    pub(super) fn new(make: &Maker) -> Result<Self> {
        Ok(Self {
            deliveries: make.counters(
                "framefarm_webhook_deliveries_total",
                "Total number of webhook delivery attempts by endpoint kind and outcome.",
                &["kind", "outcome"],
            )?,
            words: Few::new(32),
        })
    }

    /// One try: the kind of endpoint (`slack`, `discord`, `generic`) and what became of it in a word.
    pub fn tried(&self, kind: &str, outcome: &str) {
        self.deliveries.with_label_values(&[self.words.label(kind), self.words.label(outcome)]).inc();
    }
}
