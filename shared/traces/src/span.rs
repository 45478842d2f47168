//! One step that has ended.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::error_text;
use framefarm_shared::trace::{SpanId, TraceId};

use crate::value::Value;

#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "nobody sends it"))]
pub struct Span {
    pub(crate) name: &'static str,
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    pub(crate) start: DateTime<Utc>,
    pub(crate) end: DateTime<Utc>,
    pub(crate) is_call: bool,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    pub(crate) error: Option<String>,
}

impl Span {
    /// A span without a parent. Clocks of two machines may disagree: no span ends before it begins.
    pub fn new(
        name: &'static str,
        trace: TraceId,
        id: SpanId,
        start: DateTime<Utc>,
        end: DateTime<Utc>,
    ) -> Self {
        let (parent, attributes, error) = (None, Vec::new(), None);
        Self { name, trace, id, parent, start, end: end.max(start), is_call: false, attributes, error }
    }

    pub fn under(self, parent: SpanId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// It waited for somebody else's answer.
    pub fn calling(self) -> Self {
        Self { is_call: true, ..self }
    }

    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((key, value.into()));
        self
    }

    /// `class` is one of a few words, `message` is for people.
    pub fn failed(self, class: impl Into<Value>, message: &str) -> Self {
        Self { error: Some(error_text(message)), ..self }.with("error.type", class)
    }
}
