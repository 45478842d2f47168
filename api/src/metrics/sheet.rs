//! Gauges that are found out at a scrape: a registry that lives for one answer.

use prometheus::{GaugeVec, Opts, Registry, Result};

pub(super) struct Sheet(Registry);

impl Sheet {
    pub(super) fn new() -> Self {
        Self(Registry::new())
    }

    pub(super) fn registry(self) -> Registry {
        self.0
    }

    pub(super) fn one(&self, name: &str, help: &str, value: f64) -> Result<()> {
        self.rows::<&str, 0>(name, help, [], [([], value)])
    }

    /// A row for each set of label values. Of two rows with the same ones the later counts.
    pub(super) fn rows<V: AsRef<str> + std::fmt::Debug, const N: usize>(
        &self,
        name: &str,
        help: &str,
        labels: [&str; N],
        rows: impl IntoIterator<Item = ([V; N], f64)>,
    ) -> Result<()> {
        let gauges = GaugeVec::new(Opts::new(name, help), &labels)?;
        for (values, value) in rows {
            gauges.with_label_values(&values).set(value);
        }
        self.0.register(Box::new(gauges))
    }
}

/// Counts and bytes as Prometheus has them; beyond 2^53 they lose their last digits, and nobody misses those.
#[expect(clippy::cast_precision_loss, reason = "said above")]
pub(super) fn number(value: i64) -> f64 {
    value as f64
}

#[expect(clippy::cast_precision_loss, reason = "as `number`")]
pub(super) fn size(value: u64) -> f64 {
    value as f64
}

pub(super) fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}
