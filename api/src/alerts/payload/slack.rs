//! Slack's incoming webhooks: a text for notifications, blocks for the channel.

use framefarm_shared::alert::AlertState;
use serde_json::{Value, json};

use super::super::message::{Message, cut};
use super::{Farm, small_print};

/// Slack's limits are 150 and 3,000; entities count by the character.
const HEADER: usize = 150;
const SECTION: usize = 2_900;

pub(super) fn body(message: &Message, farm: Farm<'_>) -> Value {
    let sign = match message.state {
        AlertState::Raised | AlertState::Happened => "",
        AlertState::Recovered => "Resolved: ",
        AlertState::Test => "Test: ",
    };
    let title = cut(&format!("{sign}{}", message.title), HEADER);
    let mut blocks = vec![
        json!({ "type": "header", "text": { "type": "plain_text", "text": title, "emoji": false } }),
        json!({ "type": "section", "text": mrkdwn(&escaped(&message.text, SECTION)) }),
    ];
    if let Some(link) = farm.link(message) {
        let link = format!("<{}|Open Framefarm>", escape(&link));
        blocks.push(json!({ "type": "section", "text": mrkdwn(&link) }));
    }
    blocks.push(json!({ "type": "context", "elements": [mrkdwn(&escaped(&small_print(message), 500))] }));
    let text = escaped(&format!("{title}: {}", message.text), SECTION);
    json!({ "text": text, "blocks": blocks })
}

/// Verbatim: names of people and channels in it mention nobody.
fn mrkdwn(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": text, "verbatim": true })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Cut so that the escaped text fits, never within an entity.
fn escaped(text: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut length = 0;
    for character in text.chars() {
        let piece = escape(character.encode_utf8(&mut [0; 4]));
        length += piece.chars().count();
        if length > most - 1 {
            kept.push('…');
            break;
        }
        kept.push_str(&piece);
    }
    if kept.is_empty() { "-".to_owned() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_slack_are_escaped_and_never_cut_in_half() {
        assert_eq!(escaped("<!channel> a & b", 100), "&lt;!channel&gt; a &amp; b");
        let long = escaped(&"&".repeat(1_000), SECTION);
        assert!(long.chars().count() <= SECTION && long.ends_with("&amp;…"), "{}", long.len());
    }
}
