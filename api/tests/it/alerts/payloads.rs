//! What arrives: within the limits of Slack and Discord, and signed.

use base64::Engine as _;
use framefarm_api::alerts::endpoints::{self, EndpointChange};
use framefarm_api::alerts::message::Message;
use framefarm_api::alerts::payload::{self, Farm as Page};
use framefarm_api::alerts::sign;
use framefarm_shared::alert::{AlertState, AlertType, EndpointKind};
use serde_json::Value;
use twilight_model::channel::message::{AllowedMentions, Embed};

use super::{Receiver, added, endpoint, open};

/// Messages of every type and state with texts that a receiver could choke on.
fn messages() -> Vec<Message> {
    let texts = [
        String::new(),
        "plain".to_owned(),
        "<!channel> <@U123> @everyone @here [link](https://evil.example) *bold* `code` & <b>".to_owned(),
        "&<>".repeat(2_000),
        "*_~`|>[]()#@\\".repeat(1_000),
        "\u{1F600}é\u{202e}\u{0}\n\r\t".repeat(1_000),
        "日本語".repeat(2_000),
    ];
    let mut all = Vec::new();
    for kind in AlertType::ALL {
        for state in [AlertState::Raised, AlertState::Recovered, AlertState::Happened] {
            for text in &texts {
                let at = framefarm_api::testing::the_beginning();
                let mut message = Message::new(*kind, state, text, text, at);
                message.suppressed = i64::MAX;
                message.page = Some("/library/x".to_owned());
                all.push(message);
            }
        }
    }
    all.push(Message::test("<name> & more", framefarm_api::testing::the_beginning()));
    all
}

const FARM: Page<'static> = Page { url: Some("https://farm.example.org") };

#[test]
fn discord_takes_every_message_and_nobody_is_called() {
    for message in messages() {
        let body = payload::body(EndpointKind::Discord, &message, FARM);
        let mentions: AllowedMentions = serde_json::from_value(body["allowed_mentions"].clone()).unwrap();
        assert!(mentions.parse.is_empty() && mentions.users.is_empty() && mentions.roles.is_empty());
        let embeds: Vec<Embed> = body["embeds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|embed| {
                let mut embed = embed.clone();
                embed["type"] = "rich".into();
                embed["timestamp"] = embed["timestamp"].as_str().unwrap().replace('Z', "000+00:00").into();
                serde_json::from_value(embed).unwrap()
            })
            .collect();
        twilight_validate::message::embeds(&embeds).unwrap();
        for embed in &embeds {
            twilight_validate::embed::embed(embed).unwrap();
            let texts = [embed.title.as_deref(), embed.description.as_deref()];
            assert!(texts.iter().flatten().all(|text| !text.is_empty()), "{embed:?}");
        }
    }
}

#[test]
fn slack_gets_no_more_than_it_takes_and_nobody_is_called() {
    let length = |value: &Value| value.as_str().unwrap().chars().count();
    for message in messages() {
        let body = payload::body(EndpointKind::Slack, &message, FARM);
        let blocks = body["blocks"].as_array().unwrap();
        assert!((1..=50).contains(&blocks.len()) && (1..=4_000).contains(&length(&body["text"])));
        assert!((1..=150).contains(&length(&blocks[0]["text"]["text"])), "{}", blocks[0]);
        for block in &blocks[1..] {
            let text = if block["type"] == "context" { &block["elements"][0] } else { &block["text"] };
            assert!((1..=3_000).contains(&length(&text["text"])) && text["verbatim"] == true, "{block}");
            assert!(
                !text["text"].as_str().unwrap().contains("<!")
                    && !text["text"].as_str().unwrap().contains("<@")
            );
        }
        assert!(!body["text"].as_str().unwrap().contains('<'));
        assert!(body.to_string().len() < 16_000, "{}", body.to_string().len());
    }
}

#[test]
fn programs_get_less_than_20_kilobytes_of_a_dotted_type() {
    for message in messages() {
        let body = payload::body(EndpointKind::Generic, &message, FARM);
        assert!(body.to_string().len() < 20_000);
        assert!(body["type"].as_str().unwrap().starts_with("alert."));
        assert_eq!(body["data"]["text"], message.text);
    }
}

/// Whether this secret made one of the signatures.
fn verifies(secret: &str, heard: &super::Heard) -> bool {
    let at = chrono::DateTime::from_timestamp(heard.header("webhook-timestamp").parse().unwrap(), 0).unwrap();
    let own = sign::signatures([secret], heard.header("webhook-id"), at, &heard.body).unwrap();
    heard.header("webhook-signature").split(' ').any(|signature| signature == own)
}

framefarm_api::on_both_engines! {
    async fn for_a_day_after_a_rotation_both_secrets_verify(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::content().await;
        let (made, secret) = added(&farm, &receiver.url, EndpointKind::Generic, None).await;
        let old = secret.unwrap();
        endpoints::test(&farm.app, made.id, "test").await.unwrap();
        let (new, until) = endpoints::rotate_secret(&farm.app, made.id, "test").await.unwrap();
        assert_eq!(until, farm.now() + chrono::Duration::hours(24));
        endpoints::test(&farm.app, made.id, "test").await.unwrap();
        farm.wait(chrono::Duration::hours(24));
        endpoints::test(&farm.app, made.id, "test").await.unwrap();
        let heard = receiver.heard();
        let verified: Vec<(bool, bool)> =
            heard.iter().map(|one| (verifies(&old, one), verifies(&new, one))).collect();
        assert_eq!(verified, [(true, false), (true, true), (false, true)]);
        assert_ne!(old, new);
        let key = new.strip_prefix("whsec_").unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(key).unwrap().len(), 24);
    }

    async fn slack_and_discord_are_not_signed_and_have_no_secret_to_rotate(farm: Farm) {
        let farm = open(farm).await;
        let receiver = Receiver::content().await;
        for kind in [EndpointKind::Slack, EndpointKind::Discord] {
            let id = endpoint(&farm, &receiver.url, kind, None).await;
            endpoints::test(&farm.app, id, "test").await.unwrap();
            assert_eq!(receiver.heard().last().unwrap().header("webhook-signature"), "");
            assert_eq!(endpoints::rotate_secret(&farm.app, id, "test").await.unwrap_err().code, "not_signed");
            let change = EndpointChange { url: Some("http://127.0.0.1:22/".to_owned()), ..EndpointChange::default() };
            assert_eq!(endpoints::change(&farm.app, id, change, "test").await.unwrap_err().code, "bad_webhook_url");
        }
    }
}
