//! Checks the conditions at intervals: raises and resolves alerts, and sends what was suppressed.

use framefarm_shared::alert::AlertState;

use super::conditions::{self, Condition, Finding};
use super::message::Message;
use super::raise;
use crate::app::App;
use crate::db::alerts;
use crate::error::Result;
use crate::services::Counts;

pub async fn run_once(app: App) -> Result<Counts> {
    let going_on = alerts::incidents(&app.db).await?;
    let (mut raised, mut over) = (0, 0);
    for condition in &conditions::ALL {
        let is_on = going_on.iter().any(|incident| incident.alert_type == condition.kind);
        match conditions::look(&app, condition.kind).await? {
            Finding::Wrong { title, text } if !is_on => {
                tell(&app, condition, AlertState::Raised, title, &text).await?;
                raised += 1;
            }
            Finding::Well { text } if is_on => {
                tell(&app, condition, AlertState::Recovered, condition.resolved, &text).await?;
                over += 1;
            }
            Finding::Wrong { .. } | Finding::Unchanged | Finding::Well { .. } => {}
        }
    }
    let held_back = raise::tell_held_back(&app).await?;
    Ok(vec![("alerts_raised", raised), ("alerts_over", over), ("held_back_told", held_back)])
}

/// The statements look again: of two instances that found the same, one tells.
async fn tell(app: &App, of: &Condition, state: AlertState, title: &str, text: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let message = Message::new(of.kind, state, title, text, app.clock.now());
    let page = of.page.map(str::to_owned);
    raise::raise(app, &mut tx, Message { page, ..message }).await?;
    Ok(tx.commit().await?)
}
