//! `GET /api/events`: what happens at the farm, as it happens.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use reqwest::Method;
use serde::Serialize;
use serde_json::value::RawValue;
use sse_stream::{Sse, SseByteStream};

use super::{CallError, Farm, Patience, answer};
use crate::cli::answers::Event;
use crate::events::Progress;

/// The farm says something every few seconds, if only that it is there.
const SILENCE: Duration = Duration::from_mins(2);

/// A message as the farm sent it.
#[derive(Serialize)]
pub(crate) struct Heard {
    event: String,
    data: Box<RawValue>,
}

impl Heard {
    /// What it means. A newer farm may tell of what this program does not know.
    pub(crate) fn message(&self) -> Option<Message> {
        let text = self.data.get();
        match self.event.as_str() {
            "hello" | "reset" => Some(Message::Anew),
            "change" => serde_json::from_str(text).ok().map(Message::Change),
            "progress" => serde_json::from_str(text).ok().map(Message::Progress),
            _ => None,
        }
    }
}

pub(crate) enum Message {
    /// Look at everything: it is the beginning, or something was missed.
    Anew,
    Change(Event),
    Progress(Box<Progress>),
}

/// A stream that is opened again where it broke off.
pub(crate) struct Events<'a> {
    farm: &'a Farm,
    path: String,
    open: Option<BoxStream<'static, Option<Sse>>>,
    last: Option<String>,
    patience: Patience,
}

impl<'a> Events<'a> {
    /// `topics` as the API takes them; all without any.
    pub(crate) fn of(farm: &'a Farm, topics: Option<String>) -> Self {
        let path = farm.asking("/api/events", &[("topics", topics)]);
        Self { farm, path, open: None, last: None, patience: Patience::default() }
    }

    /// The next message. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Result<Heard, CallError> {
        loop {
            let Some(stream) = &mut self.open else {
                self.connect().await?;
                continue;
            };
            let said = tokio::time::timeout(SILENCE, stream.next()).await;
            let Ok(Some(Some(sse))) = said else {
                self.open = None;
                let why = "the event stream ended".to_owned();
                let url = self.farm.address().to_owned();
                self.patience.pause(CallError::Unreachable { url, why }).await?;
                continue;
            };
            self.patience.renew();
            if sse.id.is_some() {
                self.last = sse.id;
            }
            let (Some(event), Some(data)) = (sse.event, sse.data) else { continue };
            let data = RawValue::from_string(data).map_err(|error| CallError::Strange(error.to_string()))?;
            return Ok(Heard { event, data });
        }
    }

    async fn connect(&mut self) -> Result<(), CallError> {
        let mut request = self.farm.request(Method::GET, &self.path);
        if let Some(last) = &self.last {
            request = request.header("last-event-id", last);
        }
        match answer(request, self.farm.needs()).await {
            Ok(response) => {
                let messages = SseByteStream::new(response.bytes_stream());
                self.open = Some(messages.map(Result::ok).boxed());
                Ok(())
            }
            Err(error) => self.patience.pause(error).await,
        }
    }
}
