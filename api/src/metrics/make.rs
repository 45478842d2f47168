//! Makes metrics that are registered as they are made.

use prometheus::core::Collector;
use prometheus::{
    GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, Result,
};

pub(super) struct Maker(Registry);

impl Maker {
    pub(super) fn new() -> Self {
        Self(Registry::new())
    }

    pub(super) fn registry(self) -> Registry {
        self.0
    }

    pub(super) fn counters(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec> {
        self.registered(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    pub(super) fn gauge(&self, name: &str, help: &str) -> Result<IntGauge> {
        self.registered(IntGauge::new(name, help)?)
    }

    pub(super) fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> Result<GaugeVec> {
        self.registered(GaugeVec::new(Opts::new(name, help), labels)?)
    }

    pub(super) fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Result<Histogram> {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.registered(Histogram::with_opts(options)?)
    }

    pub(super) fn histograms(
        &self,
        name: &str,
        help: &str,
        buckets: &[f64],
        labels: &[&str],
    ) -> Result<HistogramVec> {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.registered(HistogramVec::new(options, labels)?)
    }

    fn registered<C: Collector + Clone + 'static>(&self, metric: C) -> Result<C> {
        self.0.register(Box::new(metric.clone()))?;
        Ok(metric)
    }
}
