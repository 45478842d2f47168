//! A person renames a video or moves it to another collection.

use framefarm_shared::id::{CollectionId, VideoId};
use framefarm_shared::wire::event::EventKind;

use super::enqueue::check_text;
use crate::app::App;
use crate::db::events::Event;
use crate::db::{collections, events, videos};
use crate::error::{ApiError, Result};

/// What is to be changed; `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub title: Option<String>,
    /// `Some(None)` takes the video out of its collection.
    pub collection: Option<Option<String>>,
}

pub async fn edit(app: &App, id: VideoId, change: Change, actor: &str) -> Result<()> {
    let title = change.title.as_deref().map(str::trim);
    let collection = change.collection.as_ref().map(|name| name.as_deref().map(str::trim));
    check_text("title", title, 300)?;
    check_text("collection", collection.flatten(), 100)?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    if videos::get_in(&mut tx, id).await?.is_none_or(|video| video.deleted_at.is_some()) {
        return Err(ApiError::no_such("video"));
    }
    let mut what = Vec::new();
    if let Some(title) = title {
        videos::rename(&mut tx, id, title).await?;
        what.push("title");
    }
    if let Some(name) = collection {
        let to = match name {
            Some(name) => {
                Some(collections::ensure(&mut tx, CollectionId::new(&app.clock), name, now).await?.id)
            }
            None => None,
        };
        videos::set_collection(&mut tx, id, to).await?;
        what.push("collection");
    }
    if !what.is_empty() {
        let event = Event::of_video(EventKind::VideoChanged, actor, id).because(what.join(", "));
        events::append(&mut tx, event, now).await?;
    }
    tx.commit().await?;
    Ok(())
}
