//! For programs: the shape of Standard Webhooks.

use serde_json::{Value, json};

use super::super::message::Message;
use super::Farm;

pub(super) fn body(message: &Message, farm: Farm<'_>) -> Value {
    let word = message.alert_type.map_or("test", |kind| kind.as_str());
    json!({
        "type": format!("alert.{word}"),
        "timestamp": message.occurred_at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true),
        "data": {
            "alert_type": message.alert_type,
            "state": message.state,
            "title": message.title,
            "text": message.text,
            "subject": Some(&message.subject).filter(|subject| !subject.is_empty()),
            "video_id": message.video_id,
            "job_id": message.job_id,
            "worker_id": message.worker_id,
            "link": farm.link(message),
            "suppressed": message.suppressed,
        },
    })
}
