//! Batches of spans, in the form of OpenTelemetry.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{SpanContext, SpanKind, Status, TraceFlags, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor as _};

use crate::sender::Sender;
use crate::{BuildError, OtlpEndpoint, Span, Value};

const SCOPE: &str = "framefarm";
/// How long a batch may take, with everything.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a process that ends may take to hand over its last spans.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// The spans of one service. Cheap to clone; without a collector it does nothing.
#[derive(Clone, Debug, Default)]
pub struct Traces(Option<Arc<BatchSpanProcessor>>);

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
            queue.on_end(data(span));
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

fn data(span: Span) -> SpanData {
    let span_context = SpanContext::new(
        opentelemetry::TraceId::from_bytes(span.trace.to_bytes()),
        opentelemetry::SpanId::from_bytes(span.id.to_bytes()),
        TraceFlags::SAMPLED,
        false,
        TraceState::NONE,
    );
    let parent = span.parent.map(|parent| opentelemetry::SpanId::from_bytes(parent.to_bytes()));
    let attributes = span.attributes.into_iter().map(|(key, value)| KeyValue::new(key, converted(value)));
    SpanData {
        span_context,
        parent_span_id: parent.unwrap_or(opentelemetry::SpanId::INVALID),
        parent_span_is_remote: false,
        span_kind: if span.is_call { SpanKind::Client } else { SpanKind::Internal },
        name: span.name.into(),
        start_time: SystemTime::from(span.start),
        end_time: SystemTime::from(span.end),
        attributes: attributes.collect(),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links: SpanLinks::default(),
        status: span.error.map_or(Status::Unset, Status::error),
        instrumentation_scope: InstrumentationScope::builder(SCOPE).build(),
    }
}

fn converted(value: Value) -> opentelemetry::Value {
    match value {
        Value::Text(text) => text.into(),
        Value::Integer(integer) => integer.into(),
        Value::Number(number) => number.into(),
    }
}
