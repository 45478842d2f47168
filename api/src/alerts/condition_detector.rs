//! Checks the conditions at intervals: raises and resolves alerts, and sends what was suppressed.

use framefarm_shared::alert::{AlertState, AlertType};

use super::conditions::{self, Finding};
use super::message::Message;
use super::raise;
use crate::app::App;
use crate::db::alerts;
use crate::error::Result;
use crate::services::Counts;

pub async fn run_once(app: App) -> Result<Counts> {
    let going_on = alerts::incidents(&app.db).await?;
    let (mut raised, mut over) = (0, 0);
    for kind in conditions::ALL {
        let is_on = going_on.iter().any(|incident| incident.alert_type == kind);
        match conditions::look(&app, kind).await? {
            Finding::Wrong { title, text } if !is_on => {
                tell(&app, kind, AlertState::Raised, title, &text).await?;
                raised += 1;
            }
            Finding::Well { text } if is_on => {
                tell(&app, kind, AlertState::Recovered, over_words(kind), &text).await?;
                over += 1;
            }
            Finding::Wrong { .. } | Finding::Unchanged | Finding::Well { .. } => {}
        }
    }
    let held_back = raise::tell_held_back(&app).await?;
    Ok(vec![("alerts_raised", raised), ("alerts_over", over), ("held_back_told", held_back)])
}

/// The statements look again: of two instances that found the same, one tells.
async fn tell(app: &App, kind: AlertType, state: AlertState, title: &str, text: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let message = Message::new(kind, state, title, text, app.clock.now());
    let page = matches!(kind, AlertType::QueueDepthHigh | AlertType::ErrorRateHigh | AlertType::NoDequeue);
    raise::raise(app, &mut tx, Message { page: page.then(|| "/queue".to_owned()), ..message }).await?;
    Ok(tx.commit().await?)
}

const fn over_words(kind: AlertType) -> &'static str {
    match kind {
        AlertType::QueueDepthHigh => "Queue depth is back to normal",
        AlertType::ErrorRateHigh => "Error rate is back to normal",
        AlertType::NoDequeue => "Workers are claiming jobs again",
        AlertType::DiskLow => "Disk has enough free space again",
        _ => "Redis is up again",
    }
}
