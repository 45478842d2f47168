//! Sends the spans of Framefarm's programs to an OpenTelemetry collector.
//!
//! A span is made whole, when its step has ended, with the times that the step had. Handing one over costs nobody a wait:
//! it goes into a queue of limited length, which a thread of its own empties. What does not fit, and what the collector
//! does not take in time, is dropped.

mod endpoint;
mod sender;
mod span;
#[cfg(feature = "testing")]
pub mod testing;

pub use endpoint::OtlpEndpoint;
pub use opentelemetry::Value;
pub use span::Span;

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanProcessor as _};

use self::sender::Sender;

/// How long a batch may take, with everything.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a process that ends may take to hand over its last spans.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// The spans of one service. Cheap to clone; without a collector it does nothing.
#[derive(Clone, Debug, Default)]
pub struct Traces(Option<Arc<BatchSpanProcessor>>);

/// Why spans cannot be sent at all.
pub type BuildError = Box<dyn std::error::Error + Send + Sync>;

/// The way to a collector, for every service of a process. To be opened inside its runtime.
#[derive(Clone, Debug)]
pub struct Collector(Option<Arc<Sender>>);

impl Collector {
    pub fn open(endpoint: &OtlpEndpoint) -> Result<Self, BuildError> {
        let sender = endpoint.url().map(|url| Sender::open(url, PATIENCE)).transpose()?;
        Ok(Self(sender.map(Arc::new)))
    }

    /// `instance` tells processes of one service from each other.
    pub fn service(&self, name: &'static str, instance: &str) -> Result<Traces, BuildError> {
        let Some(sender) = &self.0 else { return Ok(Traces::default()) };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_shared_http_client(Arc::clone(sender) as _)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(sender.url().as_str())
            .with_timeout(PATIENCE)
            .build()?;
        let about = [
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", instance.to_owned()),
        ];
        let resource = Resource::builder_empty().with_service_name(name).with_attributes(about).build();
        let mut queue = BatchSpanProcessor::builder(exporter).build();
        queue.set_resource(&resource);
        Ok(Traces(Some(Arc::new(queue))))
    }
}

impl Traces {
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Never waits.
    pub fn emit(&self, span: Span) {
        if let Some(queue) = &self.0 {
            queue.on_end(span.into_data());
        }
    }

    /// Hands over what waits, for a few seconds at most. Nothing is sent after it.
    pub async fn end(&self) {
        let Some(queue) = self.0.clone() else { return };
        let ending = tokio::task::spawn_blocking(move || queue.shutdown_with_timeout(LAST_PATIENCE));
        if let Ok(Err(error)) = ending.await {
            tracing::debug!(%error, "cannot send the last spans");
        }
    }
}
