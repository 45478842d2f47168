//! Collections get rules of their own, and go.

use framefarm_shared::id::CollectionId;
use framefarm_shared::ladder::Ladder;
use framefarm_shared::retention::SourceRetention;
use framefarm_shared::wire::event::EventKind;

use super::enqueue::check_text;
use crate::app::App;
use crate::db::collections::{self, CollectionRow, Rules};
use crate::db::events::{self, Event};
use crate::error::{ApiError, Result};

const MOST_DAYS: i32 = 36_500;

/// What is to be changed; `None` stays as it is, `Some(None)` follows the farm again.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub ladder: Option<Option<String>>,
    pub priority: Option<i32>,
    pub completed_retention_days: Option<Option<i32>>,
    pub source_retention: Option<Option<String>>,
}

impl Change {
    /// The rules after the change, each as it is written everywhere.
    fn apply(self, to: Rules) -> Result<Rules> {
        let rules = Rules {
            ladder: self.ladder.map_or(Ok(to.ladder), |new| plain::<Ladder>("bad_ladder", new))?,
            priority: self.priority.unwrap_or(to.priority),
            completed_retention_days: self.completed_retention_days.unwrap_or(to.completed_retention_days),
            source_retention: self
                .source_retention
                .map_or(Ok(to.source_retention), |new| plain::<SourceRetention>("bad_retention", new))?,
        };
        if rules.completed_retention_days.is_some_and(|days| !(0..=MOST_DAYS).contains(&days)) {
            let detail = format!("`completed_retention_days` must be from 0 to {MOST_DAYS}, or null.");
            return Err(ApiError::bad_request("bad_retention", detail));
        }
        Ok(rules)
    }
}

fn plain<T>(code: &'static str, text: Option<String>) -> Result<Option<String>>
where
    T: std::str::FromStr<Err = String> + ToString,
{
    let Some(text) = text else { return Ok(None) };
    let value = text.trim().parse::<T>().map_err(|why| ApiError::bad_request(code, format!("{why}.")))?;
    Ok(Some(value.to_string()))
}

/// The ladder of a collection, if it has one that is not the farm's.
pub(super) fn own_ladder(app: &App, collection: Option<&CollectionRow>) -> Option<Ladder> {
    let text = collection?.ladder.as_deref()?;
    match text.parse::<Ladder>() {
        Ok(ladder) => (ladder != app.settings.ladder).then_some(ladder),
        Err(error) => {
            tracing::error!(%error, "invalid ladder of a collection; using the farm's default");
            None
        }
    }
}

pub async fn create(app: &App, name: &str, change: Change, actor: &str) -> Result<()> {
    let name = name.trim();
    check_text("name", Some(name), 100)?;
    let rules = change.apply(Rules::default())?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let id = CollectionId::new(&app.clock);
    if collections::insert_if_free(&mut tx, id, name, &rules, now).await?.is_none() {
        let detail = format!("The collection `{name}` already exists; update that one.");
        return Err(ApiError::conflict("collection_exists", detail));
    }
    events::append(&mut tx, Event::new(EventKind::CollectionCreated, actor).because(name), now).await?;
    tx.commit().await?;
    Ok(())
}

/// Videos that are planned already keep their qualities.
pub async fn change(app: &App, name: &str, change: Change, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let Some(row) = collections::lock_by_name(&mut tx, known(name)?).await? else { return Err(missing()) };
    let rules = change.apply(row.rules())?;
    if rules != row.rules() {
        collections::set_rules(&mut tx, row.id, &rules).await?;
        let event =
            Event::new(EventKind::CollectionChanged, actor).because(format!("{name}: {}", told(&rules)));
        events::append(&mut tx, event, app.clock.now()).await?;
    }
    tx.commit().await?;
    Ok(())
}

fn told(rules: &Rules) -> String {
    let days = rules.completed_retention_days.map(|days| days.to_string());
    let farms = |rule: Option<&String>| rule.map_or_else(|| "farm default".to_owned(), Clone::clone);
    format!(
        "ladder {}, priority {}, completed_retention_days {}, source_retention {}",
        farms(rules.ladder.as_ref()),
        rules.priority,
        farms(days.as_ref()),
        farms(rules.source_retention.as_ref())
    )
}

/// Its videos and their jobs stay, without a collection. What waits to be planned follows the farm's ladder then.
pub async fn delete(app: &App, name: &str, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let Some(row) = collections::lock_by_name(&mut tx, known(name)?).await? else { return Err(missing()) };
    // The foreign key would take the jobs along: work that waits or runs, and the history of videos that stay.
    collections::let_jobs_go(&mut tx, row.id).await?;
    collections::delete(&mut tx, row.id).await?;
    let event = Event::new(EventKind::CollectionDeleted, actor).because(&row.name);
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

/// PostgreSQL keeps no NUL in a text and refuses to look for one.
fn known(name: &str) -> Result<&str> {
    if name.contains('\0') { Err(missing()) } else { Ok(name) }
}

fn missing() -> ApiError {
    ApiError::no_such("collection")
}
