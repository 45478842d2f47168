//! One step that has ended.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use framefarm_shared::failure::error_text;
use framefarm_shared::trace::{SpanId, TraceId};
use opentelemetry::trace::{SpanContext, SpanKind, Status, TraceFlags, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

const SCOPE: &str = "framefarm";

#[derive(Clone, Debug)]
pub struct Span(SpanData);

impl Span {
    /// A span without a parent. Clocks of two machines may disagree: no span ends before it begins.
    pub fn new(
        name: &'static str,
        trace: TraceId,
        id: SpanId,
        start: DateTime<Utc>,
        end: DateTime<Utc>,
    ) -> Self {
        let span_context = SpanContext::new(
            opentelemetry::TraceId::from_bytes(trace.to_bytes()),
            opentelemetry::SpanId::from_bytes(id.to_bytes()),
            TraceFlags::SAMPLED,
            false,
            TraceState::NONE,
        );
        Self(SpanData {
            span_context,
            parent_span_id: opentelemetry::SpanId::INVALID,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time: SystemTime::from(start),
            end_time: SystemTime::from(end.max(start)),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::builder(SCOPE).build(),
        })
    }

    pub fn under(mut self, parent: SpanId) -> Self {
        self.0.parent_span_id = opentelemetry::SpanId::from_bytes(parent.to_bytes());
        self
    }

    /// It waited for somebody else's answer.
    pub fn calling(mut self) -> Self {
        self.0.span_kind = SpanKind::Client;
        self
    }

    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.0.attributes.push(KeyValue::new(key, value));
        self
    }

    /// `class` is one of a few words, `message` is for people.
    pub fn failed(mut self, class: impl Into<Value>, message: &str) -> Self {
        self.0.status = Status::error(error_text(message));
        self.with("error.type", class)
    }

    pub(crate) fn into_data(self) -> SpanData {
        self.0
    }
}
