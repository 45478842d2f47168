//! Sends the spans of Framefarm's programs to an OpenTelemetry collector.
//!
//! A span is made whole, when its step has ended, with the times that the step had. Handing one over costs nobody a wait:
//! it goes into a queue of limited length, which a thread of its own empties. What does not fit, and what the collector
//! does not take in time, is dropped.
//!
//! Sending needs the feature `otlp`, since few farms have a collector and OpenTelemetry's crates take long to build.

mod endpoint;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod sender;
mod span;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(not(feature = "otlp"))]
mod unavailable;
mod value;

#[cfg(feature = "otlp")]
use exporter as implementation;
#[cfg(not(feature = "otlp"))]
use unavailable as implementation;

pub use endpoint::OtlpEndpoint;
pub use implementation::{Collector, Traces};
pub use span::Span;
pub use value::Value;

/// Why spans cannot be sent at all.
pub type BuildError = Box<dyn std::error::Error + Send + Sync>;
