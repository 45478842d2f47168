//! Discord's webhooks: one embed that mentions nobody.

use framefarm_shared::alert::AlertState;
use serde_json::{Value, json};

use super::super::message::{Message, cut};
use super::{Farm, small_print, state_words};

/// Discord's limits: 256, 4,096, 2,048, and 6,000 over all.
const TITLE: usize = 256;
const DESCRIPTION: usize = 3_000;
const FOOTER: usize = 500;

pub(super) fn body(message: &Message, farm: Farm<'_>) -> Value {
    let mut embed = json!({
        "title": plain(&message.title, TITLE),
        "description": plain(&message.text, DESCRIPTION),
        "color": colour(message.state),
        "timestamp": message.occurred_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        "footer": { "text": cut(&format!("{} · {}", state_words(message.state), small_print(message)), FOOTER) },
    });
    if let Some(link) = farm.link(message) {
        embed["url"] = link.into();
    }
    json!({ "embeds": [embed], "allowed_mentions": { "parse": [] } })
}

const fn colour(state: AlertState) -> u32 {
    match state {
        AlertState::Raised | AlertState::Happened => 0x00d9_2d20,
        AlertState::Recovered => 0x0012_9f5c,
        AlertState::Test => 0x0052_6484,
    }
}

/// Without what Discord would read as formatting or as a link.
fn plain(text: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut length = 0;
    for character in text.chars() {
        let special = matches!(
            character,
            '\\' | '*' | '_' | '~' | '`' | '|' | '>' | '<' | '[' | ']' | '(' | ')' | '#' | '@'
        );
        length += 1 + usize::from(special);
        if length > most - 1 {
            kept.push('…');
            break;
        }
        if special {
            kept.push('\\');
        }
        kept.push(character);
    }
    if kept.is_empty() { "-".to_owned() } else { kept }
}
