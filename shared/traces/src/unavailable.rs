//! A program that was built without OpenTelemetry.

use crate::{BuildError, OtlpEndpoint, Span};

/// The spans of one service, which nobody wants.
#[derive(Clone, Debug, Default)]
pub struct Traces(());

#[derive(Clone, Debug)]
pub struct Collector(());

impl Collector {
    pub fn open(endpoint: &OtlpEndpoint) -> Result<Self, BuildError> {
        if endpoint.is_some() {
            return Err("this program was built without traces; build it with `--features otlp`".into());
        }
        Ok(Self(()))
    }

    pub fn service(&self, _name: &'static str, _instance: &str) -> Result<Traces, BuildError> {
        Ok(Traces::default())
    }
}

impl Traces {
    pub fn is_on(&self) -> bool {
        false
    }

    pub fn emit(&self, _span: Span) {}

    #[expect(clippy::unused_async, reason = "as where spans are sent")]
    pub async fn end(&self) {}
}
