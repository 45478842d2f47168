//! The body of a webhook, in the format of its receiver.

mod discord;
mod generic;
mod slack;

use framefarm_shared::alert::{AlertState, EndpointKind};
use serde_json::Value;

use super::message::Message;

/// What a body says about the farm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Farm<'a> {
    /// The public URL of the farm's page, if it is known.
    pub url: Option<&'a str>,
}

impl Farm<'_> {
    fn link(&self, message: &Message) -> Option<String> {
        let (url, page) = (self.url?, message.page.as_deref().unwrap_or("/"));
        Some(format!("{url}{page}"))
    }
}

pub fn body(kind: EndpointKind, message: &Message, farm: Farm<'_>) -> Value {
    match kind {
        EndpointKind::Slack => slack::body(message, farm),
        EndpointKind::Discord => discord::body(message, farm),
        EndpointKind::Generic => generic::body(message, farm),
    }
}

/// One line: the time, and how many alerts were suppressed.
fn small_print(message: &Message) -> String {
    let at = message.occurred_at.format("%Y-%m-%d %H:%M:%S UTC");
    match message.held_back_words() {
        Some(words) => format!("{at} · {words}"),
        None => at.to_string(),
    }
}

const fn state_words(state: AlertState) -> &'static str {
    match state {
        AlertState::Raised => "Firing",
        AlertState::Recovered => "Resolved",
        AlertState::Happened => "Event",
        AlertState::Test => "Test",
    }
}
