//! The sandbox in which a worker opens uploads, as the worker reports it: missing layers, and their changes.

use framefarm_shared::failure::truncate;
use framefarm_shared::untrusted_text::tame;
use framefarm_shared::wire::event::EventKind;
use serde_json::Value;

use crate::app::App;
use crate::db::events::Event;
use crate::db::workers::WorkerRow;
use crate::db::{Tx, events};
use crate::error::Result;

/// Of the layers that a worker may name, and of what it says of one.
const MOST_LAYERS: usize = 16;
const MOST_TEXT: usize = 200;

/// What is missing, as text; `None` if nothing is, or nothing was reported.
pub fn incomplete(capabilities: &Value) -> Option<String> {
    let layers = capabilities.get("walls").and_then(Value::as_object)?;
    let missing = layers.iter().filter(|(_, state)| state.as_str() != Some("up"));
    let missing: Vec<String> = missing.take(MOST_LAYERS).map(|(name, state)| layer(name, state)).collect();
    if missing.is_empty() {
        return None;
    }
    let follows = match capabilities.get("sandbox_mode").and_then(Value::as_str) {
        Some("required") => "it accepts no jobs",
        _ => "it opens uploads anyway",
    };
    Some(format!("the sandbox does not enforce {}; {follows}", missing.join(", ")))
}

/// Workers of earlier versions give the reason alone.
fn layer(name: &str, state: &Value) -> String {
    let missing = &state["missing"];
    let reason = missing["detail"].as_str().or(missing.as_str()).unwrap_or("no reason given");
    format!("{} ({})", tame(truncate(name, MOST_TEXT)), tame(truncate(reason, MOST_TEXT)))
}

/// An event when a layer is missing, and one when none is any more. A new process says again what it lacks: it may be
/// another machine, and whoever switched the worker off has forgotten.
pub(super) async fn note(app: &App, tx: &mut Tx, before: &WorkerRow, now: &WorkerRow) -> Result<()> {
    let (was, is) = (incomplete(&before.capabilities.0), incomplete(&now.capabilities.0));
    let same_process = before.boot_id == now.boot_id;
    let (kind, why) = match (was, is) {
        (was, Some(is)) if was.as_ref() != Some(&is) || !same_process => (EventKind::SandboxIncomplete, is),
        (Some(_), None) => (EventKind::SandboxComplete, "all sandbox layers are enforced".to_owned()),
        _ => return Ok(()),
    };
    tracing::warn!(worker.id = %now.id, worker.name = now.name, "{kind}: {why}");
    let event = Event::of_worker(kind, &now.name, now.id).because(why);
    Ok(events::append(tx, event, app.clock.now()).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_sandbox_and_none_that_is_told_of_say_nothing() {
        for capabilities in
            [json!({}), json!(null), json!({"walls": null}), json!({"walls": {"files": "up"}})]
        {
            assert_eq!(incomplete(&capabilities), None, "{capabilities}");
        }
    }

    #[test]
    fn what_is_missing_is_told_with_its_reason_and_what_follows() {
        let forbidden = json!({"missing": {"cause": "forbidden", "detail": "Landlock: forbidden"}});
        let layers = json!({"files": forbidden, "limits": "up", "syscalls": {"missing": "old"}, "x": 7});
        let told = |mode: &str| incomplete(&json!({"walls": layers, "sandbox_mode": mode})).unwrap();
        let layers =
            "the sandbox does not enforce files (Landlock: forbidden), syscalls (old), x (no reason given)";
        assert_eq!(told("best-effort"), format!("{layers}; it opens uploads anyway"));
        assert_eq!(told("required"), format!("{layers}; it accepts no jobs"));
        let endless = json!({"walls": {"a".repeat(5000): {"missing": "b".repeat(5000)}}});
        assert!(incomplete(&endless).unwrap().len() < 600);
    }
}
